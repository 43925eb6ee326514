"""How many tokens of a language model a text is, estimated by its length and its language.

No tokeniser is asked: each model has its own, and most of them are not at hand offline. Characters a
token were measured with ``o200k_base`` on law texts and on the GDPR in 24 languages, and rounded down,
so that an estimate is seldom too small. Older tokenisers cut what is not English up to twice as small.
"""

from __future__ import annotations

import math

CHARACTERS_PER_TOKEN = {
    "en": 4.5,
    "fr": 4.6,
    "es": 4.6,
    "pt": 4.6,
    "it": 4.4,
    "nl": 4.5,
    "de": 4.2,
    "id": 3.8,
    "da": 3.8,
    "sv": 3.8,
    "ro": 3.8,
    "pl": 3.5,
    "bg": 3.4,
    "ar": 3.2,
    "zh": 1.3,
    "ja": 1.3,
    "ko": 1.3,
    "th": 1.3,
}
# Of every other language.
FEWEST_CHARACTERS = 2.9


def token_estimate(characters: int, language: str) -> int:
    """Tokens of a text of so many characters, rounded up."""
    return math.ceil(characters / CHARACTERS_PER_TOKEN.get(language.split("-")[0], FEWEST_CHARACTERS))

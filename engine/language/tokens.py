"""How many tokens of a language model a text is, estimated by its length and its language.

No tokeniser is asked: each model has its own, and most of them are not at hand offline. Characters a
token were measured with ``o200k_base`` on law texts and on the GDPR in 24 languages, and rounded down,
so that an estimate is seldom too small. Older tokenisers cut what is not English up to twice as small.
"""

from __future__ import annotations

import math

from engine.languages import words


def characters_per_token(language: str) -> float:
    """Characters of a text that one token of a language model stands for."""
    return words(language).characters_per_token


def token_estimate(characters: int, language: str) -> int:
    """Tokens of a text of so many characters, rounded up."""
    return math.ceil(characters / characters_per_token(language))

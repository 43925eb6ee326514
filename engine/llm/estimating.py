"""How many tokens a text is, before a server has counted them: at most, and at least.

No tokeniser is asked: each model has its own, and most are not at hand. The most is what a budget
reserves: it counts words the way coarse tokenisers cut them. The least is what tells a prompt that a server
cut from one that a good tokeniser packed well.
"""

from __future__ import annotations

import math
import re

# What a chat template puts around each message, and around all of them.
PER_MESSAGE, PER_PROMPT = 8, 8
PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\W\d_A-Za-z]+|\n+|[^\w\s]|_+|\d+")
# Characters of a token: English words in coarse tokenisers have pieces of four letters and more.
LETTERS = 4
# A byte-level tokeniser that never saw a script needs about a token a character.
FOREIGN = 1.0
# No tokeniser in use packs more than this: o200k_base reaches 5.3 in English law.
PACKED_LATIN, PACKED_FOREIGN = 9.0, 5.0
RUN = re.compile(r"(.)\1{3,}", re.S)


def most_tokens(text: str) -> int:
    """A cautious estimate: real tokenisers seldom need more."""
    total = 0
    for piece in PIECE.findall(text):
        first = piece[0]
        if not first.isascii():
            total += math.ceil(len(piece) * FOREIGN)
        elif first.isalpha():
            total += math.ceil(len(piece) / LETTERS)
        else:
            total += 1 if first == "\n" else len(piece)
    return total


def least_tokens(text: str) -> int:
    """So many tokens at least, whatever the tokeniser; runs of one character count once."""
    text = RUN.sub(r"\1", text)
    latin = sum(map(str.isascii, text))
    return int(latin / PACKED_LATIN + (len(text) - latin) / PACKED_FOREIGN)

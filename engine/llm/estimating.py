"""How many tokens a text is, before a server has counted them: at most, and at least.

No tokeniser is asked: each model has its own, and most are not at hand. The most is what a budget reserves
and a context must hold: it cuts words as coarse tokenisers do. The least is what the finest tokenisers need;
a server that counts fewer has not read everything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

# What a chat template puts around each message, and around all of them.
PER_MESSAGE, PER_PROMPT = 8, 8
# Letters of a piece of a word in a coarse tokeniser; every word has a piece of its own. Against English word
# pieces (MiniLM, 30,000 of them) English law comes out half too high, German and Indonesian law up to 12 in
# 100 too low.
LETTERS = 3.2
# Tokens a character, at most: a byte-level tokeniser that knows few Han characters needs two or three for
# many of them; of other scripts o200k_base packs 2.9 characters and more, older tokenisers half as many.
HAN, FOREIGN = 1.6, 0.7
# Characters a token, at most: o200k_base packs up to 5.3 in English law, 3.5 in scripts other than Latin, 1.3
# in Chinese; a tokeniser for fewer languages may pack more.
PACKED, PACKED_FOREIGN, PACKED_HAN = 7.0, 4.5, 2.0
# Sizes of context that servers are set to; one that cuts a prompt counts exactly so many tokens.
SIZES = frozenset(1024 * 2**power for power in range(1, 8))

_WORD = re.compile(r"[A-Za-z]+")
_HAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff\u0e00-\u0eff]")
_OTHER = re.compile(r"[^\x00-\x7f]")
_SIGN = re.compile(r"[0-9!-/:-@\[-`{-~]|\n+")
_RUN = re.compile(r"(.)\1{3,}", re.S)


def most_tokens(text: str) -> int:
    """A cautious estimate: real tokenisers seldom need more."""
    words = sum(max(1.0, len(word) / LETTERS) for word in _WORD.findall(text))
    han = len(_HAN.findall(text))
    other = len(_OTHER.findall(text)) - han
    return math.ceil(words + len(_SIGN.findall(text)) + han * HAN + other * FOREIGN)


def least_tokens(text: str) -> int:
    """So many tokens at least, whatever the tokeniser; a run of one character counts once."""
    text = _RUN.sub(r"\1", text)
    other, han = len(_OTHER.findall(text)), len(_HAN.findall(text))
    return int((len(text) - other) / PACKED + (other - han) / PACKED_FOREIGN + han / PACKED_HAN)


def cut_at(read: int, text: str, earlier: Sequence[str] = ()) -> int | None:
    """About how many tokens a prompt has, where a server that read ``read`` must have cut it; else None.

    It did where it read fewer than the finest tokeniser makes, or exactly the size of a context and that is
    fewer than usual (Ollama counts what is left of a prompt that it cut: ``num_ctx`` tokens). But some
    servers count only what was new to them: then ``read`` is enough for what no earlier prompt began with.
    """
    least = least_tokens(text)
    about = (least + most_tokens(text)) // 2
    if read in SIZES and read < about:
        return about
    if read >= least or any(read >= least_tokens(text[_shared(text, other) :]) for other in earlier):
        return None
    return about


def _shared(text: str, other: str) -> int:
    """Characters with which both begin."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((place for place, (one, two) in pairs if one != two), min(len(text), len(other)))

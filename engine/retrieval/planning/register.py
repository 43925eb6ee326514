"""A question in the words of the law: "fire" becomes "dismiss, terminate employment"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.language.analysis import analyzer
from engine.language.characters import HAN
from engine.retrieval.planning.words import words_of

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A rephrased question, and what was put for what ("fire → dismiss, terminate employment")."""

    text: str
    exchanges: tuple[str, ...]


def in_legal_register(text: str, language: str) -> Rephrased | None:
    """The question with everyday words exchanged for those of the law; None where it has none."""
    table = _table(language)
    if _HAN.search(text):
        return _by_characters(text, language)
    words = list(_WORD.finditer(text))
    stem = analyzer(language).stem
    stems = [stem(word[0]) for word in words]
    pieces, exchanges, end, at = [], [], 0, 0
    longest = max((len(key) for key in table), default=0)
    while at < len(words):
        size = next(
            (n for n in range(min(longest, len(words) - at), 0, -1) if tuple(stems[at : at + n]) in table), 0
        )
        if not size:
            at += 1
            continue
        start, stop = words[at].start(), words[at + size - 1].end()
        formal = table[tuple(stems[at : at + size])]
        pieces += [text[end:start], " ".join(formal)]
        exchanges.append(f"{text[start:stop]} → {', '.join(formal)}")
        end, at = stop, at + size
    if not exchanges:
        return None
    return Rephrased("".join([*pieces, text[end:]]), tuple(exchanges))


def _by_characters(text: str, language: str) -> Rephrased | None:
    """Where no blanks stand between words, the longest words first."""
    exchanges = []
    pairs = [(word, formal) for plain, formal in words_of(language).legal for word in plain]
    for word, formal in sorted(pairs, key=lambda pair: -len(pair[0])):
        if word in text:
            text = text.replace(word, " ".join(formal))
            exchanges.append(f"{word} → {', '.join(formal)}")
    return Rephrased(text, tuple(exchanges)) if exchanges else None


@cache
def _table(language: str) -> dict[tuple[str, ...], Sequence[str]]:
    """What stands for which stems."""
    stem = analyzer(language).stem
    return {
        tuple(stem(part) for part in _WORD.findall(word)): formal
        for plain, formal in words_of(language).legal
        for word in plain
    }

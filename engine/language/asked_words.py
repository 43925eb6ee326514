"""Which words of a passage the question asked for."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.language.analyzer import Analyzer, analyzer
from engine.model import Span

# A word with its combining marks (Latin accents, Arabic vowels, tatweel), which are no word characters.
_WORD = re.compile("[^\\W_][\\w\u0300-\u036f\u0640\u064b-\u065f\u0670]*")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=256)
def question_terms(question: str, language: str) -> frozenset[str]:
    """Index terms of a question, as the analyzer of a passage's language sees them."""
    return frozenset(analyzer(language).terms(question))


def matched_spans(text: str, language: str, terms: frozenset[str]) -> list[Span]:
    """Words of ``text`` that share a term with the question, in order, never overlapping.

    Where a script has no spaces, the matching pairs of characters instead of whole runs.
    """
    if not terms:
        return []
    words = analyzer(language)
    spans: list[Span] = []
    for match in _WORD.finditer(text):
        if _UNSPACED.search(match[0]):
            spans += _pairs(match[0], match.start(), terms)
        elif _matches(words, match[0], terms):
            spans.append(Span(match.start(), match.end()))
    return spans


def _matches(words: Analyzer, word: str, terms: frozenset[str]) -> bool:
    return not terms.isdisjoint(words.terms(word))


def _pairs(run: str, offset: int, terms: frozenset[str]) -> list[Span]:
    spans: list[Span] = []
    for index in range(len(run) - 1):
        if run[index : index + 2] not in terms:
            continue
        start, end = offset + index, offset + index + 2
        if spans and spans[-1].end >= start:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    return spans

"""Which passages an area reaches by its keywords, told by the corpus's own index.

A passage is covered where it holds all words of one keyword in its own language, in its text or in what
stands around it (headings, label), as coverage looks for areas in a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Area, Corpus, Mask, Rows
from engine.language.analysis import analyzer

QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Reach:
    """What an area covers. ``passages`` counts all, ``examples`` are ids of those that hold most of its
    keywords; ``found`` says of each keyword in each language how many passages hold it."""

    passages: int
    examples: tuple[str, ...]
    found: Mapping[tuple[str, str], int]


class Index:
    """Looks keywords up, each word once. ``holding`` is of shape (passages,)."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        everything = np.arange(len(corpus), dtype=np.int32)
        names = [document.language for document in corpus.documents()]
        numbers = corpus.document_numbers(everything)
        own = np.asarray(names, dtype=object)[numbers] if names else np.zeros(0, dtype=object)
        self._languages: dict[str, Mask] = {name: own == name for name in set(names)}
        self._words: dict[tuple[str, str], Mask] = {}

    def of_language(self, language: str) -> Mask:
        """Which passages are of documents in a language."""
        none = np.zeros(len(self._corpus), np.bool_)
        return self._languages.get(language, none)

    def prepare(self, keywords: Iterable[tuple[str, str]]) -> None:
        """Look up the words of many keywords, each a language and a text, at once."""
        wanted: dict[str, set[str]] = {}
        for language, text in keywords:
            new = {word for word in _words(language, text) if (language, word) not in self._words}
            wanted.setdefault(language, set()).update(new)
        for language, words in wanted.items():
            self._look_up(language, sorted(words))

    def holding(self, language: str, keyword: str) -> Mask:
        """Which passages of a language hold all words of a keyword; none where it has no word."""
        words = _words(language, keyword)
        own = self._languages.get(language)
        if own is None or not words:
            return np.zeros(len(self._corpus), np.bool_)
        self.prepare([(language, keyword)])
        found = own.copy()
        for word in words:
            found &= self._words[language, word]
        return found

    def counts(self, area: Area) -> Rows:
        """How many keywords of an area each passage holds, shape (passages,)."""
        self.prepare((language, word) for language, words in area.keywords.items() for word in words)
        total = np.zeros(len(self._corpus), np.int32)
        for language, keywords in area.keywords.items():
            for keyword in keywords:
                total += self.holding(language, keyword)
        return total

    def reach(self, area: Area, examples: int = 3) -> Reach:
        """What an area covers."""
        counts = self.counts(area)
        bare = self._corpus.bare_headings(np.arange(len(self._corpus), dtype=np.int32))
        best = np.lexsort((np.arange(len(counts)), bare, -counts))[:examples]
        shown = [int(row) for row in best if counts[row] > 0]
        ids = tuple(passage.id for passage in self._corpus.passages(np.asarray(shown, np.int32)))
        found = {
            (language, keyword): int(self.holding(language, keyword).sum())
            for language, keywords in area.keywords.items()
            for keyword in keywords
        }
        return Reach(int((counts > 0).sum()), ids, found)

    def _look_up(self, language: str, words: Sequence[str]) -> None:
        for start in range(0, len(words), QUERIES_AT_ONCE):
            part = words[start : start + QUERIES_AT_ONCE]
            answers = self._corpus.search_lexical(part, language, len(self._corpus))
            for word, hits in zip(part, answers, strict=True):
                mask = np.zeros(len(self._corpus), np.bool_)
                mask[hits.rows] = True
                self._words[language, word] = mask


def overlaps(areas: Mapping[str, Mask]) -> dict[str, tuple[str, float]]:
    """For each area the one that covers most of the same passages, and the share of its own that they are."""
    found: dict[str, tuple[str, float]] = {}
    for name, own in areas.items():
        size = int(own.sum())
        shares = [
            (float((own & other).sum()) / size, another)
            for another, other in areas.items()
            if another != name and size
        ]
        if shares:
            share, another = max(shares, key=lambda pair: (pair[0], pair[1]))
            found[name] = (another, share)
    return found


def _words(language: str, keyword: str) -> list[str]:
    """The words of a keyword that an index knows; those it leaves out are no condition."""
    reading = analyzer(language)
    return [word for word in keyword.split() if reading.terms(word)]

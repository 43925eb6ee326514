"""What a question asks about, as weighted words, and how much of it a text holds.

A word weighs what the best passage of the corpus scores for it alone by BM25, so that rare words count; one
that the corpus does not know weighs more than any that it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.caching import Cache, Caches
from engine.corpus.protocol import Corpus
from engine.investigation.wanted import NONE, wanted_in, without_measure
from engine.language.analysis import analyzer
from engine.language.statements import Kind
from engine.model import Passage

# Of the heaviest word that the corpus knows.
UNKNOWN_WEIGHT = 1.3
# Among so many passages of the ranking one must hold enough of the question.
BEST_LOOKED_AT = 5
_WORD = re.compile(r"[^\W_]+")
# Questions whose words are remembered, of each corpus, and texts.
REMEMBERED, TEXTS = 128, 512
_ASKED: Caches[tuple[str, str], Asked] = Caches("words of questions", REMEMBERED)
_READ: Cache[tuple[str, str], frozenset[str]] = Cache("terms of texts", TEXTS)


class Written(NamedTuple):
    """A text and its language. That of a passage has its headings and the title of its document with it."""

    language: str
    text: str


def written(passage: Passage, title: str, text: str = "") -> Written:
    """A passage as it is compared with a question: its text, or what it was put together to."""
    return Written(passage.language, " ".join((text or passage.text, *passage.headings, title)))


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question that an index knows as terms. ``terms`` are those of each word, ``weights``
    theirs, shape (words,), adding up to 1; ``known`` whether the corpus has the word; ``wanted`` the
    kinds of quantity that would answer it."""

    words: tuple[str, ...]
    terms: tuple[frozenset[str], ...]
    weights: NDArray[np.float32]
    known: NDArray[np.bool_]
    language: str
    wanted: frozenset[Kind] = NONE

    def held(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Which of the words are among the index terms of a text, shape (words,)."""
        found = terms if isinstance(terms, frozenset) else frozenset(terms)
        return np.array([own <= found for own in self.terms], np.bool_)

    def share(self, terms: Iterable[str]) -> float:
        """How much of the question the index terms of a text hold, 0..1."""
        return float(self.weights[self.held(terms)].sum())

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that the corpus has nowhere."""
        return tuple(word for word, known in zip(self.words, self.known.tolist(), strict=True) if not known)


def asked_of(question: str, language: str, corpus: Corpus) -> Asked:
    """The words of a question, weighted by a corpus; remembered as long as that is open."""
    return _ASKED.of(corpus).made((question, language), lambda: _asked_of(question, language, corpus))


def _asked_of(question: str, language: str, corpus: Corpus) -> Asked:
    reader = analyzer(language)
    by_word: dict[str, frozenset[str]] = {}
    for match in _WORD.finditer(without_measure(question, language)):
        terms = reader.terms_of_word(match[0])
        # Where a script has no blanks, a word is a pair of letters.
        pieces = {term: (term,) for term in terms} if len(terms) > 1 else {match[0].casefold(): terms}
        by_word.update({word: frozenset(own) for word, own in pieces.items() if own})
    words = tuple(by_word)
    best = corpus.search_lexical(words, language, 1) if words else []
    weights = np.array([hits.scores[0] if len(hits.scores) else 0.0 for hits in best], np.float32)
    known = weights > 0
    # Where the corpus knows none of them, one weighs as much as another.
    weights[~known] = UNKNOWN_WEIGHT * (float(weights.max(initial=0.0)) or 1.0)
    total = float(weights.sum())
    shares = weights / total if total else weights
    for array in (shares, known):
        array.flags.writeable = False
    return Asked(words, tuple(by_word.values()), shares, known, language, wanted_in(question, language))


def held_by_best(asked: Asked, texts: Sequence[Written]) -> float | None:
    """The largest share of the question that one of the best texts holds.

    None where it cannot be told: nothing to compare by words, or no text in the question's language.
    """
    language = asked.language.split("-")[0]
    best = [one.text for one in texts[:BEST_LOOKED_AT] if one.language.split("-")[0] == language]
    if not asked.words or not best:
        return None
    return max(asked.share(_terms(asked.language, text)) for text in best)


def held_by_all(asked: Asked, texts: Sequence[Written]) -> NDArray[np.bool_]:
    """Which words of the question one of the texts holds, shape (words,)."""
    held = np.zeros(len(asked.words), np.bool_)
    for one in texts:
        if held.all():
            # The best few mostly hold all of them: the others need not be read for it.
            break
        held |= asked.held(_terms(asked.language, one.text))
    return held


def _terms(language: str, text: str) -> frozenset[str]:
    """The index terms of a text: the best passages of a case are looked at after each of its rounds."""
    return _READ.made((language, text), lambda: frozenset(analyzer(language).terms(text)))

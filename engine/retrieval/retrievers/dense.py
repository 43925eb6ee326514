"""Dense search by vectors, and the levels of its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Hits, Rows
from engine.retrieval.retrievers.base import Found, Inquiry, Listed, Off, Shares, nothing

# What cosine an unrelated passage has to a question, by the language of the passage.
#
# A model's zero is not 0, and not one number. E5 puts a question further from all passages than
# passages are from each other, so a zero taken between passages lies above what most passages
# have to the question; and a multilingual model puts a question nearer to all that is written in
# its own language. So the cosines of a sample of the corpus are looked at for each question.

# Passages of each language that are looked at; fewer than FEWEST say nothing of their language.
SAMPLE, FEWEST = 256, 5
# The same share of unrelated pairs that ``Corpus.similarity_floor`` leaves below.
LOWEST_PERCENT = 1.0


@dataclass(frozen=True, slots=True)
class _Sample:
    """``languages`` of the groups; ``group_of``: the group of each document, shape (documents,);
    ``vectors``: of each group's sample."""

    languages: tuple[str, ...]
    group_of: NDArray[np.int32]
    vectors: tuple[NDArray[np.float32], ...]


_KNOWN: WeakKeyDictionary[Corpus, _Sample] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Levels:
    """Floors of some views by group, shape (views, groups), and the span of each view, shape (views, 1)."""

    corpus: Corpus
    group_of: NDArray[np.int32]
    floors: NDArray[np.float32]
    spans: NDArray[np.float32]

    def shares(self, cosines: NDArray[np.float32], rows: Rows) -> NDArray[np.float32]:
        """Cosines of each view and row above the floor, as shares of the view's span, 0..1."""
        floors = self.floors[:, self.group_of[self.corpus.document_numbers(rows)]]
        shares: NDArray[np.float32] = np.clip((cosines - floors) / self.spans, 0.0, 1.0).astype(np.float32)
        return shares


def levels(corpus: Corpus, language: str, vectors: NDArray[np.float32], hits: Sequence[Hits]) -> Levels:
    """The levels of views in a language with these vectors, shape (views, d), and their best passages.

    The floor is the model's, unless most of the sample lies below it: then the sample's own. Passages in
    other languages are moved by as much as their median differs from that of the question's language, or
    of the largest sample.
    """
    sample = _sample_of(corpus)
    cosines = [vectors @ group.T for group in sample.vectors]
    sizes = [group.shape[1] for group in cosines]
    own_group = sample.languages.index(language) if language in sample.languages else -1
    fits = own_group >= 0 and sizes[own_group] >= FEWEST
    reference = own_group if fits else sizes.index(max(sizes))
    floors = np.zeros((len(vectors), len(cosines)), np.float32)
    spans = np.zeros((len(vectors), 1), np.float32)
    for view, found in enumerate(hits):
        own = [group[view] for group in cosines]
        floor = _floor(own[reference], corpus.similarity_floor)
        middle = float(np.median(own[reference])) if len(own[reference]) else 0.0
        for number, group in enumerate(own):
            moved = float(np.median(group)) - middle if len(group) >= FEWEST else 0.0
            floors[view, number] = floor + moved
        spans[view] = -floor
        if len(found.rows):
            groups = sample.group_of[corpus.document_numbers(found.rows)]
            spans[view] = (found.scores - floors[view, groups]).max()
    return Levels(corpus, sample.group_of, floors, np.maximum(spans, 1e-6))


def _floor(cosines: NDArray[np.float32], usual: float) -> float:
    if len(cosines) < FEWEST or float(np.median(cosines)) >= usual:
        return usual
    return float(np.percentile(cosines, LOWEST_PERCENT))


def _sample_of(corpus: Corpus) -> _Sample:
    known = _KNOWN.get(corpus)
    if known is None:
        known = _KNOWN[corpus] = _take_sample(corpus)
    return known


def _take_sample(corpus: Corpus) -> _Sample:
    """Up to 256 passages with vectors of each language, evenly over the corpus; always the same ones."""
    languages = [document.language for document in corpus.documents()]
    names, group_of = np.unique(np.array(languages), return_inverse=True)
    groups = group_of[corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))]
    vectors = []
    for number in range(len(names)):
        rows = np.flatnonzero(groups == number)
        chosen = rows[np.unique(np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64))]
        found = corpus.vectors(chosen.astype(np.int32))
        vectors.append(found[found.any(axis=1)])
    return _Sample(tuple(names.tolist()), group_of.astype(np.int32), tuple(vectors))


# Dense vectors: what the question means, as the corpus's embedding model sees it.

DENSE = "dense"
# The lowest cosine that is kept.
LOWEST = 0.15


class Dense:
    """Exact search by cosine. A share is the cosine above that of unrelated passages (``levels.py``) over
    the best cosine above it."""

    name = DENSE
    title = "Meaning (vectors)"

    def search(self, asked: Inquiry) -> Found | Off:
        """Hits of at least the cosine that ``LOWEST`` names; off without the views' vectors."""
        if asked.vectors is None:
            return Off()
        meant, vectors = asked.meant, asked.vectors
        found = iter(asked.corpus.search_dense(vectors[meant], asked.depth, LOWEST, mask=asked.mask))
        hits: list[Hits] = [next(found) if read else nothing() for read in meant.tolist()]
        unrelated = levels(asked.corpus, asked.plan.language, vectors, hits)
        return Listed(hits, meant, partial(_shares, asked, vectors, unrelated))


def _shares(asked: Inquiry, vectors: NDArray[np.float32], unrelated: Levels, rows: Rows) -> Shares:
    cosines: NDArray[np.float32] = vectors @ asked.corpus.vectors(rows).T
    return np.where(asked.meant[:, None], unrelated.shares(cosines, rows), np.float32(0.0))

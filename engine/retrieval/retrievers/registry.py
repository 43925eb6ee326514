"""The built-in retrievers (words, learned sparse vectors, dense vectors) and the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Hits, Rows, Scores
from engine.errors import ModelError, SettingsError
from engine.language.embedders import SparseVectors, reads, sparse_embedder
from engine.language.embedders.transformer import model_name
from engine.retrieval.retrievers.base import (
    Found,
    Inquiry,
    Listed,
    Off,
    Retriever,
    Shares,
    above,
    best_scores,
    nothing,
    shares_of,
)

# BM25: search by the words of the question, weighted by rarity.

LEXICAL = "bm25"
# The lowest score of a hit, as a share of the best.
LOWEST = 0.05


class Lexical:
    """BM25 over texts, contexts and titles (Robertson and Zaragoza 2009); see ``Corpus.score_lexical``."""

    name = LEXICAL
    title = "Words (BM25)"

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return hits with at least the share ``LOWEST`` of the best score."""
        texts, language = inquiry.texts, inquiry.plan.language
        found = inquiry.corpus.search_lexical(texts, language, inquiry.depth, mask=inquiry.mask)
        best = best_scores(found)
        hits = [above(own, LOWEST * float(top)) for own, top in zip(found, best, strict=True)]
        return Listed(hits, np.ones(len(texts), np.bool_), partial(_shares, inquiry, best))


def _shares(inquiry: Inquiry, best: Scores, rows: Rows) -> Shares:
    return shares_of(inquiry.corpus.score_lexical(inquiry.texts, inquiry.plan.language, rows), best)


# Learned sparse vectors: search by the words of the question and words that a model adds.


class Sparse:
    """SPLADE and similar models (Formal et al., SIGIR 2021) by inner product; see ``Corpus.score_sparse``."""

    name = "sparse"
    title = "Learned words (sparse)"

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return hits of the dense views.

        Off if the corpus has no sparse vectors, or its model is not available or does not read the language.
        """
        corpus, is_dense = inquiry.corpus, inquiry.is_dense
        try:
            model = sparse_embedder(corpus.sparse_model)
            if model is None:
                return Off("the corpus holds no learned sparse vectors")
            if not reads(model, inquiry.plan.language):
                return Off(f"{model_name(model.spec)} does not read {inquiry.plan.language!r}")
            texts = [view.text for view in inquiry.plan.views if view.dense]
            queries = model.encode(texts, "query")
        except (ModelError, SettingsError) as error:
            return Off(str(error))
        found = iter(corpus.search_sparse(queries, inquiry.depth, mask=inquiry.mask))
        hits: list[Hits] = [next(found) if read else nothing() for read in is_dense.tolist()]
        return Listed(hits, is_dense, partial(_shares_sparse, inquiry, queries, best_scores(hits)))


def _shares_sparse(inquiry: Inquiry, queries: SparseVectors, best: Scores, rows: Rows) -> Shares:
    scores = np.zeros((len(best), len(rows)), np.float32)
    scores[inquiry.is_dense] = inquiry.corpus.score_sparse(queries, rows)
    return shares_of(scores, best)


# Dense search by vectors, and the floor of its cosines.

# The floor: the cosine of unrelated passages to a question, by language of the passage
#
# It is neither 0 nor one number. In E5 a question is further from all passages than passages from each other,
# so that a floor measured between passages is above most cosines to the question; and in a multilingual model
# a question is nearer to all passages in its own language. So the cosines of a sample are measured for each
# question.

# Passages sampled for each language; fewer than FEWEST are not used.
SAMPLE, FEWEST = 256, 5
# The same percentile of unrelated pairs as in ``Corpus.similarity_floor``.
LOWEST_PERCENT = 1.0


@dataclass(frozen=True, slots=True)
class _Sample:
    """Groups of passages by language: ``languages``, the group of each document, and sampled ``vectors``.

    ``group_of`` has shape (documents,).
    """

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
        """Return cosines of views and rows above the floor as shares of the view's span, 0..1."""
        floors = self.floors[:, self.group_of[self.corpus.document_numbers(rows)]]
        shares: NDArray[np.float32] = np.clip((cosines - floors) / self.spans, 0.0, 1.0).astype(np.float32)
        return shares


def levels(corpus: Corpus, language: str, vectors: NDArray[np.float32], hits: Sequence[Hits]) -> Levels:
    """Measure the levels of views with these vectors, shape (views, d), by sample and best passages.

    The floor is the model's unless most of the sample is below it; then it is the sample's. For passages in
    other languages it is moved by the difference of their median to that of the question's language, or of
    the largest sample.
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


def _floor(cosines: NDArray[np.float32], default: float) -> float:
    if len(cosines) < FEWEST or float(np.median(cosines)) >= default:
        return default
    return float(np.percentile(cosines, LOWEST_PERCENT))


def _sample_of(corpus: Corpus) -> _Sample:
    known = _KNOWN.get(corpus)
    if known is None:
        known = _KNOWN[corpus] = _take_sample(corpus)
    return known


def _take_sample(corpus: Corpus) -> _Sample:
    """Sample up to 256 passages with vectors of each language evenly; always the same ones."""
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


# The retriever

DENSE = "dense"
# The lowest cosine of a hit.
LOWEST_COSINE = 0.15


class Dense:
    """Exact search by cosine. A share is the cosine above the floor, relative to the best one above it."""

    name = DENSE
    title = "Meaning (vectors)"

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return hits with a cosine of at least ``LOWEST_COSINE``; off without vectors of the views."""
        if inquiry.vectors is None:
            return Off()
        is_dense, vectors = inquiry.is_dense, inquiry.vectors
        found = iter(
            inquiry.corpus.search_dense(vectors[is_dense], inquiry.depth, LOWEST_COSINE, mask=inquiry.mask)
        )
        hits: list[Hits] = [next(found) if read else nothing() for read in is_dense.tolist()]
        unrelated = levels(inquiry.corpus, inquiry.plan.language, vectors, hits)
        return Listed(hits, is_dense, partial(_shares_dense, inquiry, vectors, unrelated))


def _shares_dense(inquiry: Inquiry, vectors: NDArray[np.float32], unrelated: Levels, rows: Rows) -> Shares:
    cosines: NDArray[np.float32] = vectors @ inquiry.corpus.vectors(rows).T
    return np.where(inquiry.is_dense[:, None], unrelated.shares(cosines, rows), np.float32(0.0))


# The registry of retrievers: the built-in ones and those of other packages.
#
# A package adds one by the entry point group ``redstring.retrievers``; the entry's name is the
# retriever's name, its value the class.

GROUP = "redstring.retrievers"

BUILT_IN: Mapping[str, Callable[[], Retriever]] = {
    "bm25": Lexical,
    "dense": Dense,
    "sparse": Sparse,
}


@cache
def all_retrievers() -> Mapping[str, Callable[[], Retriever]]:
    """Return all retrievers by name. Other packages cannot use a built-in name."""
    added = {entry.name: entry.load() for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}
    return {**BUILT_IN, **added}


def retrievers(names: Sequence[str]) -> list[Retriever]:
    """Make retrievers by name, in the order in which they search.

    Raises SettingsError for an unknown name or an empty list.
    """
    known = all_retrievers()
    if not names:
        raise SettingsError(f"retrievers: name at least one of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise SettingsError(f"unknown retriever {name!r}; known retrievers: {', '.join(known)}")
    # In the order of the registry: a retriever may use what earlier ones found.
    return [known[name]() for name in known if name in names]


def title_of(name: str) -> str:
    """Return the title of a retriever, or its name if it is no longer known."""
    maker = all_retrievers().get(name)
    return name if maker is None else maker().title

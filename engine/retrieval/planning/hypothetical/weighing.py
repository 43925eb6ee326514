"""How far hypothetical passages are to be trusted: how near each is to the question and to the others.

A passage that a model made up may be about something else. One whose similarity to the question is under
0.4 is not searched: the question stands alone. The others weigh by their agreement, the mean similarity to
the question and to each other. Similarities are on a scale from unrelated (0) to equal (1): cosines above
what unrelated texts have, since a model's own zero is not 0 (see ``retrievers/levels.py``); without
vectors, the share of a text's terms, by their rarity, that the other has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.errors import ModelError
from engine.language.analysis import analyzer
from engine.language.embedders import Embedder, reads
from engine.retrieval.retrievers.levels import levels

LOWEST_SIMILARITY = 0.4
# Below this mean agreement a person is told that the drafts say different things, or little of the question.
LOW_CONFIDENCE = 0.5
_WORD = re.compile(r"[^\W_]+")
Similarities = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draft:
    """A hypothetical passage, and where it comes from."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """A draft with its similarity to the question and its agreement, 0..1. ``used``: it is near enough."""

    draft: Draft
    similarity: float
    agreement: float

    @property
    def used(self) -> bool:
        """Whether it is near enough to the question to be searched."""
        return self.similarity >= LOWEST_SIMILARITY


def weighed(
    drafts: Sequence[Draft], question: str, language: str, corpus: Corpus, embedder: Embedder | None
) -> tuple[Weighed, ...]:
    """The drafts with their similarity to a question in a language, and their agreement, in their order."""
    if not drafts:
        return ()
    texts = [draft.text for draft in drafts]
    table = _by_vectors(question, texts, language, corpus, embedder)
    if table is None:
        table = _by_words([question, *texts], language, corpus)
    others = len(texts)
    agreements = (table[1:].sum(axis=1) - np.diag(table)[1:]) / others
    return tuple(
        Weighed(draft, float(similarity), float(agreement))
        for draft, similarity, agreement in zip(drafts, table[0, 1:], agreements, strict=True)
    )


def _by_vectors(
    question: str, texts: Sequence[str], language: str, corpus: Corpus, embedder: Embedder | None
) -> Similarities | None:
    """Similarities of the question, first, and the texts: shape (1 + texts, 1 + texts); None where the
    corpus has no vectors, or its model does not read the question or failed."""
    if embedder is None or not reads(embedder, language):
        return None
    try:
        asked, drafted = embedder.encode([question], "query"), embedder.encode(texts, "passage")
    except ModelError:
        # The scan embeds the question again, and tells what failed.
        return None
    if asked.shape[1] != corpus.vectors(np.empty(0, np.int32)).shape[1]:
        return None
    usual = corpus.similarity_floor
    floors = np.full((1 + len(texts), 1 + len(texts)), usual)
    # A question lies further from passages than these from each other: it has a floor of its own.
    floors[0, :] = floors[:, 0] = _floor(asked, language, corpus)
    vectors = np.vstack([asked, drafted]).astype(np.float64)
    table: Similarities = np.clip((vectors @ vectors.T - floors) / np.maximum(1.0 - floors, 1e-6), 0.0, 1.0)
    return table


def _floor(asked: NDArray[np.float32], language: str, corpus: Corpus) -> float:
    """The cosine that passages unrelated to a question have, in the language of the nearest passage."""
    hits = corpus.search_dense(asked, 1, -1.0)
    if not len(hits[0].rows):
        return corpus.similarity_floor
    found = levels(corpus, language, asked, hits)
    group = found.group_of[corpus.document_numbers(hits[0].rows)[0]]
    return float(found.floors[0, group])


def _by_words(texts: Sequence[str], language: str, corpus: Corpus) -> Similarities:
    """Which share of the rarer words of one text the other has: shape (texts, texts), symmetric.

    The share is taken of the shorter text: a passage says more than the question.
    """
    terms = [frozenset(found) for found in analyzer(language).batch(texts)]
    rarity = _rarity(texts, language, corpus)
    size = len(texts)
    table = np.eye(size, dtype=np.float64)
    for one in range(size):
        for other in range(one + 1, size):
            common = sum(rarity.get(term, 0.0) for term in terms[one] & terms[other])
            least = min(sum(rarity.get(term, 0.0) for term in terms[place]) for place in (one, other))
            table[one, other] = table[other, one] = common / least if least > 0 else 0.0
    return table


def _rarity(texts: Sequence[str], language: str, corpus: Corpus) -> dict[str, float]:
    """The best BM25 score that any passage has for each term: its inverse document frequency, all but."""
    words = sorted({word for text in texts for word in _WORD.findall(text)})
    looked_up: dict[str, str] = {}
    for word, terms in zip(words, analyzer(language).batch(words), strict=True):
        for term in terms:
            # Of what is written without blanks, each term is a word.
            looked_up.setdefault(term, word if len(terms) == 1 else term)
    best = corpus.search_lexical(list(looked_up.values()), language, 1) if looked_up else []
    return {term: float(np.max(hits.scores, initial=0.0)) for term, hits in zip(looked_up, best, strict=True)}

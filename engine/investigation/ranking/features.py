"""What is known of each passage of a pool: features in rows, passages in columns.

Each feature belongs to a group, whose sum is one addend of the score that a person sees: the question
itself, what stands around, references, shared names, walks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.associations import Associations
from engine.investigation.ranking.documents import document_signs
from engine.investigation.ranking.links import Links, link_features
from engine.investigation.walking import Visits, walked
from engine.language.analysis import analyzer
from engine.retrieval.relevance import Relevance
from engine.retrieval.retrievers.dense import DENSE

QUESTION, NEIGHBOURS, CITATIONS, ENTITIES, WALK = (
    "question",
    "neighbours",
    "citations",
    "entities",
    "pagerank",
)
# Words of a question beyond this number add little to what its length says.
LONG_QUESTION = 40
MOST_WORDS = 60
# The best passages of the pool that stand for it where its documents and sections are weighed.
TOP = 100
# Features that count more for a long question: each is there a second time, times the question's length.
FOR_LONG = (
    *("relevance", "lexical", "dense", "terms", "beside", "section"),
    *("walk", "walk_rank"),
)
# And those that count more for a short one, which leaves to a link what it does not say itself.
FOR_SHORT = (
    *("walk", "walk_rank", "citations_first", "citations_near", "citations_gain", "citations_onward"),
    *("citations_place", "citations_sharp"),
)


@dataclass(frozen=True, slots=True)
class Features:
    """``values`` has shape (features, n), ``names`` and ``groups`` one item per row of it.

    ``vouchers`` gives, by group, the row of the passage on whose account the links of each count,
    -1 for none, shape (n,).
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    values: NDArray[np.float32]
    vouchers: Mapping[str, Rows]


class Described:
    """A pool of passages described for one question: what does not depend on where links start.

    ``rows`` are the pool's passages, shape (n,); ``meaning``: dense search reads the question.
    """

    def __init__(self, corpus: Corpus, relevance: Relevance, graph: Associations, rows: Rows) -> None:
        self.corpus, self.relevance, self.graph, self.rows = corpus, relevance, graph, rows
        self.own = relevance.of(rows)
        self.has_term, self.term_weights = _terms(corpus, relevance, rows)
        dense = relevance.found.get(DENSE)
        self.meaning = dense is not None and bool(dense.reads[0])
        self.vectors = corpus.vectors(rows) if relevance.vectors is not None else None
        self.named = Visits(*graph.named_in(relevance.plan.question, relevance.plan.language)).of(rows)
        self.fixed = self._fixed()

    def with_links(self, seeds: Scores, strategies: Collection[str] | None) -> Features:
        """All features where links and walks start at the best of ``seeds``, scores 0..1, shape (n,).

        ``strategies`` names the kinds of links that count; None: all.
        """
        values, groups, vouchers = dict(self.fixed), dict.fromkeys(self.fixed, QUESTION), {}
        groups |= dict.fromkeys(("beside", "beside_both", "section", "document"), NEIGHBOURS)
        for group, out, back in (
            (CITATIONS, self.graph.cites, self.graph.cited),
            (ENTITIES, self.graph.names, self.graph.named),
        ):
            if strategies is None or group in strategies:
                links = Links(out, back, self.rows, seeds)
                found, vouchers[group] = link_features(links, self)
                values |= {f"{group}_{name}": row for name, row in found.items()}
                groups |= {f"{group}_{name}": group for name in found}
        if strategies is None or WALK in strategies:
            visits = walked(self.graph, self.rows, seeds, self.relevance.plan)
            values |= {
                "walk": np.sqrt(visits.of(self.rows)),
                "walk_rank": -np.log1p(visits.ranks(self.rows)),
            }
            groups |= {"walk": WALK, "walk_rank": WALK}
        length = min(len(self.term_weights) / LONG_QUESTION, 1.0)
        for names, share, word in ((FOR_LONG, length, "length"), (FOR_SHORT, 1.0 - length, "brevity")):
            for name in names:
                if name in values:
                    values[f"{name}*{word}"] = values[name] * np.float32(share)
                    groups[f"{name}*{word}"] = groups[name]
        every = tuple(values)
        table = np.stack([values[name].astype(np.float32) for name in every])
        return Features(every, tuple(groups[name] for name in every), table, vouchers)

    def _fixed(self) -> dict[str, NDArray[np.float32]]:
        corpus, rows, own = self.corpus, self.rows, self.own
        best = max(float(own.max(initial=0.0)), 1e-6)
        said = self.relevance.by_retriever(rows)
        nothing = np.zeros(len(rows), np.float32)
        total = max(float(self.term_weights.sum()), 1e-6)
        before, after = self._around()
        signs, documents = document_signs(corpus), corpus.document_numbers(rows)
        return {
            "relevance": own / best,
            "rank": -np.log1p(_ranks(own)).astype(np.float32),
            "lexical": said.get("bm25", nothing),
            "dense": said.get("dense", nothing),
            "sparse": said.get("sparse", nothing),
            "terms": (self.term_weights @ self.has_term / total).astype(np.float32),
            "named": self.named,
            "latest": signs.latest[documents],
            "authority": signs.authority[documents],
            "heading": corpus.bare_headings(rows).astype(np.float32),
            "beside": np.maximum(before, after) / best,
            "beside_both": np.minimum(before, after) / best,
            "section": self._same_section() / best,
            "document": self._same_document(),
        }

    def _around(self) -> tuple[Scores, Scores]:
        """Relevance of the passages before and after each in its document, 0 at its ends; shapes (n,)."""
        corpus, rows = self.corpus, self.rows
        documents = corpus.document_numbers(rows)
        found = []
        for step in (-1, 1):
            other = rows + step
            inside = (other >= 0) & (other < len(corpus))
            scores = np.zeros(len(rows), np.float32)
            there = other[inside].astype(np.int32)
            same = corpus.document_numbers(there) == documents[inside]
            scores[np.flatnonzero(inside)[same]] = self.relevance.of(there[same])
            found.append(scores)
        return found[0], found[1]

    def _same_section(self) -> Scores:
        """The best relevance of another passage of the section, shape (n,)."""
        sections = self.corpus.section_numbers(self.rows)
        top = np.lexsort((self.rows, -self.own))[:TOP]
        best: dict[int, list[int]] = {}
        for place in top.tolist():
            best.setdefault(int(sections[place]), []).append(place)
        scores = np.zeros(len(self.rows), np.float32)
        for place, section in enumerate(sections.tolist()):
            others = [one for one in best.get(section, ())[:2] if one != place] if section >= 0 else []
            if others:
                scores[place] = self.own[others[0]]
        return scores

    def _same_document(self) -> Scores:
        """The share of the best passages' relevance that each passage's document has; 0 where every
        passage is a document of its own."""
        documents = self.corpus.document_numbers(self.rows)
        if len(self.corpus.documents()) > len(self.corpus) / 2:
            return np.zeros(len(self.rows), np.float32)
        top = np.lexsort((self.rows, -self.own))[: TOP // 2]
        totals = np.bincount(
            documents[top], weights=self.own[top], minlength=int(documents.max(initial=0)) + 1
        )
        return (totals[documents] / max(float(totals.max(initial=0.0)), 1e-6)).astype(np.float32)


def _terms(corpus: Corpus, relevance: Relevance, rows: Rows) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which passage has which word of the question, shape (words, n), and how much each word tells.

    A word's weight is the most that BM25 gives any of the passages for it, which falls as it gets common.
    """
    plan = relevance.plan
    words = analyzer(plan.language).queried_apart(plan.question)[:MOST_WORDS]
    if not words or not len(rows):
        return np.zeros((0, len(rows)), np.bool_), np.zeros(0, np.float32)
    scores = corpus.score_lexical(words, plan.language, rows)
    weights = scores.max(axis=1)
    told = weights > 0
    return scores[told] > 0, weights[told].astype(np.float32)


def _ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """The place of each score, the best 0."""
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks

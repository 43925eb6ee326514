"""Features of a pool's passages from texts, links and documents; features in rows, passages in columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.grades import Grades
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.corpus.related import Matrix
from engine.investigation.graph.walks import Associations, Visits, select_entries, walk_from
from engine.language.analysis import analyzer
from engine.model import EDITION, Document, Grade
from engine.retrieval.relevance import Relevance
from engine.retrieval.retrievers.registry import DENSE

# Features of documents: latest edition and authority
#
# The gold sets of the shipped weights have neither editions nor kinds of documents, so that these features
# have the weight 0 until they are learned on a collection that has them.

_WEIGHT = {grade: 1.0 - number / len(Grade) for number, grade in enumerate(Grade)}


@dataclass(frozen=True, slots=True)
class DocumentSigns:
    """Features by document number, shapes (documents,).

    ``latest``: 1 unless the corpus has a later edition or version. ``authority``: 1 for grade A, a fifth less
    with each grade, 0 for an unknown one.
    """

    latest: NDArray[np.float32]
    authority: NDArray[np.float32]


_BY_CORPUS: WeakKeyDictionary[Corpus, DocumentSigns] = WeakKeyDictionary()


def document_signs(corpus: Corpus) -> DocumentSigns:
    """Return the features of a corpus's documents, made once while it is open."""
    known = _BY_CORPUS.get(corpus)
    if known is None:
        default_grades, documents = Grades(), corpus.documents()
        grades = [default_grades.of(document) for document in documents]
        known = _BY_CORPUS[corpus] = DocumentSigns(
            np.array([is_latest(document) for document in documents], np.float32),
            np.array([0.0 if grade is None else _WEIGHT[grade] for grade in grades], np.float32),
        )
    return known


def is_latest(document: Document) -> bool:
    """Return whether a document is the latest of its editions or versions, or the only one."""
    number, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    return number == count or not count


# Features of links, in both directions, from the best passages of a pool (vouchers)

# Number of vouchers: links from passages further down are noise.
VOUCHERS = 20
# The share of a voucher's vector that is subtracted from the question's, for the unanswered rest.
ANSWERED = 0.5


@dataclass(frozen=True, slots=True)
class Links:
    """Links between passages: matrices ``out`` and ``back``, shape (passages, passages).

    ``rows`` of the pool and their ``seeds``, scores as vouchers, shapes (n,).
    """

    out: Matrix
    back: Matrix
    rows: Rows
    seeds: Scores


def link_features(links: Links, pool: PoolDescription) -> tuple[dict[str, NDArray[np.float32]], Rows]:
    """Return features of each passage by its best voucher, shapes (n,), and the voucher's row, -1 for none.

    - ``first``: the link's weight divided by the voucher's rank.
    - ``near``: the weight, falling with the logarithm of the rank.
    - ``gain``: ``near`` times the share of the question's words that the passage has and the voucher lacks.
    - ``onward``: ``near`` times the similarity of the passage to the rest of the question after the voucher.
    - ``place``: one over the rank among all linked passages by ``gain`` plus ``onward``.
    - ``sharp``: ``place`` times ``gain``, high for the one linked passage that completes the answer.
    """
    size = len(links.rows)
    names = ("first", "near", "gain", "onward")
    found = {name: np.zeros(size, np.float32) for name in (*names, "place", "sharp")}
    voucher = np.full(size, -1, np.int32)
    best = np.lexsort((links.rows, -links.seeds))[:VOUCHERS]
    ranks, targets, weights = _voucher_links(links, best)
    if not len(ranks):
        return found, voucher
    near = weights * (1.0 - np.log1p(ranks) / np.log(VOUCHERS + 1.0))
    values = {
        "first": weights / (1.0 + ranks),
        "near": near,
        "gain": near * _gain(pool, best, ranks, targets),
        "onward": near * _onward(pool, best, ranks, targets),
    }
    for name in names:
        np.maximum.at(found[name], targets, values[name].astype(np.float32))
    together = found["gain"] + found["onward"]
    linked = np.flatnonzero(found["near"] > 0)
    order = linked[np.argsort(-together[linked], kind="stable")]
    found["place"][order] = 1.0 / (1.0 + np.arange(len(order)))
    found["sharp"] = found["place"] * found["gain"]
    # In ascending order, so that the strongest link is written last.
    ascending = np.argsort(near, kind="stable")
    voucher[targets[ascending]] = links.rows[best[ranks[ascending]]]
    return found, voucher


def _voucher_links(
    links: Links, best: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """Return the links from vouchers, at the indexes ``best``, into the pool.

    The voucher's rank from 0, the index of the linked passage and the weight, shapes (links,).
    """
    rows = links.rows[best]
    parts = [select_entries(matrix, rows, links.rows) for matrix in (links.out, links.back)]
    ranks, targets, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    is_other = best[ranks] != targets
    return ranks[is_other], targets[is_other], weights[is_other].astype(np.float32)


def _gain(
    pool: PoolDescription, best: NDArray[np.intp], ranks: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return the share of the question's words that a passage has and its voucher lacks, shape (links,)."""
    total = max(float(pool.term_weights.sum()), 1e-6)
    fresh = pool.has_term[:, targets] & ~pool.has_term[:, best[ranks]]
    gained: NDArray[np.float32] = (pool.term_weights @ fresh / total).astype(np.float32)
    return gained


def _onward(
    pool: PoolDescription, best: NDArray[np.intp], ranks: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return the similarity to the question minus half the voucher, relative to the best, shape (links,)."""
    if pool.vectors is None or pool.relevance.vectors is None:
        return np.zeros(len(ranks), np.float32)
    to_question = pool.vectors @ pool.relevance.vectors[0]
    to_vouchers = pool.vectors[best] @ pool.vectors.T
    rest = to_question[targets] - ANSWERED * to_vouchers[ranks, targets]
    highest = max(float(to_question.max(initial=0.0)), 1e-6)
    onward: NDArray[np.float32] = np.maximum(rest / highest, 0.0).astype(np.float32)
    return onward


# All features of a pool. Each belongs to a group, whose sum is one addend of the score that is shown.

QUESTION, NEIGHBOURS, CITATIONS, ENTITIES, WALK = (
    "question",
    "neighbours",
    "citations",
    "entities",
    "pagerank",
)
# Number of words from which a question counts as fully long.
LONG_QUESTION = 40
MOST_WORDS = 60
# Best passages of the pool that weigh its documents and sections.
TOP = 100
# Features that count more for a long question: each is added again, multiplied by the question's length.
FOR_LONG = (
    *("relevance", "lexical", "dense", "terms", "beside", "section"),
    *("walk", "walk_rank"),
)
# Features that count more for a short question, which depends more on links.
FOR_SHORT = (
    *("walk", "walk_rank", "citations_first", "citations_near", "citations_gain", "citations_onward"),
    *("citations_place", "citations_sharp"),
)


@dataclass(frozen=True, slots=True)
class Features:
    """``values`` has shape (features, n), ``names`` and ``groups`` one item per row of it.

    ``vouchers``: by group, the row of each passage's best voucher, -1 for none, shape (n,).
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    values: NDArray[np.float32]
    vouchers: Mapping[str, Rows]


class PoolDescription:
    """The features of a pool for one question that do not depend on where links start.

    ``rows`` of the pool, shape (n,); ``meaning``: whether dense search reads the question.
    """

    def __init__(self, corpus: Corpus, relevance: Relevance, graph: Associations, rows: Rows) -> None:
        self.corpus, self.relevance, self.graph, self.rows = corpus, relevance, graph, rows
        self.own = relevance.of(rows)
        self.has_term, self.term_weights = _question_terms(corpus, relevance, rows)
        dense = relevance.found.get(DENSE)
        self.meaning = dense is not None and bool(dense.reads[0])
        self.vectors = corpus.vectors(rows) if relevance.vectors is not None else None
        self.named = Visits(*graph.named_in(relevance.plan.question, relevance.plan.language)).of(rows)
        self.fixed = self._fixed()

    def with_links(self, seeds: Scores, strategies: Collection[str] | None) -> Features:
        """Return all features, with links and walks that start at the best of ``seeds``, 0..1, shape (n,).

        ``strategies``: the kinds of links that count, None for all.
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
            visits = walk_from(self.graph, self.rows, seeds, self.relevance.plan)
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
        by_retriever = self.relevance.by_retriever(rows)
        zeros = np.zeros(len(rows), np.float32)
        total = max(float(self.term_weights.sum()), 1e-6)
        before, after = self._around()
        signs, documents = document_signs(corpus), corpus.document_numbers(rows)
        return {
            "relevance": own / best,
            "rank": -np.log1p(_ranks(own)).astype(np.float32),
            "lexical": by_retriever.get("bm25", zeros),
            "dense": by_retriever.get("dense", zeros),
            "sparse": by_retriever.get("sparse", zeros),
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
        """Return the relevance of the passages before and after each in its document, shapes (n,).

        0 at the ends of the document.
        """
        corpus, rows = self.corpus, self.rows
        documents = corpus.document_numbers(rows)
        found = []
        for step in (-1, 1):
            other = rows + step
            inside = (other >= 0) & (other < len(corpus))
            scores = np.zeros(len(rows), np.float32)
            neighbours = other[inside].astype(np.int32)
            same = corpus.document_numbers(neighbours) == documents[inside]
            scores[np.flatnonzero(inside)[same]] = self.relevance.of(neighbours[same])
            found.append(scores)
        return found[0], found[1]

    def _same_section(self) -> Scores:
        """Return the best relevance of another passage of the same section, shape (n,)."""
        sections = self.corpus.section_numbers(self.rows)
        top = np.lexsort((self.rows, -self.own))[:TOP]
        best: dict[int, list[int]] = {}
        for index in top.tolist():
            best.setdefault(int(sections[index]), []).append(index)
        scores = np.zeros(len(self.rows), np.float32)
        for index, section in enumerate(sections.tolist()):
            others = [other for other in best.get(section, ())[:2] if other != index] if section >= 0 else []
            if others:
                scores[index] = self.own[others[0]]
        return scores

    def _same_document(self) -> Scores:
        """Return the share of the best passages' relevance in each passage's document, shape (n,).

        0 in a collection of short documents.
        """
        documents = self.corpus.document_numbers(self.rows)
        if len(self.corpus.documents()) > len(self.corpus) / 2:
            return np.zeros(len(self.rows), np.float32)
        top = np.lexsort((self.rows, -self.own))[: TOP // 2]
        totals = np.bincount(
            documents[top], weights=self.own[top], minlength=int(documents.max(initial=0)) + 1
        )
        return (totals[documents] / max(float(totals.max(initial=0.0)), 1e-6)).astype(np.float32)


def _question_terms(
    corpus: Corpus, relevance: Relevance, rows: Rows
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return which passage has which word of the question, shape (words, n), and the weights of the words.

    The weight of a word is the highest BM25 score of a passage for it, which is lower for common words.
    """
    plan = relevance.plan
    words = analyzer(plan.language).query_words(plan.question)[:MOST_WORDS]
    if not words or not len(rows):
        return np.zeros((0, len(rows)), np.bool_), np.zeros(0, np.float32)
    scores = corpus.score_lexical(words, plan.language, rows)
    weights = scores.max(axis=1)
    found = weights > 0
    return scores[found] > 0, weights[found].astype(np.float32)


def _ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rank of each score, 0 for the best."""
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks

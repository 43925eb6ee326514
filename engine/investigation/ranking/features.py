"""Features of the passages of a pool: texts, links, documents. Features in rows, passages in columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.grades import Grades
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.corpus.related import Matrix
from engine.investigation.graph.walks import Associations, Visits, select_entries, walked
from engine.language.analysis import analyzer
from engine.model import EDITION, Document, Grade
from engine.retrieval.relevance import Relevance
from engine.retrieval.retrievers.dense import DENSE

# What a document is, as far as a ranking may learn from it: its latest edition, and of what
# weight its kind.
#
# No gold set that the shipped weights were learned from has several editions of a text or says of
# what kind its documents are, so that these weigh nothing until they are learned on a collection
# that does.

# From the weightiest kind to none that is known.
_WEIGHT = {grade: 1.0 - place / len(Grade) for place, grade in enumerate(Grade)}


@dataclass(frozen=True, slots=True)
class DocumentSigns:
    """By the number of a document, shapes (documents,). ``latest``: 1 unless the corpus has a later edition
    or version of it. ``authority``: 1 for a kind of grade A, a fifth less with each grade, 0 for none."""

    latest: NDArray[np.float32]
    authority: NDArray[np.float32]


_KNOWN: WeakKeyDictionary[Corpus, DocumentSigns] = WeakKeyDictionary()


def document_signs(corpus: Corpus) -> DocumentSigns:
    """The signs of a corpus's documents, made once and kept as long as it is open."""
    known = _KNOWN.get(corpus)
    if known is None:
        usual, documents = Grades(), corpus.documents()
        grades = [usual.of(document) for document in documents]
        known = _KNOWN[corpus] = DocumentSigns(
            np.array([is_latest(document) for document in documents], np.float32),
            np.array([0.0 if grade is None else _WEIGHT[grade] for grade in grades], np.float32),
        )
    return known


def is_latest(document: Document) -> bool:
    """Whether a document is the latest of its editions or versions, or the only one."""
    place, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    return place == count or not count


# What the best passages of a pool lend to those that they are linked with, both ways.

# Only the best passages vouch for others: what the thirtieth cites is noise.
VOUCHERS = 20
# How much of what the voucher says is taken from the question, for what is left to be said.
ANSWERED = 0.5


@dataclass(frozen=True, slots=True)
class Links:
    """Links between passages, as matrices ``out`` and ``back`` of shape (passages, passages); ``rows`` are
    the pool's, ``seeds`` say how good a voucher each is, shapes (n,)."""

    out: Matrix
    back: Matrix
    rows: Rows
    seeds: Scores


def link_features(links: Links, pool: Described) -> tuple[dict[str, NDArray[np.float32]], Rows]:
    """Features of each passage by its best voucher, shapes (n,); and the row of that voucher, -1 for none.

    ``first``: the link's weight over the voucher's place. ``near``: the weight, falling with the
    logarithm of the place. ``gain``: that times the share of the question's words that the passage has
    and the voucher lacks. ``onward``: that times the likeness of the passage to what the question asks
    beyond the voucher. ``place``: one over the place among all that is linked, by the last two together;
    ``sharp``: that times the gain: where one linked passage is all that a question lacks, it comes first.
    """
    size = len(links.rows)
    names = ("first", "near", "gain", "onward")
    found = {name: np.zeros(size, np.float32) for name in (*names, "place", "sharp")}
    voucher = np.full(size, -1, np.int32)
    best = np.lexsort((links.rows, -links.seeds))[:VOUCHERS]
    places, targets, weights = _between(links, best)
    if not len(places):
        return found, voucher
    near = weights * (1.0 - np.log1p(places) / np.log(VOUCHERS + 1.0))
    values = {
        "first": weights / (1.0 + places),
        "near": near,
        "gain": near * _gain(pool, best, places, targets),
        "onward": near * _onward(pool, best, places, targets),
    }
    for name in names:
        np.maximum.at(found[name], targets, values[name].astype(np.float32))
    together = found["gain"] + found["onward"]
    linked = np.flatnonzero(found["near"] > 0)
    order = linked[np.argsort(-together[linked], kind="stable")]
    found["place"][order] = 1.0 / (1.0 + np.arange(len(order)))
    found["sharp"] = found["place"] * found["gain"]
    # From the weakest to the strongest: the last one written stays.
    rising = np.argsort(near, kind="stable")
    voucher[targets[rising]] = links.rows[best[places[rising]]]
    return found, voucher


def _between(
    links: Links, best: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """Links from the vouchers at the places ``best`` into the pool: the voucher's standing, the place
    linked, the weight; shapes (links,)."""
    rows = links.rows[best]
    parts = [select_entries(matrix, rows, links.rows) for matrix in (links.out, links.back)]
    places, reached, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    other = best[places] != reached
    return places[other], reached[other], weights[other].astype(np.float32)


def _gain(
    pool: Described, best: NDArray[np.intp], places: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """The share of the question's words that the passage has and its voucher lacks, shape (links,)."""
    total = max(float(pool.term_weights.sum()), 1e-6)
    fresh = pool.has_term[:, targets] & ~pool.has_term[:, best[places]]
    gained: NDArray[np.float32] = (pool.term_weights @ fresh / total).astype(np.float32)
    return gained


def _onward(
    pool: Described, best: NDArray[np.intp], places: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Likeness to the question less half the voucher, as a share of the best likeness; shape (links,)."""
    if pool.vectors is None or pool.relevance.vectors is None:
        return np.zeros(len(places), np.float32)
    asked = pool.vectors @ pool.relevance.vectors[0]
    select_entries = pool.vectors[best] @ pool.vectors.T
    left = asked[targets] - ANSWERED * select_entries[places, targets]
    highest = max(float(asked.max(initial=0.0)), 1e-6)
    onward: NDArray[np.float32] = np.maximum(left / highest, 0.0).astype(np.float32)
    return onward


# What is known of each passage of a pool: features in rows, passages in columns.
#
# Each feature belongs to a group, whose sum is one addend of the score that a person sees: the
# question itself, what stands around, references, shared names, walks.

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

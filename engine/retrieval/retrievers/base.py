"""The seam for retrievers: who searches all of the corpus for a question, each in a way of its own.

A retriever is a class without arguments that has a ``name``, a ``title`` and ``search``. It answers for all
views of the question at once, and can score any passage afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, found_in
from engine.corpus.protocol import Corpus, Hits, Mask, Rows, Scores
from engine.model import QueryPlan

# Shape (views, n).
Shares = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What every retriever is asked.

    ``plan`` holds the views that are searched. ``vectors`` are the views as the corpus's dense model sees
    them, shape (views, d), None where there is none; ``depth`` hits are wanted for each. ``mask`` limits the
    corpus, shape (passages,). ``candidates`` are the passages that the retrievers before this one have found.
    """

    corpus: Corpus
    plan: QueryPlan
    depth: int
    vectors: NDArray[np.float32] | None = None
    mask: Mask | None = None
    candidates: Rows = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def texts(self) -> list[str]:
        """The words of each view."""
        return [view.text for view in self.plan.views]

    @property
    def meant(self) -> NDArray[np.bool_]:
        """Which views mean something beyond their words, and so can be embedded; shape (views,)."""
        return np.array([view.dense for view in self.plan.views], np.bool_)


@dataclass(frozen=True, slots=True)
class Off:
    """A retriever that does not search, and why; no reason where somebody else has told it."""

    reason: str = ""


class Found(Protocol):
    """One retriever's answer to one question."""

    @property
    def hits(self) -> Sequence[Hits]:
        """A list for each view, best first; empty for a view that the retriever does not read."""
        ...

    @property
    def reads(self) -> NDArray[np.bool_]:
        """Which views the retriever reads, shape (views,)."""
        ...

    def shares(self, rows: Rows) -> Shares:
        """How near each passage comes to the best of its view: shape (views, n), in 0..1."""
        ...


class Retriever(Protocol):
    """One way to search a corpus."""

    name: str
    title: str

    def search(self, asked: Inquiry) -> Found | Off:
        """At most ``depth`` hits for each view, within the mask; or why there are none."""
        ...


class ByRow:
    """Values by row that are computed when they are first asked for. The same passages are scored again in
    every round; what is known of one is never computed again.

    ``compute`` gives those of distinct rows, shape (n, width).
    """

    def __init__(self, width: int, compute: Callable[[Rows], NDArray[np.float32]]) -> None:
        self._compute = compute
        # Known rows in rising order, and the values of each.
        self._known = np.empty(0, np.int32), np.empty((0, width), np.float32)

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """The values of each row, shape (n, width)."""
        known, table = self._known
        missing = rows[~found_in(known, rows)]
        if len(missing):
            new = distinct(missing).astype(np.int32)
            every, values = np.concatenate([known, new]), np.concatenate([table, self._compute(new)])
            order = np.argsort(every, kind="stable")
            known, table = self._known = every[order], values[order]
        return table[known.searchsorted(rows)]


class Listed:
    """An answer: lists of hits, and scores by row that are computed when they are first asked for.

    ``score`` gives the shares of distinct rows, shape (views, n).
    """

    def __init__(
        self,
        hits: Sequence[Hits],
        reads: NDArray[np.bool_],
        score: Callable[[Rows], Shares],
    ) -> None:
        self.hits = tuple(hits)
        self.reads = reads
        self._scores = ByRow(len(self.hits), partial(_by_row, score))

    def shares(self, rows: Rows) -> Shares:
        """The share of each view and row, shape (views, n)."""
        return self._scores.of(rows).T


def _by_row(score: Callable[[Rows], Shares], rows: Rows) -> NDArray[np.float32]:
    return score(rows).T


def best_scores(hits: Sequence[Hits]) -> Scores:
    """The highest score of each list, 0 for an empty one; shape (lists,)."""
    return np.array([one.scores[0] if len(one.scores) else 0.0 for one in hits], np.float32)


def above(hits: Hits, minimum: float) -> Hits:
    """The hits whose score reaches a minimum."""
    keep = hits.scores >= minimum
    return Hits(hits.rows[keep], hits.scores[keep])


def shares_of(scores: NDArray[np.float32], best: Scores) -> Shares:
    """Scores of shape (views, n) as shares of the best of their view; 0 where that is 0."""
    shares: Shares = np.divide(scores, best[:, None], out=np.zeros_like(scores), where=best[:, None] > 0)
    return shares


def nothing() -> Hits:
    """A list without a hit."""
    return Hits(np.empty(0, np.int32), np.empty(0, np.float32))

"""The interface of retrievers, which search the whole corpus for a question.

A retriever is a class without constructor arguments that has a ``name``, a ``title`` and ``search``. It
searches for all views of the question at once, and can score any passage afterwards.
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
    """The input of every retriever.

    ``plan`` with the views that are searched; ``depth``: hits for each view; ``vectors`` of the views by the
    corpus's dense model, shape (views, d), None without one; ``mask``: passages that are searched, shape
    (passages,), None for all; ``candidates``: rows that earlier retrievers found.
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
    def is_dense(self) -> NDArray[np.bool_]:
        """Which views are also searched by meaning, and so are embedded; shape (views,)."""
        return np.array([view.dense for view in self.plan.views], np.bool_)


@dataclass(frozen=True, slots=True)
class Off:
    """The answer of a retriever that does not search; ``reason`` is "" if it is reported elsewhere."""

    reason: str = ""


class Found(Protocol):
    """One retriever's answer to one question."""

    @property
    def hits(self) -> Sequence[Hits]:
        """The hits of each view, best first; empty for a view that the retriever does not read."""
        ...

    @property
    def reads(self) -> NDArray[np.bool_]:
        """Which views the retriever reads, shape (views,)."""
        ...

    def shares(self, rows: Rows) -> Shares:
        """Return the score of each passage as a share of the view's best, shape (views, n), 0..1."""
        ...


class Retriever(Protocol):
    """One way to search a corpus."""

    name: str
    title: str

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return at most ``depth`` hits for each view, within the mask, or ``Off``."""
        ...


class ByRow:
    """Values by row, computed once: each round scores the same passages again.

    ``compute`` returns the values of distinct rows, shape (n, width).
    """

    def __init__(self, width: int, compute: Callable[[Rows], NDArray[np.float32]]) -> None:
        self._compute = compute
        # Known rows in ascending order, and their values.
        self._known = np.empty(0, np.int32), np.empty((0, width), np.float32)

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """Return the values of each row, shape (n, width)."""
        known, table = self._known
        missing = rows[~found_in(known, rows)]
        if len(missing):
            new = distinct(missing).astype(np.int32)
            every, values = np.concatenate([known, new]), np.concatenate([table, self._compute(new)])
            order = np.argsort(every, kind="stable")
            known, table = self._known = every[order], values[order]
        return table[known.searchsorted(rows)]


class Listed:
    """An answer with lists of hits, and with scores by row that are computed when they are needed.

    ``score`` returns the shares of distinct rows, shape (views, n).
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
        """Return the share of each view and row, shape (views, n)."""
        return self._scores.of(rows).T


def _by_row(score: Callable[[Rows], Shares], rows: Rows) -> NDArray[np.float32]:
    return score(rows).T


def best_scores(hits: Sequence[Hits]) -> Scores:
    """Return the highest score of each list, 0 for an empty one; shape (lists,)."""
    return np.array([own.scores[0] if len(own.scores) else 0.0 for own in hits], np.float32)


def above(hits: Hits, minimum: float) -> Hits:
    """Return the hits with at least a minimum score."""
    keep = hits.scores >= minimum
    return Hits(hits.rows[keep], hits.scores[keep])


def shares_of(scores: NDArray[np.float32], best: Scores) -> Shares:
    """Return scores, shape (views, n), as shares of the best of their view; 0 if that is 0."""
    shares: Shares = np.divide(scores, best[:, None], out=np.zeros_like(scores), where=best[:, None] > 0)
    return shares


def nothing() -> Hits:
    """Return a list without hits."""
    return Hits(np.empty(0, np.int32), np.empty(0, np.float32))

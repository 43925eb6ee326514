"""The seam of rerankers, and the judging of passages in batches within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import BudgetError, CancelledError, ModelError

# The seam between the engine and models that judge how well a text answers a question.
#
# Unlike an embedder, such a model reads question and text together, so nothing can be computed
# before the question is known: it is precise and slow, and judges the head of a ranking only
# (Nogueira and Cho 2019, https://arxiv.org/abs/1901.04085).

Scores = NDArray[np.float32]


class Reranker(Protocol):
    """Judges texts for a question."""

    @property
    def spec(self) -> str:
        """What ``reranker`` was asked for."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """Language codes that the model reads; None for all."""
        ...

    @property
    def at_once(self) -> int | None:
        """Texts that it takes in one call; None for all that are to be judged.

        A model that judges each text alone takes a few at a time, so that a budget can end between two
        calls. One that compares texts with each other (listwise) wants them all: its scores hold within
        one call.
        """
        ...

    @property
    def calls(self) -> int:
        """Requests sent to an outside service so far."""
        ...

    def __hash__(self) -> int: ...

    def load(self) -> None:
        """Make it ready, so that the first question does not wait. Raises ModelError."""
        ...

    def expected(self, question: str, texts: Sequence[str]) -> float:
        """Milliseconds that judging these texts will take, by what it took before. Raises ModelError."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """The higher, the better a text answers; on any scale, shape (n,), float32. Raises ModelError."""
        ...


def reads(model: Reranker, language: str) -> bool:
    """Whether the model reads a language; a language nobody determined counts as read."""
    return model.languages is None or language in model.languages or language == "und"


# Judging the head of a ranking within a budget of milliseconds, best first, from call to call.
#
# What was judged for a question is remembered: pinning a passage or following a lead asks the
# model about new passages only. The clock decides how many texts are judged, never how.

BUDGET, STOPPED = "budget", "stopped"
Texts = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of judging the first ``len(scores)`` rows of a ranking.

    ``scores``: shape (m,), m <= rows asked. ``new`` of them were judged now, in ``milliseconds``. ``why``
    says why there are not more: "" (there are no more), "budget", "stopped", or the model's error.
    """

    scores: Scores
    new: int
    milliseconds: float
    why: str = ""


class Judging:
    """A reranker at work on one question."""

    def __init__(self, model: Reranker, question: str) -> None:
        self._model, self._question = model, question
        self._known: dict[int, float] = {}

    def judge(self, rows: Sequence[int], texts: Texts, budget: float, halted: Callable[[], bool]) -> Judged:
        """Scores of as many of the first rows as ``budget`` milliseconds allow.

        ``texts`` gives the texts of rows; ``halted`` is asked between calls. Loading the model does not
        count. A model that fails ends the judging; what it said before is kept.
        """
        why, spent, done = "", 0.0, 0
        try:
            for batch in self._calls(rows):
                if halted():
                    why = STOPPED
                    break
                self._model.load()
                read = self._fitting(texts(batch), budget - spent)
                if read:
                    started = time.perf_counter()
                    scores = self._model.scores(self._question, read)
                    spent += 1000 * (time.perf_counter() - started)
                    self._learn(batch[: len(read)], scores)
                    done += len(read)
                if len(read) < len(batch):
                    why = BUDGET
                    break
        except CancelledError:
            why = STOPPED
        except (ModelError, BudgetError) as error:
            why = str(error)
        return Judged(self._prefix(rows), done, spent, why)

    def _fitting(self, texts: list[str], left: float) -> list[str]:
        """As many of the first texts as ``left`` milliseconds allow; all or none of those compared."""
        while texts and self._model.expected(self._question, texts) > left:
            texts = texts[: len(texts) // 2] if self._model.at_once is not None else []
        return texts

    def _calls(self, rows: Sequence[int]) -> list[Sequence[int]]:
        """Which rows the model is asked about, call by call."""
        new = [row for row in rows if row not in self._known]
        size = self._model.at_once
        if size is None:
            # What an earlier call said of some of them is on a scale of its own.
            return [rows] if new else []
        return [new[start : start + size] for start in range(0, len(new), size)]

    def _learn(self, batch: Sequence[int], scores: Scores) -> None:
        if self._model.at_once is None:
            self._known.clear()
        self._known.update(zip(batch, scores.tolist(), strict=True))

    def _prefix(self, rows: Sequence[int]) -> Scores:
        """Scores of the rows before the first that was not judged."""
        found = []
        for row in rows:
            if row not in self._known:
                break
            found.append(self._known[row])
        return np.asarray(found, np.float32)

"""The interface of rerankers, and the judging of passages in batches within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import BudgetError, CancelledError, ModelError

# Unlike an embedder, a reranker reads question and text together, so that nothing can be computed in advance:
# it is precise and slow, and judges only the head of a ranking (Nogueira and Cho 2019,
# https://arxiv.org/abs/1901.04085).

Scores = NDArray[np.float32]


class Reranker(Protocol):
    """A model that judges how well texts answer a question."""

    @property
    def spec(self) -> str:
        """The spec that ``reranker`` was called with."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """Language codes that the model reads; None for all."""
        ...

    @property
    def at_once(self) -> int | None:
        """The number of texts in one call; None for all.

        A model that judges each text alone takes a few at a time, so that a budget can end between two calls.
        A listwise model, which compares texts, needs all of them: its scores are valid within one call.
        """
        ...

    @property
    def calls(self) -> int:
        """Requests sent to an external service so far."""
        ...

    def __hash__(self) -> int: ...

    def load(self) -> None:
        """Load the model, so that the first question does not wait. Raises ModelError."""
        ...

    def expected(self, question: str, texts: Sequence[str]) -> float:
        """Estimate the milliseconds for judging these texts from earlier calls. Raises ModelError."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Score texts, shape (n,), float32, on any scale, higher for a better answer. Raises ModelError."""
        ...


def reads(model: Reranker, language: str) -> bool:
    """Return whether the model reads a language; an undetermined language counts as read."""
    return model.languages is None or language in model.languages or language == "und"


# Judging the head of a ranking within a budget of milliseconds, best first. Judgements for a question are
# cached, so that after pinning a passage or following a lead the model judges only new passages. The clock
# decides how many texts are judged and never their scores.

BUDGET, STOPPED = "budget", "stopped"
Texts = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements of the first ``len(scores)`` rows of a ranking.

    ``new`` of them were judged now, in ``milliseconds``. ``why`` there are not more: "" (all are judged),
    "budget", "stopped", or the model's error.
    """

    scores: Scores
    new: int
    milliseconds: float
    why: str = ""


class Judging:
    """A reranker's judgements for one question."""

    def __init__(self, model: Reranker, question: str) -> None:
        self._model, self._question = model, question
        self._known: dict[int, float] = {}

    def judge(self, rows: Sequence[int], texts: Texts, budget: float, halted: Callable[[], bool]) -> Judged:
        """Judge as many of the first rows as ``budget`` milliseconds allow, without loading the model.

        ``texts`` returns the texts of rows; ``halted`` is checked between calls. If the model fails, earlier
        scores are kept.
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
        """Return as many of the first texts as ``left`` milliseconds allow.

        All or none for a listwise model.
        """
        while texts and self._model.expected(self._question, texts) > left:
            texts = texts[: len(texts) // 2] if self._model.at_once is not None else []
        return texts

    def _calls(self, rows: Sequence[int]) -> list[Sequence[int]]:
        """Return the rows of each call to the model."""
        new = [row for row in rows if row not in self._known]
        size = self._model.at_once
        if size is None:
            # Scores of an earlier call have another scale.
            return [rows] if new else []
        return [new[start : start + size] for start in range(0, len(new), size)]

    def _learn(self, batch: Sequence[int], scores: Scores) -> None:
        if self._model.at_once is None:
            self._known.clear()
        self._known.update(zip(batch, scores.tolist(), strict=True))

    def _prefix(self, rows: Sequence[int]) -> Scores:
        """Return the scores of the rows before the first one without a judgement."""
        found = []
        for row in rows:
            if row not in self._known:
                break
            found.append(self._known[row])
        return np.asarray(found, np.float32)

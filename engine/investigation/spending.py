"""What a case uses: its time, its calls of outside models, and what its language model counted."""

from __future__ import annotations

import time
from collections.abc import Mapping

from engine.investigation.reranking import Reranking
from engine.language.embedders import Embedder
from engine.llm import Meter, Usage


class Spending:
    """The clock of a case and the counters of its models. ``used`` is what the saved case that it carries on
    had used of the language model, by task. ``milliseconds`` is the time up to the last ranking."""

    def __init__(
        self, meter: Meter, embedder: Embedder | None, reranking: Reranking, used: Mapping[str, Usage]
    ) -> None:
        self._meter, self._embedder, self._reranking = meter, embedder, reranking
        self._used = dict(used)
        self._started, self._before = 0.0, 0.0
        self._calls_before = 0
        self.milliseconds = 0.0

    def begin(self, *, spent: float) -> None:
        """Start the clock and the calls of a run, or of one lead; ``spent`` milliseconds were used before."""
        self._started, self._before = time.perf_counter(), spent
        self._calls_before = self._all_calls()
        self._meter.restart()

    def end(self) -> None:
        """Keep the time up to now as that of the case."""
        self.milliseconds = self._before + 1000 * self.seconds

    @property
    def seconds(self) -> float:
        """Seconds since the run, or the lead, began."""
        return time.perf_counter() - self._started

    @property
    def calls(self) -> int:
        """Requests to outside models since the run, or the lead, began: of the reranker, the embedder and the
        language model."""
        return self._all_calls() - self._calls_before

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What the language model used so far, by task; nothing where it was not asked."""
        before, now = self._used, self._meter.tasks
        return {task: before.get(task, Usage()) + now.get(task, Usage()) for task in {**before, **now}}

    def _all_calls(self) -> int:
        embedder_calls = self._embedder.calls if self._embedder is not None else 0
        return self._reranking.calls + embedder_calls + self._meter.spent.calls

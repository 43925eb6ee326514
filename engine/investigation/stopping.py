"""Stop conditions in their order, and the time, calls and tokens that a case uses."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.investigation.ranking.reranking import Reranking
from engine.language.embedders import Embedder
from engine.llm import Meter, Usage
from engine.model import Completeness, Stop, StopReason
from engine.settings import Condition as Target
from engine.settings import InvestigationSettings, joined_conditions


class Spending:
    """The clock of a case and the counters of its models.

    ``used`` is the language model's usage in the saved case that this one continues, by task.
    ``milliseconds`` is the time up to the last ranking.
    """

    def __init__(
        self, meter: Meter, embedder: Embedder | None, reranking: Reranking, used: Mapping[str, Usage]
    ) -> None:
        self._meter, self._embedder, self._reranking = meter, embedder, reranking
        self._used = dict(used)
        self._started, self._before = 0.0, 0.0
        self._calls_before = 0
        self.milliseconds = 0.0

    def begin(self, *, spent: float) -> None:
        """Start counting time and calls of a run, or of one lead; ``spent`` milliseconds were used before."""
        self._started, self._before = time.perf_counter(), spent
        self._calls_before = self._all_calls()
        self._meter.restart()

    def end(self) -> None:
        """Set the time of the case to the time up to now."""
        self.milliseconds = self._before + 1000 * self.seconds

    @property
    def seconds(self) -> float:
        """Seconds since ``begin``."""
        return time.perf_counter() - self._started

    @property
    def calls(self) -> int:
        """Requests to external models since ``begin``: of the reranker, embedder and language model."""
        return self._all_calls() - self._calls_before

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The language model's usage so far, by task; empty without calls."""
        before, now = self._used, self._meter.tasks
        return {task: before.get(task, Usage()) + now.get(task, Usage()) for task in {**before, **now}}

    def _all_calls(self) -> int:
        embedder_calls = self._embedder.calls if self._embedder is not None else 0
        return self._reranking.calls + embedder_calls + self._meter.spent.calls


# Stop conditions: the first that holds stops the case and is recorded with its numbers.


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a round; round 0 is the scan.

    - ``calls``: requests to external models, a language model among them.
    - ``completeness``: makes the estimate; called only for a stop.
    - ``figures``: figures that conditions ask for, by name, as far as they are known.
    - ``gain``: the share by which the pool must grow.
    - ``sufficient``: the numbers behind a judgement that the passages suffice; None without such a judgement.
    """

    round: int
    admitted: int
    pool_size: int
    pool_limit: int
    seconds: float
    calls: int
    cancelled: bool
    completeness: Callable[[], Completeness | None]
    figures: Mapping[str, float] = field(default_factory=dict)
    gain: float = 0.0
    open_queries: int = 0
    sufficient: Mapping[str, float] | None = None

    @property
    def values(self) -> Mapping[str, float]:
        """Figures and counts that conditions can name."""
        counts = {"passages": self.pool_size, "rounds": self.round, "admitted": self.admitted}
        return {**self.figures, **counts, "calls": self.calls, "seconds": self.seconds}


Condition = Callable[[Progress, InvestigationSettings], dict[str, float] | None]


def _person(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    return {"round": progress.round} if progress.cancelled else None


def _time(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    budget = settings.time_budget
    if budget is None or progress.seconds < budget:
        return None
    return {"seconds": round(progress.seconds, 3), "budget": budget}


def _calls(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    budget = settings.call_budget
    return None if budget is None or progress.calls < budget else {"calls": progress.calls, "budget": budget}


def _pool_full(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    if progress.pool_size < progress.pool_limit:
        return None
    return {"passages": progress.pool_size, "limit": progress.pool_limit}


# The reason of a condition on one figure; conditions on counts and joined ones have StopReason.CONDITION.
_REASONS: Mapping[str, StopReason] = {
    "coverage": StopReason.COVERAGE,
    "similarity": StopReason.CONFIDENCE,
    "similarity_top": StopReason.CONFIDENCE,
    "completeness": StopReason.COMPLETENESS,
    "references": StopReason.REFERENCES,
    "efficiency": StopReason.EFFICIENCY,
    "coherence": StopReason.COHERENCE,
}


def _first_met(progress: Progress, settings: InvestigationSettings, reason: StopReason) -> str:
    """Return the first condition of the settings with this reason that is met, empty if none is."""
    for written in settings.stop_when:
        targets = joined_conditions(written)
        own = _REASONS.get(targets[0].figure) if len(targets) == 1 else None
        if (own or StopReason.CONDITION) is reason and all(_is_met(target, progress) for target in targets):
            return written
    return ""


def _is_met(target: Target, progress: Progress) -> bool:
    value = progress.values.get(target.figure)
    return value is not None and target.holds(value)


def _reached(reason: StopReason) -> Condition:
    """Make a condition: the case has reached a target of the settings with this reason."""

    def reached(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
        written = _first_met(progress, settings, reason)
        if not written:
            return None
        targets = joined_conditions(written)
        named = {target.figure for target in targets}
        known = {
            name: round(value, 4)
            for name, value in progress.values.items()
            if name in named or _REASONS.get(name) is reason
        }
        wanted = {} if len(targets) > 1 else {"wanted": targets[0].wanted}
        return {"passages": progress.pool_size, **known, **wanted}

    return reached


def _sufficiency(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    return None if progress.sufficient is None else {"round": progress.round, **progress.sufficient}


def _rounds(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    return {"rounds": progress.round} if progress.round >= settings.rounds else None


def _nothing_new(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    if progress.round == 0 or progress.admitted > 0 or progress.open_queries > 0:
        return None
    return {"round": progress.round}


def _too_little_new(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    before = progress.pool_size - progress.admitted
    gain = progress.admitted / before if before else 1.0
    if progress.round == 0 or progress.open_queries > 0:
        return None
    if progress.admitted >= 1 and gain >= progress.gain:
        return None
    return {"admitted": progress.admitted, "gain": round(gain, 4), "wanted": progress.gain}


# Order matters: a user's decision and budgets come before conclusions of the search.
CONDITIONS: Sequence[tuple[StopReason, Condition]] = (
    (StopReason.PERSON, _person),
    (StopReason.TIME, _time),
    (StopReason.CALLS, _calls),
    (StopReason.POOL_FULL, _pool_full),
    (StopReason.COVERAGE, _reached(StopReason.COVERAGE)),
    (StopReason.CONFIDENCE, _reached(StopReason.CONFIDENCE)),
    (StopReason.COMPLETENESS, _reached(StopReason.COMPLETENESS)),
    (StopReason.REFERENCES, _reached(StopReason.REFERENCES)),
    (StopReason.EFFICIENCY, _reached(StopReason.EFFICIENCY)),
    (StopReason.COHERENCE, _reached(StopReason.COHERENCE)),
    (StopReason.CONDITION, _reached(StopReason.CONDITION)),
    (StopReason.SUFFICIENCY, _sufficiency),
    (StopReason.NOTHING_NEW, _nothing_new),
    (StopReason.ROUNDS, _rounds),
    (StopReason.TOO_LITTLE_NEW, _too_little_new),
)


def is_before_sufficiency(stop: Stop | None) -> bool:
    """Return whether a judgement of sufficiency can still decide: no stop, or one that is checked later."""
    reasons = [reason for reason, _ in CONDITIONS]
    return stop is None or reasons.index(stop.reason) > reasons.index(StopReason.SUFFICIENCY)


def decide(progress: Progress, settings: InvestigationSettings) -> Stop | None:
    """Return the first condition that holds as a stop with its numbers; None to continue."""
    for reason, holds in CONDITIONS:
        numbers = holds(progress, settings)
        if numbers is not None:
            met = _first_met(progress, settings, reason)
            return Stop(reason, numbers, progress.completeness(), met)
    return None

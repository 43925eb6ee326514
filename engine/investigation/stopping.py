"""When to stop: the conditions in their order; the first to fire wins and is recorded with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.model import AreaCoverage, AreaState, Completeness, Stop, StopReason, counted
from engine.settings import InvestigationSettings

CONFIDENCE_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a round. ``round`` 0 is the scan; ``best_scores`` are those of the best ten
    passages; ``calls`` are requests to outside models, a language model among them. ``sufficient`` are the
    numbers behind a judgement that what was found suffices, None where it does not, or nobody judged."""

    round: int
    admitted: int
    pool_size: int
    pool_limit: int
    seconds: float
    calls: int
    cancelled: bool
    best_scores: Sequence[float]
    areas: Sequence[AreaCoverage]
    completeness: Completeness | None
    open_queries: int = 0
    sufficient: Mapping[str, float] | None = None


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


def _coverage(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    if not settings.stop_on_coverage:
        return None
    required = counted(progress.areas)
    covered = sum(area.state is AreaState.COVERED for area in required)
    return {"covered": covered, "required": len(required)} if required and covered == len(required) else None


def _confidence(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    if settings.stop_confidence is None or len(progress.best_scores) < CONFIDENCE_PASSAGES:
        return None
    mean = sum(progress.best_scores[:CONFIDENCE_PASSAGES]) / CONFIDENCE_PASSAGES
    reached = mean >= settings.stop_confidence
    return {"mean_score": round(mean, 4), "wanted": settings.stop_confidence} if reached else None


def _completeness(progress: Progress, settings: InvestigationSettings) -> dict[str, float] | None:
    if settings.stop_completeness is None or progress.completeness is None:
        return None
    reached = progress.completeness.estimate >= settings.stop_completeness
    numbers = {"estimate": round(progress.completeness.estimate, 4), "wanted": settings.stop_completeness}
    return numbers if reached else None


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
    if progress.admitted >= settings.minimum_new and gain >= settings.minimum_gain:
        return None
    return {"admitted": progress.admitted, "gain": round(gain, 4), "wanted": settings.minimum_gain}


# Order matters: what a person or a budget demands comes before what the search itself concludes.
CONDITIONS: Sequence[tuple[StopReason, Condition]] = (
    (StopReason.PERSON, _person),
    (StopReason.TIME, _time),
    (StopReason.CALLS, _calls),
    (StopReason.POOL_FULL, _pool_full),
    (StopReason.COVERAGE, _coverage),
    (StopReason.CONFIDENCE, _confidence),
    (StopReason.COMPLETENESS, _completeness),
    (StopReason.SUFFICIENCY, _sufficiency),
    (StopReason.NOTHING_NEW, _nothing_new),
    (StopReason.ROUNDS, _rounds),
    (StopReason.TOO_LITTLE_NEW, _too_little_new),
)


def conclusion(stop: Stop | None) -> bool:
    """Whether a judgement that enough was found comes before this stop, or nothing stops."""
    reasons = [reason for reason, _ in CONDITIONS]
    return stop is None or reasons.index(stop.reason) > reasons.index(StopReason.SUFFICIENCY)


def decide(progress: Progress, settings: InvestigationSettings) -> Stop | None:
    """The first condition that holds, with its numbers; None to go on."""
    for reason, condition in CONDITIONS:
        numbers = condition(progress, settings)
        if numbers is not None:
            return Stop(reason, numbers, progress.completeness)
    return None

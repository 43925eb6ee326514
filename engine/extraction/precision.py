"""How often proposals are right, by what people said of them, with the doubt that few verdicts leave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.corpus.extracted.proposal import Proposal
from engine.corpus.extracted.validations import Judgement, Origin, Validation

# The normal deviate of a two-sided interval of 95 %.
Z = 1.959963984540054
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Precision:
    """Verdicts on one sort of proposals. Right is what was accepted as it was."""

    accepted: int = 0
    corrected: int = 0
    rejected: int = 0

    @property
    def judged(self) -> int:
        """Verdicts in all."""
        return self.accepted + self.corrected + self.rejected

    @property
    def share(self) -> float | None:
        """Accepted of judged, 0..1; None where nothing was judged."""
        return self.accepted / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the true share lies with 95 % confidence; None where nothing was judged."""
        return wilson(self.accepted, self.judged) if self.judged else None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Proposals with a confidence in ``[low, high)``: what they said on average, and how many were right."""

    low: float
    high: float
    said: float
    precision: Precision


def wilson(right: float, count: float, z: float = Z) -> tuple[float, float]:
    """The score interval of a share, ``right`` of ``count`` (Wilson 1927, J. Am. Stat. Assoc. 22).

    Unlike the usual interval it holds for few observations and for shares near 0 and 1. Of observations that
    weigh differently both are effective numbers. Raises ValueError where ``count`` is not positive or
    ``right`` is not within it.
    """
    if not 0 <= right <= count or count == 0:
        raise ValueError(f"not a share: {right} of {count}")
    share, square = right / count, z * z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = z * math.sqrt(share * (1 - share) / count + square / (4 * count * count)) / (1 + square / count)
    # At the ends the interval reaches them exactly; arithmetic misses by a rounding error.
    low = 0.0 if right == 0 else max(0.0, middle - reach)
    return low, 1.0 if right == count else min(1.0, middle + reach)


def sort_of(proposal: Proposal) -> str:
    """What a proposal is counted among: its relation, apart for concepts."""
    return f"concept {proposal.relation.value}" if proposal.concept else proposal.relation.value


def precision(validations: Iterable[Validation]) -> Precision:
    """The figure of some verdicts."""
    counts = dict.fromkeys(Judgement, 0)
    for one in validations:
        counts[one.judgement] += 1
    return Precision(counts[Judgement.ACCEPTED], counts[Judgement.CORRECTED], counts[Judgement.REJECTED])


def by_sort(validations: Iterable[Validation]) -> Mapping[tuple[Origin, str], Precision]:
    """A figure for each origin and sort, as they were proposed; those with the most verdicts first."""
    groups: dict[tuple[Origin, str], list[Validation]] = {}
    for one in validations:
        groups.setdefault((one.origin, sort_of(one.proposal)), []).append(one)
    order = sorted(groups, key=lambda key: (key[0], -len(groups[key]), key[1]))
    return {key: precision(groups[key]) for key in order}


def calibration(validations: Iterable[Validation], edges: Sequence[float] = BINS) -> list[Calibrated]:
    """What a model's confidence was worth: for each bin that has verdicts, said against true."""
    own = [one for one in validations if one.origin == "model"]
    found = []
    for low, high in pairwise(edges):
        last = high == edges[-1]
        members = [
            one
            for one in own
            if low <= one.proposal.confidence < high or (last and one.proposal.confidence == high)
        ]
        if members:
            said = sum(one.proposal.confidence for one in members) / len(members)
            found.append(Calibrated(low, high, said, precision(members)))
    return found

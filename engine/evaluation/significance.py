"""Is a difference between two runs over the same questions more than chance?

The interval is the percentile interval of the paired bootstrap over questions (Efron and Tibshirani
1993; Sakai, SIGIR 2006), the p-value that of Fisher's randomisation test, which flips the sign of each
question's difference (Smucker, Allan and Carterette, CIKM 2007, who recommend it over the sign and
Wilcoxon tests).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_260
# Resamples drawn at a time: 2,738 questions make 55 MB of them.
BATCH = 2_500


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of ``ours`` less ``theirs`` with its 95 % interval; ``p`` two-sided, by randomisation."""

    ours: float
    theirs: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0 and p is below .05."""
        return self.p < 1 - CONFIDENCE and not self.low <= 0.0 <= self.high


def paired(ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES) -> Difference:
    """Compare two runs' values of the same questions in the same order.

    The same numbers give the same answer: the random generator starts from a fixed seed. Raises
    ValueError where the lengths differ or are 0.
    """
    if len(ours) != len(theirs) or not len(ours):
        raise ValueError(f"{len(ours)} values against {len(theirs)}")
    first, second = np.array(ours, np.float64), np.array(theirs, np.float64)
    deltas = first - second
    mean = float(deltas.mean())
    if len(deltas) < 2 or not deltas.any():
        low, high, p = mean, mean, 1.0
    else:
        low, high = _interval(deltas, resamples)
        p = _randomisation(deltas, resamples)
    return Difference(float(first.mean()), float(second.mean()), mean, low, high, p)


def _interval(deltas: np.ndarray, resamples: int) -> tuple[float, float]:
    # Half a second to import: not for whoever compares nothing.
    from scipy import stats

    found = stats.bootstrap(
        (deltas,),
        np.mean,
        n_resamples=resamples,
        batch=BATCH,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _randomisation(deltas: np.ndarray, resamples: int) -> float:
    from scipy import stats

    found = stats.permutation_test(
        (deltas,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=BATCH,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)

"""Chao's estimate of completeness, from how often relevant passages were found independently.

Retrievers and strategies are capture occasions. If most relevant passages were found by several of them, few
are left; if most were found by one, many may be. The estimator turns the numbers of passages found once and
twice into a lower bound of those never found.

A. Chao, "Estimating the population size for capture-recapture data with unequal catchability", Biometrics 43
(1987), with its log-normal 95% interval. If no passage was found only once, the estimate is 1, bounded by the
rule of three: after n finds without a new one, the next is new with a probability of at most 3/n (Hanley and
Lippman-Hand, JAMA 249, 1983).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.model import Completeness

NORMAL_975 = 1.959964
RULE_OF_THREE = 3.0


def chao1(finders: Sequence[int]) -> Completeness | None:
    """Estimate completeness from the number of independent finders of each relevant passage.

    None if nothing was found. In the bias-corrected form, unseen = f1 (f1 - 1) / (2 (f2 + 1)).
    """
    found = sum(1 for count in finders if count > 0)
    if found == 0:
        return None
    once = sum(1 for count in finders if count == 1)
    twice = sum(1 for count in finders if count == 2)
    unseen = once * (once - 1) / (2 * (twice + 1))
    if unseen <= 0:
        return Completeness(1.0, max(0.0, 1.0 - RULE_OF_THREE / sum(finders)), 1.0)
    ratio = once / max(twice, 1)
    variance = max(twice, 1) * (0.25 * ratio**4 + ratio**3 + 0.5 * ratio**2)
    spread = math.exp(NORMAL_975 * math.sqrt(math.log1p(variance / unseen**2)))
    return Completeness(
        estimate=found / (found + unseen),
        low=found / (found + unseen * spread),
        high=found / (found + unseen / spread),
    )

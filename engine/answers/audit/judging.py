"""From a comparison to two probabilities: that the words are about the claim's subject, that they say it all.

Both are logistic models of a few features, learned on one half of the gold claims (``benchmarks/claims``,
``benchmarks/claim_audit.py --learn``); the other half is what their figures are measured on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import orjson

from engine.language.statements import Comparison, Statement

WEIGHTS = Path(__file__).with_name("weights.json")
FEWEST_STEMS = 2

_JOINT = re.compile(r"(?:[,;،؛]\s+|\s+)(?:and|which|und|sowie|dan|serta|et)\s+|[;؛]\s+|\s+(?=و\w{3})")


@dataclass(frozen=True, slots=True)
class Likeness:
    """``related``, ``subject`` (quantities aside) and ``says``, each 0..1."""

    related: float
    subject: float
    says: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one logistic model: by feature, and the constant."""

    by_name: Mapping[str, float]
    constant: float

    def probability(self, values: Mapping[str, float]) -> float:
        """The logistic function of the weighted sum."""
        total = self.constant + sum(weight * values[name] for name, weight in self.by_name.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def weights(name: str) -> Weights:
    """Of one model: "related" and "says", behind each " by words" where there is no similarity of meaning."""
    content = orjson.loads(WEIGHTS.read_bytes())[name]
    return Weights(content["weights"], content["constant"])


def features(
    claim: Statement,
    source: frozenset[str],
    compared: Comparison,
    around: float,
    cosine: float | None,
    rarity: Mapping[str, float],
) -> dict[str, float]:
    """What the estimates are made of. ``source``: the stems of the sentence; ``around``: the share of the
    claim's content in the whole passage with its headings; ``cosine``: of claim and passage."""
    quantities = len(compared.quantities)
    low, high = _parts(claim, source, compared, rarity)
    return {
        "agreement": compared.agreement,
        "around": around,
        **({} if cosine is None else {"cosine": cosine}),
        "equal": compared.equal / quantities if quantities else 0.0,
        "absent": compared.absent / quantities if quantities else 0.0,
        "different": compared.different / quantities if quantities else 0.0,
        "gap": high - low,
    }


def judged(values: Mapping[str, float]) -> Likeness:
    """The two estimates for one sentence."""
    suffix = "" if "cosine" in values else " by words"
    related, says = weights(f"related{suffix}"), weights(f"says{suffix}")
    content = {**values, "equal": 0.0, "absent": 0.0, "different": 0.0}
    return Likeness(related.probability(values), related.probability(content), says.probability(values))


def _parts(
    claim: Statement, source: frozenset[str], compared: Comparison, rarity: Mapping[str, float]
) -> tuple[float, float]:
    """The worst and the best share of content that a part of the claim has in the source."""
    cuts = [0, *(match.start() for match in _JOINT.finditer(claim.text)), len(claim.text)]
    absent = [pair.claim.span.start for pair in compared.quantities if pair.source is None]
    shares = []
    for start, end in pairwise(cuts):
        stems = {term.stem for term in claim.terms if start <= term.span.start < end}
        if len(stems) < FEWEST_STEMS:
            continue
        whole = sum(rarity.get(stem, 0.3) for stem in stems)
        share = sum(rarity.get(stem, 0.3) for stem in stems & source) / whole
        shares.append(0.0 if any(start <= place < end for place in absent) else share)
    return (min(shares), max(shares)) if len(shares) > 1 else (0.0, 0.0)

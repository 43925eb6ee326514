"""Retrieval metrics of one ranking against one question's gold, as fractions of 1.

Recall and nDCG agree with ranx (see tests/comparison); complete@K, the share of questions with all
their gold in the top K, is what multi-passage questions need and libraries do not have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def recall_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold that stands in the top k."""
    return len(set(ranking[:k]) & set(gold)) / len(gold)


def complete_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if all the gold stands in the top k, else 0."""
    return 1.0 if set(gold) <= set(ranking[:k]) else 0.0


def ndcg_at(ranking: Sequence[str], gold: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002)."""
    gained = sum(gold.get(item, 0.0) / math.log2(place + 2) for place, item in enumerate(ranking[:k]))
    ideal = sorted(gold.values(), reverse=True)[:k]
    possible = sum(gain / math.log2(place + 2) for place, gain in enumerate(ideal))
    return gained / possible if possible > 0 else 0.0

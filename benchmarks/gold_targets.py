"""What the gold sets are to reach: floors, below which a change is not good enough, and aims."""

from __future__ import annotations

from dataclasses import dataclass

from engine.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Target:
    """A figure of a set with its floor and its aim, fractions of 1."""

    gold_set: str
    figure: str
    floor: float
    aim: float


TARGETS = (
    Target("obliqa_xref", "complete@10", 0.84, 0.92),
    Target("obliqa_xref", "pool complete", 0.97, 0.99),
    Target("obliqa_mp", "recall@10", 0.63, 0.70),
    Target("obliqa_adgm", "recall@10", 0.80, 0.85),
    Target("hipporag_2wiki", "recall@5", 0.90, 0.95),
    Target("hipporag_2wiki", "complete@5", 0.76, 0.86),
    Target("2wiki_dev164", "recall@5", 0.90, 0.95),
    Target("musique_dev200", "recall@5", 0.66, 0.73),
    Target("musique_dev200", "recall@20", 0.86, 0.92),
    Target("hipporag_musique_train100", "recall@5", 0.69, 0.76),
    Target("hipporag_musique_train100", "recall@20", 0.88, 0.93),
    Target("hotpotqa_dev200", "recall@5", 0.90, 0.95),
    Target("hotpotqa_dev200", "complete@5", 0.80, 0.88),
)
# A pool of all passages would be complete and useless.
LARGEST_POOL = 200
# The investigation must not be worse than the scan it starts from.
NEVER_COSTS = ("recall@10", "ndcg@10")


def figure(evaluation: Evaluation, name: str) -> float:
    """A figure by the name that targets use."""
    if name.startswith("pool "):
        return evaluation.pool[name.removeprefix("pool ")]
    return evaluation.investigation[name]


def verdict(target: Target, evaluation: Evaluation) -> str:
    """Whether the aim or the floor is met; "pool too large" where completeness was bought by size."""
    if target.figure.startswith("pool ") and evaluation.pool["mean_size"] > LARGEST_POOL:
        return f"pool too large ({evaluation.pool['mean_size']:.0f} of {LARGEST_POOL})"
    reached = figure(evaluation, target.figure)
    if reached >= target.aim:
        return "aim"
    return "floor" if reached >= target.floor else "below"

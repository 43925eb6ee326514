"""Estimates from verdicts: their intervals cover the truth of invented pools as often as they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.review.estimates import Estimates, RecallEstimate, estimates
from engine.review.model import Assessment, Item, ItemKind, Verdict
from engine.review.queues import QueuedItem
from engine.review.sampling import Sampling, Stratum, draw
from tests.engine.review.judged import N, P, R, passage, said
from tests.engine.review.pools import pool, record_of

Truth = dict[tuple[str, str], bool]


def truth_of(items: Sequence[Item], rng: np.random.Generator, ranked: float, missed: float) -> Truth:
    """Which passages are relevant: the better ranked the likelier, few of the others."""
    return {
        (item.case_id, item.key): bool(
            rng.random() < (missed if item.rank is None else ranked * (1.4 - 0.8 * item.rank / 30))
        )
        for item in items
    }


def judged(queue: Iterable[QueuedItem], truth: Truth) -> list[Assessment]:
    return [
        said(one.item, R if truth[one.item.case_id, one.item.key] else N, number=number)
        for number, one in enumerate(queue, 1)
    ]


def recall_of(items: Iterable[Item], truth: Truth) -> float:
    """The share of the relevant that is ranked."""
    relevant = [item for item in items if truth[item.case_id, item.key]]
    return sum(item.rank is not None for item in relevant) / len(relevant)


def told(found: Estimates) -> RecallEstimate:
    assert found.recall is not None
    return found.recall


def covered(runs: Iterable[tuple[float, float, float]]) -> float:
    """How often the truth lies within the ends."""
    return float(np.mean([low <= truth <= high for truth, low, high in runs]))


@pytest.mark.parametrize("missed", [0.01, 0.06, 0.3, 0.97])
@pytest.mark.parametrize(
    ("count", "at_random", "is_size_known"),
    [(1, 5, True), (1, 40, True), (1, 5, False), (3, 5, True), (8, 5, True), (8, 5, False)],
)
def test_the_interval_covers_the_recall_of_cases_however_many_are_missed(
    count: int, at_random: int, is_size_known: bool, missed: float
) -> None:
    rng = np.random.default_rng(7)
    pools = [pool(f"case {number}", ranked=30, count=120) for number in range(count)]
    if not is_size_known:
        pools = [[replace(item, ranking_size=0) for item in items] for items in pools]
    every = [item for items in pools for item in items]
    runs, errors = [], []
    for seed in range(25):
        truth = truth_of(every, rng, 0.6, missed)
        sampling = Sampling(10, 5, 3, 3, at_random, seed=seed)
        queue = [one for items in pools for one in draw(items, [], record_of(items), sampling)]
        found = told(estimates(queue, judged(queue, truth), sampling))
        runs.append((recall_of(every, truth), found.low, found.high))
        errors.append(found.relevant - sum(truth.values()))
        assert found.low <= found.value <= found.high
    assert covered(runs) >= 0.84
    # Horvitz and Thompson's total is that of the pool on average.
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors)) + 1e-9


def queue_of(strata: dict[tuple[Stratum, float], int], *, case_id: str = "case") -> list[QueuedItem]:
    """So many passages of each stratum and chance; those of the ranking first."""
    found: list[QueuedItem] = []
    for (stratum, chance), count in strata.items():
        for number in range(count):
            rank = number + 1 if stratum is Stratum.BEST else None
            item = replace(passage(f"{stratum} {number}", case_id=case_id), rank=rank)
            found.append(QueuedItem(item, stratum.value, chance))
    return found


def said_of(queue: Iterable[QueuedItem], verdict: Callable[[QueuedItem], Verdict]) -> list[Assessment]:
    return [said(one.item, verdict(one), number=number) for number, one in enumerate(queue, 1)]


BEST, RANDOM = Stratum.BEST, Stratum.RANDOM
FEW = Sampling(4, 0, 0, 0, 5)
QUEUE = queue_of({(BEST, 1.0): 4, (RANDOM, 0.1): 5})


def test_the_formulas_by_hand() -> None:
    # Three of four ranked, one of five at random, which stands for ten.
    relevant = {0, 1, 2, 4}
    found = estimates(QUEUE, [said(one.item, R if n in relevant else N) for n, one in enumerate(QUEUE)], FEW)
    recall = told(found)
    assert (recall.ranked, recall.relevant, recall.at_random, recall.left) == (3.0, 13.0, 5, 45.0)
    assert recall.value == 3 / 13
    assert recall.of_these_cases
    assert found.overall is not None
    assert (found.overall.value, found.overall.judged, found.overall.cases) == (0.75, 4, 1)
    assert (found.judged, found.drawn) == (9, 9)


def test_without_random_verdicts_nothing_is_told_of_recall() -> None:
    best = queue_of({(BEST, 1.0): 4})
    for queue, sampling in ((best, Sampling(4, 0, 0, 0, 0)), (QUEUE, FEW)):
        found = estimates(queue, said_of(queue[:4], lambda _: R), sampling)
        assert (found.recall, found.overall) == (None, None)
        four = estimates(queue, said_of(queue[:4], lambda _: R), sampling, ranks=(4, 5)).at
        assert four[4] is not None
        assert (four[4].value, four[4].judged) == (1.0, 4)
        assert four[5] is None


def test_nothing_judged_or_nothing_relevant() -> None:
    assert estimates([], [], FEW).recall is None
    none = estimates(QUEUE, [], FEW)
    assert (none.recall, none.overall, none.at, none.judged) == (None, None, dict.fromkeys((5, 10, 20)), 0)
    bad = estimates(QUEUE, said_of(QUEUE, lambda _: N), FEW)
    assert bad.recall is None
    assert bad.overall is not None
    assert (bad.overall.value, bad.overall.low) == (0.0, 0.0)
    later = estimates(QUEUE, said_of(QUEUE, lambda _: Verdict.LATER), FEW)
    assert later == none


@pytest.mark.parametrize("strata", [{(BEST, 1.0): 4}, {(BEST, 1.0): 4, (RANDOM, 1.0): 3}])
def test_where_all_was_judged_there_is_no_doubt(strata: dict[tuple[Stratum, float], int]) -> None:
    queue = queue_of(strata)
    recall = told(estimates(queue, said_of(queue, lambda one: R), FEW))
    assert recall.low == recall.value == recall.high == 4 / len(queue)
    assert recall.more_needed(0.01) == 0


def test_none_found_at_random_is_not_none_there() -> None:
    recall = told(estimates(QUEUE, said_of(QUEUE, lambda one: R if one.item.rank else N), FEW))
    assert (recall.value, recall.high) == (1.0, 1.0)
    assert recall.low < 0.2
    assert recall.more_needed(0.5) > 0


def test_what_is_not_judged_yet_is_like_what_is() -> None:
    half = [*QUEUE[:2], *QUEUE[4:6]]
    recall = told(estimates(QUEUE, said_of(half, lambda one: R), FEW))
    assert (recall.ranked, recall.relevant, recall.at_random) == (4.0, 54.0, 2)


def test_partly_is_relevant_or_half_of_it() -> None:
    given = said_of(QUEUE, lambda one: P if one.item.rank else R)
    whole, half = (told(estimates(QUEUE, given, FEW, partly=partly)) for partly in (1.0, 0.5))
    assert (whole.ranked, half.ranked) == (4.0, 2.0)


def test_several_reviewers_are_averaged_and_whoever_settles_decides() -> None:
    item = QUEUE[0].item
    given = said_of(QUEUE[4:], lambda _: R)
    both = [said(item, R, "anna", 20), said(item, N, "ben", 21)]
    assert told(estimates(QUEUE[:1] + QUEUE[4:], given + both, FEW)).ranked == 0.5
    settled = [*both, replace(said(item, R, "cem", 22), settles=True)]
    assert told(estimates(QUEUE[:1] + QUEUE[4:], given + settled, FEW)).ranked == 1.0


def test_hops_and_verdicts_on_what_is_not_in_the_queue_count_nothing() -> None:
    given = said_of(QUEUE, lambda one: R)
    hop = replace(passage("hop"), kind=ItemKind.HOP)
    more = [*given, said(passage("other"), R, number=90), said(hop, Verdict.RIGHT, number=91)]
    assert estimates([*QUEUE, QueuedItem(hop, RANDOM.value, 0.5)], more, FEW) == estimates(QUEUE, given, FEW)


def test_what_was_chosen_to_teach_counts_nothing() -> None:
    given = said_of(QUEUE, lambda one: R)
    told_most = passage("telling")
    more = [*given, said(told_most, N, number=90)]
    queue = [QueuedItem(told_most, Stratum.TELLING.value, 0.0), *QUEUE]
    assert estimates(queue, more, FEW) == estimates(queue, given, FEW) == estimates(QUEUE, given, FEW)


def test_as_many_more_as_are_needed_narrow_it() -> None:
    rng = np.random.default_rng(1)
    items = pool(ranked=30, count=3000)
    record, truth = record_of(items), truth_of(items, rng, 0.6, 0.03)

    def recall(count: int, seed: int) -> RecallEstimate:
        sampling = Sampling(30, 0, 0, 0, count, seed=seed)
        queue = draw(items, [], record, sampling)
        return told(estimates(queue, judged(queue, truth), sampling))

    ratios = []
    for seed in range(12):
        first = recall(400, seed)
        wanted = 0.7 * (first.high - first.low)
        then = recall(400 + first.more_needed(wanted), seed + 100)
        ratios.append((then.high - then.low) / wanted)
    assert 0.75 < np.mean(ratios) < 1.25


def test_how_many_more_is_asked_of_a_width() -> None:
    few = RecallEstimate(0.5, 0.3, 0.7, 20.0, 10.0, 50, 150.0, 1, True)
    assert few.more_needed(0.4) == few.more_needed(0.9) == 0
    assert few.more_needed(0.2) == 150
    assert few.more_needed(0.01) == 150
    assert replace(few, of_these_cases=False).more_needed(0.1) == 750
    for wrong in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="not a width"):
            few.more_needed(wrong)

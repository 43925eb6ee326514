from __future__ import annotations

from benchmarks.attacks.uploads import run


def test_damaged_files_are_counted_by_where_they_came_from() -> None:
    outcomes = run(tries=12, seed=5)
    assert sum(outcome.tries for outcome in outcomes) == 12
    assert [failure for outcome in outcomes for failure in outcome.failures] == []

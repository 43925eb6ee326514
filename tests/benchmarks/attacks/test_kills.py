from __future__ import annotations

from benchmarks.attacks.kills import CHANGES, run


def test_whatever_is_killed_the_corpus_is_the_old_or_the_new_one() -> None:
    outcomes = run(tries=8, seed=3)
    assert [failure for outcome in outcomes for failure in outcome.failures] == []
    assert sum(outcome.tries for outcome in outcomes) >= 8
    kinds = {outcome.kind.removeprefix("killed: ") for outcome in outcomes}
    assert kinds <= {*CHANGES, "afterwards"}
    assert len(kinds) > 2

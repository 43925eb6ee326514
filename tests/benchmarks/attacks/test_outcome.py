from __future__ import annotations

from benchmarks.attacks.outcome import MOST_TOLD, Attempt, Outcome, counted, table


def test_what_failed_is_counted_and_named() -> None:
    outcome = counted("files", [Attempt("a link", True), Attempt("a device", False, "was read")])
    assert (outcome.tries, outcome.held, outcome.failures) == (2, 1, ("a device: was read",))


def test_the_table_sums_up_and_tells_no_more_failures_than_can_be_read() -> None:
    many = tuple(f"try {number}" for number in range(MOST_TOLD + 3))
    told = table([Outcome("files", 100, many), Outcome("hosts", 1_200, ())])
    assert "| files | 100 | 77 | 23 |" in told
    assert "| hosts | 1,200 | 1,200 | 0 |" in told
    assert "| all | 1,300 | 1,277 | 23 |" in told
    assert told.count("- try ") == MOST_TOLD
    assert told.endswith("- and 3 more")

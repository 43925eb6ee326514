from __future__ import annotations

import pytest

from ui.corpus.ingestion import LOOKED_AT, Pace


def test_what_is_left_takes_as_long_as_what_was_done_lately() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    assert pace.seconds_left is None
    # What was kept from before is read within a moment.
    pace.hear("embed", 0, 1000)
    pace.hear("embed", 400, 1000)
    assert pace.seconds_left is None
    for number in range(1, LOOKED_AT + 1):
        now = number * 10.0
        pace.hear("embed", 400 + number * 50, 1000)
    assert pace.seconds_left == pytest.approx((1000 - 700) / 5)
    now += 4
    assert pace.seconds_left == pytest.approx(56)
    now += 1000
    assert pace.seconds_left == 0


def test_another_step_begins_anew() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    pace.hear("read", 1, 4)
    now = 1.0
    pace.hear("read", 2, 4)
    assert pace.seconds_left == 2
    pace.hear("embed", 2, 9)
    assert pace.seconds_left is None

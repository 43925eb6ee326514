from __future__ import annotations

import pytest

from ui.access.sessions import MOST_OF_NAME, Sessions
from ui.access.throttle import MOST_KEYS, Throttle


def test_tries_come_back_slowly() -> None:
    now = [0.0]
    throttle = Throttle(2, 60.0, lambda: now[0])
    assert [throttle.take("a") for _ in range(3)] == [0.0, 0.0, 60.0]
    assert throttle.take("b") == 0.0
    now[0] = 30.0
    assert throttle.take("a") == pytest.approx(30.0)
    now[0] = 60.0
    assert [throttle.take("a") for _ in range(2)] == [0.0, pytest.approx(60.0)]
    throttle.give_back("a")
    assert throttle.take("a") == 0.0
    now[0] = 1e6
    assert [throttle.take("a") for _ in range(3)] == [0.0, 0.0, pytest.approx(60.0)]


def test_the_table_is_bounded() -> None:
    throttle = Throttle(1, 60.0, lambda: 0.0)
    for number in range(MOST_KEYS + 10):
        throttle.take(str(number))
    assert throttle.take(str(MOST_KEYS)) > 0
    assert throttle.take("0") == 0.0


def test_a_session_ends_after_its_hours_and_a_name_has_so_many() -> None:
    now = [0.0]
    sessions = Sessions(1, lambda: now[0])
    secrets = [sessions.open("anna") for _ in range(MOST_OF_NAME + 1)]
    other = sessions.open("boris")
    assert sessions.name(secrets[0]) is None
    assert sessions.name(secrets[1]) == "anna"
    assert len(set(secrets)) == len(secrets)
    now[0] = 3599.0
    assert sessions.name(other) == "boris"
    now[0] = 3600.0
    assert sessions.name(other) is None
    assert sessions.name("") is None

from __future__ import annotations

import pytest

from engine.errors import ResourceError
from ui.server.pool import FairQueue, Ticket


def _served(line: FairQueue[int], tickets: dict[str, Ticket[int]]) -> list[str]:
    """The order in which one place serves all who wait."""
    order: list[str] = []
    while len(line):
        line.add(1)
        (name,) = (name for name, ticket in tickets.items() if ticket.called.is_set() and name not in order)
        order.append(name)
    return order


def test_ten_cases_of_one_visitor_do_not_keep_another_waiting() -> None:
    line: FairQueue[int] = FairQueue(20)
    tickets = {f"many {n}": line.join("many") for n in range(10)}
    tickets |= {f"few {n}": line.join("few") for n in range(2)}
    order = _served(line, tickets)
    assert order[:5] == ["many 0", "few 0", "many 1", "few 1", "many 2"]
    assert line.served == 12


def test_who_asks_again_and_again_does_not_keep_those_waiting_who_have_many() -> None:
    line: FairQueue[int] = FairQueue(20)
    many = [line.join("many") for _ in range(4)]
    for turn in range(4):
        again = line.join("again")
        line.add(1)
        line.add(1)
        assert again.called.is_set()
        assert sum(ticket.called.is_set() for ticket in many) == turn + 1


def test_the_place_in_line_is_told() -> None:
    line: FairQueue[int] = FairQueue(20)
    first, second, third = line.join("a"), line.join("a"), line.join("b")
    assert [line.ahead(ticket) for ticket in (first, third, second)] == [0, 1, 2]
    line.add(1)
    assert [line.ahead(ticket) for ticket in (third, second)] == [0, 1]


def test_more_than_the_longest_line_are_turned_away() -> None:
    line: FairQueue[int] = FairQueue(2)
    tickets = [line.join("a"), line.join("b")]
    with pytest.raises(ResourceError, match="2 cases wait for their turn already; ask again"):
        line.join("c")
    assert line.refused == 1
    line.leave(tickets[0])
    line.join("c")


def test_who_leaves_gives_back_what_was_given_meanwhile() -> None:
    line: FairQueue[int] = FairQueue(2)
    line.add(7)
    gone, waiting = line.join("a"), line.join("b")
    assert gone.place == 7
    line.leave(gone)
    assert waiting.place == 7
    assert line.free == 0


def test_a_line_that_is_closed_calls_everybody_without_a_place() -> None:
    line: FairQueue[int] = FairQueue(2)
    waiting = line.join("a")
    line.close()
    assert (waiting.called.is_set(), waiting.place) == (True, None)
    assert line.join("b").called.is_set()

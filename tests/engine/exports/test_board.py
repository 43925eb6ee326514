"""The board as a drawing: nothing outside of it, nothing on top of each other, every passage counted."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.exports.board import MOST_PILLS, Board, board_of
from engine.records.record import read_record
from tests.engine.exports.conftest import Record


def drawn(record: Record) -> Board:
    case = read_record(record)
    found = board_of(case, lambda one: one, {node.id: node.id.split("/")[0] for node in case.pool.nodes})
    assert found is not None
    return found


def test_each_passage_is_a_pill_or_counted_once(asked: Record) -> None:
    board = drawn(asked)
    assert board.named + board.folded == len(asked["pool"]["nodes"])
    assert board.named == len(board.pills) <= MOST_PILLS
    assert board.folded == sum(dot.count for dot in board.dots)
    assert sum(int(lane.count) for lane in board.lanes) == len(asked["pool"]["nodes"])


def test_pills_and_dots_have_a_place_of_their_own_in_a_lane(asked: Record) -> None:
    board = drawn(asked)
    for one, other in combinations(board.pills, 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2 or abs(one.y - other.y) >= 24
        assert apart, (one, other)
    for pill in board.pills:
        assert any(lane.y <= pill.y - 12 and pill.y + 12 <= lane.bottom for lane in board.lanes)
        assert pill.x - pill.width / 2 >= 0
        assert pill.x + pill.width / 2 <= board.width
    assert board.lanes[-1].bottom <= board.height


def test_rounds_are_columns_in_their_order(asked: Record) -> None:
    board = drawn(asked)
    assert [head for _, head in board.heads][:2] == ["Scan", "Round 1"]
    rounds = {node["id"]: node["round"] for node in asked["pool"]["nodes"]}
    places = [x for x, _ in board.heads]
    assert all(pill.x == places[rounds[pill.id]] for pill in board.pills)


@pytest.mark.parametrize("rounds", [8, 40])
def test_many_rounds_and_documents_fit(asked: Record, rounds: int) -> None:
    nodes = [
        asked["pool"]["nodes"][0] | {"id": f"document-{number % 30}/{number}", "round": number % rounds}
        for number in range(500)
    ]
    board = drawn({**asked, "pool": {**asked["pool"], "nodes": nodes, "edges": []}})
    assert board.heads[-1][1].endswith("and later")
    assert board.lanes[-1].title == "22 more documents"
    assert board.named + board.folded == 500


def test_an_empty_pool_has_no_board(asked: Record) -> None:
    case = read_record({**asked, "pool": {**asked["pool"], "nodes": [], "edges": []}})
    assert board_of(case, str, {}) is None

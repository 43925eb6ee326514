"""What of a tree is shown: what is open, the way to what is selected, never more than a few hundred lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.pool import QUESTION_NODE, Pool
from engine.records.expansion import ExpansionTree, expansion_tree
from tests.engine.records.grown import facts, pools
from tests.ui.values import cites, scan_hop, small_pool
from ui.investigate.expansion_rows import (
    CHILDREN_SHOWN,
    ROWS_SHOWN,
    Branches,
    branch,
    first_open,
    rows,
    spread,
)


def grown(pool: Pool) -> ExpansionTree:
    return expansion_tree(facts(pool))


def shown(tree: ExpansionTree, branches: Branches) -> list[tuple[str, int]]:
    return [(node, level) for node, level, place in spread(tree, branches).spots if place >= 0]


def test_a_small_tree_opens_at_its_best() -> None:
    tree = grown(small_pool())
    assert first_open(tree) == ["a", "b"]
    assert shown(tree, Branches(["a"])) == [("a", 2), ("d", 3), ("e", 3), ("b", 2), ("c", 2)]
    assert ("g", 4) in shown(tree, Branches([], tree.path("g"))), "the way to what is selected is open"
    lines = {row.id: row for row in rows(tree, spread(tree, Branches(["a"])), str.upper)}
    assert (lines["a"].open, lines["b"].open, lines["c"].open) == (True, False, None)
    assert (lines["d"].name, lines["d"].why) == ("D", "cited by A")
    assert lines["d"].quote == "subject to Article 14(2)"
    assert (lines["a"].below, lines["a"].below_words) == (3, "3 passages came through this one")


@given(pools(), st.data())
def test_lines_are_in_the_order_of_the_tree_and_under_what_is_open(pool: Pool, data: st.DataObject) -> None:
    tree = grown(pool)
    every = [*tree.nodes]
    open_ = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    found = spread(tree, Branches(open_)).spots
    order = [node for node, _, place in found if place >= 0]
    assert order == [node for node in every if node in order]
    for node, level, _ in found:
        assert level == len(tree.path(node)) + 1
        assert all(step in open_ for step in tree.path(node)[:-1])


def test_of_many_children_some_are_sent_and_the_rest_when_asked_for() -> None:
    count = 4 * CHILDREN_SHOWN
    pool = Pool(count)
    for place in range(count):
        pool.admit(scan_hop(f"s{place:03}", place + 1), place, 1 - place / 1000)
    tree = grown(pool)
    first = spread(tree, Branches(())).spots
    assert [node for node, _, place in first if place >= 0] == list(tree.roots[:CHILDREN_SHOWN])
    assert first[-1] == (QUESTION_NODE, 2, -3 * CHILDREN_SHOWN)
    more = branch(tree, QUESTION_NODE, 2, CHILDREN_SHOWN)
    assert [node for node, _, place in more.spots if place >= 0] == list(
        tree.roots[CHILDREN_SHOWN : 2 * CHILDREN_SHOWN]
    )
    (last,) = [row for row in rows(tree, more, str) if row.more]
    assert (last.more, last.siblings - last.more) == (2 * CHILDREN_SHOWN, 2 * CHILDREN_SHOWN)
    far = tree.roots[-1]
    assert (far, 2) in shown(tree, Branches((), tree.path(far))), "what is selected is always sent"


def test_a_large_tree_that_is_all_open_is_sent_in_part() -> None:
    pool = Pool(2000)
    for place in range(50):
        pool.admit(scan_hop(f"s{place}", place + 1), place, 0.9)
        for child in range(20):
            pool.admit(cites(f"s{place}/{child}", f"s{place}"), 100 + 20 * place + child, 0.5)
    tree = grown(pool)
    found = spread(tree, Branches([*tree.nodes]))
    assert ROWS_SHOWN - 21 < len(found.spots) <= ROWS_SHOWN
    for row in rows(tree, found, str):
        if row.open is not None:
            assert row.open == any(tree.nodes[spot.node].parent == row.id for spot in found.spots), (
                "no line is lost"
            )

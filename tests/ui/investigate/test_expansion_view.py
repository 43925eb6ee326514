"""What the page is given of an open case: tree, branch, what came of a passage, charts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.investigation.pool import QUESTION_NODE
from engine.records.store.chain import fingerprint_of
from tests.ui.investigate.test_updates import ASKED
from ui.investigate.expansion import descendants_of, tree_of, view_value
from ui.investigate.expansion_rows import Looked, Tab
from ui.investigate.panels import PARTS
from ui.investigate.plan import CaseRequest
from ui.investigate.updates import listen, open_case, ranked_value
from ui.open_case import OpenCase
from ui.shelf import Library


@pytest.fixture
def opened(library: Library) -> OpenCase:
    case = open_case(library, ASKED)
    list(case.case.run())
    return case


def told(opened: OpenCase, **asked: Any) -> Any:
    value = view_value(opened, Looked(**asked))
    assert "<" not in value
    return json.loads(value)


def test_before_a_case_there_is_nothing(library: Library) -> None:
    case = open_case(library, ASKED)
    for view in ("tree", "charts"):
        assert "Nothing to be seen yet" in told(case, view=view)["html"]


def test_a_tree_has_the_question_its_passages_and_what_came_of_the_selected_one(opened: OpenCase) -> None:
    tree = tree_of(opened)
    first = tree.roots[0]
    found = told(opened, view="tree", selected=first, turn=7)
    assert (found["kind"], found["turn"], found["selected"]) == ("tree", 7, first)
    assert opened.question in found["html"]
    assert f'data-id="{first}"' in found["html"]
    assert found["count"] == f"{len(opened.case.pool)} in the tree"
    assert "came through this one" in found["told"]
    assert found["node"]["name"] == opened.name(first)
    only = told(opened, view="tree", selected=first, only=True)
    assert (only["kind"], only["told"]) == ("told", found["told"])


@pytest.mark.parametrize("unknown", ["nowhere", "<script>", "? 99", "\x00"])
def test_unknown_nodes_change_nothing(opened: OpenCase, unknown: str) -> None:
    found = told(opened, view="tree", selected=unknown, open=[unknown])
    assert (found["selected"], found["told"], found["node"]) == ("", "", None)
    assert told(opened, view="tree", branch=unknown)["html"] == ""


def test_a_branch_is_sent_alone(opened: OpenCase) -> None:
    found = told(opened, view="tree", branch=QUESTION_NODE)
    assert found["kind"] == "rows"
    assert found["html"].count("data-id=") == len(tree_of(opened).roots)


def test_a_search_keeps_what_holds_the_words_and_the_way_to_it(opened: OpenCase) -> None:
    found = told(opened, view="tree", words="  SPECIAL resolution ")
    assert found["hits"]
    assert f"{len(found['hits'])} of {len(opened.case.pool)} found" == found["count"]
    none = told(opened, view="tree", words="zzyzx")
    assert none["hits"] == []
    assert "data-id=" not in none["html"]


def test_charts_add_up_and_say_the_same_in_tables(opened: OpenCase) -> None:
    found = told(opened, view="charts")
    plots = {plot["name"]: plot for plot in found["plots"]}
    passages = len(opened.case.pool)
    assert sum(sum(trace["y"]) for trace in plots["rounds"]["data"]) == passages
    assert sum(sum(trace["x"]) for trace in plots["documents"]["data"]) == passages
    hops = sum(plots["relations"]["data"][0]["x"])
    assert hops == len(opened.case.pool.hops())
    assert found["html"].count("<table>") == len(plots)
    assert f"<dd>{passages}</dd>" in found["html"]


def test_the_view_in_front_goes_along_with_a_case_and_no_other_is_computed(library: Library) -> None:
    views: tuple[tuple[Tab, bool], ...] = (("tree", True), ("charts", True), ("board", False))
    for view, with_board in views:
        case = open_case(library, CaseRequest(question=ASKED.question, view=view))
        updates = list(listen(case, PARTS, case.case.run))
        drawn = [update for update in updates if PARTS.board in update]
        assert len(drawn) >= 2
        assert all((PARTS.views in update) is with_board for update in drawn)
        if with_board:
            assert json.loads(drawn[0][PARTS.views])["kind"] == view


def test_cards_say_how_many_came_through_them(opened: OpenCase) -> None:
    counts = descendants_of(opened)
    cards = ranked_value(opened)
    named = [found.passage.id for found in opened.case.ranking if counts.get(found.passage.id)]
    assert cards.count('data-act="tree"') == len(named)


def test_looking_changes_nothing(opened: OpenCase) -> None:
    before = fingerprint_of(opened.corpus), len(opened.case.pool), opened.case.pool.hops()
    for view in ("tree", "charts"):
        told(opened, view=view)
    assert (fingerprint_of(opened.corpus), len(opened.case.pool), opened.case.pool.hops()) == before

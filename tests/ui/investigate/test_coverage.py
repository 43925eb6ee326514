from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from engine.model import AreaCoverage, AreaState, Metrics, RoundReport, StrategyCount
from ui.investigate.finding import coverage, covered, figure_words, measured, state_words


def _area(
    state: AreaState, *, required: bool = True, closed: int | None = None, query: str | None = None
) -> AreaCoverage:
    evidence = () if state is AreaState.MISSING else ("p/1", 'p/"2"')
    return AreaCoverage("a", "Agency <b>", state, required, evidence, 2, 0.68, closed, query, 0, 0)


@pytest.mark.parametrize(
    ("area", "words"),
    [
        (_area(AreaState.COVERED, closed=0), "covered"),
        (_area(AreaState.COVERED, closed=2), "closed in round 2"),
        (_area(AreaState.WEAK), "weak"),
        (_area(AreaState.MISSING), "missing"),
    ],
)
def test_states_in_words(area: AreaCoverage, words: str) -> None:
    assert state_words(area) == words
    assert f">{words}</span>" in coverage([area])


def test_the_facts_of_an_area() -> None:
    shown = html.unescape(coverage([_area(AreaState.COVERED, query="manager authority entry")]))
    asked = "asked: “manager authority entry”: nothing new found"
    assert f"2 passages · 68% of the evidence · {asked}" in shown
    assert "2 passages, none clearly on this · 68% of the evidence · not required" in coverage(
        [_area(AreaState.WEAK, required=False)]
    )
    assert "Not touched: Agency" in coverage([_area(AreaState.MISSING, required=False)])


def test_a_row_says_what_to_do_and_whether_it_is_needed() -> None:
    weak = replace(_area(AreaState.WEAK), good=1, gained=3, query="powers")
    shown = html.unescape(coverage([weak], names={"p/1": "CAC Article 14"}))
    assert "best: CAC Article 14 · 1 of 2 good passages, 2 in all" in shown
    assert "asked: “powers”: 3 new passages" in shown
    assert re.findall('data-area-act="([a-z]+)"', shown) == ["search", "unneeded", "texts"]
    assert "data-area-act" not in coverage([weak])
    unneeded = replace(weak, needed=False)
    assert covered([unneeded, _area(AreaState.COVERED)]) == (1, 1)
    shown = coverage([unneeded], names={"p/1": "CAC Article 14"})
    assert ">not needed</span>" in shown
    assert re.findall('data-area-act="([a-z]+)"', shown) == ["needed"]


def test_evidence_survives_the_attribute_and_names_are_escaped() -> None:
    shown = coverage([_area(AreaState.WEAK)])
    attribute = re.search('data-evidence="([^"]*)"', shown)
    assert attribute is not None
    assert json.loads(html.unescape(attribute[1])) == ["p/1", 'p/"2"']
    assert "Agency <b>" not in shown


def test_only_required_areas_count_where_any_is_required() -> None:
    optional = _area(AreaState.WEAK, required=False)
    assert covered([_area(AreaState.COVERED), optional]) == (1, 1)
    assert covered([optional, optional]) == (0, 2)
    assert covered([]) == (0, 0)


def test_required_areas_come_first() -> None:
    shown = coverage([_area(AreaState.WEAK, required=False), _area(AreaState.COVERED)])
    assert shown.index("covered<") < shown.index("weak<")


@pytest.mark.parametrize("language", ["en", "de", "id", "ar"])
def test_each_figure_has_its_line(language: str) -> None:
    count = StrategyCount("citations", 40, 3, {"below the threshold": 12})
    report = RoundReport(1, (), (count,), 3, 12, 100, 0.0)
    metrics = Metrics(0.5, 0.481, 0.5, 0.97, 0.075, 0.62)
    found = measured(metrics, [report], figure_words(language))
    assert [figure.value for figure in found] == ["50%", "0.48", "0.50", "97%", "8%", "0.62"]
    assert all(figure.label and figure.meaning for figure in found)
    assert all(number in found[4].meaning for number in ("3", "40", "25", "12"))

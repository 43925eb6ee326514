from __future__ import annotations

from typing import Any

from engine.records.store.lists import TaskCost, Tenth, ThreadYield
from ui.cases.records import cases_by_day, coverage_by_verdict, thread_yields, tokens_by_task
from ui.palette import thread

ROWS = [ThreadYield("citations", 3, 2, 4), ThreadYield("semantic", 1, 0, 1), ThreadYield("pagerank", 5, 0, 0)]
COSTS = [TaskCost("x", 1, 1, 5, 0, 6, 1.0, None), TaskCost("<b>a</b> & b_c", 1, 1, 7, 0, 8, 1.0, None)]


def day(number: int, cases: int = 2) -> dict[str, Any]:
    return {"day": f"2026-03-{number:02}", "cases": cases, "coverage_score": 0.5}


def test_few_days_are_shown_one_by_one_and_narrow() -> None:
    bars, line = (chart := cases_by_day([day(3), day(5, 4)]))["data"]
    assert (bars["x"], bars["y"], line["y"]) == (["2026-03-03", "2026-03-05"], [2, 4], [0.5, 0.5])
    assert line["yaxis"] == "y2"
    assert len(bars["width"]) == 2
    axis = chart["layout"]["xaxis"]
    assert (axis["tickvals"], axis["range"]) == (bars["x"], ["2026-02-28", "2026-03-08"])
    assert chart["layout"]["yaxis"]["dtick"] == 1


def test_verdicts_stand_on_top_of_each_other() -> None:
    chart = coverage_by_verdict(
        [Tenth("right", 0, 3), Tenth("wrong", 9, 2), Tenth("right", 9, 1), Tenth(None, 0, 5)]
    )
    traces = {one["name"]: one for one in chart["data"]}
    assert {name: (one["y"][0], one["y"][9], sum(one["y"])) for name, one in traces.items()} == {
        "right": (3, 1, 4),
        "wrong": (0, 2, 2),
        "no verdict": (5, 0, 5),
    }
    assert traces["right"]["x"][::9] == ["0–10", "90–100"]
    assert len({one["meta"] for one in chart["data"]}) == 3
    assert chart["layout"]["barmode"] == "stack"
    assert "dtick" not in chart["layout"]["yaxis"], "one bar has eight cases"
    assert [one["name"] for one in coverage_by_verdict([Tenth("right", 2, 7)])["data"]] == ["right"]


def test_threads_that_brought_nothing_are_left_out_and_the_best_stands_on_top() -> None:
    chart = thread_yields(ROWS)
    shown = [thread("semantic"), thread("citations")]
    assert [(one["name"], one["x"], one["y"]) for one in chart["data"]] == [
        ("led to", [1, 4], [one.title for one in shown]),
        ("brought first", [0, 2], [one.title for one in shown]),
    ]
    assert chart["data"][0]["meta"] == [one.token for one in shown]
    assert chart["layout"]["height"] > thread_yields(ROWS[:1])["layout"]["height"]


def test_words_of_people_are_no_markup() -> None:
    [verdict] = coverage_by_verdict([Tenth("<b>a</b> & b_c", 1, 1)])["data"]
    sent, answered = tokens_by_task(COSTS)["data"]
    assert verdict["name"] == "&lt;b&gt;a&lt;/b&gt; &amp; b_c"
    assert sent["y"] == answered["y"] == ["&lt;b&gt;a&lt;/b&gt; &amp; b c", "x"]
    assert (sent["x"], answered["x"]) == ([7, 5], [8, 6])
    assert sent["meta"] != answered["meta"]

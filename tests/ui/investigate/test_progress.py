from __future__ import annotations

import html
import json
import re
from dataclasses import replace

from engine.investigation.record import (
    CoverageChanged,
    Event,
    PlanMade,
    Ranked,
    RoundFinished,
    RoundStarted,
    ScanFinished,
    Stopped,
    SufficiencyJudged,
)
from engine.model import (
    AreaCoverage,
    AreaState,
    Completeness,
    GapQuery,
    QueryPlan,
    RoundReport,
    Stop,
    StopReason,
    StrategyCount,
    View,
)
from tests.ui.values import passage, ranked
from ui.investigate.progress import Story, brought, render_progress, update_progress

PLAN = PlanMade(QueryPlan("q", "en", (View("literal", "who <b> may"), View("part", "limits"))))
SCAN = ScanFinished(
    RoundReport(0, (), (StrategyCount("scan", 400, 214),), 214, 0, 214, 41.0), (), ("dense search is off",)
)
ROUND = RoundFinished(
    RoundReport(
        1,
        ("a",),
        (StrategyCount("citations", 60, 31, {"below_gate": 20, "budget": 9}), StrategyCount("gaps", 9, 4)),
        35,
        34,
        249,
        22.0,
    ),
    (),
)
COVERED = CoverageChanged(1, (AreaCoverage("a", "Agency", AreaState.COVERED, True, ("p",), 1, 0.6),))
STOPPED = Stopped(Stop(StopReason.COVERAGE, {"areas_covered": 1}, Completeness(0.93, 0.88, 0.97)))
RANKED = Ranked((ranked(passage("p")),), 12.0)


def _after(*events: Event) -> Story:
    story = Story()
    for number, event in enumerate(events, start=1):
        story = update_progress(story, event, number / 100)
    return story


def _text(story: Story) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", render_progress(story)).split())


def test_the_story_grows_with_its_events() -> None:
    assert _text(_after(PLAN)) == "Plan: 2 queries → …"
    assert "<b> may" not in render_progress(_after(PLAN))
    assert _text(_after(PLAN, SCAN)) == "Plan: 2 queries → Scan 214 → Note → …"
    assert "Round 1 …" in _text(
        _after(PLAN, SCAN, RoundStarted(1, ("a", "b"), (GapQuery("limits of authority"),)))
    )
    assert _text(_after(PLAN, SCAN, ROUND)).startswith("Plan: 2 queries → Scan 214 → Round 1 +35")


def test_the_ending_names_the_reason_with_its_numbers() -> None:
    text = _text(_after(PLAN, SCAN, ROUND, COVERED, STOPPED, RANKED))
    assert "estimated 93% of relevant passages found (88 to 97%)" in text
    assert "34 links not followed · 0.06 s" in text


def test_what_each_strategy_brought_leaves_out_the_scan() -> None:
    story = _after(PLAN, SCAN, ROUND, ROUND)
    assert brought(story.reports) == {"citations": 62, "gaps": 8}
    attribute = re.search('data-brought="([^"]*)"', render_progress(story))
    assert attribute is not None
    assert json.loads(html.unescape(attribute[1])) == {"citations": 62, "gaps": 8}


def test_tips_tell_what_was_refused_and_why() -> None:
    told_so_far = html.unescape(render_progress(_after(PLAN, SCAN, ROUND)))
    assert "References: +31 of 60 leads; refused: 20 below gate, 9 budget" in told_so_far
    assert "dense search is off" in told_so_far


def test_a_round_says_first_why_it_was_made_and_what_it_asked() -> None:
    query = GapQuery("limits of <b>authority</b>", "agency", "Agency")
    report = replace(ROUND.report, purpose="close gaps: Agency", queries=(query,))
    page = render_progress(_after(PLAN, SCAN, RoundFinished(report, ())))
    (tip,) = (tip for tip in re.findall('data-tip="([^"]*)"', page) if "gaps" in tip)
    lines = html.unescape(tip).splitlines()
    assert lines[0] == "Close gaps: Agency"
    assert "Query for the area Agency: “limits of <b>authority</b>”" in lines
    assert "<b>authority" not in page


def test_a_judgement_says_how_sure_the_model_is_and_why() -> None:
    judged = SufficiencyJudged(1, "model", False, ("towage",), (), 0.8, "No <i>exception</i> is there.")
    page = render_progress(_after(PLAN, SCAN, ROUND, judged))
    (tip,) = (tip for tip in re.findall('data-tip="([^"]*)"', page) if "judged" in tip)
    assert "80% sure" in tip
    assert html.unescape(tip).splitlines()[1:] == ["No <i>exception</i> is there.", "missing: towage"]
    assert "<i>exception" not in page


def test_a_cancelled_case_says_so_without_alarm() -> None:
    shown = render_progress(_after(PLAN, SCAN, Stopped(Stop(StopReason.PERSON)), RANKED))
    assert "Cancelled" in shown
    assert "stop early" in shown


def test_what_the_reranker_did_is_noted_once() -> None:
    told_twice = replace(RANKED, notes=("reranked the best 8 passages in 9 ms by ce:m",))
    story = update_progress(
        update_progress(Story(notes=("dense search is off",)), told_twice, 1.0), told_twice, 2.0
    )
    assert story.notes == ("dense search is off", *told_twice.notes)


def test_what_waits_for_a_model_says_so_until_the_scan_is_done() -> None:
    story = Story(loading=True)
    assert "The search model is being loaded" in render_progress(story)
    story = update_progress(story, PLAN, 0.1)
    assert "The search model is being loaded" in render_progress(story)
    assert "is being loaded" not in render_progress(update_progress(story, SCAN, 0.2))

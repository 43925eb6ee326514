"""What the terminal shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.corpus.protocol import Corpus
from engine.ingestion.readers.base import Problem
from engine.ingestion.report import IngestionReport
from engine.investigation.record import (
    CoverageChanged,
    Event,
    PlanMade,
    Ranked,
    RoundFinished,
    RoundStarted,
    ScanFinished,
    Stopped,
)
from engine.model import Completeness, QueryPlan, RoundReport, Stop, StopReason, StrategyCount, View
from engine.records.phrases import short_citation
from engine.records.text import MOST_PROBLEMS, WIDTH, event_line, ingestion_text, passages_text, trail_names
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, case_of, finished, ran

REPORT = RoundReport(
    2, ("a",), (StrategyCount("citations", 9, 3), StrategyCount("gaps", 2, 0)), 3, 1204, 40, 1.0
)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            PlanMade(QueryPlan("q", "en", (View("literal", "q"),))),
            "Plan: 1 view of the question, language en",
        ),
        (ScanFinished(REPORT, ()), "Scan: 3 candidates"),
        (ScanFinished(REPORT, (), ("dense search is off",)), "Scan: 3 candidates\nNote: dense search is off"),
        (RoundStarted(1, (), ()), None),
        (RoundFinished(REPORT, ()), "Round 2: +3 (citations +3, gaps +0); 1,204 leads refused"),
        (
            RoundFinished(replace(REPORT, purpose="close gaps: Agency"), ()),
            "Round 2: +3 (citations +3, gaps +0); 1,204 leads refused\n  close gaps: Agency",
        ),
        (CoverageChanged(1, ()), None),
        (
            Stopped(Stop(StopReason.TOO_LITTLE_NEW, {"admitted": 2, "gain": 0.005})),
            "Finished: the last round found too little new · admitted 2, gain 0.005 · completeness unknown",
        ),
        (
            Stopped(Stop(StopReason.ROUNDS, {"rounds": 3}, Completeness(0.5, 0.4, 0.75))),
            "Finished: all rounds done · rounds 3 · estimated 50% of relevant passages found (40 to 75%)",
        ),
        (Ranked((), 1.0), None),
    ],
)
def test_one_line_of_the_story(event: Event, line: str | None) -> None:
    assert event_line(event) == line


def test_each_passage_with_citation_text_and_reason(bare: Corpus) -> None:
    case = finished(bare, QUESTION)
    lines = "\n".join(passages_text(case.ranking, bare)).splitlines()
    assert max(len(line) for line in lines) <= WIDTH
    shown = "\n".join(lines)
    first = case.ranking[0]
    assert f"1. HA {first.passage.label}  [{first.passage.id}]  score {first.score:.3f}" in shown
    assert sum("   > " in line for line in lines) >= len(case.ranking)
    words = " ".join(shown.split())
    for ranked in case.ranking:
        assert " ".join(ranked.text.split()) in words


def test_text_out_of_force_says_so(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(include_superseded=True, top_k=40))
    shown = "\n".join(passages_text(case.ranking, bare, date(2026, 1, 1)))
    (line,) = (line for line in shown.splitlines() if "[harbour-act/art-12]" in line)
    assert line.endswith("*** UNTIL 31 DEC 2018 ***")
    assert shown.count("***") == 2


def test_names_of_all_passages_that_trails_pass_through(bare: Corpus) -> None:
    case = case_of(bare, "Who takes a pilot?", SETTINGS)
    ran(case)
    names = trail_names(case.ranking, bare)
    passed = {h.source_id for p in case.ranking for trail in p.trails for h in trail if h.source_id}
    assert names.keys() == passed
    assert passed
    for passage_id, name in names.items():
        assert name.startswith(("HA ", "Dues Act ", "Pilotage Regulation ", "pilot-regulation ")), passage_id


def report(problems: int) -> IngestionReport:
    return IngestionReport(
        name="law",
        documents=1,
        sections=2,
        passages=1200,
        references_by_relation={},
        references_by_status={"resolved": 3},
        entities=1,
        languages={"en": 1200},
        embedding="minilm",
        not_embedded=7,
        seconds={"read": 0.5},
        total_seconds=1.25,
        problems=tuple(Problem(f"file-{n}.md", "the file has no text", None) for n in range(problems)),
    )


def test_the_report_of_an_ingestion() -> None:
    assert list(ingestion_text(report(0))) == [
        "law: 1 document, 2 sections, 1,200 passages, 1 entity",
        "Languages: en 1,200",
        "References by status: resolved 3",
        "References by relation: none",
        "Embedding: minilm; 7 not embedded (unsupported language)",
        "Time: 1.2 s (read 0.5 s)",
    ]
    assert "Embedding: minilm" in list(ingestion_text(replace(report(0), not_embedded=0)))


@pytest.mark.parametrize(("count", "shown", "more"), [(1, 1, False), (20, 20, False), (23, 20, True)])
def test_problems_are_listed_up_to_a_limit(count: int, shown: int, more: bool) -> None:
    lines = list(ingestion_text(report(count)))
    assert f"{count} problem{'s' if count > 1 else ''}:" in lines
    assert sum("file-" in line for line in lines) == shown
    assert ("  and 3 more (all of them with --json)" in lines) is more
    assert MOST_PROBLEMS == 20


def test_the_same_words_elsewhere_are_named(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION, SETTINGS)
    first, second = case.ranking[0], case.ranking[1].passage
    lines = list(passages_text((replace(first, same_words=(second.id,)),), harbour))
    (told,) = [line.strip() for line in lines if "same text as" in line]
    assert told == f"= same text as {short_citation(second, case.ranking[1].document)}"

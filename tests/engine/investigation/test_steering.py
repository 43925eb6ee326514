"""A person at the wheel: cancel, follow, pin, dismiss, carry on from a saved pool."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError, SettingsError
from engine.investigation import Case
from engine.investigation.record import Event, RoundStarted
from engine.model import StopReason
from engine.records.conversion import load_record, pool_of, save
from tests.engine.harbour import NEW_ARTICLE_12, OLD_ARTICLE_12, QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, case_of, finished, names, ran

PILOTS = "Who takes a pilot?"
OUTSIDE = "dues-act/art-4/para-2"
FOLLOWED = ["RoundStarted", "RoundFinished", "CoverageChanged", "Ranked"]


def ids(case: Case) -> list[str]:
    return [ranked.passage.id for ranked in case.ranking]


@pytest.mark.parametrize("after", range(9))
def test_a_case_can_be_cancelled_between_any_two_events(bare: Corpus, after: int) -> None:
    case = case_of(bare, QUESTION, SETTINGS)
    seen: list[Event] = []

    def cancel(event: Event) -> None:
        seen.append(event)
        if len(seen) == after + 1:
            case.cancel()

    told = names(ran(case, cancel))
    assert told[-2:] == ["Stopped", "Ranked"]
    assert case.stop is not None
    assert case.ranking
    assert case.stop.reason is StopReason.PERSON
    # What had begun is finished: the scan with its coverage (3 events), or a round (3 events). The coverage
    # of the final ranking, the stop and the ranking follow.
    begun = 3 if after < 3 else 3 + 3 * -(-(after - 2) // 3)
    assert len(told) == begun + 3


def test_a_round_that_is_cancelled_follows_no_further_thread(bare: Corpus) -> None:
    case = case_of(bare, QUESTION, SETTINGS)
    ran(case, lambda event: case.cancel() if isinstance(event, RoundStarted) else None)
    assert case.rounds[1].strategies == ()
    assert case.rounds[1].admitted == 0


def test_after_a_cancel_a_lead_can_be_followed(bare: Corpus) -> None:
    case = case_of(bare, QUESTION, SETTINGS)
    ran(case, lambda event: case.cancel())
    assert names(list(case.follow("harbour-act/art-9", ["citations"]))) == FOLLOWED
    assert case.rounds[-1].strategies[0].proposed > 0


def test_after_the_time_is_used_up_a_lead_can_be_followed(bare: Corpus) -> None:
    case = case_of(bare, QUESTION, SETTINGS.changed(time_budget=0.5))
    ran(case, lambda event: time.sleep(0.55) if isinstance(event, RoundStarted) else None)
    assert case.stop is not None
    assert case.stop.reason is StopReason.TIME
    before = case.milliseconds
    list(case.follow("harbour-act/art-9", ["citations"]))
    assert case.rounds[-1].strategies[0].proposed > 0
    assert case.milliseconds > before


def test_a_lead_is_followed_as_one_more_round(bare: Corpus) -> None:
    case = finished(bare, PILOTS, SETTINGS.changed(strategies=(), close_gaps=False, rounds=0))
    assert OUTSIDE not in case.pool
    events = list(case.follow(OUTSIDE, ["metadata", "citations"]))
    assert names(events) == FOLLOWED
    assert OUTSIDE in case.pool
    assert case.pool.strategy(OUTSIDE) == "person"
    report = case.rounds[-1]
    assert (report.number, report.seeds) == (1, (OUTSIDE,))
    assert [count.strategy for count in report.strategies] == ["citations", "metadata"]
    sibling = "dues-act/art-4/para-1"
    assert sibling in case.pool
    (trail, *_) = case.pool.trails(sibling)
    assert [(hop.source_id, hop.strategy) for hop in trail] == [(None, "person"), (OUTSIDE, "metadata")]
    assert OUTSIDE in case.pool.explored


def test_pinned_passages_come_first_and_are_the_next_seeds(bare: Corpus) -> None:
    case = finished(bare, PILOTS)
    case.pin(OUTSIDE)
    assert ids(case)[0] == OUTSIDE
    assert case.ranking[0].pinned
    assert [hop.strategy for hop in case.ranking[0].trails[0]] == ["person"]
    events = ran(case)
    (first, *_) = (event for event in events if isinstance(event, RoundStarted))
    assert first.seeds[0] == OUTSIDE
    assert ids(case)[0] == OUTSIDE


def test_what_is_pinned_before_the_case_is_opened_does_not_replace_the_scan(bare: Corpus) -> None:
    case = case_of(bare, PILOTS, SETTINGS)
    case.pin(OUTSIDE)
    ran(case)
    assert case.rounds[0].admitted > 1
    assert ids(case)[0] == OUTSIDE
    assert set(ids(case)) > {OUTSIDE}


def test_dismissed_passages_are_neither_ranked_nor_proposed_nor_seeds(bare: Corpus) -> None:
    case = finished(bare, PILOTS)
    worst = ids(case)[0]
    case.dismiss(worst)
    assert worst not in ids(case)
    case.pool.explored.clear()
    ran(case)
    later = case.rounds[-1]
    assert later.number > 1
    assert worst not in ids(case)
    assert all(worst not in report.seeds for report in case.rounds if report.number > 2)
    assert all(hop.round <= 2 for hop in case.pool.hops_to(worst) if hop.strategy != "scan")
    assert all(worst not in area.evidence for area in case.areas)


def test_what_was_dismissed_unseen_is_refused_with_its_reason(bare: Corpus) -> None:
    case = finished(bare, PILOTS, SETTINGS.changed(rounds=0))
    case.dismiss("dues-act/art-4/para-1")
    list(case.follow(OUTSIDE, ["metadata"]))
    assert "dues-act/art-4/para-1" not in case.pool
    assert case.rounds[-1].strategies[0].refused["dismissed by the person"] == 1


def test_a_pin_takes_back_a_dismissal_and_the_other_way_round(bare: Corpus) -> None:
    case = finished(bare, PILOTS)
    best = ids(case)[0]
    case.dismiss(best)
    case.pin(best)
    assert ids(case)[0] == best
    assert case.pool.dismissed == set()
    case.dismiss(best)
    assert best not in ids(case)
    assert case.pool.pinned == set()


def test_dismissing_everything_leaves_an_empty_ranking(bare: Corpus) -> None:
    case = finished(bare, PILOTS)
    for entry in case.pool.entries():
        case.dismiss(entry.passage_id)
    assert case.ranking == ()


def test_unknown_passages_and_strategies_are_refused(bare: Corpus) -> None:
    case = finished(bare, PILOTS)
    for act in (case.pin, case.dismiss, lambda passage: list(case.follow(passage, ["citations"]))):
        with pytest.raises(InputError, match=r"no passage 'nowhere' in the corpus 'bare'"):
            act("nowhere")
    with pytest.raises(SettingsError, match="unknown strategy"):
        list(case.follow(OUTSIDE, ["telepathy"]))
    assert OUTSIDE not in case.pool, "nothing happened"


def test_a_date_binds_a_person_too(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(as_of=date(2020, 1, 1)))
    for act in (case.pin, lambda passage: list(case.follow(passage, ["citations"]))):
        with pytest.raises(InputError, match=r"'harbour-act/art-12' is not in force on 2020-01-01"):
            act(OLD_ARTICLE_12)
    undated = finished(bare, QUESTION)
    with pytest.raises(InputError, match="not in force on 2015-01-01"):
        case_of(bare, QUESTION, SETTINGS.changed(as_of=date(2015, 1, 1)), pool=undated.pool)
    assert NEW_ARTICLE_12 in undated.pool


def test_a_saved_case_goes_on_where_it_stopped(bare: Corpus, tmp_path: Path) -> None:
    settings, few = SETTINGS.changed(rounds=1), replace(BREADTH, seeds=2)
    first = finished(bare, QUESTION, settings, few)
    first.pin(OUTSIDE)
    first.dismiss(unwanted := ids(first)[-1])
    save(first.investigation(), tmp_path / "case.json")

    pool = pool_of(load_record(tmp_path / "case.json"), bare, settings.pool_size, tmp_path / "case.json")
    assert [e.passage_id for e in pool.entries()] == [e.passage_id for e in first.pool.entries()]
    second = case_of(bare, QUESTION, settings, pool=pool, search_budget=few)
    events = ran(second)
    assert names(events)[:3] == ["PlanMade", "ScanFinished", "CoverageChanged"]
    (started,) = (event for event in events if isinstance(event, RoundStarted))
    assert started.number > max(report.number for report in first.rounds)
    assert started.seeds[0] == OUTSIDE
    assert set(started.seeds[1:]).isdisjoint(first.pool.explored)
    assert len(second.pool) >= len(first.pool)
    assert ids(second)[0] == OUTSIDE
    assert unwanted not in ids(second)

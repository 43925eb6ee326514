"""A question that is asked again is answered as the first time; what is done with an answer is its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.case_cache import FINISHED
from engine.investigation.record import Ranked
from engine.settings import InvestigationSettings
from tests.engine.investigation.story import story

QUESTION, OTHER = "Who may grant a licence?", "When does the duty to pay arise?"
SETTINGS, DAY = InvestigationSettings(), date(2026, 1, 1)


@pytest.fixture
def corpus(sample_folder: Path) -> Corpus:
    return open_corpus(sample_folder)


@pytest.fixture(scope="module")
def fresh(sample_folder: Path) -> Callable[[], Corpus]:
    return lambda: open_corpus(sample_folder)


def run(corpus: Corpus, question: str = QUESTION, changed: InvestigationSettings = SETTINGS) -> Case:
    case = Case(corpus, question, changed, day=DAY)
    list(case.run())
    return case


def hits(corpus: Corpus) -> int:
    return FINISHED.of(corpus).hits


def test_it_is_answered_as_the_first_time(corpus: Corpus) -> None:
    first = run(corpus)
    before = hits(corpus)
    second = run(corpus)
    assert hits(corpus) == before + 1
    assert story(second) == story(first)
    assert second.started > first.started


def test_its_steps_are_reported_again(corpus: Corpus) -> None:
    one, other = (Case(corpus, QUESTION, SETTINGS, day=DAY) for _ in range(2))
    first, second = list(one.run()), list(other.run())
    assert [type(event) for event in second] == [type(event) for event in first]
    ranked = second[-1]
    assert isinstance(ranked, Ranked)
    assert ranked.milliseconds == other.milliseconds < one.milliseconds


@pytest.mark.parametrize(
    "other",
    [
        lambda corpus: Case(corpus, OTHER, SETTINGS, day=DAY),
        lambda corpus: Case(corpus, QUESTION, SETTINGS, day=date(2025, 1, 1)),
        lambda corpus: Case(corpus, QUESTION, SETTINGS.changed(rounds=1), day=DAY),
    ],
    ids=["question", "day", "settings"],
)
def test_another_case_is_another(corpus: Corpus, other: Callable[[Corpus], Case]) -> None:
    run(corpus)
    before = hits(corpus)
    list(other(corpus).run())
    assert hits(corpus) == before


def test_a_case_that_was_stopped_is_not_kept(corpus: Corpus) -> None:
    stopped = Case(corpus, QUESTION, SETTINGS, day=DAY)
    events = stopped.run()
    next(events)
    stopped.cancel()
    list(events)
    before = hits(corpus)
    whole = run(corpus)
    assert hits(corpus) == before
    assert len(whole.rounds) > len(stopped.rounds)


def test_a_run_that_nobody_heard_to_the_end_is_not_kept(corpus: Corpus) -> None:
    events = Case(corpus, QUESTION, SETTINGS, day=DAY).run()
    next(events)
    next(events)
    del events
    before = hits(corpus)
    run(corpus)
    assert hits(corpus) == before


STEPS = ("pin", "dismiss", "follow", "again")


def _go_on(case: Case, steps: list[tuple[str, int]]) -> None:
    for step, place in steps:
        entries = case.pool.entries()
        passage = entries[place % len(entries)].passage_id
        if step == "pin":
            case.pin(passage)
        elif step == "dismiss":
            case.dismiss(passage)
        elif step == "follow":
            list(case.follow(passage, ["citations", "semantic"]))
        else:
            list(case.run())


@settings(max_examples=6)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 200)), max_size=4),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 200)), max_size=4),
)
def test_going_on_with_one_changes_no_other(
    fresh: Callable[[], Corpus], steps: list[tuple[str, int]], others: list[tuple[str, int]]
) -> None:
    corpus = fresh()
    first, second = run(corpus), run(corpus)
    _go_on(first, steps)
    _go_on(second, others)
    assert story(run(corpus)) == story(run(fresh()))
    alone = run(fresh())
    _go_on(alone, others)
    assert story(second) == story(alone)

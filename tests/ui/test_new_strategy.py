"""One file and one line: a strategy that is registered is everywhere, with its title, trust and colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.record import RoundFinished
from engine.search_budget import budget_for
from engine.settings import preset
from engine.strategy_registry import BUILT_IN, load_strategies
from tests.engine.following import Following
from ui.investigate.board import board_data, provenance
from ui.investigate.case_views import dossiers
from ui.investigate.controls import knob_of, knobs
from ui.investigate.progress import Story, render_progress, update_progress
from ui.open_case import OpenCase

QUESTION = "May a manager grant broader powers?"
TITLE, COLOUR = Following.title, "var(--thread-following)"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(BUILT_IN, "following", "tests.engine.following:Following")
    for kept in (load_strategies, knobs):
        kept.cache_clear()
    yield
    for kept in (load_strategies, knobs):
        kept.cache_clear()


@pytest.fixture(scope="module")
def corpus(sample_folder: Path) -> Corpus:
    return open_corpus(sample_folder)


def run(corpus: Corpus) -> Case:
    settings = preset("quick").changed(strategies=("following",), close_gaps=False)
    search_budget = replace(budget_for(settings), scan=10, per_strategy=10)
    case = Case(corpus, QUESTION, settings, search_budget=search_budget)
    list(case.run())
    return case


def test_it_is_a_choice_of_the_settings_and_on_where_it_says_so() -> None:
    assert "following" in knob_of("strategies").choices
    assert preset("quick").strategies == ("citations", "following")


def test_what_it_brings_is_drawn_with_its_title_and_colour(corpus: Corpus) -> None:
    case = run(corpus)
    opened = OpenCase(case, corpus, QUESTION, case.settings.strategies)
    ids = [found.passage.id for found in case.ranking]
    drawn = board_data(provenance(case.pool, ids, lambda some: dossiers(opened, some)), case.pool)
    assert {"token": "thread-following", "words": "comes next"} in drawn["legend"]
    assert "thread-following" in {node["strategy"] for node in drawn["nodes"]}
    story = update_progress(Story(), RoundFinished(case.rounds[1], ()), 0.0)
    assert f"{TITLE}: +" in render_progress(story)

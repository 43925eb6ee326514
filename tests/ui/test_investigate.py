from __future__ import annotations

import json
from collections.abc import Iterator

import gradio as gr
import pytest

from engine.errors import InputError, ModelError, SettingsError
from engine.investigation.events import Event
from engine.settings import InvestigationSettings
from tests.ui.conftest import inside_a_loop
from ui.controls import shown_value
from ui.investigate import Updates, excerpt, listen, open_case, rest_of_pool
from ui.session import OpenCase
from ui.shelf import Library
from ui.stage import Stage, build_stage
from ui.steer import steer

NAMES = list(InvestigationSettings.model_fields)
VALUES = [shown_value(name, InvestigationSettings()) for name in NAMES]
QUESTION = "May a manager grant broader powers?"


@pytest.fixture(scope="module")
def stage() -> Stage:
    def make() -> Stage:
        with gr.Blocks(analytics_enabled=False):
            return build_stage()

    return inside_a_loop(make)


@pytest.fixture
def opened(library: Library) -> OpenCase:
    return open_case(library, QUESTION, "", NAMES, VALUES)


def _all(updates: Iterator[Updates]) -> list[Updates]:
    return list(updates)


def test_a_run_tells_the_story_first_and_the_cards_last(opened: OpenCase, stage: Stage) -> None:
    updates = _all(listen(opened, stage, opened.case.run))
    assert all(stage.story in update for update in updates)
    assert stage.ranked not in updates[0]
    last = updates[-1]
    assert 'class="card"' in last[stage.ranked]
    assert json.loads(last[stage.board])["shown"] == len(opened.case.pool)
    assert 'data-state="done"' in last[stage.story]
    assert len(updates) < 12, "events that belong together are told together"


def test_a_second_listener_waits_its_turn(opened: OpenCase, stage: Stage) -> None:
    running = listen(opened, stage, opened.case.run)
    next(running)
    (refused,) = _all(listen(opened, stage, opened.case.run))
    assert "still being investigated" in refused[stage.banner]
    _all(running)
    assert not opened.busy.locked()


def test_an_error_of_the_engine_becomes_a_banner(opened: OpenCase, stage: Stage) -> None:
    def failing() -> Iterator[Event]:
        yield next(opened.case.run())
        raise ModelError("the model <b> is away")

    last = _all(listen(opened, stage, failing))[-1]
    assert "the model &lt;b&gt; is away" in last[stage.banner]
    assert last[stage.story] == ""
    assert not opened.busy.locked()


@pytest.mark.parametrize("question", ["", "   \n"])
def test_an_empty_question_opens_no_case(library: Library, question: str) -> None:
    with pytest.raises(InputError, match="no question"):
        open_case(library, question, "", NAMES, VALUES)


def test_unknown_values_open_no_case(library: Library) -> None:
    with pytest.raises(InputError, match="unknown corpus"):
        open_case(library, QUESTION, "Elsewhere", NAMES, VALUES)
    with pytest.raises(SettingsError, match="strategy"):
        open_case(library, QUESTION, "", ["strategies"], [["magic"]])


def test_steering_changes_the_ranking(opened: OpenCase, stage: Stage) -> None:
    _all(listen(opened, stage, opened.case.run))
    first, *_, last = [found.passage.id for found in opened.case.ranking]
    _all(steer(opened, stage, "pin", last, []))
    assert opened.case.ranking[0].passage.id == last
    _all(steer(opened, stage, "dismiss", first, []))
    assert first not in [found.passage.id for found in opened.case.ranking]


def test_following_adds_a_round(opened: OpenCase, stage: Stage) -> None:
    _all(listen(opened, stage, opened.case.run))
    before = len(opened.story.reports)
    updates = _all(steer(opened, stage, "follow", opened.case.ranking[0].passage.id, ["citations"]))
    assert len(opened.story.reports) == before + 1
    assert 'data-state="running"' in updates[0][stage.story]
    assert 'data-state="done"' in updates[-1][stage.story]


@pytest.mark.parametrize(
    ("action", "passage_id"), [("follow", "no/such"), ("explode", "act"), (None, None), ("pin", ["x"][0])]
)
def test_unknown_actions_and_passages_change_nothing(
    opened: OpenCase, stage: Stage, action: object, passage_id: object
) -> None:
    _all(listen(opened, stage, opened.case.run))
    assert _all(steer(opened, stage, action, passage_id, [])) == []


def test_the_rest_of_the_pool_is_what_has_no_card(library: Library, stage: Stage) -> None:
    values = [1 if name == "top_k" else value for name, value in zip(NAMES, VALUES, strict=True)]
    opened = open_case(library, QUESTION, "", NAMES, values)
    _all(listen(opened, stage, opened.case.run))
    ranked = set(opened.case.ranking[0].assembled_ids)
    assert set(rest_of_pool(opened)) == {entry.passage_id for entry in opened.case.pool.entries()} - ranked
    (more,) = _all(steer(opened, stage, "more", "", []))
    assert "card compact" in more[stage.rest]


@pytest.mark.parametrize(("length", "cut"), [(10, False), (320, False), (400, True)])
def test_excerpts_are_cut_at_a_word(length: int, cut: bool) -> None:
    text = ("word " * 100)[:length]
    assert excerpt(text).endswith(" …") is cut
    assert len(excerpt(text)) <= 322

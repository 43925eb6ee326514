from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import gradio as gr
import pytest

import ui.investigate.updates
from engine.errors import InputError, ModelError
from engine.ingestion.build import build_corpus
from engine.investigation.record import Event
from engine.investigation.strategies.metadata import WHOLE_PER_DOCUMENT
from tests.tables import table
from tests.ui.served import inside_a_loop
from ui.investigate.panels import Stage, build_stage
from ui.investigate.plan import CaseRequest
from ui.investigate.steering import steer
from ui.investigate.updates import Updates, listen, open_case, rest_of_pool
from ui.open_case import OpenCase
from ui.session import CaseSessions
from ui.shelf import Library, open_library

QUESTION = "May a manager grant broader powers?"
ASKED = CaseRequest(question=QUESTION)


@pytest.fixture(scope="module")
def stage() -> Stage:
    def make() -> Stage:
        with gr.Blocks(analytics_enabled=False):
            return build_stage(gr.HTML(render=False), lambda: None)

    return inside_a_loop(make)


@pytest.fixture
def opened(library: Library) -> OpenCase:
    return open_case(library, ASKED)


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


def test_what_is_wanted_while_the_last_step_is_kept_comes_behind_it(
    library: Library, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at the tree, and at the whole board, while ``busy`` is held is answered by who holds it."""
    many = open_case(library, CaseRequest(question="tax"))

    def slowly(opened: OpenCase, stage: Stage, step: object = None) -> Updates:
        assert opened.busy.locked()
        opened.view.pane, opened.view.nodes = "tree", 100_000
        return {}

    monkeypatch.setattr(ui.investigate.updates, "store_case", slowly)
    *before, last = _all(listen(many, stage, many.case.run))
    assert all(stage.views not in update for update in before)
    assert json.loads(last[stage.views])["kind"] == "tree"
    assert json.loads(last[stage.board])["shown"] == len(many.case.pool)
    assert not many.busy.locked()
    # Who changed nothing is told nothing twice.
    again = open_case(library, CaseRequest(question="tax"))
    monkeypatch.undo()
    assert stage.story in _all(listen(again, stage, again.case.run))[-1]


def test_a_case_that_is_being_kept_is_waited_for(opened: OpenCase, stage: Stage) -> None:
    _all(listen(opened, stage, opened.case.run))
    assert opened.acquire()
    threading.Timer(0.1, opened.busy.release).start()
    first = opened.case.ranking[0].passage.id
    _all(steer(opened, stage, "pin", first, []))
    assert first in opened.case.pool.pinned


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
        open_case(library, CaseRequest(question=question))


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


def test_a_document_is_read_whole_in_its_order_from_a_passage(sample_folder: Path, stage: Stage) -> None:
    asked = CaseRequest(
        question=QUESTION,
        held={"include_superseded": True, "pool_size": 20, "rounds": 1, "strategies": []},
    )
    opened = open_case(open_library([sample_folder]), asked)
    _all(listen(opened, stage, opened.case.run))
    passage = opened.case.ranking[0].passage
    last = _all(steer(opened, stage, "whole", passage.id, []))[-1]
    (rows,) = opened.corpus.by_document([passage.document_id])
    every = [one.id for one in opened.corpus.passages(rows)]
    brought = {hop.target_id for hop in opened.case.pool.hops() if hop.strategy == "whole_document"}
    rest = last[stage.rest]
    head = re.search(r"<h3[^>]*>(Read whole: [^<]+)</h3>", rest)
    assert head is not None
    assert WHOLE_PER_DOCUMENT < len(brought) + 1 < len(every)
    assert head[1].endswith(f", {len(brought) + 1} of {len(every)} passages")
    section = rest[head.end() : rest.index("</section>")]
    shown = re.findall(r'data-(?:select|id)="([^"]+)"', section)
    assert shown == [one for one in every if one in {passage.id, *brought}]
    new = [entry for entry in opened.case.pool.entries() if entry.strategy == "whole_document"]
    assert len(new) == WHOLE_PER_DOCUMENT
    ranked = {one for found in opened.case.ranking for one in (found.passage.id, *found.assembled_ids)}
    cards = re.findall(r'data-id="([^"]+)"', section)
    assert ranked.isdisjoint(cards), "what has a card above is named only"
    assert set(shown) - set(cards) <= ranked
    # Once more for the rest, and what has a card there stands there alone.
    opened.view.rest_shown = 10_000
    again = _all(steer(opened, stage, "whole", new[0].passage_id, []))[-1][stage.rest]
    listed = re.findall(r'data-id="([^"]+)"', again)
    assert len(listed) == len(set(listed)) == len(rest_of_pool(opened))
    assert again.count("<h3") == 1
    assert f", all {len(every)} passages</h3>" in again


@pytest.mark.parametrize(
    ("action", "passage_id"),
    [("follow", "no/such"), ("whole", "no/such"), ("explode", "act"), (None, None), ("pin", ["x"][0])],
)
def test_unknown_actions_and_passages_change_nothing(
    opened: OpenCase, stage: Stage, action: object, passage_id: object
) -> None:
    _all(listen(opened, stage, opened.case.run))
    assert _all(steer(opened, stage, action, passage_id, [])) == []


def test_to_follow_no_thread_is_refused_and_not_taken_for_those_of_the_case(
    opened: OpenCase, stage: Stage
) -> None:
    _all(listen(opened, stage, opened.case.run))
    with pytest.raises(InputError, match="no thread is ticked"):
        _all(steer(opened, stage, "follow", opened.case.ranking[0].passage.id, []))


def test_a_case_that_runs_is_not_steered_meanwhile(opened: OpenCase, stage: Stage) -> None:
    _all(listen(opened, stage, opened.case.run))
    first = opened.case.ranking[0].passage.id
    following = steer(opened, stage, "follow", first, ["citations"])
    next(following)
    for action in ("pin", "dismiss", "more"):
        (refused,) = _all(steer(opened, stage, action, first, []))
        assert "still being investigated" in refused[stage.banner]
    _all(following)
    assert not opened.case.pool.pinned


def test_a_case_in_whose_place_another_was_asked_tells_nothing_more(library: Library, stage: Stage) -> None:
    desk = CaseSessions()
    first, second = (open_case(library, ASKED) for _ in range(2))
    desk.put("page", first)
    telling = listen(first, stage, first.case.run)
    next(telling)
    desk.put("page", second)
    assert _all(telling) == []
    assert not first.busy.locked()
    assert _all(listen(second, stage, second.case.run))


def test_the_story_begins_with_what_the_case_runs_with(library: Library, stage: Stage) -> None:
    opened = open_case(library, CaseRequest(question=QUESTION, held={"rounds": 1, "as_of": "2024-05-06"}))
    first = _all(listen(opened, stage, opened.case.run))[0][stage.story]
    assert "Balanced, changed: rounds 1, as of 2024-05-06</b> · law of 6 May 2024" in first
    assert opened.case.started.isoformat(timespec="seconds") in first


def test_the_rest_of_the_pool_is_what_has_no_card(library: Library, stage: Stage) -> None:
    opened = open_case(library, CaseRequest(question=QUESTION, held={"top_k": 1}))
    _all(listen(opened, stage, opened.case.run))
    ranked = set(opened.case.ranking[0].assembled_ids)
    assert set(rest_of_pool(opened)) == {entry.passage_id for entry in opened.case.pool.entries()} - ranked
    (more,) = _all(steer(opened, stage, "more", "", []))
    assert "card compact" in more[stage.rest]


OLD: str = table(__file__, "OLD")


@pytest.mark.parametrize(
    ("day", "question", "badge"),
    [
        (date(2000, 1, 1), QUESTION, "in force until 31 Dec 2005"),
        (None, f"{QUESTION} as_of:2000-01-01", "in force until 31 Dec 2005"),
        (None, QUESTION, "until 31 Dec 2005"),
    ],
)
def test_badges_are_of_the_day_that_the_case_looks_at(
    tmp_path: Path, stage: Stage, day: date | None, question: str, badge: str
) -> None:
    (tmp_path / "old.md").write_text(OLD, encoding="utf-8")
    build_corpus([tmp_path / "old.md"], tmp_path / "corpus", name="Old", embedding="none")
    settings = {"as_of": day.isoformat()} if day else {"include_superseded": True}
    asked = CaseRequest(question=question, held=settings)
    opened = open_case(open_library([tmp_path / "corpus"]), asked)
    last = _all(listen(opened, stage, opened.case.run))[-1]
    assert f">{badge}<" in last[stage.ranked]
    nodes = json.loads(last[stage.board])["nodes"]
    assert [node["badge"] for node in nodes if node["kind"] == "passage"] == [badge]

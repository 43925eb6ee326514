"""Steering: follow a lead from a passage, pin it, dismiss it, show more of the pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr

from engine.errors import InputError, RedstringError, for_visitors
from engine.investigation.record import Event
from engine.investigation.strategies.metadata import WholeDocument
from engine.model import Relation
from engine.records.replaying import Dismiss, Follow, Need, Pin, Reject, Step, Unreject
from ui.investigate.answer import shown_answer
from ui.investigate.answer_panel import brief_value
from ui.investigate.case_views import as_judged, judge_met, link_of_words
from ui.investigate.finding import finding_html
from ui.investigate.panels import Stage, banner_html, on_failure
from ui.investigate.updates import (
    REST_STEP,
    STILL_RUNNING,
    Updates,
    board_value,
    coverage_value,
    listen,
    ranked_value,
    rest_value,
    store_case,
    store_note,
)
from ui.open_case import OpenCase, prepare_replay, run_again
from ui.session import LINED, CaseSessions, case_of

LONGEST_REASON = 2_000


def wire_steering(
    stage: Stage, token: gr.State, strategies: gr.CheckboxGroup, sessions: CaseSessions
) -> None:
    """Wire one listener for all actions of the cards."""

    def act(request: gr.Request, case: str, threads: list[str], chosen: gr.EventData) -> Iterator[Updates]:
        try:
            if chosen.action == "judged":
                yield from _judged(sessions.find(case_of(case, request)), stage)
                return
            opened = sessions.get(case_of(case, request))
            if chosen.action in ("reject", "unreject"):
                _check_own(opened)
                judge_met(opened, chosen.action, chosen.link)
                source, target, relation = link_of_words(chosen.link)
                kind = Reject if chosen.action == "reject" else Unreject
                said = kind(source=source, target=target, relation=Relation(relation))
                yield _reported(opened, stage) | store_note(opened, stage, said)
                return
            if chosen.action in ("unneeded", "needed"):
                yield from _set_need(opened, stage, chosen.id, needed=chosen.action == "needed")
                return
            yield from steer(opened, stage, chosen.action, chosen.id, threads, getattr(chosen, "reason", ""))
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    steered = stage.ranked.select(
        act, [token, strategies], stage.outputs(), api_visibility="private", show_progress="hidden",
        trigger_mode="multiple", **LINED,
    )  # fmt: skip
    on_failure(steered, stage)


def steer(
    opened: OpenCase,
    stage: Stage,
    action: Any,
    passage_id: Any,
    threads: Sequence[str],
    reason: Any = "",
) -> Iterator[Updates]:
    """Run one action on a case and show its changes; an unknown action or passage changes nothing.

    ``threads`` are the strategies ticked at the click; ``reason`` is why the user dismisses a passage. Raises
    InputError for a lead to follow without a ticked strategy, AccessError for a read-only case.
    """
    changes = action in ("whole", "follow", "pin", "dismiss") and passage_id in opened.case.pool
    if action == "follow" and changes and not threads:
        raise InputError("no thread is ticked to follow: tick at least one")
    if changes:
        _check_own(opened)
        if opened.replay is not None:
            prepare_replay(opened)
            yield from listen(opened, stage, partial(run_again, opened))
            if opened.replay is not None:
                return
    if action == "whole" and changes:
        step = Follow(passage=passage_id, strategies=(WholeDocument.name,))
        yield from listen(opened, stage, partial(_reading_whole, opened, passage_id), step)
        return
    if action == "follow" and changes:
        step = Follow(passage=passage_id, strategies=tuple(threads))
        yield from listen(opened, stage, partial(_following, opened, passage_id, threads), step)
        return
    # Only one request at a time changes or reads a case.
    if not opened.acquire():
        yield {stage.banner: banner_html(STILL_RUNNING)}
        return
    try:
        yield from _steered(opened, stage, action, passage_id, str(reason or "")[:LONGEST_REASON])
    finally:
        opened.busy.release()


def _set_need(opened: OpenCase, stage: Stage, area_id: Any, *, needed: bool) -> Iterator[Updates]:
    """Record that the user does not need an area, or needs it after all, and show the coverage."""
    _check_own(opened)
    names = {area.id: area.name for area in opened.case.areas}
    if area_id not in names:
        return
    if not opened.acquire():
        yield {stage.banner: banner_html(STILL_RUNNING)}
        return
    try:
        opened.case.set_unneeded(area_id, needed=needed)
        opened.story = replace(opened.story, areas=opened.case.areas)
        step = Need(area=area_id, name=names[area_id][:LONGEST_REASON], needed=needed)
        yield {stage.coverage: coverage_value(opened), **store_case(opened, stage, step)}
    finally:
        opened.busy.release()


def _judged(opened: OpenCase | None, stage: Stage) -> Iterator[Updates]:
    """Update the open case, if any, after links were judged elsewhere on the page."""
    if opened is None:
        return
    before = opened.rejected
    as_judged(opened)
    if opened.rejected != before:
        yield _reported(opened, stage)


def _reported(opened: OpenCase, stage: Stage) -> Updates:
    """Update a link that was reported, or whose report was withdrawn, wherever it is shown."""
    updates: Updates = {
        stage.banner: "",
        stage.ranked: ranked_value(opened),
        stage.rest: rest_value(opened),
        stage.answer: shown_answer(opened) if opened.answer else gr.skip(),
    }
    # If the case is running, its next step draws the board.
    return updates if opened.busy.locked() else updates | {stage.board: board_value(opened)}


def _check_own(opened: OpenCase) -> None:
    """Raise AccessError for a case of another person."""
    if opened.keeping is not None:
        opened.keeping.check()


def _following(opened: OpenCase, passage_id: str, threads: Sequence[str]) -> Iterator[Event]:
    opened.story = replace(opened.story, ranked=None)
    yield from opened.case.follow(passage_id, tuple(threads))


def _reading_whole(opened: OpenCase, passage_id: str) -> Iterator[Event]:
    documents = {
        one: document.id for one, (_, document) in opened.lookup([*opened.read_from, passage_id]).items()
    }
    others = [one for one in opened.read_from if documents[one] != documents[passage_id]]
    opened.read_from = [*others, passage_id]
    yield from _following(opened, passage_id, [WholeDocument.name])


def _steered(opened: OpenCase, stage: Stage, action: Any, passage_id: Any, reason: str) -> Iterator[Updates]:
    if action == "more":
        opened.view.rest_shown += REST_STEP
        yield {stage.rest: rest_value(opened)}
        return
    if passage_id not in opened.case.pool:
        return
    step: Step
    if action == "pin":
        step = Pin(passage=passage_id)
        opened.case.pin(passage_id)
    elif action == "dismiss":
        step = Dismiss(passage=passage_id, reason=reason)
        opened.case.dismiss(passage_id)
    else:
        return
    yield {
        stage.banner: "",
        stage.board: board_value(opened),
        stage.ranked: ranked_value(opened),
        stage.rest: rest_value(opened),
        stage.answer: brief_value(opened),
        stage.finding: finding_html(opened),
        **store_case(opened, stage, step),
    }

"""The answer of a finished case and its retrieval audit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import gradio as gr

from engine.answers.answer import answer
from engine.answers.case_audit import CaseAudit, body_html, case_audit, case_audit_html, case_audit_markdown
from engine.answers.record import Answer
from engine.answers.writing import expected_prompt
from engine.errors import CancelledError, InputError, ModelError, RedstringError, for_visitors
from engine.llm import LanguageModel, Meter
from engine.llm.cost import cost_report, currency_of
from ui.investigate.answer import answer_html, writing_html
from ui.investigate.costs import expected_words
from ui.investigate.panels import Stage, banner_html, on_failure
from ui.investigate.progress import render_progress
from ui.models.connections import Connections
from ui.open_case import OpenCase
from ui.session import CASES, CaseSessions, case_of
from ui.templating import rendered

# The answer of a finished case: the brief at once, the language model's answer on request.

NO_MODEL = "No language model is connected: connect one at the top of the page."
BUSY = "The case is still being investigated; cancel it or wait."
_WRITING: dict[int, threading.Event] = {}


def brief_value(opened: OpenCase) -> str:
    """Return the answer without a language model, with the cost of one that uses it. Empty for a case that
    was stopped before it had a ranking."""
    case = opened.case
    if case.stop is None:
        return ""
    made = answer(case.investigation(), opened.corpus)
    return _store_answer(opened, made, offer(opened, case.model))


def _store_answer(opened: OpenCase, made: Answer, offered: str) -> str:
    """Store an answer in the case, to show it again, and return its HTML."""
    opened.answer = (made, offered)
    return answer_html(made, opened, offered)


def offer(opened: OpenCase, model: LanguageModel | None) -> str:
    """Return the maximum cost of an answer by a model, in words; empty without a model."""
    if model is None or not opened.case.ranking:
        return ""
    try:
        asked = expected_prompt(opened.case.investigation(), opened.corpus, model)
        if asked is None:
            return ""
        return expected_words(model.expected(*asked), currency_of(model.spec))
    except ModelError:
        return ""


def wire_answer(
    stage: Stage, token: gr.State, session: gr.Textbox, sessions: CaseSessions, connections: Connections
) -> None:
    """Wire the buttons that request an answer and that stop it."""

    def write(request: gr.Request, case: str, caller: str) -> Iterator[dict[Any, Any]]:
        try:
            yield from written(sessions.get(case_of(case, request)), stage, connections.model(caller))
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    def stop(request: gr.Request, case: str) -> None:
        opened = sessions.find(case_of(case, request))
        if opened is not None:
            stopping = _WRITING.get(id(opened))
            if stopping is not None:
                stopping.set()

    wrote = stage.answer.select(
        write, [token, session], [stage.banner, stage.answer, stage.story],
        js="(token, session) => [token, redstring.session()]",
        api_visibility="private", show_progress="hidden", trigger_mode="once", concurrency_id=CASES,
    )  # fmt: skip
    on_failure(wrote, stage)
    stage.answer.expand(stop, token, None, api_visibility="private", show_progress="hidden", queue=False)


def written(opened: OpenCase, stage: Stage, model: LanguageModel | None) -> Iterator[dict[Any, Any]]:
    """Let the model write an answer. The earlier answer is shown again if this is stopped or there is no
    model."""
    case = opened.case
    model = model or case.model
    if model is None or case.stop is None:
        yield {stage.banner: banner_html(NO_MODEL)}
        return
    if not opened.acquire():
        yield {stage.banner: banner_html(BUSY)}
        return
    try:
        yield {stage.banner: "", stage.answer: writing_html(offer(opened, model))}
        with _stoppable(opened, case.meter):
            made = answer(case.investigation(), opened.corpus, model=model, meter=case.meter)
        opened.story = replace(opened.story, cost=cost_report(case.meter, model.spec))
        yield {
            stage.answer: _store_answer(opened, made, offer(opened, model)),
            stage.story: render_progress(opened.story),
        }
    except CancelledError:
        yield {stage.answer: brief_value(opened)}
    finally:
        opened.busy.release()


@contextmanager
def _stoppable(opened: OpenCase, meter: Meter) -> Iterator[None]:
    """Let the answer's own button, and cancelling the case, stop the answer while it is written."""
    stopping, before = threading.Event(), meter.cancelled
    _WRITING[id(opened)] = stopping
    meter.cancelled = lambda: before() or stopping.is_set()
    try:
        yield
    finally:
        meter.cancelled = before
        _WRITING.pop(id(opened), None)


# The retrieval audit of the open case, shown in a window. Its button is next to the coverage.

# Timeout of a report that waits for the lock of the case, s.
PATIENCE = 30.0
NOT_YET = "The report is on a case that has come to its end; wait for this one."


def wire_case_report(stage: Stage, token: gr.State, sessions: CaseSessions) -> None:
    """Wire the button that requests the report."""

    def tell(request: gr.Request, case: str) -> Iterator[dict[Any, Any]]:
        try:
            yield {stage.report: report_value(sessions.get(case_of(case, request))), stage.banner: ""}
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    reported = stage.report.select(
        tell, token, [stage.report, stage.banner],
        api_visibility="private", show_progress="hidden", trigger_mode="once", concurrency_id=CASES,
    )  # fmt: skip
    on_failure(reported, stage)


def report_value(opened: OpenCase) -> str:
    """Return the report as HTML, with its files. Raises InputError for a case that is still running."""
    # The last step of the case may not be fully sent yet.
    if opened.case.stop is None or not opened.busy.acquire(timeout=PATIENCE):
        raise InputError(NOT_YET)
    try:
        found = case_audit(opened.case.investigation(), opened.corpus, _answer(opened))
    finally:
        opened.busy.release()
    return report_html(found)


def _answer(opened: OpenCase) -> Answer:
    """Return the answer that the page shows, or the one that it would show."""
    if opened.answer is not None:
        return opened.answer[0]
    return answer(opened.case.investigation(), opened.corpus)


def report_html(found: CaseAudit) -> str:
    """Return the content of the window, with the time of the report, so that a repeated report is visible."""
    report = case_audit_markdown(found)
    return rendered(
        "investigate/report_text.html",
        at=time.time_ns(),
        body=body_html(report),
        markdown=report,
        html=case_audit_html(found),
    )

"""The retrieval audit of the open case, in a window over the page, behind the button at its coverage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import gradio as gr

from engine.answers.answer import answer
from engine.answers.case_audit import CaseAudit, body_html, case_audit, case_audit_html, case_audit_markdown
from engine.answers.record import Answer
from engine.errors import InputError, RedstringError, for_visitors
from engine.language.characters import attribute
from ui.session import CASES, Desk, OpenCase, case_of
from ui.stage import Stage, banner_html, on_failure

# So long a report waits for the case to be let go of, s.
PATIENCE = 30.0
NOT_YET = "The report is on a case that has come to its end; wait for this one."


def wire_case_report(stage: Stage, token: gr.State, desk: Desk) -> None:
    """The button that asks for the report."""

    def tell(request: gr.Request, case: str) -> Iterator[dict[Any, Any]]:
        try:
            yield {stage.report: report_value(desk.get(case_of(case, request))), stage.banner: ""}
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    told = stage.report.select(
        tell, token, [stage.report, stage.banner],
        api_visibility="private", show_progress="hidden", trigger_mode="once", concurrency_id=CASES,
    )  # fmt: skip
    on_failure(told, stage)


def report_value(opened: OpenCase) -> str:
    """The report as HTML, with the files that hold it. Raises InputError for a case that still goes on."""
    # Whoever is quick asks while the last step of the case is still being told.
    if opened.case.stop is None or not opened.busy.acquire(timeout=PATIENCE):
        raise InputError(NOT_YET)
    try:
        found = case_audit(opened.case.investigation(), opened.corpus, _answer(opened))
    finally:
        opened.busy.release()
    return report_html(found)


def _answer(opened: OpenCase) -> Answer:
    """The answer that the page shows, or the one it would show."""
    if opened.answer is not None:
        return opened.answer[0]
    return answer(opened.case.investigation(), opened.corpus)


def report_html(found: CaseAudit) -> str:
    """The window's content. When it was made stands in it: the same report twice is shown twice."""
    report = case_audit_markdown(found)
    return (
        f'<div class="report-text" data-at="{time.time_ns()}">{body_html(report)}</div>'
        f'<pre hidden data-form="md">{attribute(report)}</pre>'
        f'<pre hidden data-form="html">{attribute(case_audit_html(found))}</pre>'
    )

"""The stage: banner, progress line, and the three panes side by side (on a phone: one at a time)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from ui.investigate import answer
from ui.investigate import finding as coverage
from ui.investigate.board import frame_page
from ui.investigate.passages import nothing_found
from ui.templating import rendered

_CARDS = "redstring.passages(element, trigger, watch, 'KIND')"


@dataclass(frozen=True, slots=True)
class Stage:
    """The components that events update."""

    banner: gr.HTML
    finding: gr.HTML
    story: gr.HTML
    plan: gr.HTML
    board: gr.HTML
    coverage: gr.HTML
    ranked: gr.HTML
    rest: gr.HTML
    answer: gr.HTML
    report: gr.HTML
    bar: gr.HTML
    views: gr.HTML

    def outputs(self) -> list[Component]:
        """Return all components, for events that may update any of them."""
        return [
            self.banner,
            self.finding,
            self.story,
            self.board,
            self.views,
            self.coverage,
            self.ranked,
            self.rest,
            self.answer,
            self.bar,
        ]


# The names of the components, for code that reports changes without a page.
PARTS: Stage = Stage(*(part.name for part in fields(Stage)))  # type: ignore[arg-type]


def _template(name: str) -> str:
    return rendered(f"investigate/{name}.html")


def _html(value: object, elem_id: str, script: str = "", **more: Any) -> gr.HTML:
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=script or None, **more)


def build_stage(intro: gr.HTML, export_case: Callable[..., Any]) -> Stage:
    """Build the stage inside the open column, below the ``intro`` of the first screen.

    ``export_case`` answers the actions above the case when they request a file of it."""
    banner = _html("", "banner")
    intro.render()  # type: ignore[no-untyped-call]
    with gr.Row(elem_id="outcome"):
        finding = _html("", "finding", "redstring.finding(element)")
        bar = _html(
            "", "case-bar", "redstring.caseBar(element, trigger, watch, server)",
            server_functions=[export_case],
        )  # fmt: skip
    story = _html("", "story", "redstring.story(element, watch)")
    plan = _html("", "plan", "redstring.plan(element)")
    _html(_template("switch"), "switch", "redstring.panes(element)")
    with gr.Row(elem_id="panes"):
        with gr.Column(elem_id="board-pane", elem_classes=["pane"]):
            board = _html(
                "", "board", "redstring.board(element, props, watch, trigger)",
                html_template=_template("board"), page=frame_page(),
            )  # fmt: skip
            views = _html(
                "",
                "views",
                "redstring.views(element, props, watch, trigger)",
                html_template=_template("views"),
            )
        with gr.Column(elem_id="coverage-pane", elem_classes=["pane"]):
            _html(_template("coverage_head"), "coverage-head")
            areas = _html(coverage.WAITING, "coverage", "redstring.coverage(element, watch)")
        with gr.Column(elem_id="passages", elem_classes=["pane"]):
            _html(_template("passages_head"), "passages-head", "redstring.passagesHead(element)")
            with gr.Column(elem_classes=["list"]):
                _html(
                    '<div id="peek"></div>',
                    "peek-holder",
                    _CARDS.replace("KIND", "peek"),
                )
                ranked = _html(nothing_found(""), "ranked", _CARDS.replace("KIND", "ranked"))
                rest = _html("", "rest", _CARDS.replace("KIND", "rest"))
            said = _html(answer.WAITING, "answer", "redstring.answer(element, trigger, watch)")
    report = _html(
        "",
        "case-report",
        "redstring.caseReport(element, props, trigger, watch)",
        html_template=_template("report"),
    )
    return Stage(banner, finding, story, plan, board, areas, ranked, rest, said, report, bar, views)


def on_failure(event: Dependency, stage: Stage) -> None:
    """Show a message after an unexpected error, which Gradio logs, and stop the page from waiting."""
    words = "Something went wrong on our side. Ask again; if it happens again, tell the operator the time."
    event.failure(
        lambda: (banner_html(words), ""),
        None,
        [stage.banner, stage.story],
        api_visibility="private",
        show_progress="hidden",
        queue=False,
    )


def banner_html(message: str) -> str:
    """Return a banner: the problem and what to do next."""
    return rendered("investigate/banner.html", message=message)

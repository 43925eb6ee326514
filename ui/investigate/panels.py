"""The stage: banner, progress line, and the three panes side by side (on a phone: one at a time)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from engine.language.characters import escape
from ui.investigate import answer, passages
from ui.investigate import finding as coverage
from ui.investigate.board import frame_page

_CORNERS = (
    '<svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" stroke-width="1.4" '
    'aria-hidden="true"><path d="M8.5 1.5h4v4M5.5 12.5h-4v-4M12 2 8.2 5.8M2 12l3.8-3.8"/></svg>'
)
_FRAME = (
    '<div class="bar-head"><div class="tabs" role="tablist" aria-label="Board, tree or charts">'
    '<button type="button" role="tab" data-view-tab="board" aria-selected="true">Board</button>'
    '<button type="button" role="tab" data-view-tab="tree" aria-selected="false" tabindex="-1">Tree</button>'
    '<button type="button" role="tab" data-view-tab="charts" aria-selected="false" tabindex="-1">Charts'
    '</button></div><small data-board="count"></small>'
    "<small data-view-count></small>"
    '<button type="button" data-board="more" hidden></button>'
    '<input type="search" data-board="search" placeholder="search" aria-label="Search the board">'
    f'<button type="button" data-board="full" title="Full screen" aria-label="Full screen">{_CORNERS}'
    "</button></div>"
    '<iframe sandbox="allow-scripts" title="Board: how each passage was found"></iframe>'
    '<div class="string-holder" data-board="string" aria-live="polite" hidden></div>'
    '<div class="legend"></div>'
)
# The panes that can replace the board: the tree with a line on the selected passage, or the charts.
_VIEWS = (
    '<div class="views-body" data-views="tree" role="tabpanel" aria-label="Tree" hidden></div>'
    '<div class="tree-told" data-views="told" aria-live="polite" hidden></div>'
    '<div class="views-body" data-views="charts" role="tabpanel" aria-label="Charts" tabindex="0" hidden>'
    "</div>"
)
_SWITCH = (
    '<div class="switch" role="tablist">'
    '<button type="button" role="tab" data-pane="passages" aria-selected="true">Passages</button>'
    '<button type="button" role="tab" data-pane="answer" aria-selected="false">Answer</button>'
    '<button type="button" role="tab" data-pane="coverage" aria-selected="false">Coverage</button>'
    '<button type="button" role="tab" data-pane="board" aria-selected="false">Board</button></div>'
)
_PASSAGES_HEAD = (
    '<div class="bar-head"><div class="tabs" role="tablist" aria-label="Passages or answer">'
    '<button type="button" role="tab" data-tab="passages" aria-selected="true">Passages</button>'
    '<button type="button" role="tab" data-tab="answer" aria-selected="false">Answer</button></div>'
    '<small></small><select id="sort" aria-label="Sort passages">'
    '<option value="rank">relevance</option><option value="document">document</option></select>'
    '<input type="search" id="filter" placeholder="filter" aria-label="Filter passages"></div>'
    '<div id="filter-note" hidden><span></span><button type="button">show all</button></div>'
)
_REPORT = (
    '<dialog class="report-window" aria-label="Retrieval audit of this case"><header><b>Retrieval audit</b>'
    '<span class="report-files"><button type="button" data-report="html">Page</button>'
    '<button type="button" data-report="md">Markdown</button></span>'
    '<button type="button" data-report="close">close</button></header>'
    '<div class="report-scroll" tabindex="0"></div></dialog>'
)
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
    _html(_SWITCH, "switch", "redstring.panes(element)")
    with gr.Row(elem_id="panes"):
        with gr.Column(elem_id="board-pane", elem_classes=["pane"]):
            board = _html(
                "", "board", "redstring.board(element, props, watch, trigger)",
                html_template=_FRAME, page=frame_page(),
            )  # fmt: skip
            views = _html(
                "", "views", "redstring.views(element, props, watch, trigger)", html_template=_VIEWS
            )
        with gr.Column(elem_id="coverage-pane", elem_classes=["pane"]):
            _html(
                '<div class="bar-head"><h2>Coverage</h2><small id="coverage-count"></small>'
                '<button type="button" id="report-ask" title="What was searched, what was not found, and '
                'what to do about it" hidden>report</button></div>',
                "coverage-head",
            )
            areas = _html(coverage.WAITING, "coverage", "redstring.coverage(element, watch)")
        with gr.Column(elem_id="passages", elem_classes=["pane"]):
            _html(_PASSAGES_HEAD, "passages-head", "redstring.passagesHead(element)")
            with gr.Column(elem_classes=["list"]):
                _html(
                    '<div id="peek"></div>',
                    "peek-holder",
                    _CARDS.replace("KIND", "peek"),
                )
                ranked = _html(passages.WAITING, "ranked", _CARDS.replace("KIND", "ranked"))
                rest = _html("", "rest", _CARDS.replace("KIND", "rest"))
            said = _html(answer.WAITING, "answer", "redstring.answer(element, trigger, watch)")
    report = _html(
        "", "case-report", "redstring.caseReport(element, props, trigger, watch)", html_template=_REPORT
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
    words = f'<span dir="auto">{escape(message)}</span>'
    return f'<div class="banner" role="alert"><b>That did not work.</b>{words}</div>'

"""The page: builds its panels, and connects each with a small function."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
from pydantic import Field

from engine.access.users import Action, may
from engine.errors import RedstringError
from engine.records.store.database import CaseFilter
from engine.verbs import all_tools
from engine.verbs.verb import Key, Request, parse_request
from ui.cases.access import CasesDesk
from ui.cases.opening import ExampleCase, hand_over, wire_bar, wire_opening
from ui.cases.panel import build_cases
from ui.cases.storage import KeptCases
from ui.check import CheckDesk, build_check
from ui.corpus.access import CorpusDesk
from ui.corpus.panel import build_corpus
from ui.evaluation import EvaluationDesk, build_evaluation
from ui.investigate.answer_panel import wire_answer, wire_case_report
from ui.investigate.expansion import wire_views
from ui.investigate.panels import build_stage
from ui.investigate.plan import wire_plan
from ui.investigate.sidebar import build_rail, wire_choice, wire_rail, wire_shelf
from ui.investigate.steering import wire_steering
from ui.investigate.updates import wire_cost, wire_investigation
from ui.models.connections import Connections
from ui.models.dialog import ConnectingDesk, build_models, wire_budget
from ui.review.access import ReviewDesk
from ui.review.panel import build_review
from ui.server.answers import Answers
from ui.server.login import counted_as, person_of
from ui.server.pool import LONGEST_LINE
from ui.session import CaseSessions
from ui.shelf import Library
from ui.templating import rendered
from ui.theme import build_header, header_html
from ui.tools.caller import Services, add_tools

# The caller's latest cases, at the foot of the sidebar.

SHOWN = 6


class _Asked(Request):
    visitor: Key = Field(default="", repr=False)


def build_recent(library: Library, cases: KeptCases) -> gr.HTML:
    """Build the list; its script reloads it when a case was stored."""

    def recent(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        try:
            person = person_of(library.settings, asking, parse_request(_Asked, request).visitor)
            return {"html": recent_html(cases, cases.owner_of(person))}
        except RedstringError:
            # The list is a convenience: errors are reported when a case is stored or opened.
            return {"html": ""}

    return gr.HTML(
        "",
        elem_id="recent",
        apply_default_css=False,
        elem_classes=["fold"],
        js_on_load="redstring.recent(element, server)",
        server_functions=[recent],
    )


def recent_html(cases: KeptCases, owner: str | None) -> str:
    """Return the list as HTML, empty if there are no cases."""
    if owner is None:
        return ""
    found = cases.store().listed(CaseFilter(limit=SHOWN), owner=owner)
    return rendered("recent.html", cases=found.cases)


# Concurrency limit of each kind of computation, such as cases: more than the cores only slow each other down.
CONCURRENT = max(2, os.cpu_count() or 1)
LONGEST_QUEUE = 64
# Limit of listener threads: Gradio's default, plus one for each running or waiting case.
THREADS = 40 + 2 * LONGEST_LINE
# Interval of checks of the queue, s.
QUEUE_PAUSE = 0.01
# Page loads that Gradio remembers with their state: each at least 270 kB, 2.5 MB after a call of an endpoint.
# Each new session hash makes one. The case of a forgotten page load is found by its token.
PAGE_LOADS = 128
# Unused uploads: interval of checks, and lifetime, s.
UPLOADS_KEPT = (3600, 7200)


class Page(gr.Blocks):
    """Gradio's page with a slower polling interval of its queue, and endpoints with optional last arguments.

    Gradio polls its queue every millisecond, which uses a tenth of a core on an idle server, and delays cases
    on a busy one. If the page is served, answers in the queue are stored in ``answers``.
    """

    answers: Answers | None = None
    example: ExampleCase

    def queue(self, *given: Any, **named: Any) -> gr.Blocks:
        """Set up the queue as Gradio does, with a longer polling interval."""
        page: gr.Blocks = super().queue(*given, **named)
        self._queue.sleep_when_free = QUEUE_PAUSE
        return page

    async def process_api(
        self, block_fn: Any, inputs: list[Any], *given: Any, **named: Any
    ) -> dict[str, Any]:
        """Process a call as Gradio does.

        A call without argument names may omit the last arguments, as calls by older clients do.
        """
        function = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        if function.api_visibility == "public":
            left_out = function.inputs[len(inputs) :]
            inputs = [*inputs, *(getattr(one, "value", None) for one in left_out)]
        answer: dict[str, Any] = await super().process_api(function, inputs, *given, **named)
        answer["data"] = [one.value if isinstance(one, _Sealed) else one for one in answer["data"]]
        if self.answers is not None and named.get("event_id"):
            answer["data"] = self.answers.store(counted_as(named["request"]), answer["data"])
        return answer

    async def postprocess_data(self, block_fn: Any, predictions: Any, state: Any) -> Any:
        """Process return values as Gradio does, but pass the answers of endpoints through unchanged.

        They are JSON without files. Gradio would search the 400 kB three times, and keep them for an hour
        with the page load.
        """
        if block_fn.api_visibility == "public":
            return [_Sealed(one) for one in ([predictions] if len(block_fn.outputs) == 1 else predictions)]
        return await super().postprocess_data(block_fn, predictions, state)


@dataclass(frozen=True, slots=True)
class _Sealed:
    """The answer of an endpoint on its way through Gradio."""

    value: Any


def build_page(
    library: Library,
    sessions: CaseSessions | None = None,
    connections: Connections | None = None,
    cases: KeptCases | None = None,
) -> Page:
    """Build the page over a library of corpora. Launch it with ``theme.launch_options``."""
    sessions = sessions or CaseSessions()
    cases = cases or KeptCases(library.settings, library.home)
    connections = connections or Connections()
    example = ExampleCase(library)
    sessions.example = example.copy
    page = Page(title="Redstring", analytics_enabled=False, fill_width=True, delete_cache=UPLOADS_KEPT)
    with page:
        token = gr.State("", delete_callback=sessions.forget)
        session = gr.Textbox("", elem_id="session", visible="hidden", container=False)
        header = build_header(library)
        with gr.Row(elem_id="app"):
            with gr.Column(elem_id="rail"):
                rail = build_rail(library)
                build_recent(library, cases)
            with gr.Column(elem_id="stage"):
                stage = build_stage(rail.chips, hand_over(library, cases, example))
        panel = build_corpus(CorpusDesk(library, connections, cases))
        build_check(CheckDesk(library, connections))
        build_cases(CasesDesk(cases, library))
        build_review(ReviewDesk(cases, library))
        build_evaluation(EvaluationDesk(library))
        facts_html = partial(header_html, library)
        wire_rail(rail, library, header, facts_html)
        # Only the browser has the visitor's token; the server requests it before it shows the visitor's
        # corpora.
        known = page.load(None, None, rail.visitor, js="() => redstring.visitor()", api_visibility="private")
        wire_shelf(rail, library, header, facts_html, known.then)
        wire_shelf(rail, library, header, facts_html, panel.change)
        wire_choice(rail, library, header, facts_html, panel.select)
        wire_budget(build_models(ConnectingDesk(connections)), rail.settings)
        wire_session(page, session, connections, sessions)
        wire_cost(rail, library, connections)
        wire_investigation(rail, stage, token, library, sessions, connections, cases)
        wire_opening(rail, stage, token, library, sessions, cases, example)
        wire_bar(stage, token, library, sessions, cases)
        wire_plan(rail, stage, library, connections)
        threads = rail.settings["strategies"]
        assert isinstance(threads, gr.CheckboxGroup)
        wire_steering(stage, token, threads, sessions)
        wire_views(stage, token, sessions)
        wire_case_report(stage, token, sessions)
        wire_answer(stage, token, session, sessions, connections)
        add_tools(page, Services(library, connections, cases), all_tools())
    page.example = example
    page.state_session_capacity = PAGE_LOADS
    page.max_threads = THREADS
    page.queue(default_concurrency_limit=CONCURRENT, max_size=LONGEST_QUEUE)
    return page


def wire_session(
    page: gr.Blocks, session: gr.Textbox, connections: Connections, sessions: CaseSessions
) -> None:
    """Receive the secret token of a page when it opens.

    When the page closes, drop its connection and cancel its case.
    """

    def arrive(name: str, request: gr.Request) -> None:
        trusted = may(person_of(connections.settings, request).role, Action.USE_MODEL)
        connections.arrive(name, request.session_hash or "", trusted=trusted)

    def leave(request: gr.Request) -> None:
        connections.leave(request.session_hash or "")
        sessions.disconnected(request.session_hash or "")

    named = page.load(None, None, session, js="() => redstring.session()", api_visibility="private")
    named.then(arrive, session, None, api_visibility="private", show_progress="hidden", queue=False)
    page.unload(leave)

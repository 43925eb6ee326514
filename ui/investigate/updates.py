"""Events of the engine as updates of the page: ask, cancel, store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import Any

import gradio as gr
import orjson

from engine.access.audit_log import record
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.investigation import Case, make_case
from engine.investigation.filters import NOTHING_LEFT
from engine.investigation.ranking.additive import Experience
from engine.investigation.record import CoverageChanged, Event, Ranked, RoundFinished, ScanFinished, Stopped
from engine.llm import LanguageModel
from engine.records.phrases import short_citation
from engine.records.replaying import Step
from ui.cases.storage import KeptCases, keeping_for
from ui.investigate.answer import WAITING as NO_ANSWER
from ui.investigate.answer_panel import brief_value
from ui.investigate.board import as_read, board_data, provenance, read_whole
from ui.investigate.case_views import concepts_box, dossiers, may_judge, rules_slot
from ui.investigate.costs import question_or_sample, wire_assist
from ui.investigate.expansion import descendants_of, view_value
from ui.investigate.expansion_rows import Looked
from ui.investigate.finding import WAITING as NO_AREAS
from ui.investigate.finding import coverage, figures_html, finding_html
from ui.investigate.panels import PARTS, Stage, banner_html, on_failure
from ui.investigate.passages import Reading, compact_card, more_button, nothing_found, ranked_cards
from ui.investigate.plan import CaseRequest, case_request, edited_plan
from ui.investigate.progress import Story, render_progress, update_progress
from ui.investigate.sidebar import Rail, at_click
from ui.models.connections import Connections
from ui.open_case import OpenCase, bar_value
from ui.server.address import visitor_of
from ui.server.login import person_of
from ui.server.template import Room, StateChangedError, packed, unpacked
from ui.server.warming import loading
from ui.session import LINED, CaseSessions, case_of, new_token, turn_of
from ui.shelf import Library
from ui.templating import rendered

LOG = logging.getLogger(__name__)
REST_STEP = 40
# Interval of drawing the board, s, which a browser needs; faster rounds are drawn together.
BOARD_PAUSE = 0.15
STILL_RUNNING = "The case is still being investigated; cancel it or wait."
NOT_KEPT = "This is not kept: {}"
Updates = dict[Any, Any]
# Events that are followed by another at once: both go to the page in one message.
_SENT_WITH_NEXT = (CoverageChanged, Stopped)


def reading(opened: OpenCase) -> Reading:
    """Return the context of the cards of a case."""
    return Reading(
        opened.question,
        opened.name,
        opened.case.as_of,
        rejected=opened.rejected,
        judging=opened.may_judge,
        came_through=descendants_of(opened),
    )


def board_value(opened: OpenCase) -> str:
    """Return the current data of the board as JSON: Gradio would walk through an object many times."""
    pool = opened.case.pool
    ranked = [found.passage.id for found in opened.case.ranking]
    rounds = opened.case.rounds
    view, rejected = opened.view, opened.rejected
    drawn = provenance(pool, ranked, lambda ids: dossiers(opened, ids), view.nodes, rounds, rejected)
    view.drawn_at = time.perf_counter()
    # Escape "<", so that no code on the way treats the text as markup.
    return orjson.dumps(board_data(drawn, pool, judging=opened.may_judge)).decode().replace("<", "\\u003c")


def rest_of_pool(opened: OpenCase) -> list[str]:
    """Return the passages of the pool outside the ranking, the best first; those of a document that was read
    whole in its order."""
    pool = opened.case.pool
    ranked = {member for found in opened.case.ranking for member in (found.passage.id, *found.assembled_ids)}
    entries = [
        entry
        for entry in pool.entries()
        if entry.passage_id not in ranked and entry.passage_id not in pool.dismissed
    ]
    return as_read(pool, [entry.passage_id for entry in sorted(entries, key=lambda entry: -entry.score)])


def rest_value(opened: OpenCase) -> str:
    """Return compact cards of the shown part of the rest, and the control for more."""
    read = reading(opened)

    def card(passage_id: str) -> str:
        passage, document = opened.lookup([passage_id])[passage_id]
        return compact_card(passage, document, opened.case.pool.trails(passage_id, 1), read)

    def titled(passage_id: str, here: Collection[str]) -> str:
        _, document = opened.lookup([passage_id])[passage_id]
        (rows,) = opened.corpus.by_document([document.id])
        read = f"{len(here):,} of {len(rows):,}" if len(here) < len(rows) else f"all {len(rows):,}"
        return f"{document.title or document.id}, {read} passages"

    every = rest_of_pool(opened)
    pool, source = opened.case.pool, opened.read_from
    cards_of_whole, shown_ids = read_whole(pool, source, set(every), card, opened.name, titled)
    waiting = [passage_id for passage_id in every if passage_id not in shown_ids]
    shown = waiting[: opened.view.rest_shown]
    opened.lookup(shown)
    cards = cards_of_whole + "".join(map(card, shown))
    return _cards(opened, cards) + more_button(len(waiting) - len(shown))


def ranked_value(opened: OpenCase) -> str:
    """Return the cards of the ranking, or a message if it is empty."""
    if not opened.case.ranking:
        emptied = (note for note in opened.case.notes if note.startswith(NOTHING_LEFT))
        return nothing_found(opened.question, next(emptied, ""))
    return _cards(opened, ranked_cards(opened.case.ranking, reading(opened)))


def _cards(opened: OpenCase, cards: str) -> str:
    return rendered("investigate/list.html", corpus=opened.corpus_name, cards=cards)


def shown(opened: OpenCase, stage: Stage, event: Event) -> Updates:
    """Return what an event changes on the page, always with the progress."""
    updates: Updates = {stage.story: render_progress(opened.story)} | _changed(opened, stage, event)
    if stage.board in updates:
        opened.view.drawn = opened.view.nodes, opened.view.pane
        if opened.view.pane != "board":
            updates[stage.views] = view_value(opened, Looked(view=opened.view.pane))
    return updates


def _pending_updates(opened: OpenCase, stage: Stage) -> Updates:
    """Return view changes that were requested while the last step was being sent and stored."""
    nodes, view = opened.view.drawn
    updates: Updates = {}
    if opened.view.nodes != nodes:
        updates[stage.board] = board_value(opened)
    if opened.view.pane not in (view, "board"):
        updates[stage.views] = view_value(opened, Looked(view=opened.view.pane))
    return updates


def _changed(opened: OpenCase, stage: Stage, event: Event) -> Updates:
    updates: Updates = {}
    match event:
        case ScanFinished():
            updates[stage.board] = board_value(opened)
        case RoundFinished() if time.perf_counter() - opened.view.drawn_at > BOARD_PAUSE:
            updates[stage.board] = board_value(opened)
        case CoverageChanged(areas=areas):
            updates[stage.coverage] = coverage(areas) + rules_slot(opened)
        case Ranked():
            updates[stage.coverage] = coverage_value(opened)
            updates[stage.board] = board_value(opened)
            updates[stage.ranked] = ranked_value(opened)
            updates[stage.rest] = rest_value(opened)
            updates[stage.answer] = brief_value(opened)
            updates[stage.finding] = finding_html(opened)
    return updates


def coverage_value(opened: OpenCase) -> str:
    """Return the coverage pane of a ranked case."""
    case = opened.case
    figures = figures_html(case.metrics, case.rounds, case.corpus)
    names = {one.passage.id: short_citation(one.passage, one.document) for one in case.ranking}
    return coverage(case.areas, figures, names) + concepts_box(opened) + rules_slot(opened)


def listen(
    opened: OpenCase, stage: Stage, events: Callable[[], Iterator[Event]], step: Step | None = None
) -> Iterator[Updates]:
    """Send each event to the page; after the last, store the case with the user's step. A RedstringError
    becomes a banner. A case that was replaced on its page, or whose page was left, sends nothing more; if it
    is stored, it finishes in the background."""
    if not opened.acquire():
        yield {stage.banner: banner_html(STILL_RUNNING)}
        return
    is_first = opened.case.stop is None
    if not is_first:
        # The cancellation was for the previous run.
        opened.case.reset_cancel()
    updates_of_run, unseen = _run_in_worker(opened, stage, events), False
    try:
        for updates in updates_of_run:
            if opened.view.replaced:
                unseen = opened.keeping is not None
                return
            yield updates
        last = store_case(opened, stage, step)
        if last and not opened.view.replaced:
            yield last
    except RedstringError as error:
        if not opened.view.replaced:
            yield {stage.banner: banner_html(for_visitors(error)), stage.story: ""}
    except GeneratorExit:
        unseen = opened.keeping is not None
        raise
    finally:
        if unseen:
            background = (opened, stage, updates_of_run, step)
            Thread(target=_finish_in_background, args=background, name="unseen", daemon=True).start()
        else:
            opened.busy.release()
    # From here on requests are answered immediately.
    wanted = _pending_updates(opened, stage)
    if wanted and not opened.view.replaced:
        yield wanted


def _finish_in_background(
    opened: OpenCase, stage: Stage, updates_of_run: Iterator[Updates], step: Step | None
) -> None:
    """Finish and store a case that no page shows."""
    try:
        for _ in updates_of_run:
            continue
        store_case(opened, stage, step)
    except RedstringError as error:
        LOG.info("a case in the background did not finish: %s", type(error).__name__)
    finally:
        opened.busy.release()


def store_case(opened: OpenCase, stage: Stage, step: Step | None = None) -> Updates:
    """Store a case in its current state; a case that cannot be stored gets a banner and stays on the page."""
    if opened.keeping is None:
        return {}
    try:
        opened.keeping.keep(opened.case, step)
    except RedstringError as error:
        return {stage.banner: banner_html(NOT_KEPT.format(for_visitors(error)))}
    return {stage.bar: bar_value(opened)}


def _run_in_worker(
    opened: OpenCase, stage: Stage, events: Callable[[], Iterator[Event]]
) -> Iterator[Updates]:
    """Wait for a worker, reporting the position in the queue, and run there."""
    workers, case = opened.workers, opened.case
    if workers is None:
        yield from _stream_updates(opened, stage, events())
        return
    here = case.model is not None or opened.corpus.folder is None
    waiting = workers.wait(opened.view.visitor, lambda: case.is_cancelled, here=here)
    try:
        while True:
            opened.story = replace(opened.story, ahead=next(waiting))
            yield {stage.story: render_progress(opened.story)}
    except StopIteration as called:
        ticket = called.value
    opened.story = replace(opened.story, ahead=None)
    with workers.place(ticket) as worker:
        if worker is None:
            yield from _stream_updates(opened, stage, events())
            return
        opened.view.drawn = opened.view.nodes, opened.view.pane
        data = packed((opened, events), opened.corpus)
        away = worker.run(_send_from_worker, (data,), lambda: case.is_cancelled)
        try:
            while True:
                yield {getattr(stage, name): value for name, value in next(away).items()}
        except StopIteration as ended:
            back = ended.value
        except StateChangedError:
            # The corpus has changed since: only this process has the old state open.
            yield from _stream_updates(opened, stage, events())
            return
        finally:
            away.close()
    opened.merge_from_worker(unpacked(back, lambda folder: opened.corpus))


def _send_from_worker(room: Room, data: bytes) -> Generator[Updates, None, bytes]:
    """In a worker: send updates by the names of the panels; returns the packed case."""
    opened, events = unpacked(data, room.opened)
    room.stoppable(opened.case.cancel)
    yield from _stream_updates(opened, PARTS, events())
    return packed(opened, opened.corpus)


def _stream_updates(opened: OpenCase, stage: Stage, events: Iterator[Event]) -> Iterator[Updates]:
    waiting: Updates = {}
    heard_before = time.perf_counter()
    for event in events:
        opened.seconds += time.perf_counter() - heard_before
        progress = update_progress(opened.story, event, opened.seconds)
        opened.story = replace(progress, cost=opened.cost(), terms=opened.terms())
        waiting |= shown(opened, stage, event)
        if not isinstance(event, _SENT_WITH_NEXT):
            yield waiting
            waiting = {}
        heard_before = time.perf_counter()


def store_note(opened: OpenCase, stage: Stage, step: Step) -> Updates:
    """Store a step that leaves the case unchanged."""
    if opened.keeping is None:
        return {}
    try:
        opened.keeping.note(step)
    except RedstringError as error:
        return {stage.banner: banner_html(NOT_KEPT.format(for_visitors(error)))}
    return {stage.bar: bar_value(opened)}


def case_values(opened: OpenCase, stage: Stage) -> Updates:
    """Return everything that the page shows of a finished case."""
    return {
        stage.banner: "",
        stage.story: render_progress(opened.story),
        stage.board: board_value(opened),
        stage.coverage: coverage_value(opened),
        stage.ranked: ranked_value(opened),
        stage.rest: rest_value(opened),
        stage.answer: brief_value(opened),
        stage.finding: finding_html(opened),
        stage.bar: bar_value(opened),
    }


def empty_values(stage: Stage) -> Updates:
    """Return the state of the page before a question."""
    return {
        stage.banner: "",
        stage.finding: "",
        stage.story: "",
        stage.board: "",
        stage.coverage: NO_AREAS,
        stage.ranked: nothing_found(""),
        stage.rest: "",
        stage.answer: NO_ANSWER,
        stage.bar: "",
    }


def wire_investigation(
    rail: Rail,
    stage: Stage,
    token: gr.State,
    library: Library,
    sessions: CaseSessions,
    connections: Connections,
    cases: KeptCases,
) -> None:
    """Wire the buttons that start and cancel a case, and the limit of the board."""

    def ask(request: gr.Request, case: str, given: str) -> Iterator[Updates]:
        # Two clicks in a row belong to one page: the later replaces the earlier.
        case = case_of(case, request, own=True) or new_token()
        try:
            asked = case_request(given)
            person = person_of(library.settings, request, asked.visitor)
            model = connections.model_for(asked.session, person)
            learned = partial(cases.learned_in, person, asked.matter)
            opened = open_case(library, asked, person.key, model, learned)
            opened.view.turn = asked.turn
            opened.view.visitor = visitor_of(request)
            opened.may_judge = may_judge(library, person, asked.corpus or None)
            opened.reviewer = person.name
            opened.keeping = keeping_for(cases, person, asked.matter)
            record(person, "investigate", library.find(asked.corpus or "", person.key).logged_as, "done")
            sessions.put(case, opened)
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}
            return
        if opened.view.replaced:
            yield {token: case}
            return
        begun = {stage.story: render_progress(opened.story), stage.ranked: "", stage.bar: bar_value(opened)}
        yield {token: case, **empty_values(stage), **begun}
        yield from listen(opened, stage, opened.case.run)

    def cancel(request: gr.Request, case: str, turn: str) -> None:
        sessions.cancel(case_of(case, request), turn_of(turn))

    run = at_click(rail, rail.go.click).then(
        ask, [token, rail.asked], [token, *stage.outputs()],
        api_visibility="private", show_progress="hidden", trigger_mode="multiple", **LINED,
    )  # fmt: skip
    on_failure(run, stage)
    rail.cancel.click(
        cancel, [token, rail.asked], None, js="token => [token, String(redstring.turn())]",
        api_visibility="private", show_progress="hidden", queue=False,
    )  # fmt: skip
    _wire_more(stage, token, sessions)


def _wire_more(stage: Stage, token: gr.State, sessions: CaseSessions) -> None:
    def expand(request: gr.Request, case: str, wanted: gr.EventData) -> Any:
        opened = sessions.find(case_of(case, request))
        if opened is None:
            return gr.skip()
        opened.view.nodes = int(wanted.limit)
        # A running case draws them with its next step.
        return gr.skip() if opened.busy.locked() else board_value(opened)

    stage.board.expand(expand, token, stage.board, api_visibility="private", show_progress="hidden")


def wire_cost(rail: Rail, library: Library, connections: Connections) -> None:
    """Wire the expected cost of the language model for the current settings."""

    def considered(request: gr.Request, given: str) -> Case | None:
        try:
            asked = case_request(given)
            person = person_of(library.settings, request, asked.visitor)
            model = connections.model_for(asked.session, person)
            if model is None:
                return None
            any_question = asked.model_copy(
                update={"question": question_or_sample(asked.question), "edited": ""}
            )
            return open_case(library, any_question, person.key, model).case
        except RedstringError:
            # Errors in the settings are reported when the case is opened.
            return None

    rounds = rail.settings["rounds"]
    assert isinstance(rounds, gr.Slider)
    wire_assist(
        rail.use_model, rail.cost, rail.settings, considered,
        [rail.question.blur, rail.corpus.change, rail.depth.change, rounds.release],
        partial(at_click, rail), rail.asked,
    )  # fmt: skip


def open_case(
    library: Library,
    asked: CaseRequest,
    visitor: str = "",
    model: LanguageModel | None = None,
    learned: Callable[[Corpus], Experience | None] = lambda corpus: None,
) -> OpenCase:
    """Return a case that is ready to run. Raises InputError for an empty question, SettingsError.

    ``visitor`` is the key of private corpora, ``model`` the language model that the visitor may use, None for
    none; ``learned`` returns the weights of the matter, None for those of the corpus.
    """
    question = asked.question.strip()
    if not question:
        raise InputError("there is no question: write one, or choose an example")
    settings = asked.settings()
    name = asked.corpus or ""
    corpus = library.corpus(name, visitor)
    plan = edited_plan(asked.edited, question, name, settings)
    case = make_case(corpus, question, settings, plan=plan, model=model, weights=learned(corpus))
    named = set(settings.documents)
    titles = {one.id: one.title or one.id for one in corpus.documents() if one.id in named} if named else {}
    opened = OpenCase(
        case, corpus, question, settings.strategies, name, titles=titles, workers=library.workers
    )
    opened.story = Story(terms=opened.terms(), loading=loading(corpus.info().embedding))
    opened.view.pane = asked.view
    return opened

"""The requests of the Evaluate view, and its frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import orjson
import plotly.graph_objects as go

from engine.access.audit_log import record
from engine.access.users import Person
from engine.caching import Cache
from engine.errors import CorpusError, InputError, RedstringError, ResourceError, for_visitors
from engine.evaluation import Question
from engine.evaluation.pair import compare_settings
from engine.evaluation.plots import ablation_bars, all_plots
from engine.evaluation.questions import spread
from engine.evaluation.results import results_bytes, run_header
from engine.settings import Preset, preset
from engine.threads import threads
from engine.verbs.requests import parse_request
from ui.access.entrance import by_token
from ui.evaluate.evaluating import (
    MOST_ABLATED,
    MOST_QUESTIONS,
    RULES,
    START_QUESTIONS,
    Ask,
    Evaluating,
    evaluate,
    gold_of,
    own_questions,
    questions_for,
)
from ui.evaluate.tables import ablation_html, pair_html, result_html
from ui.jobs.jobs import Jobs
from ui.palette import colour
from ui.panels import build_panel
from ui.shelf import Library, Shelved

# One door for all requests of the Evaluate view: checked, answered, and every error a calm line.

Answer = dict[str, Any]
SHOWN = 20
CORPORA_KNOWN = 1024


class EvaluationDesk:
    """What every answer starts from: the library, and the evaluations under way."""

    def __init__(self, library: Library) -> None:
        self.books = library
        self.jobs: Jobs[Evaluating] = Jobs(RULES)
        # By folder and state of a corpus.
        self._own: Cache[tuple[Path, str], tuple[Question, ...]] = Cache("gold questions", CORPORA_KNOWN)

    def own_questions(self, shelved: Shelved) -> tuple[Question, ...]:
        """The gold questions that a corpus carries; it is opened for that once in each of its states.

        Raises CorpusError, ResourceError.
        """
        key = shelved.folder, shelved.state
        return self._own.made(key, lambda: own_questions(self.books.open(shelved)))


def answer(desk: EvaluationDesk, request: object, who: Callable[[str], Person] = by_token) -> Answer:
    """The answer to a request; ``error`` says in one line what was wrong with it. ``who`` tells who sent it,
    given the token of their browser."""
    try:
        ask = parse_request(Ask, request)
        person = who(ask.visitor)
        ask = ask.model_copy(update={"visitor": person.key, "address": person.address})
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        told = handler(desk, ask)
        if ask.do in ("start", "pair"):
            record(person, "evaluate", desk.books.find(ask.corpus, ask.visitor).logged_as, "done")
        return told
    except RedstringError as error:
        return {"error": for_visitors(error)}


def offer(desk: EvaluationDesk, ask: Ask) -> Answer:
    """What can be chosen: corpora with the questions they carry, presets, strategies; what runs already."""
    corpora = []
    for shelved in desk.books.shelf(ask.visitor):
        try:
            asked = [question.text for question in desk.own_questions(shelved)]
        except (CorpusError, ResourceError):
            continue
        if shelved.info is None:
            continue
        corpora.append({"name": shelved.name, "passages": shelved.info.passages, "questions": asked})
    job = desk.jobs.going(ask.visitor)
    return {
        "corpora": corpora,
        "strategies": [
            {"name": name, "title": one.title, "meaning": one.meaning, "colour": colour(name)}
            for name, one in threads().items()
        ],
        "presets": {
            item.value: {"strategies": preset(item.value).strategies, "rounds": preset(item.value).rounds}
            for item in Preset
        },
        "job": job.id if job else "",
        "ablate": bool(job and job.payload.ablate),
    }


def start(desk: EvaluationDesk, ask: Ask) -> Answer:
    """Start an evaluation or an ablation, and say how many questions it asks."""
    if not ask.visitor:
        raise InputError("the page did not say who is asking; load it again")
    corpus = desk.books.corpus(ask.corpus, ask.visitor)
    questions = questions_for(corpus, ask)
    if ask.ablate:
        questions = spread(questions, MOST_ABLATED)
    settings = ask.chosen.settings()
    asked = Evaluating(run_header(corpus, settings), questions, settings, ask.ablate)
    job = desk.jobs.start(ask.owner, asked, partial(evaluate, corpus=corpus))
    return {"job": job.id, "total": len(questions)}


def poll(desk: EvaluationDesk, ask: Ask) -> Answer:
    """How far an evaluation is; when it is over, what came out."""
    job = desk.jobs.get(ask.job, ask.visitor)
    # This is read first: what is over has all its results.
    state, over = job.state, job.over
    told: Answer = {
        "state": state,
        "step": job.step or "loading",
        "before": desk.jobs.before(job),
        "done": job.done,
        "total": len(job.payload.questions),
        "message": job.message,
        "ablate": job.payload.ablate,
    }
    return told | _outcome(job.payload) if over else told


def _outcome(job: Evaluating) -> Answer:
    if job.ablate:
        if job.ablation is None or not job.ablation.rows:
            return {}
        figure = ablation_bars(job.ablation)
        return {"table": ablation_html(job.ablation), "plots": [_drawn("ablation", figure)]}
    if not job.results:
        return {}
    plots = [_drawn(name, figure) for name, figure in all_plots(job.results).items()]
    table = result_html(job.results, len(job.questions))
    kept = results_bytes(job.header, job.results).decode()
    return {"table": table, "plots": plots, "file": kept}


def _drawn(name: str, figure: go.Figure) -> Answer:
    """A figure as plotly's JSON, its title apart: the page has its own way to head a plot."""
    title = figure.layout.title.text
    figure.update_layout(title=None, template=None, margin={"t": 34})
    value: Answer = orjson.loads(figure.to_json())
    return {"name": name, "title": title, "data": value["data"], "layout": value["layout"]}


def cancel(desk: EvaluationDesk, ask: Ask) -> Answer:
    """End an evaluation; what it measured stays."""
    desk.jobs.cancel(ask.job, ask.visitor)
    return {}


def pair(desk: EvaluationDesk, ask: Ask) -> Answer:
    """Two settings on one question."""
    if not ask.question.strip():
        raise InputError("there is no question: write one, or choose one")
    corpus = desk.books.corpus(ask.corpus, ask.visitor)
    # As long a ranking on both sides: what one leaves out must not be a matter of its length.
    first, second = (side.settings().changed(top_k=SHOWN) for side in ask.sides)
    gold = gold_of(corpus, ask.question)
    compared = compare_settings(corpus, ask.question.strip(), (first, second), gold)
    return {"html": pair_html(compared, corpus.name)}


HANDLERS: Mapping[str, Callable[[EvaluationDesk, Ask], Answer]] = {
    "offer": offer,
    "start": start,
    "poll": poll,
    "cancel": cancel,
    "pair": pair,
}


# The Evaluate view: its frame, and the one door to the server that its script knocks at.


def build_evaluation(desk: EvaluationDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.evaluation(element, server)"
    return build_panel("evaluation", partial(answer, desk), desk.books.settings, frame_html(), script)


def frame_html() -> str:
    """The frame that the script fills."""
    return (
        '<div class="lib eva" data-tab="gold">'
        f'<aside class="lib-rail" aria-label="What is measured">{_TABS}{_corpus()}{_GOLD}{_PAIR}</aside>'
        '<div class="lib-stage"><div data-eva="banner" class="banner-slot" aria-live="polite"></div>'
        f"{_RESULTS}{_SIDES}</div></div>"
    )


def _preset(name: str, label: str) -> str:
    options = "".join(
        f'<option value="{item.value}"{" selected" if item is Preset.BALANCED else ""}>'
        f"{item.value.capitalize()}</option>"
        for item in Preset
    )
    return f'<label class="field"><span>{label}</span><select name="{name}">{options}</select></label>'


def _corpus() -> str:
    return (
        '<label class="field"><span>Corpus</span>'
        '<select data-eva="corpus" aria-label="Corpus to be measured"></select></label>'
    )


def _side(letter: str) -> str:
    key = letter.lower()
    return (
        f'<fieldset class="eva-choice" data-side="{key}"><legend>{letter}</legend>'
        f"{_preset(f'preset-{key}', 'Depth')}"
        '<div class="eva-threads" data-eva="threads"></div>'
        '<label class="field eva-rounds"><span>Rounds</span>'
        f'<input type="number" name="rounds-{key}" min="0" max="5" step="1" required></label></fieldset>'
    )


_TABS = (
    '<div class="eva-switch" role="tablist" aria-label="What is measured">'
    '<button type="button" role="tab" data-eva-tab="gold" aria-selected="true">Gold questions</button>'
    '<button type="button" role="tab" data-eva-tab="pair" aria-selected="false">Two settings</button></div>'
)
_GOLD = (
    '<form class="eva-form" data-eva="gold-form" autocomplete="off">'
    '<label class="field"><span>Questions with known answers</span>'
    '<select data-eva="gold" aria-label="Gold questions"><option value="own">that come with the corpus'
    '</option><option value="files">from files of mine</option></select></label>'
    '<div class="eva-files" data-eva="files" hidden>'
    '<label class="field"><span>Questions: JSON lines, id and text</span>'
    '<input type="file" data-eva="queries" accept=".jsonl,.json,.gz"></label>'
    '<label class="field"><span>Judgements: qrels of BEIR or TREC</span>'
    '<input type="file" data-eva="qrels" accept=".tsv,.txt,.qrels,.gz"></label></div>'
    + _preset("preset", "Depth")
    + '<label class="field"><span>Questions, at most <output data-eva="count">'
    f"{START_QUESTIONS}</output></span>"
    f'<input type="range" data-eva="questions" min="5" max="{MOST_QUESTIONS}" step="5" '
    f'value="{START_QUESTIONS}"></label>'
    '<button type="submit" class="primary" data-eva="go">Evaluate</button>'
    '<button type="button" class="second" data-eva="ablate">What does each part add?</button>'
    '<button type="button" class="second" data-eva="stop" hidden>Cancel</button>'
    f'<p class="hint">What each part adds is measured on at most {MOST_ABLATED} questions, each asked some '
    "fifteen times. Whole sets: <code>python -m engine evaluate</code>.</p></form>"
)
_PAIR = (
    '<form class="eva-form" data-eva="pair-form" autocomplete="off" hidden>'
    '<label class="field"><span>Question</span><textarea data-eva="question" rows="4" maxlength="4000" '
    'dir="auto" placeholder="Ask in your own words"></textarea></label>'
    '<div class="chips" data-eva="chips" aria-label="Questions to start with"></div>'
    f"{_side('A')}{_side('B')}"
    '<button type="submit" class="primary" data-eva="compare">Compare</button></form>'
)
_RESULTS = (
    '<section data-eva="gold-stage" class="eva-stage" aria-label="Figures">'
    '<div class="progress" data-eva="progress" hidden><div class="bar" role="progressbar" '
    'aria-valuemin="0" aria-valuemax="100" aria-label="Progress"><u></u></div>'
    '<p data-eva="step" aria-live="polite"></p></div>'
    '<div class="empty" data-eva="waiting"><b>How good is it?</b><p>Questions whose answers are known are '
    "asked one by one; what the scan finds alone stands beside what the investigation finds.</p></div>"
    '<div data-eva="figures"></div><div data-eva="plots" class="plots"></div>'
    '<div data-eva="parts"></div></section>'
)
_SIDES = (
    '<section data-eva="pair-stage" class="eva-stage" aria-label="Two settings side by side" hidden>'
    '<div class="empty" data-eva="pair-waiting"><b>One question, two settings</b><p>Both rankings side by '
    "side; what only one of them found stands out.</p></div>"
    '<div data-eva="sides" aria-live="polite"></div></section>'
)

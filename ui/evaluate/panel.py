"""The Evaluate view: its calls and its frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import orjson
import plotly.graph_objects as go
from pydantic import Field

from engine.caching import Cache
from engine.errors import CorpusError, InputError, ResourceError
from engine.evaluation import Question
from engine.evaluation.compare import compare_settings
from engine.evaluation.metrics import results_bytes, run_header
from engine.evaluation.plots import ablation_bars, all_plots
from engine.evaluation.questions import spread_evenly
from engine.settings import Preset, preset
from engine.strategy_registry import load_strategies
from engine.verbs.requests import LONGEST_QUESTION, CorpusName, Key
from ui.calls import Access, Answer, Call, Caller, Form, build_panel, by_name
from ui.evaluate.evaluations import (
    MOST_ABLATED,
    MOST_QUESTIONS,
    RULES,
    START_QUESTIONS,
    Chosen,
    Evaluating,
    StartForm,
    evaluate,
    gold_of,
    own_questions,
    questions_for,
)
from ui.evaluate.tables import ablation_html, pair_html, result_html
from ui.jobs.jobs import Jobs
from ui.palette import colour
from ui.shelf import Library, Shelved

SHOWN = 20
CORPORA_KNOWN = 1024


class JobForm(Form):
    """An evaluation, by its id."""

    job: Key = ""


class PairForm(Form):
    """A question for two settings."""

    corpus: CorpusName = ""
    question: str = Field(default="", max_length=LONGEST_QUESTION)
    sides: tuple[Chosen, Chosen] = (Chosen(), Chosen())


class EvaluationDesk:
    """The library, and the evaluations under way."""

    def __init__(self, library: Library) -> None:
        self.books = library
        self.jobs: Jobs[Evaluating] = Jobs(RULES)
        # By folder and state of a corpus.
        self._own: Cache[tuple[Path, str], tuple[Question, ...]] = Cache("gold questions", CORPORA_KNOWN)

    def own_questions(self, shelved: Shelved) -> tuple[Question, ...]:
        """Return the gold questions that a corpus includes; it is opened for them once per state.

        Raises CorpusError, ResourceError.
        """
        key = shelved.folder, shelved.state
        return self._own.made(key, lambda: own_questions(self.books.open(shelved)))

    def access(self, caller: Caller, form: Form) -> EvaluationAccess:
        """Return the evaluations that the caller may run."""
        return EvaluationAccess(self, caller)


@dataclass(frozen=True, slots=True)
class EvaluationAccess(Access):
    """The evaluations of a caller."""

    desk: EvaluationDesk
    caller: Caller

    def subject(self, form: Any) -> str:
        """Return the folder of the corpus."""
        return self.desk.books.find(form.corpus, self.caller.key).logged_as


def offer(access: EvaluationAccess, form: Form) -> Answer:
    """Return the choices: corpora with their questions, presets, strategies; and the running evaluation."""
    corpora = []
    for shelved in access.desk.books.shelf(access.caller.key):
        try:
            asked = [question.text for question in access.desk.own_questions(shelved)]
        except (CorpusError, ResourceError):
            continue
        if shelved.info is None:
            continue
        corpora.append({"name": shelved.name, "passages": shelved.info.passages, "questions": asked})
    job = access.desk.jobs.going(access.caller.key)
    return {
        "corpora": corpora,
        "strategies": [
            {"name": name, "title": one.title, "meaning": one.meaning, "colour": colour(name)}
            for name, one in load_strategies().items()
        ],
        "presets": {
            item.value: {"strategies": preset(item.value).strategies, "rounds": preset(item.value).rounds}
            for item in Preset
        },
        "job": job.id if job else "",
        "ablate": bool(job and job.payload.ablate),
    }


def start(access: EvaluationAccess, form: StartForm) -> Answer:
    """Start an evaluation or an ablation; returns the number of its questions."""
    if not access.caller.key:
        raise InputError("the page did not say who is asking; load it again")
    corpus = access.desk.books.corpus(form.corpus, access.caller.key)
    questions = questions_for(corpus, form, access.caller.owner)
    if form.ablate:
        questions = spread_evenly(questions, MOST_ABLATED)
    settings = form.chosen.settings()
    asked = Evaluating(run_header(corpus, settings), questions, settings, form.ablate)
    job = access.desk.jobs.start(access.caller.owner, asked, partial(evaluate, corpus=corpus))
    return {"job": job.id, "total": len(questions)}


def poll(access: EvaluationAccess, form: JobForm) -> Answer:
    """Return the progress of an evaluation; at its end also the results."""
    job = access.desk.jobs.get(form.job, access.caller.key)
    # The state is read first: a finished job has all its results.
    state, over = job.state, job.over
    progress: Answer = {
        "state": state,
        "step": job.step or "loading",
        "before": access.desk.jobs.before(job),
        "done": job.done,
        "total": len(job.payload.questions),
        "message": job.message,
        "ablate": job.payload.ablate,
    }
    return progress | _outcome(job.payload) if over else progress


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
    """Return a figure as plotly's JSON, with its title separate: the page has its own headings for plots."""
    title = figure.layout.title.text
    figure.update_layout(title=None, template=None, margin={"t": 34})
    value: Answer = orjson.loads(figure.to_json())
    return {"name": name, "title": title, "data": value["data"], "layout": value["layout"]}


def cancel(access: EvaluationAccess, form: JobForm) -> Answer:
    """Cancel an evaluation; its results so far are kept."""
    access.desk.jobs.cancel(form.job, access.caller.key)
    return {}


def pair(access: EvaluationAccess, form: PairForm) -> Answer:
    """Compare two settings on one question."""
    if not form.question.strip():
        raise InputError("there is no question: write one, or choose one")
    corpus = access.desk.books.corpus(form.corpus, access.caller.key)
    # The rankings have equal length, so that their length does not cause differences.
    first, second = (side.settings().changed(top_k=SHOWN) for side in form.sides)
    gold = gold_of(corpus, form.question)
    compared = compare_settings(corpus, form.question.strip(), (first, second), gold)
    return {"html": pair_html(compared, corpus.name)}


CALLS = by_name((
    Call("offer", Form, offer),
    Call("start", StartForm, start, audit="evaluate"),
    Call("poll", JobForm, poll),
    Call("cancel", JobForm, cancel),
    Call("pair", PairForm, pair, audit="evaluate"),
))  # fmt: skip


def build_evaluation(desk: EvaluationDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.evaluation(element, server)"
    return build_panel("evaluation", desk, CALLS, desk.books.settings, frame_html(), script)


def frame_html() -> str:
    """Return the frame that the script fills."""
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

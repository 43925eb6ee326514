"""The Evaluate view: its calls and its frame, and its evaluations as jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import gradio as gr
import orjson
import plotly.graph_objects as go
from pydantic import Field, TypeAdapter

from engine.caching import Cache
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError, ResourceError
from engine.evaluation import Question, QuestionResult, judge_questions, read_questions
from engine.evaluation.ablation import Ablation, ablation_steps
from engine.evaluation.compare import compare_settings
from engine.evaluation.metrics import results_bytes, run_header
from engine.evaluation.plots import ablation_bars, all_plots
from engine.evaluation.questions import spread_evenly
from engine.settings import InvestigationSettings, Preset, preset
from engine.strategy_registry import load_strategies
from engine.verbs.verb import LONGEST_QUESTION, CorpusName, Key, Request, SentFile
from ui.calls import Access, Answer, Call, Caller, Form, build_panel, by_name
from ui.evaluation_tables import ablation_html, pair_html, result_html
from ui.palette import colour
from ui.sample import SOURCES
from ui.server.jobs import Job, Jobs, Owner, Rules
from ui.server.reading import Reading, put, read_files
from ui.shelf import Library, Shelved
from ui.templating import rendered

# One request of the Evaluate view: its limits, gold questions, the evaluation.

# Limits of an evaluation on the page; the command line is for whole sets.

MOST_QUESTIONS = 100
# An ablation runs every question about fifteen times.
MOST_ABLATED = 25
START_QUESTIONS = 20
# Limits of evaluations: running at a time for all visitors, waiting, and timeout, s.
RUNNING, WAITING, LONGEST = 2, 8, 1800.0
# Retention of finished evaluations, s, so that a page that is loaded again still finds them.
REMEMBERED = 1800.0


class Chosen(Request):
    """Settings of the page: a preset, and changed values (None: the preset's)."""

    preset: Preset = Preset.BALANCED
    strategies: tuple[Key, ...] | None = Field(default=None, max_length=40)
    rounds: int | None = None

    def settings(self) -> InvestigationSettings:
        """Return the settings. Raises SettingsError for a value out of its range."""
        return preset(self.preset.value).changed(strategies=self.strategies, rounds=self.rounds)


class EvaluationForm(Form):
    """An evaluation. ``gold``: the questions that come with the corpus, or files of the visitor's own."""

    corpus: CorpusName = ""
    gold: Literal["own", "files"] = "own"
    queries: SentFile | None = None
    qrels: SentFile | None = None
    questions: int = Field(default=START_QUESTIONS, ge=1, le=MOST_QUESTIONS)
    chosen: Chosen = Chosen()
    ablate: bool = False


# Sources of the page's gold questions: the sample corpus includes some, and a visitor may send others.

_QUESTION = TypeAdapter(Question)


@cache
def sample_questions() -> tuple[Question, ...]:
    """Return the questions that come with the sample corpus."""
    return tuple(read_questions(SOURCES / "queries.jsonl", SOURCES / "qrels.tsv"))


def own_questions(corpus: Corpus) -> tuple[Question, ...]:
    """Return the sample's questions for a corpus that contains most of their gold passages; else empty."""
    questions = sample_questions()
    wanted = sorted({name for question in questions for name in question.gold})
    return questions if (corpus.rows(wanted) >= 0).mean() > 0.5 else ()


def questions_for(corpus: Corpus, form: EvaluationForm, owner: Owner) -> list[Question]:
    """Return the questions of a request, spread evenly over the set if only some are wanted.

    Raises InputError or SourceError, with the file and the line of the problem.
    """
    if form.gold == "own":
        questions: Sequence[Question] = own_questions(corpus)
        if not questions:
            raise InputError(f"{corpus.name!r} carries no gold questions: choose files of your own")
    else:
        questions = _sent_questions(form, owner)
    return spread_evenly(questions, form.questions)


def gold_of(corpus: Corpus, text: str) -> frozenset[str]:
    """Return the gold passages of a question that is identical to one of the corpus's own; else an empty
    set."""
    asked = " ".join(text.split()).casefold()
    found = (q for q in own_questions(corpus) if " ".join(q.text.split()).casefold() == asked)
    question = next(found, None)
    return frozenset(question.gold) if question is not None else frozenset()


def _sent_questions(form: EvaluationForm, owner: Owner) -> list[Question]:
    if form.queries is None or form.qrels is None:
        raise InputError("two files are needed: questions (JSON lines) and judgements (qrels)")
    files, most = partial(put, [form.queries, form.qrels]), form.questions
    return read_files(Reading("questions", files, _QUESTION.validate_json, most, {"most": most}), owner)


# An evaluation or an ablation as a job: its subject, and the results so far.

RULES = Rules("evaluation", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Evaluating:
    """One evaluation or ablation; ``header`` describes it. A cancelled one keeps its results so far. It has
    no reference to the corpus, which may be deleted long before this job is removed."""

    header: Mapping[str, object]
    questions: Sequence[Question]
    settings: InvestigationSettings
    ablate: bool
    results: list[QuestionResult] = field(default_factory=list)
    ablation: Ablation | None = None


def evaluate(job: Job[Evaluating], corpus: Corpus) -> None:
    """Do the work of the job. Raises CancelledError, and the errors of an evaluation."""
    asked = job.payload
    if not asked.ablate:
        for _, result in judge_questions(corpus, asked.questions, asked.settings):
            asked.results.append(result)
            job.tell("questions", len(asked.results), len(asked.questions))
        return

    def progress(label: str, done: int, total: int) -> None:
        job.tell(label, done, total)

    for grown in ablation_steps(corpus, asked.questions, asked.settings, progress=progress):
        asked.ablation = grown


# The Evaluate view: its calls and its frame.

SHOWN = 20
CORPORA_KNOWN = 1024


class EvaluationJobForm(Form):
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


def start(access: EvaluationAccess, form: EvaluationForm) -> Answer:
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


def poll(access: EvaluationAccess, form: EvaluationJobForm) -> Answer:
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


def cancel(access: EvaluationAccess, form: EvaluationJobForm) -> Answer:
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
    Call("start", EvaluationForm, start, audit="evaluate"),
    Call("poll", EvaluationJobForm, poll),
    Call("cancel", EvaluationJobForm, cancel),
    Call("pair", PairForm, pair, audit="evaluate"),
))  # fmt: skip


def build_evaluation(desk: EvaluationDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.evaluation(element, server)"
    return build_panel("evaluation", desk, CALLS, desk.books.settings, frame_html(), script)


def frame_html() -> str:
    """Return the frame that the script fills."""
    return rendered(
        "evaluation/frame.html",
        presets=Preset,
        start=START_QUESTIONS,
        most=MOST_QUESTIONS,
        most_ablated=MOST_ABLATED,
    )

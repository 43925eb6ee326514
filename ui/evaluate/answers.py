"""One door for all requests of the Evaluate view: checked, answered, and every error a calm line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import plotly.graph_objects as go

from engine.access.audit_log import record
from engine.access.users import Person
from engine.caching import Cache
from engine.errors import CorpusError, InputError, RedstringError, ResourceError, for_visitors
from engine.evaluation import Question
from engine.evaluation.choosing import spread
from engine.evaluation.pair import compare_settings
from engine.evaluation.plots import all_plots
from engine.evaluation.plots.ablation import ablation_bars
from engine.evaluation.results import results_bytes, run_header
from engine.settings import Preset, preset
from engine.threads import threads
from ui.access.asking import by_token
from ui.asked import checked
from ui.evaluate.asked import Ask
from ui.evaluate.evaluating import RULES, Evaluating, evaluate
from ui.evaluate.gold import gold_of, own_questions, questions_for
from ui.evaluate.limits import MOST_ABLATED
from ui.evaluate.sides import pair_html
from ui.evaluate.tables import ablation_html, result_html
from ui.jobs.jobs import Jobs
from ui.palette import colour
from ui.shelf import Library, Shelved

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
        ask = checked(Ask, request)
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

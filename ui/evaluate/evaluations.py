"""One request of the Evaluate view: its limits, gold questions, the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Literal

from pydantic import Field, TypeAdapter

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation import Question, QuestionResult, judge_questions, read_questions
from engine.evaluation.ablation import Ablation, ablation_steps
from engine.evaluation.questions import spread_evenly
from engine.settings import InvestigationSettings, Preset, preset
from engine.verbs.requests import CorpusName, Key, Request, SentFile
from ui.calls import Form
from ui.corpus.uploads import put
from ui.jobs.jobs import Job, Owner, Rules
from ui.jobs.reading import Reading, read_files
from ui.sample import SOURCES

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


class StartForm(Form):
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


def questions_for(corpus: Corpus, form: StartForm, owner: Owner) -> list[Question]:
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


def _sent_questions(form: StartForm, owner: Owner) -> list[Question]:
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

"""The tools that go through a whole case: ``investigate`` and ``answer``."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

from pydantic import Field, field_validator

from engine.answers.answer import answer as answered
from engine.answers.export import answer_to_json
from engine.corpus.protocol import Corpus
from engine.errors import CancelledError, InputError
from engine.investigation import Case, make_case
from engine.investigation.ranking.additive import Experience
from engine.llm import LanguageModel
from engine.model import StopReason
from engine.records.export import investigation_to_json
from engine.records.summaries import SlimAnswer, SlimCase, slim_answer, slim_case
from engine.settings import InvestigationSettings
from engine.settings import preset as settings_of
from engine.verbs.requests import (
    LONGEST_QUESTION,
    MOST_SETTINGS,
    CorpusName,
    Detail,
    Key,
    Request,
    SettingValues,
)
from ui.controls import settings_from
from ui.door.hanging_up import Cancel, Waited
from ui.shelf import Library
from ui.spending import helpers
from ui.tools.caller import ServerCaller
from ui.tools.tool import Matter, tool_verb

Json = dict[str, Any]
Question = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_QUESTION,
        description="The question, up to 4,000 characters, in any language.",
    ),
]  # fmt: skip
OfCorpus = Annotated[
    CorpusName, Field(description="Name of a corpus, as the tool corpora lists it; empty for the first.")
]
Preset = Annotated[
    Key, Field(description="auto (as deep as the question asks), quick, balanced, thorough or detective.")
]
Model = Annotated[
    bool,
    Field(description="Whether this server's own language model helps, where it has one that may be used."),
]
Changed = Annotated[SettingValues, Field(max_length=MOST_SETTINGS)]
SETTINGS = 'Any settings of the case by name, in place of the preset\'s: {"as_of": "2024-05-06"}.'
UNWANTED = "nobody waits for this case any more"
MORE = (
    "read a passage in place by its id; follow further from one, export the case or get the rest of it by "
    "the id of the case; detail=full gives everything at once"
)
MORE_OF_ONE_THAT_IS_NOT_KEPT = (
    "read a passage in place by its id; ask again with detail=full for everything at once: to be followed a "
    "case has to be kept"
)


class About(Request):
    """A question to a corpus."""

    question: Question
    corpus: OfCorpus = ""
    preset: Preset = "auto"

    @field_validator("question", mode="before")
    @classmethod
    def _stripped(cls, value: object) -> object:
        return value.strip() if isinstance(value, str) else value


class Asked(About):
    """What ``answer`` takes. ``settings`` are values by name, through the gate of the page's own controls."""

    model: Model = False
    settings: Changed | None = Field(default=None, description=SETTINGS)
    matter: Matter = ""
    detail: Detail = "slim"

    def chosen(self, base: InvestigationSettings) -> InvestigationSettings:
        """The settings that are asked for, over those of ``base``. Raises SettingsError, InputError."""
        return settings_from(self.settings or {}, base)


class Investigating(About):
    """What ``investigate`` takes: besides, the settings most often changed, None as they are."""

    strategies: Annotated[tuple[Key, ...], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Threads to follow; null for the preset's, as with the next three."
    )
    rounds: int | None = Field(default=None, description="Rounds of expansion after the scan, at most.")
    pool_size: int | None = Field(default=None, description="Passages that the research pool may hold.")
    top_k: int | None = Field(default=None, description="Passages in the final ranking.")
    model: Model = False
    settings: Changed | None = Field(default=None, description=SETTINGS)
    matter: Matter = ""
    detail: Detail = "slim"

    def chosen(self, base: InvestigationSettings) -> InvestigationSettings:
        """The settings that are asked for, over those of ``base``. Raises SettingsError, InputError."""
        named = self.model_dump(include={"strategies", "rounds", "pool_size", "top_k"}, exclude_none=True)
        for name in self.settings or {}:
            if name in named:
                raise InputError(f"{name}: it is an argument and among the settings; give it once")
        return settings_from(self.settings or {}, base.changed(**named))


class OfACase(SlimCase):
    """What ``investigate`` gives in short."""

    case: str | None = Field(
        default=None, description="id of the case where it is kept: follow, case and export take it"
    )
    not_kept: str | None = Field(default=None, description="why the case is not kept, where it is not")
    more: str = Field(description="how to get more of it")


class OfAnAnswer(SlimAnswer):
    """What ``answer`` gives in short."""

    case: str | None = Field(default=None, description="id of the case behind it, where it is kept")
    not_kept: str | None = Field(default=None, description="why the case is not kept, where it is not")
    more: str = Field(description="how to get more of it")


def _whoever(cancel: Cancel) -> AbstractContextManager[None]:
    return nullcontext()


def opened(
    asked: Investigating | Asked,
    corpus: Corpus,
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Case:
    """The case of a question, not yet run; ``learned`` is what its matter is ranked by, None for what ranks
    the corpus. Raises InputError, SettingsError."""
    base = settings_of(asked.preset)
    if model is not None and isinstance(asked, Investigating):
        base = base.changed(**{name: helped for name, (helped, _) in helpers().items()})
    return make_case(corpus, asked.question, asked.chosen(base), model=model, weights=learned)


def investigate(library: Library, case: Case, visitor: str = "", waited: Waited = _whoever) -> Json:
    """Run a case to its end in its turn, with its model where it has one; its record.

    Raises InputError, SettingsError, CancelledError where nobody waits for it any more.
    """
    with waited(case.cancel):
        record: Json = library.workers.done(visitor, _record, case, here=case.model is not None)
    return record


def answer(library: Library, case: Case, visitor: str = "", waited: Waited = _whoever) -> tuple[Json, Json]:
    """Run a case and answer its question, with the sources' own sentences or by its model: the answer, and
    the record of the case. Raises as ``investigate``."""
    with waited(case.cancel):
        both: tuple[Json, Json] = library.workers.done(visitor, _answer, case, here=case.model is not None)
    return both


def run(case: Case) -> None:
    """Run a case to its end. Raises CancelledError where nobody waits for it any more."""
    for _ in case.run():
        continue
    if case.stop is not None and case.stop.reason is StopReason.PERSON:
        raise CancelledError(UNWANTED)


def _record(case: Case) -> Json:
    run(case)
    return investigation_to_json(case.investigation())


def _answer(case: Case) -> tuple[Json, Json]:
    run(case)
    found = case.investigation()
    told = answer_to_json(answered(found, case.corpus, model=case.model, meter=case.meter))
    return told, investigation_to_json(found)


def _investigated(asking: ServerCaller, asked: Investigating) -> Json:
    asking.log("investigate", asked.corpus)
    corpus = asking.corpus(asked.corpus)
    learned = asking.learned_in(asked.matter, corpus)
    case = opened(asked, corpus, asking.model(wanted=asked.model), learned)
    record = investigate(asking.library, case, asking.visitor, asking.waiting)
    return with_more({**asking.keep(record, corpus, asked.matter), **record})


def _answered(asking: ServerCaller, asked: Asked) -> Json:
    asking.log("answer", asked.corpus)
    corpus = asking.corpus(asked.corpus)
    learned = asking.learned_in(asked.matter, corpus)
    case = opened(asked, corpus, asking.model(wanted=asked.model), learned)
    told, record = answer(asking.library, case, asking.visitor, asking.waiting)
    return with_more({**asking.keep(record, corpus, asked.matter), **told})


def with_more(values: Json) -> Json:
    """Values of a case, with how to get more of it."""
    return {**values, "more": MORE if values["case"] else MORE_OF_ONE_THAT_IS_NOT_KEPT}


def kept_beside(values: Json) -> Json:
    """What stands beside a record or an answer: whether the case is kept, and how to get more."""
    return {name: values[name] for name in ("case", "not_kept", "more") if name in values}


INVESTIGATE = tool_verb(
    "investigate",
    "Investigate a question",
    "Investigate a question in a corpus of documents that cite each other: a broad scan, then rounds that "
    "follow citations, definitions, exceptions and neighbours. Gives the passages, best first, each with the "
    "trail by which it was found, whether the corpus bears the question, what is covered, why it stopped.",
    Investigating,
    _investigated,
    OfACase,
    lambda values: {**kept_beside(dict(values)), **slim_case(values)},
    reads=False,
    repeats=False,
    lined=True,
)
ANSWER = tool_verb(
    "answer",
    "Answer a question",
    "Answer a question with sentences of the corpus, each with its citation and its exact words, after "
    "investigating it. Says plainly what the corpus has no answer to.",
    Asked,
    _answered,
    OfAnAnswer,
    lambda values: {**kept_beside(dict(values)), **slim_answer(values)},
    reads=False,
    repeats=False,
    lined=True,
)

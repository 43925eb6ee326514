"""The public endpoints: the same record and the same answer as the command line gives, over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import gradio as gr
from gradio.events import api
from pydantic import Field, field_validator

from engine.access.audit_log import record
from engine.access.roles import Action, may
from engine.answers.answer import answer as answered
from engine.answers.export import answer_to_json
from engine.errors import InputError, RedstringError, for_visitors
from engine.investigation import Case
from engine.llm import LanguageModel
from engine.records.export import investigation_to_json
from engine.settings import InvestigationSettings
from engine.settings import preset as settings_of
from ui.access.asking import person_of
from ui.asked import LONGEST_QUESTION, MOST_HELD, CorpusName, Held, Key, Request, checked
from ui.assist import helpers
from ui.connections import Connections
from ui.controls import settings_from
from ui.locality import visitor_of
from ui.session import LINED
from ui.settings_schema import described
from ui.shelf import Library

# Callers of the endpoint have no page: they share one quota of the operator's model.
CALLERS = "callers of the endpoint"


class Asked(Request):
    """What each endpoint takes. ``settings`` are values by name, through the gate of the page's own controls;
    ``model``: whether the server's own language model is to help."""

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    corpus: CorpusName = ""
    preset: Key = "auto"
    model: bool = False
    settings: Annotated[Held, Field(max_length=MOST_HELD)] | None = None

    @field_validator("question", mode="before")
    @classmethod
    def _stripped(cls, value: object) -> object:
        return value.strip() if isinstance(value, str) else value

    def chosen(self, base: InvestigationSettings) -> InvestigationSettings:
        """The settings that are asked for, over those of ``base``. Raises SettingsError, InputError."""
        return settings_from(self.settings or {}, base)


class Investigating(Asked):
    """What ``/investigate`` takes besides: the settings most often changed, None as they are."""

    strategies: Annotated[tuple[Key, ...], Field(min_length=1, max_length=100)] | None = None
    rounds: int | None = None
    pool_size: int | None = None
    top_k: int | None = None

    def chosen(self, base: InvestigationSettings) -> InvestigationSettings:
        """As of every endpoint, with the arguments of this one."""
        named = self.model_dump(include={"strategies", "rounds", "pool_size", "top_k"}, exclude_none=True)
        for name in self.settings or {}:
            if name in named:
                raise InputError(f"{name}: it is an argument and among the settings; give it once")
        return super().chosen(base.changed(**named))


def investigate(
    library: Library, asked: Investigating, model: LanguageModel | None = None, visitor: str = ""
) -> dict[str, Any]:
    """Run one investigation to its end, with a language model's help where one is given.

    Raises InputError, SettingsError.
    """
    base = settings_of(asked.preset)
    if model is not None:
        base = base.changed(**{name: helped for name, (helped, _) in helpers().items()})
    opened = library.corpus(asked.corpus or None)
    case = Case(opened, asked.question, asked.chosen(base), model=model)
    record: dict[str, Any] = library.workers.done(visitor, _record, case, here=model is not None)
    return record


def answer(
    library: Library, asked: Asked, model: LanguageModel | None = None, visitor: str = ""
) -> dict[str, Any]:
    """Investigate a question and answer it, with the sources' own sentences or, where one is given, by a
    language model. Raises InputError, SettingsError."""
    opened = library.corpus(asked.corpus or None)
    case = Case(opened, asked.question, asked.chosen(settings_of(asked.preset)), model=model)
    record: dict[str, Any] = library.workers.done(visitor, _answer, case, here=model is not None)
    return record


def _record(case: Case) -> dict[str, Any]:
    for _ in case.run():
        continue
    return investigation_to_json(case.investigation())


def _answer(case: Case) -> dict[str, Any]:
    for _ in case.run():
        continue
    return answer_to_json(answered(case.investigation(), case.corpus, model=case.model, meter=case.meter))


def operators(connections: Connections, *, trusted: bool) -> LanguageModel:
    """The operator's model. Raises InputError where there is none that this caller may use."""
    found = connections.operators(CALLERS, trusted)
    if found is None:
        raise InputError("model: this server offers no language model; ask without")
    return found


def add_api(page: gr.Blocks, library: Library, connections: Connections) -> None:
    """Add the named endpoints ``/investigate`` and ``/answer`` to the page that is being built.

    They take no key and no address of a model: a caller either may use the operator's, or asks without. Tools
    (MCP) call them where they are, in turn at the door; every other caller goes through the queue.
    """

    def helper(request: gr.Request, action: str, asked: Asked) -> LanguageModel | None:
        """The operator's model where it is wanted; who asks for what is written down."""
        person = person_of(library.settings, request)
        record(person, action, library.find(asked.corpus or None).folder.name, "done")
        return operators(connections, trusted=may(person.role, Action.USE_MODEL)) if asked.model else None

    def endpoint(
        request: gr.Request,
        question: str,
        corpus: str = "",
        preset: str = "auto",
        strategies: list[str] | None = None,
        rounds: int | None = None,
        pool_size: int | None = None,
        top_k: int | None = None,
        model: bool = False,
        settings: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Investigate a question and return the whole record as JSON.

        Args:
            question: Up to 4,000 characters.
            corpus: A name of a corpus; empty for the first.
            preset: auto (as deep as the question asks), quick, balanced, thorough or detective.
            strategies: Threads to follow; null for the preset's, as with the next three.
            rounds: Rounds of expansion after the scan, at most.
            pool_size: Passages that the research pool may hold.
            top_k: Passages in the final ranking.
            model: Whether this server's own language model helps, where it has one that may be used.
            settings: Any settings of the case by name, in place of the preset's: {"as_of": "2024-05-06"}.
        """
        try:
            given = {"strategies": strategies, "rounds": rounds, "pool_size": pool_size, "top_k": top_k}
            common = {"question": question, "corpus": corpus or "", "preset": preset, "model": model}
            asked = checked(Investigating, common | given | {"settings": settings})
            return investigate(library, asked, helper(request, "investigate", asked), visitor_of(request))
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "investigate"
    described(
        page,
        api(endpoint, api_name="investigate", queue=False, **LINED),
    )

    def answer_endpoint(
        request: gr.Request,
        question: str,
        corpus: str = "",
        preset: str = "auto",
        model: bool = False,
        settings: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Answer a question with sentences of the corpus, each with its citation and exact place, as JSON.

        Args:
            question: Up to 4,000 characters.
            corpus: A name of a corpus; empty for the first.
            preset: auto (as deep as the question asks), quick, balanced, thorough or detective.
            model: Whether this server's own language model writes it, where it has one that may be used.
            settings: Any settings of the investigation by name, in place of the preset's.
        """
        try:
            given = {"question": question, "corpus": corpus or "", "preset": preset, "model": model}
            asked = checked(Asked, given | {"settings": settings})
            return answer(library, asked, helper(request, "answer", asked), visitor_of(request))
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    answer_endpoint.__name__ = "answer"
    described(
        page,
        api(answer_endpoint, api_name="answer", queue=False, **LINED),
    )

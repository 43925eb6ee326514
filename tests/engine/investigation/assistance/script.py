"""A language model behind a real server, scripted by task: what it says when it is asked well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.llm import LanguageModel
from engine.settings import MODEL_TASKS, InvestigationSettings
from tests.engine.investigation.story import SETTINGS, case_of, ran
from tests.engine.llm.server import Asked, Scripted, ScriptedServer

SUB_QUESTIONS, HYPOTHETICAL = "sub-questions", "hypothetical passages"
GAPS, SUFFICIENCY, RERANKING = "gap queries", "sufficiency", "reranking"
ALL_ON = SETTINGS.changed(
    model_tasks=MODEL_TASKS,
    reranker="llm",
)
# A question for which the harbour's law has an area and no evidence.
WRECK = "Who salvages the cargo of a wreck in the harbour?"
BERTH = (
    "The harbour master may refuse a berth to a vessel whose dues are in arrears, and notifies the refusal."
)


def without(task: str, settings: InvestigationSettings = ALL_ON) -> InvestigationSettings:
    """The settings with a task that no language model does."""
    return settings.changed(model_tasks=[one for one in settings.model_tasks if one != task])


def keys(asked: Asked, kind: str) -> list[str]:
    """Keys of the areas ("area") or passages ("passage") that a prompt lists."""
    return [name.removeprefix(f"{kind} ") for name in asked.data if name.startswith(f"{kind} ")]


def sensible(asked: Asked) -> Scripted:
    if asked.task == SUB_QUESTIONS:
        question = asked.data["question"]
        return {"sub_questions": [f"Who decides: {question}", f"Which fine is due: {question}"]}
    if asked.task == HYPOTHETICAL:
        return {
            "passages": [BERTH, "An objection against the withdrawal of a berth is open for thirty days."]
        }
    if asked.task == GAPS:
        queries = [{"area": key, "query": f"arrears of dues {key}"} for key in keys(asked, "area")]
        return {"queries": queries}
    if asked.task == SUFFICIENCY:
        return {"sufficient": True, "evidence": keys(asked, "passage")[:2], "missing": []}
    return {"order": keys(asked, "passage")[::-1]}


def but(task: str, answer: Scripted | Callable[[Asked], Scripted]) -> Callable[[Asked], Scripted]:

    def script(asked: Asked) -> Scripted:
        if asked.task != task:
            return sensible(asked)
        return answer(asked) if callable(answer) else answer

    return script


def helped(
    corpus: Corpus, question: str, model: LanguageModel | None, settings: InvestigationSettings = ALL_ON
) -> Case:
    """A case that was run to its end with a model at hand."""
    case = case_of(corpus, question, settings, model=model)
    ran(case)
    return case


def tasks(server: ScriptedServer) -> list[str]:
    return [asked.task for asked in server.requests]


def notes(case: Case) -> str:
    return "\n".join(case.investigation().notes)


def plain_values(value: Any) -> Any:
    """A record without what only tells that a model was at hand."""
    if isinstance(value, dict):
        told = ("model", "usage", "settings", "notes")
        return {key: plain_values(kept) for key, kept in value.items() if key not in told}
    return [plain_values(item) for item in value] if isinstance(value, list) else value

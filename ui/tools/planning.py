"""The tool ``plan``: what a question is understood as, before anything is searched."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from engine.investigation import Case, make_case
from engine.investigation.filters import Filters
from engine.records.plain import plan_text, plan_to_json
from engine.records.summaries import Slim
from engine.settings import InvestigationSettings
from engine.settings import preset as settings_of
from ui.controls import settings_from
from ui.tools.caller import ServerCaller
from ui.tools.questions import SETTINGS, About, Changed
from ui.tools.tool import tool_verb


class Planning(About):
    """What ``plan`` takes."""

    settings: Changed | None = Field(default=None, description=SETTINGS)

    def chosen(self) -> InvestigationSettings:
        """The settings that are asked for. Raises SettingsError, InputError."""
        return settings_from(self.settings or {}, settings_of(self.preset))


class OfAPlan(Slim):
    """What ``plan`` gives."""

    corpus: str
    words: list[str] = Field(description="the plan for a person, line by line")
    plan: dict[str, Any] = Field(
        description="the plan: language, intent, depth, views (what is searched for), provisions that the "
        "question names, constraints that hold, suggestions that do not"
    )
    notes: list[str] = Field(description="what the constraints leave of the corpus")


def _planned(case: Case) -> dict[str, Any]:
    made = case.make_plan(offered=True)
    return {
        "corpus": case.corpus.name,
        "words": list(plan_text(made)),
        "plan": plan_to_json(made),
        "notes": list(Filters(case.corpus, case.settings, case.day, made).notes),
    }


def _plan(asking: ServerCaller, asked: Planning) -> dict[str, Any]:
    asking.log("plan", asked.corpus)
    case = make_case(asking.corpus(asked.corpus), asked.question, asked.chosen())
    with asking.waiting(case.cancel):
        told: dict[str, Any] = asking.library.workers.done(asking.visitor, _planned, case)
    return told


PLAN = tool_verb(
    "plan",
    "Plan a question",
    "Say what a question is understood as before it is investigated: its language, what it asks for, the "
    "provisions it names and whether the corpus has them, the constraints in it, and what would be searched.",
    Planning,
    _plan,
    OfAPlan,
    lined=True,
)

"""Query plans as plain JSON values and as text; read back, so that a person can edit one in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InputError
from engine.model import (
    Choice,
    Constraints,
    Depth,
    DepthKind,
    Intent,
    NamedProvision,
    Naming,
    QueryPlan,
    Relation,
    Suggestion,
    View,
)
from engine.records.wording import plural
from engine.retrieval.planning.assisted import STRATEGIES

DIGITS = 4


class _ViewFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "own"
    text: str
    weight: float = 1.0
    dense: bool = True
    enabled: bool = True
    origin: str = ""


class _ConstraintsFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    must_include: tuple[str, ...] = ()
    must_exclude: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    year_from: int | None = Field(default=None, ge=1, le=9999)
    year_to: int | None = Field(default=None, ge=1, le=9999)
    as_of: date | None = None
    depth: DepthKind | None = None
    transaction: str | None = None


class _DepthFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: DepthKind
    reason: str = ""


class _SuggestionFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: str
    value: str
    words: str = ""


class _ChoiceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    passage_id: str
    label: str = ""


class _NamedFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    words: str
    status: Naming
    passage_ids: tuple[str, ...] = ()
    choices: list[_ChoiceFile] = []
    leads: bool = False
    note: str = ""
    relation: Relation = Relation.CITES


class PlanFile(BaseModel):
    """A plan in a file: what may be left out has a default."""

    model_config = ConfigDict(extra="forbid")

    question: str
    language: str = "und"
    views: list[_ViewFile]
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    intent: Intent | None = None
    evidence: tuple[str, ...] = ()
    document_types: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    constraints: _ConstraintsFile = _ConstraintsFile()
    suggestions: list[_SuggestionFile] = []
    strategy: str = "balanced"
    edited: bool = False
    named: list[_NamedFile] = []
    focus: tuple[str, ...] = ()
    depth: _DepthFile | None = None


def plan_to_json(plan: QueryPlan) -> dict[str, Any]:
    """A plan; every field of it, days as 2020-03-01. ``plan_from_json`` gives the same plan back: the weights
    of one that a person edited stand as they were given, others have four digits."""
    values: dict[str, Any] = orjson.loads(orjson.dumps(plan))
    for view in () if plan.edited else values["views"]:
        view["weight"] = round(view["weight"], DIGITS)
    return values


def plan_from_json(values: Any, where: str = "plan") -> QueryPlan:
    """A plan from plain values; ``where`` is named in errors. Raises InputError naming the wrong field."""
    try:
        return plan_of(PlanFile.model_validate(values), where)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "plan"
        raise InputError(f"{where}: {field}: {first['msg']}") from error


def plan_of(file: PlanFile, where: str = "plan") -> QueryPlan:
    """Return the plan of a file. Raises InputError for an unknown strategy."""
    if file.strategy not in STRATEGIES:
        raise InputError(f"{where}: strategy: {file.strategy!r}; known strategies: {', '.join(STRATEGIES)}")
    return QueryPlan(
        **{
            **{name: getattr(file, name) for name in PlanFile.model_fields},
            "views": tuple(View(**view.model_dump()) for view in file.views),
            "constraints": Constraints(**file.constraints.model_dump()),
            "suggestions": tuple(Suggestion(**found.model_dump()) for found in file.suggestions),
            "named": tuple(_named(found) for found in file.named),
            "depth": None if file.depth is None else Depth(**file.depth.model_dump()),
        }
    )


def _named(file: _NamedFile) -> NamedProvision:
    choices = tuple(Choice(**choice.model_dump()) for choice in file.choices)
    return NamedProvision(**{**file.model_dump(), "choices": choices})


def load_plan(path: Path) -> QueryPlan:
    """The plan in a JSON file, which counts as edited. Raises InputError where there is none."""
    try:
        values = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    # A saved investigation holds its plan, which may be run again as it stands.
    plan = values.get("plan", values) if isinstance(values, Mapping) else values
    return replace(plan_from_json(plan, str(path)), edited=True)


def plan_text(plan: QueryPlan) -> Iterator[str]:
    """A plan for a terminal."""
    yield f"Question: {plan.question}"
    told = f" ({', '.join(f'“{words}”' for words in plan.evidence)})" if plan.evidence else ""
    yield f"Intent:   {intent_words(plan)}{told}"
    yield f"Language: {plan.language}"
    yield f"Strategy: {plan.strategy}"
    if plan.depth is not None:
        yield f"Depth:    {plan.depth.kind.value}: {plan.depth.reason}"
    for label, values in (
        ("Names", tuple(named_words(plan))),
        ("Documents named", plan.document_ids),
        ("Types named", plan.document_types),
        ("Constraints", tuple(constraint_words(plan.constraints))),
        ("Perhaps", tuple(f"{suggestion_words(found)} (“{found.words}”)" for found in plan.suggestions)),
    ):
        if values:
            yield f"{label}: {'; '.join(values)}"
    enabled = sum(view.enabled for view in plan.views)
    yield f"{plural(enabled, 'view')} of {len(plan.views)} switched on:"
    for view in plan.views:
        read_by = "" if view.dense else ", words only"
        yield f"  [{'x' if view.enabled else ' '}] {view.name} {view.weight:g}{read_by}: {view.text}"
        if view.origin:
            yield f"        {view.origin}"
    yield from (f"Note: {note}" for note in plan.notes)


def plan_line(plan: QueryPlan) -> str:
    """A plan in one line."""
    enabled = sum(view.enabled for view in plan.views)
    line = f"Plan: {plural(enabled, 'view')} of the question, language {plan.language}"
    parts = [line, intent_words(plan) if plan.intent else "", *constraint_words(plan.constraints)]
    return ", ".join(part for part in parts if part) + (" (edited)" if plan.edited else "")


def intent_words(plan: QueryPlan) -> str:
    """The intent as people write it."""
    return "unknown" if plan.intent is None else plan.intent.value.replace("_", "-")


def named_words(plan: QueryPlan) -> Iterator[str]:
    """Each provision that a question names, and what became of it; those that were not looked up as well."""
    yield from (reference for reference in plan.references if not plan.named)
    for named in plan.named:
        found = plural(len(named.passage_ids), "passage") if named.status is Naming.FOUND else named.note
        yield f"{named.words} ({found})"


def constraint_words(constraints: Constraints) -> Iterator[str]:
    """Each constraint in words."""
    yield from (f"with “{phrase}”" for phrase in constraints.must_include)
    yield from (f"without “{phrase}”" for phrase in constraints.must_exclude)
    for name, values in (
        ("document", constraints.documents),
        ("type", constraints.types),
        ("language", constraints.languages),
    ):
        if values:
            yield f"{name} {', '.join(values)}"
    first, last = constraints.year_from, constraints.year_to
    if first is not None or last is not None:
        yield f"year {first}" if first == last else f"years {first or ''}..{last or ''}"
    if constraints.depth is not None:
        yield f"depth {constraints.depth.value}"
    if constraints.transaction is not None:
        yield f"transaction {constraints.transaction}"
    if constraints.as_of is not None:
        yield f"in force on {constraints.as_of.isoformat()}"


def suggestion_words(found: Suggestion) -> str:
    """What to write to turn a suggestion into a constraint."""
    signs = {
        "year_from": f"year:{found.value}..",
        "year_to": f"year:..{found.value}",
        "as_of": f"as_of:{found.value}",
        "must_include": f'+"{found.value}"',
    }
    return signs.get(found.kind, f"{found.kind}:{found.value}")

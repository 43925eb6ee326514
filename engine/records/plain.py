"""Conversion of the engine's values and query plans to plain JSON values, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.errors import InputError
from engine.model import Constraints, Naming, QueryPlan, Suggestion
from engine.model.documents import Digits
from engine.records.phrases import plural
from engine.retrieval.planning.assisted import STRATEGIES

# Conversion of engine values to parts of a record and back, by the fields that both declare.

Value = TypeVar("Value")
Change = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Attribute:
    """Marks a field that has another name in the engine's value."""

    name: str


def plain(part: Any, source: object, **given: Any) -> dict[str, Any]:
    """Return the fields of a part as plain values: those of ``given``, the others from the source."""
    if not given:
        return writer(part)(source)
    found = writer(part, frozenset(given))(source) | given
    return {name: found[name] for name in _names(part)}


@cache
def writer(part: Any, given: frozenset[str] = frozenset()) -> Callable[[object], dict[str, Any]]:
    """Return a function that makes plain values of a source, without the fields ``given``."""
    hints = get_type_hints(part, include_extras=True)
    names = [name for name in _names(part) if name not in given]
    get = _getter([_attribute(name, hints[name]) for name in names])
    changes = [(name, change) for name in names if (change := _plain_change(hints[name])) is not None]

    def write(source: object) -> dict[str, Any]:
        values = dict(zip(names, get(source), strict=True))
        for name, change in changes:
            values[name] = change(values[name])
        return values

    return write


def convert(kind: type[Value], part: Any, **given: Any) -> Value:
    """Make a dataclass of the engine from ``given`` and the fields that it shares with a part."""
    if isinstance(part, kind):
        return part
    values = dict(given)
    for name, change in _read(kind, type(part)):  # type: ignore[arg-type]
        if name not in given:
            value = getattr(part, name)
            values[name] = value if change is None else change(value)
    return kind(**values)


def _names(part: Any) -> list[str]:
    return [field.name for field in fields(part)] if is_dataclass(part) else list(part.model_fields)


def _getter(names: list[str]) -> Callable[[object], Iterable[Any]]:
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda source: [get(source)]


def _attribute(name: str, hint: Any) -> str:
    """Return the attribute path of a field in its source."""
    name = next((one.name for one in _marks(hint) if isinstance(one, Attribute)), name)
    return f"{name}.value" if _is_enum(hint) else name


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def _marks(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _plain_change(hint: Any) -> Change | None:
    if get_origin(hint) is Annotated:
        digits = next((one.count for one in _marks(hint) if isinstance(one, Digits)), None)
        return _plain_change(get_args(hint)[0]) if digits is None else lambda value: round(value, digits)
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _unless_none(_plain_change(next(one for one in inside if one is not NoneType)))
    if origin in (list, tuple):
        return _each(attrgetter("value") if _is_enum(inside[0]) else _plain_change(inside[0]), list)
    if origin in (dict, Mapping):
        change = _plain_change(inside[1])
        return lambda value: {str(key): change(one) if change else one for key, one in value.items()}
    if isinstance(hint, type) and (issubclass(hint, BaseModel) or is_dataclass(hint)):
        return writer(hint)
    return None


@cache
def _read(kind: Any, part: type[BaseModel]) -> list[tuple[str, Change | None]]:
    """Return the fields that a dataclass shares with a part, each with its conversion."""
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind) if field.name in part.model_fields]
    return [(name, _engine_change(hints[name])) for name in names]


def _engine_change(hint: Any) -> Change | None:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _unless_none(_engine_change(next(one for one in inside if one is not NoneType)))
    if origin is tuple:
        return _each(_engine_change(inside[0]), tuple)
    return partial(convert, hint) if is_dataclass(hint) and isinstance(hint, type) else None


def _unless_none(change: Change | None) -> Change | None:
    return None if change is None else lambda value: None if value is None else change(value)


def _each(change: Change | None, kind: Callable[[Iterable[Any]], Any]) -> Change:
    return kind if change is None else lambda values: kind(map(change, values))


# Query plans as JSON and text; read back so that a user can edit a plan in a file.

DIGITS = 4
# Fields that a plan in a user's file may lack, besides those with defaults.
_PLAN, _VIEW = {"language": "und"}, {"name": "own"}
_PLANS = TypeAdapter(QueryPlan)


def plan_to_json(plan: QueryPlan) -> dict[str, Any]:
    """Return a plan with all fields, days as 2020-03-01; ``plan_from_json`` gives the same plan back.

    Weights of a plan edited by a user are unchanged, others have four digits.
    """
    values: dict[str, Any] = orjson.loads(orjson.dumps(plan))
    for view in () if plan.edited else values["views"]:
        view["weight"] = round(view["weight"], DIGITS)
    return values


def plan_from_json(values: Any, where: str = "plan") -> QueryPlan:
    """Return a plan from plain values. Raises InputError with ``where`` and the wrong field."""
    try:
        return check_strategy(_PLANS.validate_python(complete_plan(values)), where)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error, 'plan')}") from error


def complete_plan(values: Any) -> Any:
    """Return the plain values of a plan with the fields that a user's file may lack."""
    if not isinstance(values, Mapping):
        return values
    found = {**_PLAN, **values}
    if isinstance(views := found.get("views"), list | tuple):
        found["views"] = [{**_VIEW, **one} if isinstance(one, Mapping) else one for one in views]
    return found


def first_fault(error: ValidationError, whole: str = "") -> str:
    """Return the first error of a validation in one line; ``whole`` names the values in all."""
    first = error.errors(include_url=False)[0]
    unknown = first["type"] == "unexpected_keyword_argument"
    message = "Extra inputs are not permitted" if unknown else " ".join(first["msg"].split())
    return f"{'.'.join(map(str, first['loc'])) or whole}: {message}"


def check_strategy(plan: QueryPlan, where: str = "plan") -> QueryPlan:
    """Return the plan. Raises InputError for an unknown strategy."""
    if plan.strategy not in STRATEGIES:
        raise InputError(f"{where}: strategy: {plan.strategy!r}; known strategies: {', '.join(STRATEGIES)}")
    return plan


def load_plan(path: Path) -> QueryPlan:
    """Return the plan in a JSON file, marked as edited. Raises InputError if there is none."""
    try:
        values = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    # A saved investigation contains its plan, which may be run again.
    plan = values.get("plan", values) if isinstance(values, Mapping) else values
    return replace(plan_from_json(plan, str(path)), edited=True)


def plan_text(plan: QueryPlan) -> Iterator[str]:
    """Yield the lines of a plan for a terminal."""
    yield f"Question: {plan.question}"
    evidence = f" ({', '.join(f'“{words}”' for words in plan.evidence)})" if plan.evidence else ""
    yield f"Intent:   {intent_words(plan)}{evidence}"
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
    """Return a plan in one line."""
    enabled = sum(view.enabled for view in plan.views)
    line = f"Plan: {plural(enabled, 'view')} of the question, language {plan.language}"
    parts = [line, intent_words(plan) if plan.intent else "", *constraint_words(plan.constraints)]
    return ", ".join(part for part in parts if part) + (" (edited)" if plan.edited else "")


def intent_words(plan: QueryPlan) -> str:
    """Return the intent of a plan in words."""
    return "unknown" if plan.intent is None else plan.intent.value.replace("_", "-")


def named_words(plan: QueryPlan) -> Iterator[str]:
    """Yield each provision named in the question with the result of its lookup, also those not looked up."""
    yield from (reference for reference in plan.references if not plan.named)
    for named in plan.named:
        found = plural(len(named.passage_ids), "passage") if named.status is Naming.FOUND else named.note
        yield f"{named.words} ({found})"


def constraint_words(constraints: Constraints) -> Iterator[str]:
    """Yield each constraint in words."""
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
    """Return the text that turns a suggestion into a constraint."""
    signs = {
        "year_from": f"year:{found.value}..",
        "year_to": f"year:..{found.value}",
        "as_of": f"as_of:{found.value}",
        "must_include": f'+"{found.value}"',
    }
    return signs.get(found.kind, f"{found.kind}:{found.value}")

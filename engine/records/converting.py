"""Parts of a record made of the engine's values, and back, field by field as both declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

Value = TypeVar("Value")
Change = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Digits:
    """Marks a number that a record has with so many digits."""

    count: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """Marks a field that the engine's value has under another name."""

    name: str


def plain(part: type[BaseModel], source: object, **given: Any) -> dict[str, Any]:
    """Return the fields of a part as plain values: those that are given, the others from the source."""
    if not given:
        return writer(part)(source)
    found = writer(part, frozenset(given))(source) | given
    return {name: found[name] for name in part.model_fields}


@cache
def writer(part: type[BaseModel], given: frozenset[str] = frozenset()) -> Callable[[object], dict[str, Any]]:
    """Return what makes plain values of a source, without the fields that are given otherwise."""
    hints = get_type_hints(part, include_extras=True)
    names = [name for name in part.model_fields if name not in given]
    get = _getter([_attribute(name, hints[name]) for name in names])
    changes = [(name, change) for name in names if (change := _plain_change(hints[name])) is not None]

    def write(source: object) -> dict[str, Any]:
        values = dict(zip(names, get(source), strict=True))
        for name, change in changes:
            values[name] = change(values[name])
        return values

    return write


def convert(kind: type[Value], part: BaseModel, **given: Any) -> Value:
    """Make a dataclass of the engine: of what is given, and of the fields that it shares with a part."""
    values = dict(given)
    for name, change in _read(kind, type(part)):  # type: ignore[arg-type]
        if name not in given:
            value = getattr(part, name)
            values[name] = value if change is None else change(value)
    return kind(**values)


def _getter(names: list[str]) -> Callable[[object], Iterable[Any]]:
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda source: [get(source)]


def _attribute(name: str, hint: Any) -> str:
    """The path of a field in its source."""
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
    if origin is list:
        return _each(attrgetter("value") if _is_enum(inside[0]) else _plain_change(inside[0]), list)
    if origin is dict:
        change = _plain_change(inside[1])
        return lambda value: {str(key): change(one) if change else one for key, one in value.items()}
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return writer(hint)
    return None


@cache
def _read(kind: Any, part: type[BaseModel]) -> list[tuple[str, Change | None]]:
    """The fields that a dataclass shares with a part, and what changes each."""
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

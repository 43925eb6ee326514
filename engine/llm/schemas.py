"""Convert pydantic schemas to strict JSON schemas for servers, and to words for models.

Lists, literals, optional fields and nested schemas can be strict. A dictionary or a tuple as a field cannot:
strict servers refuse such a schema, and its answers are only checked afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Any, Generic

import orjson
from pydantic import BaseModel, ConfigDict

from engine.llm.base import Answer

# Keywords of strict structured output
# (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas); the others are described in
# words and checked by pydantic.
STRICT_KEYS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "$defs"),
        *("enum", "const", "description", "minimum", "maximum", "minItems", "maxItems", "pattern"),
    }
)
INDENT = "  "
LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "a {}",
}

Node = Mapping[str, Any]


@lru_cache(maxsize=64)
def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema for strict output: all properties required, no others, known keywords only."""
    from openai import pydantic_function_tool

    made: Any = pydantic_function_tool(schema)["function"]["parameters"]
    stripped: dict[str, Any] = _stripped(made)
    return stripped


class Wrapped(BaseModel, Generic[Answer]):
    """An answer as a schema for several tasks has it: a schema may not be a choice at its top."""

    model_config = ConfigDict(extra="forbid")

    answer: Answer


@lru_cache(maxsize=16)
def one_of(schemas: tuple[type[BaseModel], ...]) -> type[BaseModel]:
    """Return a wrapped schema that fits an answer to any of several schemas."""
    wrapped: Any = Wrapped
    made: type[BaseModel] = wrapped[reduce(or_, schemas)]
    return made


@lru_cache(maxsize=64)
def schema_text(schema: type[BaseModel]) -> str:
    """Return the schema in words: an example object with the kind of each value; notes follow ``//``."""
    made = schema.model_json_schema()
    return _kind(made, made.get("$defs", {}), "", ())


def _stripped(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for name, value in node.items():
        # Exactly one of several schemas must fit; strict output supports only "any of".
        key = "anyOf" if name == "oneOf" else name
        if key not in STRICT_KEYS:
            continue
        if key in ("properties", "$defs"):
            kept[key] = {inner: _stripped(schema) for inner, schema in value.items()}
        elif key == "anyOf":
            kept[key] = [_stripped(inner) for inner in value]
        else:
            kept[key] = _stripped(value)
    return kept


def _kind(node: Node, defs: Node, indent: str, inside: tuple[str, ...]) -> str:
    """Return the kind of a value; ``inside`` are the enclosing schemas, so that one may contain itself."""
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        return name if name in inside else _kind(defs.get(name, {}), defs, indent, (*inside, name))
    if "const" in node:
        return _json(node["const"])
    if "enum" in node:
        return " or ".join(map(_json, node["enum"]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in node:
            return " or ".join(_kind(inner, defs, indent, inside) for inner in node[several])
    kind = str(node.get("type", "any value"))
    if kind == "array":
        return f"[{_kind(node.get('items', {}), defs, indent, inside)}, ...]"
    if kind != "object":
        return kind
    if "properties" not in node:
        values = node.get("additionalProperties")
        return f"{{string: {_kind(values if isinstance(values, dict) else {}, defs, indent, inside)}, ...}}"
    lines = _properties(node["properties"], defs, indent + INDENT, inside)
    return "\n".join(("{", *lines, indent + "}"))


def _properties(properties: Node, defs: Node, indent: str, inside: tuple[str, ...]) -> Iterator[str]:
    for number, (name, node) in enumerate(properties.items(), 1):
        comma = "," if number < len(properties) else ""
        notes = "; ".join(_notes(node))
        kind = _kind(node, defs, indent, inside)
        # After a long kind a note would be far from its name.
        if notes and "\n" in kind:
            yield f"{indent}// {notes}"
            notes = ""
        yield f"{indent}{_json(name)}: {kind}{comma}" + (f"  // {notes}" if notes else "")


def _notes(node: Node) -> Iterator[str]:
    if "description" in node:
        yield " ".join(str(node["description"]).split())
    inner = [node, *(part for part in node.get("anyOf", ()) if isinstance(part, dict))]
    for part in inner:
        for key, words in LIMITS.items():
            if key in part:
                yield words.format(part[key])


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()

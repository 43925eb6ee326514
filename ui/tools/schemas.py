"""The JSON schemas of tools, the list of all tools, and their documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from engine.verbs import all_tools
from engine.verbs.verb import Verb
from ui.investigate.controls import settings_schema

Schema = dict[str, Any]
SETTINGS, SETTINGS_ADDRESS = "settings", "redstring://settings"
LEFT_OUT: Schema = {
    "type": "object",
    "additionalProperties": {"type": "integer"},
    "description": "omitted entries of each list",
}


def arguments_of(form: type[BaseModel]) -> dict[str, Schema]:
    """Return the schema of each argument by name, in order, with its default if it has one."""
    whole = form.model_json_schema()
    found: dict[str, Schema] = {}
    for name, shape in whole["properties"].items():
        schema = _plain(shape, whole.get("$defs", {}))
        if name == SETTINGS:
            schema = {**settings_schema(), "description": schema["description"], "default": None}
        found[name] = schema
    return found


def input_schema(verb: Verb) -> Schema:
    """Return the schema of a tool's arguments.

    Clients read the schemas of all tools before they call one, so the settings are described by a resource,
    see ``SETTINGS_ADDRESS``.
    """
    required = [name for name, field in verb.request.model_fields.items() if field.is_required()]
    arguments = arguments_of(verb.request)
    if SETTINGS in arguments:
        described = f"{arguments[SETTINGS]['description']} All of them: resource {SETTINGS_ADDRESS}."
        arguments[SETTINGS] = {"type": ["object", "null"], "default": None, "description": described}
    return {
        "type": "object",
        "properties": _short(arguments),
        "required": required,
        "additionalProperties": False,
    }


def output_schema(verb: Verb) -> Schema:
    """Return the schema of a tool's answer; of its short form if it has two."""
    whole = verb.tool.response.model_json_schema(mode="serialization")
    short: Schema = _short(_plain(whole, whole.get("$defs", {})))
    short["properties"] = _without_required(short["properties"])
    short.pop("$defs", None)
    short.pop("description", None)
    short["properties"]["left_out"] = LEFT_OUT
    if not verb.has_detail:
        return short
    detail: Schema = {"type": "string", "enum": ["slim", "full"]}
    short["properties"]["detail"] = {"const": "slim"}
    full: Schema = {
        "description": "everything, as --json prints it",
        "properties": {"detail": {"const": "full"}},
    }
    return {
        "type": "object", "properties": {"detail": detail}, "required": ["detail"], "anyOf": [short, full],
    }  # fmt: skip


def _without_required(shape: Any) -> Any:
    """Return the schemas of parts of an answer without their lists of required fields: all are present."""
    if isinstance(shape, list):
        return [_without_required(one) for one in shape]
    if not isinstance(shape, dict):
        return shape
    return {
        key: _without_required(value)
        for key, value in shape.items()
        if not (key == "required" and isinstance(value, list))
    }


def _plain(shape: Any, known: Mapping[str, Any]) -> Any:
    """Return a schema without references, and without titles, which only repeat the field names."""
    if isinstance(shape, list):
        return [_plain(one, known) for one in shape]
    if not isinstance(shape, dict):
        return shape
    if "$ref" in shape:
        # The field already contains the description of its class.
        named = {**known[shape["$ref"].rsplit("/", 1)[-1]]}
        named.pop("description", None)
        return _plain({**named, **{key: value for key, value in shape.items() if key != "$ref"}}, known)
    return {
        key: {name: _plain(one, known) for name, one in value.items()}
        if key == "properties"
        else _plain(value, known)
        for key, value in shape.items()
        if not (key == "title" and isinstance(value, str))
    }


def _short(shape: Any) -> Any:
    """Return a shorter schema: "null" as one of the types, no defaults of optional fields."""
    if isinstance(shape, list):
        return [_short(one) for one in shape]
    if not isinstance(shape, dict):
        return shape
    shape = {name: _short(one) for name, one in shape.items() if not (name == "default" and not one)}
    match shape.get("anyOf"):
        case [{"type": str(kind)} as own, {"type": "null"}]:
            values = {"enum": [*own["enum"], None]} if "enum" in own else {}
            del shape["anyOf"]
            return {**own, "type": [kind, "null"], **values, **shape}
    return shape


# Generate the documentation of all tools: ``python -m ui.tools.schemas``.


def reference() -> str:
    """Return all tools with their arguments and answers, as Markdown."""
    return "\n".join(line for verb in all_tools() for line in _section(verb))


def _section(verb: Verb) -> Iterator[str]:
    hints = "adds something" if verb.changes else "changes nothing"
    yield f"### {verb.tool.name}"
    yield ""
    yield f"*{verb.tool.title}; {hints}.* {verb.tool.meaning}"
    yield ""
    yield "| argument | type | default | meaning |"
    yield "|---|---|---|---|"
    required = {name for name, field in verb.request.model_fields.items() if field.is_required()}
    for name, shape in arguments_of(verb.request).items():
        default = "(has to be given)" if name in required else _value(shape.get("default"))
        yield f"| `{name}` | {_type(name, shape)} | {default} | {shape['description']} |"
    yield ""
    fields = verb.tool.response.model_json_schema(mode="serialization")["properties"]
    yield f"Gives: {', '.join(f'`{name}`' for name in fields)}."
    yield ""


def _type(name: str, shape: dict[str, Any]) -> str:
    if name == SETTINGS:
        return "object"
    shapes = [one for one in shape.get("anyOf", [shape]) if one.get("type") != "null"]
    own = shapes[0]
    if "enum" in own:
        return ", ".join(f"`{value}`" for value in own["enum"] if value)
    if own["type"] == "array":
        return "list of texts"
    kinds = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    return "day" if own.get("format") == "date" else kinds[own["type"]]


def _value(default: Any) -> str:
    return "null" if default is None else "empty" if default in ("", []) else f"`{str(default).lower()}`"


if __name__ == "__main__":
    print(reference())

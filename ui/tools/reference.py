"""Generate the documentation of all tools: ``python -m ui.tools.reference``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.verbs import all_tools
from engine.verbs.verb import Verb
from ui.tools.schemas import SETTINGS, arguments_of


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

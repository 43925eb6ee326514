"""The settings of a case as one argument of the endpoints and tools: its schema, made from their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.language.embedders.loading import model_name
from ui.controls import LINES, NAMES, RERANKER, Knob, knobs
from ui.rerankers import offered

Schema = dict[str, Any]
NULL: Schema = {"type": "null"}


def settings_schema() -> Schema:
    """The JSON schema of an object that changes single settings of a preset.

    Some clients of tools (MCP) hold what they send to a schema and do not say which field is wrong: any
    object passes it, and what is wrong in one is refused here by name.
    """
    exact = {"type": "object", "properties": {knob.name: _schema(knob) for knob in knobs()}}
    return {"anyOf": [exact, {"type": "object"}, NULL]}


def _schema(knob: Knob) -> Schema:
    shape = _shape(knob)
    told = {"title": knob.label, "description": f"{knob.meaning} Unit: {knob.unit}."}
    return {"anyOf": [shape, NULL], **told} if knob.optional else {**shape, **told}


def _shape(knob: Knob) -> Schema:
    if knob.name == RERANKER:
        return {"type": "string", "enum": [model_name(spec) for spec in offered()]}
    if knob.kind in (NAMES, LINES):
        among = {"enum": list(knob.choices)} if knob.choices else {}
        return {"type": "array", "items": {"type": "string", **among}}
    if knob.kind == "choice":
        return {"type": "string", "enum": list(knob.choices)}
    if knob.kind == "date":
        return {"type": "string", "format": "date"}
    bounds: Mapping[str, float | None] = {"minimum": knob.low, "maximum": knob.high}
    return {"type": knob.kind, **{name: value for name, value in bounds.items() if value is not None}}

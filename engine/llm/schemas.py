"""A pydantic schema as servers want it, and as a model reads it in words."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel

# What strict structured output knows (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas);
# the rest is told in words and checked by pydantic.
STRICT_KEYS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "$defs"),
        *("enum", "const", "description", "minimum", "maximum", "minItems", "maxItems", "pattern"),
    }
)
TOLD_KEYS = STRICT_KEYS | {"minLength", "maxLength"}


@lru_cache(maxsize=64)
def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema for strict output: every property required, no others, known keywords only."""
    from openai import pydantic_function_tool

    made: Any = pydantic_function_tool(schema)["function"]["parameters"]
    stripped: dict[str, Any] = _stripped(made)
    return stripped


@lru_cache(maxsize=64)
def schema_text(schema: type[BaseModel]) -> str:
    """The schema for the instructions: as JSON schema, without what only programs read."""
    return orjson.dumps(_stripped(schema.model_json_schema(), TOLD_KEYS)).decode()


def _stripped(node: Any, known: frozenset[str] = STRICT_KEYS) -> Any:
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key not in known:
            continue
        if key in ("properties", "$defs"):
            kept[key] = {name: _stripped(inner, known) for name, inner in value.items()}
        elif key == "anyOf":
            kept[key] = [_stripped(inner, known) for inner in value]
        else:
            kept[key] = _stripped(value, known)
    return kept

"""A language model that fills every schema with words of its prompt, and what it was sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import Any

from tests.engine.extraction.readers import honest
from tests.engine.llm.server import Asked, ScriptedServer


def model_outputs(run: Callable[[str], Iterator[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """What some commands print, run with the spec of the model, and each different prompt."""
    with ScriptedServer(filled) as server:
        yield from run(server.spec)
    prompts = {f"{asked.task}\n{asked.system}\n{asked.user}": asked for asked in server.requests}
    for number, text in enumerate(sorted(re.sub(r"\b[0-9a-f]{16,}\b", "MARK", one) for one in prompts)):
        yield f"prompt {number}", text


def filled(asked: Asked) -> Any:
    """An instance of the schema that was sent: a sentence of the data for a text, the first of a choice."""
    if "known concepts" in asked.data:
        return honest(asked)
    passages = [text for name, text in asked.data.items() if name.startswith("passage")]
    texts = passages or [*asked.data.values()]
    sentences = [
        line
        for text in texts
        for line in re.split(r"(?<=[.?])\s+|\n", text)
        if len(line) > 40 and not line.startswith("source:")
    ]
    schema = asked.schema or {}
    return _fill(schema, schema.get("$defs", {}), cycle(sentences or ["words"]))


def _fill(schema: Mapping[str, Any], known: Mapping[str, Any], texts: Iterator[str]) -> Any:
    if "$ref" in schema:
        return _fill(known[schema["$ref"].rpartition("/")[2]], known, texts)
    for several in ("anyOf", "allOf", "oneOf"):
        if several in schema:
            return _fill(schema[several][0], known, texts)
    if "enum" in schema or "const" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    match schema.get("type"):
        case "object":
            return {name: _fill(one, known, texts) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [_fill(schema["items"], known, texts) for _ in range(max(1, schema.get("minItems", 0)))]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return next(texts)[: schema.get("maxLength", 200)]

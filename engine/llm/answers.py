"""From what a model wrote to a checked value: JSON as it is, or JSON found in text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from pydantic import ValidationError

from engine.llm.base import Answer

# Some reasoning models think aloud before they answer.
THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.S | re.I)
# Errors of pydantic about what strict schemas rule out.
SHAPE = frozenset(
    {
        *("json_invalid", "missing", "extra_forbidden", "string_type", "int_type", "float_type", "bool_type"),
        *(
            "list_type",
            "dict_type",
            "model_type",
            "model_attributes_type",
            "literal_error",
            "enum",
            "none_required",
        ),
    }
)
MOST_STARTS = 50
MOST_ERRORS, LONGEST_ERROR = 8, 300


@dataclass(frozen=True, slots=True)
class Fitting(Generic[Answer]):
    """A value that fits. ``pure``: the answer was JSON and nothing else."""

    value: Answer
    pure: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why there is no value, for the person and for the repair. ``formed``: it was JSON.
    ``shape``: and not of the schema's shape, which a server that keeps to schemas cannot send."""

    reason: str
    formed: bool
    shape: bool = True


def read_answer(content: str, schema: type[Answer]) -> Fitting[Answer] | Unfit:
    """The value in a model's answer."""
    text = THOUGHTS.sub("", content).strip()
    try:
        return Fitting(schema.model_validate_json(text), pure=text == content.strip())
    except ValidationError as error:
        problem = error
    formed = not _syntax(problem)
    for candidate in () if formed and text.startswith("{") else _objects(text):
        try:
            return Fitting(schema.model_validate_json(candidate), pure=False)
        except ValidationError as error:
            if not _syntax(error):
                problem = error
    return Unfit(_told(problem), formed, bool(_kinds(problem) & SHAPE))


def _kinds(error: ValidationError) -> set[str]:
    return {item["type"] for item in error.errors(include_url=False, include_context=False)}


def _syntax(error: ValidationError) -> bool:
    return "json_invalid" in _kinds(error)


def _objects(text: str) -> Iterator[str]:
    """JSON objects in a text, the last first: a model that thinks aloud ends with its answer."""
    decoder, found, at = json.JSONDecoder(), [], 0
    for _ in range(MOST_STARTS):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        found.append(text[at:end])
        at = end
    return reversed(found)


def _told(error: ValidationError) -> str:
    """What is wrong, one clause for each place. The input is not repeated: the repair shows it."""
    listed = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:MOST_ERRORS]:
        where = ".".join(map(str, item["loc"])) or "answer"
        listed.append(f"{where}: {item['msg']}"[:LONGEST_ERROR])
    return "; ".join(listed)

"""Verdicts as assessments of MLflow, an object a line, in the words of its JSON
(``mlflow.entities.Assessment``, https://mlflow.org/docs/latest/genai/concepts/trace/feedback/).

What is said of a passage, a hop or a sentence is feedback on a trace, which is the case. The note is the
rationale; what else is known of the item stands in ``metadata``, whose values are all texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import orjson
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from engine.errors import SourceError
from engine.review.exchange.drafts import Draft, draft, item_fields, refused, said_fields
from engine.review.exchange.format import Format
from engine.review.exchange.reading import MOST, json_lines
from engine.review.model import Assessment, ItemKind, SourceType, standing

NAMES: Final[Mapping[ItemKind, str]] = {
    ItemKind.PASSAGE: "passage_relevance",
    ItemKind.HOP: "hop_correctness",
    ItemKind.SENTENCE: "sentence_support",
}
_KINDS: Final = {name: kind for kind, name in NAMES.items()}
# What MLflow has fields for.
_ELSEWHERE: Final = frozenset(("case_id", "reviewer", "source", "at", "note"))
# A judge that is a language model is a program.
_SOURCES: Final = {
    "HUMAN": SourceType.HUMAN,
    "CODE": SourceType.CODE,
    "LLM_JUDGE": SourceType.CODE,
    "AI_JUDGE": SourceType.CODE,
}


class _Source(BaseModel):
    source_type: Literal["HUMAN", "CODE", "LLM_JUDGE", "AI_JUDGE"] = "HUMAN"
    source_id: str = ""


class _Value(BaseModel):
    value: str


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = Field(validation_alias=AliasChoices("assessment_name", "name"))
    trace_id: str = ""
    source: _Source = _Source()
    create_time: str = ""
    feedback: _Value | None = None
    expectation: _Value | None = None
    rationale: str | None = None
    metadata: dict[str, str] | None = None
    valid: bool = True


def write(assessments: Iterable[Assessment]) -> bytes:
    """An object a line; nothing where nobody has judged anything."""
    return b"".join(
        orjson.dumps(_line(one), option=orjson.OPT_APPEND_NEWLINE) for one in standing(assessments)
    )


def read(path: Path, most: int = MOST) -> list[Draft]:
    """The verdicts of a file, of feedback and of expectations; what a later one has replaced (``valid`` is
    false) is left out. Raises SourceError naming the line."""
    return [
        _draft(line, where)
        for where, values in json_lines(path, most)
        if (line := _checked(values, where)).valid
    ]


def _line(one: Assessment) -> dict[str, Any]:
    known = {**item_fields(one.item, one.question), **said_fields(one)}
    return {
        "assessment_name": NAMES[one.item.kind],
        "trace_id": one.item.case_id,
        "source": {"source_type": one.source.value.upper(), "source_id": one.reviewer},
        "create_time": one.at,
        "last_update_time": one.at,
        "feedback": {"value": one.verdict.value},
        "rationale": one.note,
        "metadata": {
            name: str(value)
            for name, value in known.items()
            if name not in _ELSEWHERE and value not in ("", None)
        },
        "valid": True,
    }


def _checked(values: Mapping[str, Any], where: str) -> _Line:
    try:
        return _Line.model_validate(values)
    except ValidationError as error:
        raise refused(where, error) from error


def _draft(line: _Line, where: str) -> Draft:
    kind = _KINDS.get(line.name)
    if kind is None:
        raise SourceError(f"{where}: unknown assessment {line.name!r}; known: {', '.join(_KINDS)}")
    value = line.feedback or line.expectation
    if value is None:
        raise SourceError(f"{where}: neither feedback nor an expectation")
    fields = {
        **(line.metadata or {}),
        "kind": kind.value,
        "case_id": line.trace_id,
        "verdict": value.value,
        "note": line.rationale,
        "reviewer": line.source.source_id,
        "source": _SOURCES[line.source.source_type].value,
        "at": line.create_time,
    }
    return draft(fields, where)


FORMAT = Format(
    "jsonl",
    "Assessments (MLflow, JSON lines)",
    "MLflow and programs that read its assessments: an object for each verdict",
    ".jsonl",
    "application/x-ndjson",
    read,
    write,
)

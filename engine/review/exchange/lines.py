"""Verdicts as JSON lines: one object for each verdict, with the fields of the CSV table that have a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from engine.errors import SourceError
from engine.review.exchange.drafts import MOST, Draft, Format, draft, json_lines, verdict_fields
from engine.review.model import Assessment, current_assessments

# Version 0.1 wrote assessments of MLflow, with these names for kinds of items.
_KINDS: Final = {"passage_relevance": "passage", "hop_correctness": "hop", "sentence_support": "sentence"}


def write(assessments: Iterable[Assessment]) -> bytes:
    """Return one object per current verdict and line; no bytes if there are no verdicts."""
    return b"".join(
        orjson.dumps(_values(one), option=orjson.OPT_APPEND_NEWLINE)
        for one in current_assessments(assessments)
    )


def read(path: Path, most: int = MOST) -> list[Draft]:
    """Return the verdicts of a file; unknown fields are ignored. Raises SourceError naming the line."""
    return [draft(_fields(values, where), where) for where, values in json_lines(path, most)]


def _values(one: Assessment) -> dict[str, Any]:
    return {name: value for name, value in verdict_fields(one).items() if value not in ("", None)}


def _fields(values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return the fields of a line, also of one that version 0.1 wrote."""
    if "assessment_name" not in values:
        return values
    try:
        return {
            **(values.get("metadata") or {}),
            "kind": _KINDS[values["assessment_name"]],
            "case_id": values["trace_id"],
            "verdict": values["feedback"]["value"],
            "note": values.get("rationale"),
            "reviewer": values["source"]["source_id"],
            "source": values["source"]["source_type"].lower(),
            "at": values["create_time"],
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceError(f"{where}: not an assessment that version 0.1 wrote ({error!r})") from error


FORMAT = Format(
    "jsonl",
    "JSON lines",
    "programs: an object for each verdict, with the fields of the table",
    ".jsonl",
    "application/x-ndjson",
    read,
    write,
)

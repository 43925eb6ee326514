"""Verdicts as doccano exports a project of text classification: an object a line, with ``text``, the list
``label`` and the list ``Comments`` (https://github.com/doccano/doccano, backend/data_export); what else
stands in a line is what doccano was given with the text.

doccano has no field for who labelled: it writes a file for each person, named after them, or one of all
(``all.jsonl``). Ours name the reviewer in the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from engine.errors import SourceError
from engine.review.exchange.drafts import Draft, draft, item_fields, said_fields
from engine.review.exchange.format import Format
from engine.review.exchange.reading import MOST, json_lines
from engine.review.model import Assessment, standing

COMMENTS: Final = "Comments"
_OF_ALL: Final = "all"


def write(assessments: Iterable[Assessment]) -> bytes:
    """A line for each verdict; nothing where there is none."""
    return b"".join(
        orjson.dumps(_line(one, number), option=orjson.OPT_APPEND_NEWLINE)
        for number, one in enumerate(standing(assessments), 1)
    )


def read(path: Path, most: int = MOST) -> list[Draft]:
    """The verdicts of a file; a line without a label is left out. Whose a line is says its ``reviewer`` (in
    older versions of doccano ``username``), else the name of the file. Raises SourceError naming the line."""
    owner = "" if path.stem == _OF_ALL else path.stem
    return [
        draft(_fields(values, labels[0], owner), where)
        for where, values in json_lines(path, most)
        if (labels := _labels(values, where))
    ]


def _line(one: Assessment, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "text": one.item.text,
        "label": [one.verdict.value],
        COMMENTS: [one.note] if one.note else [],
        **item_fields(one.item, one.question),
        **{name: value for name, value in said_fields(one).items() if name != "note"},
    }


def _labels(values: Mapping[str, Any], where: str) -> list[Any]:
    labels = values.get("label", values.get("labels"))
    if not isinstance(labels, list) or len(labels) > 1:
        raise SourceError(f"{where}: label: a list of at most one verdict is expected")
    return labels


def _fields(values: Mapping[str, Any], label: Any, owner: str) -> dict[str, Any]:
    comments = values.get(COMMENTS)
    note = "\n".join(map(str, comments)) if isinstance(comments, list) else comments
    reviewer = values.get("reviewer", values.get("username", owner))
    return {**values, "verdict": label, "note": note, "reviewer": reviewer}


FORMAT = Format(
    "doccano",
    "Labelled texts of doccano (JSON lines)",
    "doccano: a line for each verdict, which is its label",
    ".jsonl",
    "application/x-ndjson",
    read,
    write,
)

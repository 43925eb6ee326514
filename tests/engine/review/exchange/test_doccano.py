"""Lines as doccano exports them, and ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import SourceError
from engine.review.exchange.doccano import read, write
from tests.engine.review.judged import R, passage, said

LINE: dict[str, Any] = {
    "id": 20,
    "text": "Words",
    "label": ["partly"],
    "Comments": ["first", "second"],
    "passage_id": "p",
}


def file(folder: Path, *lines: dict[str, Any], name: str = "all") -> Path:
    """A file of these lines."""
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_line_has_text_label_and_comments() -> None:
    one = replace(said(replace(passage("p"), text="The manager signs."), R), note="names the office")
    line = json.loads(write([one]))
    assert (line["id"], line["text"], line["label"]) == (1, "The manager signs.", ["relevant"])
    assert (line["Comments"], line["reviewer"], line["passage_id"]) == (["names the office"], "anna", "p")


def test_a_file_is_that_of_a_person_or_of_all(tmp_path: Path) -> None:
    unlabelled, named = {**LINE, "label": []}, {**LINE, "username": "cem", "Comments": []}
    found = read(file(tmp_path, LINE, unlabelled, named, name="ben"))
    assert [(one.verdict.value, one.reviewer, one.note) for one in found] == [
        ("partly", "ben", "first\nsecond"),
        ("partly", "cem", ""),
    ]
    assert [one.reviewer for one in read(file(tmp_path, LINE))] == [""]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"label": ["partly", "relevant"]}, "label: a list of at most one verdict"),
        ({"label": "partly"}, "label: a list of at most one verdict"),
        ({"label": ["Recht"]}, "unknown verdict 'Recht' of a passage; known: 'relevant'"),
        ({"label": [[0, 3, "partly"]]}, "verdict: Input should be a valid string"),
        ({"passage_id": None}, "names no item"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"all.jsonl, line 2: {reason}"):
        read(file(tmp_path, LINE, {**LINE, **fields}))

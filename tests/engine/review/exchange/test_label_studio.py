"""Tasks as Label Studio exports them, and ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from engine.errors import SourceError
from engine.review.exchange.label_studio import CONFIGURATION, NOTE, REASON, TEXT, VERDICT, read, write
from engine.review.model import ItemKind, SourceType
from engine.review.ratings import SCALES
from tests.engine.review.judged import AT, N, P, R, passage, said


def choice(word: str, name: str = VERDICT) -> dict[str, Any]:
    """What was chosen in a control."""
    return {
        "id": "x",
        "from_name": name,
        "to_name": TEXT,
        "type": "choices",
        "origin": "manual",
        "value": {"choices": [word]},
    }


def task(*annotations: dict[str, Any], **data: object) -> dict[str, Any]:
    """A task as it is exported, with fields that are not read."""
    return {
        "id": 41,
        "data": {"passage_id": "p", "text": "Words", **data},
        "annotations": [*annotations],
        "predictions": [],
        "project": 3,
    }


def annotation(*result: dict[str, Any], **fields: object) -> dict[str, Any]:
    """An annotation of user 10."""
    return {
        "id": 7,
        "completed_by": 10,
        "created_at": "2026-11-26T08:00:00.000000Z",
        "result": [*result],
        **fields,
    }


def file(folder: Path, tasks: object) -> Path:
    """A file of these tasks."""
    path = folder / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def test_a_task_for_an_item_and_an_annotation_for_a_person() -> None:
    item = replace(passage("p"), text="The manager signs.")
    ben = replace(said(item, N, "ben", 2), reason="other law", note="repealed", seconds=4.0)
    first, second = json.loads(write([said(item, R), ben, said(passage("q"), R, number=3)]))
    assert (first["id"], first["data"]["text"], first["data"]["key"]) == (1, "The manager signs.", "p")
    assert [len(one["annotations"]) for one in (first, second)] == [1 + 1, 1]
    told = first["annotations"][1]
    assert (told["completed_by"], told["created_at"], told["lead_time"]) == ({"email": "ben"}, AT, 4.0)
    assert [(one["from_name"], one["value"]) for one in told["result"]] == [
        (VERDICT, {"choices": ["not relevant"]}),
        (REASON, {"text": ["other law"]}),
        (NOTE, {"text": ["repealed"]}),
    ]


def test_what_a_program_says_is_a_prediction(tmp_path: Path) -> None:
    (written,) = json.loads(write([replace(said(passage("p"), N, "rule 7"), source=SourceType.CODE)]))
    assert written["annotations"] == []
    (told,) = written["predictions"]
    assert (told["model_version"], told["result"][0]["value"]) == ("rule 7", {"choices": ["not relevant"]})
    foreign = {**task(), "predictions": [{"result": [choice("partly")], "score": 0.9}]}
    (found,) = read(file(tmp_path, [foreign]))
    assert (found.verdict, found.reviewer, found.source) == (P, "", SourceType.CODE)


@pytest.mark.parametrize("kind", ItemKind)
def test_the_configuration_has_all_verdicts_and_the_names_of_the_result(kind: ItemKind) -> None:
    tree = etree.fromstring(CONFIGURATION[kind])
    assert [one.get("value") for one in tree.iter("Choice")] == [one.value for one in SCALES[kind]]
    controls = {one.get("name"): one.get("toName") for one in tree if one.get("toName")}
    assert controls == {VERDICT: TEXT, REASON: TEXT, NOTE: TEXT}


def test_what_label_studio_exports_is_read(tmp_path: Path) -> None:
    texts = {"type": "textarea", "from_name": NOTE, "to_name": TEXT, "value": {"text": ["first", "second"]}}
    tasks = [
        task(annotation(choice("Relevant"), texts), annotation(was_cancelled=True)),
        task(),
        task(
            annotation(choice("right", "hop_verdict"), completed_by={"id": 2, "email": "ben@example.org"}),
            annotation(choice("useless", "other"), choice("right"), completed_by=None, created_at=None),
            kind="hop",
        ),
    ]
    found = read(file(tmp_path, tasks))
    assert [(one.verdict.value, one.reviewer, one.at, one.note) for one in found] == [
        ("relevant", "10", AT, "first\nsecond"),
        ("right", "ben@example.org", AT, ""),
        ("right", "", "", ""),
    ]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (task(annotation(choice("good"))), "unknown verdict 'good' of a passage; known: 'relevant'"),
        (task(annotation()), "0 choices where a verdict is one"),
        (task(annotation(choice("relevant"), choice("partly"))), "2 choices where a verdict is one"),
        (task(annotation(choice("relevant")), passage_id=None), "names no item"),
        (task(annotation({"type": "choices", "value": 3})), "annotations.0.result.0.value: Input should be"),
        ({"annotations": []}, "data: Field required"),
        (3, "Input should be a valid dictionary"),
    ],
)
def test_what_cannot_be_read_is_named(second: object, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"tasks.json, task 2: {reason}"):
        read(file(tmp_path, [task(annotation(choice("relevant"))), second]))


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no list of tasks, as Label Studio exports them"):
        read(file(tmp_path, {"tasks": []}))

"""Verdicts as annotated tasks of Label Studio (https://labelstud.io/guide/task_format): a task for each item,
an annotation for each person, a prediction for each program, with the verdict as a choice and reason and note
as texts. What ended a disagreement is a ground truth. Where the words of an item have changed between two
verdicts it is two tasks.

A project that takes them in needs a labelling configuration with the names below (``CONFIGURATION``). Label
Studio knows people by their e-mail addresses: it takes annotations of others only where it is set to
(``ALLOW_IMPORT_TASKS_WITH_UNKNOWN_EMAILS``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from engine.errors import SourceError
from engine.review.exchange.drafts import Draft, draft, item_fields, refused
from engine.review.exchange.format import Format
from engine.review.exchange.reading import MOST, bounded, json_in
from engine.review.model import Assessment, ItemKind, SourceType, standing
from engine.review.ratings import SCALES

VERDICT, REASON, NOTE, TEXT = "verdict", "reason", "note", "text"
CONFIGURATION: Final[Mapping[ItemKind, str]] = {
    kind: f'<View><Header value="$question"/><Text name="{TEXT}" value="${TEXT}"/>'
    f'<Choices name="{VERDICT}" toName="{TEXT}" choice="single" required="true">'
    + "".join(f'<Choice value="{verdict.value}"/>' for verdict in scale)
    + f'</Choices><TextArea name="{REASON}" toName="{TEXT}"/><TextArea name="{NOTE}" toName="{TEXT}"/></View>'
    for kind, scale in SCALES.items()
}


class _Region(BaseModel):
    model_config = ConfigDict(extra="ignore")

    from_name: str = ""
    type: str = ""
    value: dict[str, Any] = {}


class _Person(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: int | None = None
    email: str = ""


class _Annotation(BaseModel):
    model_config = ConfigDict(extra="ignore")

    result: list[_Region] = []
    completed_by: _Person | int | str | None = None
    created_at: str | None = None
    was_cancelled: bool = False
    lead_time: float | None = None
    ground_truth: bool = False


class _Prediction(BaseModel):
    model_config = ConfigDict(extra="ignore", protected_namespaces=())

    result: list[_Region] = []
    model_version: str | None = None
    created_at: str | None = None


class _Task(BaseModel):
    model_config = ConfigDict(extra="ignore")

    data: dict[str, Any]
    annotations: list[_Annotation] = []
    predictions: list[_Prediction] = []


def write(assessments: Iterable[Assessment]) -> bytes:
    """The tasks, in the order in which their items were first judged; an empty list where none was."""
    tasks: dict[tuple[str, ...], dict[str, Any]] = {}
    for number, one in enumerate(standing(assessments), 1):
        judged = (one.item.case_id, one.item.key, *_state(one).values())
        task = tasks.setdefault(judged, _task(one, len(tasks) + 1))
        if one.source is SourceType.HUMAN:
            task["annotations"].append(_annotation(one, number, task["id"]))
        else:
            task["predictions"].append(_prediction(one, number, task["id"]))
    return orjson.dumps([*tasks.values()], option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read(path: Path, most: int = MOST) -> list[Draft]:
    """The verdicts of an export of tasks with annotations; what nobody has annotated, and what was skipped,
    is left out. Raises SourceError naming the task by its place in the file."""
    tasks = json_in(path)
    if not isinstance(tasks, list):
        raise SourceError(f"{path}: no list of tasks, as Label Studio exports them (JSON)")
    found: list[Draft] = []
    for number, values in enumerate(tasks, 1):
        where = f"{path}, task {number}"
        try:
            task = _Task.model_validate(values)
        except ValidationError as error:
            raise refused(where, error) from error
        made: list[_Annotation | _Prediction] = [one for one in task.annotations if not one.was_cancelled]
        for one in [*made, *task.predictions]:
            bounded(len(found) + 1, path, most)
            found.append(draft({**task.data, **_said(one, where)}, where))
    return found


def _task(one: Assessment, number: int) -> dict[str, Any]:
    data = {**item_fields(one.item, one.question), **_state(one), TEXT: one.item.text}
    return {"id": number, "data": data, "annotations": [], "predictions": []}


def _state(one: Assessment) -> dict[str, str]:
    """Of which words a verdict is."""
    return {"sha256": one.sha256, "fingerprint": one.fingerprint, "engine": one.engine}


def _annotation(one: Assessment, number: int, task: int) -> dict[str, Any]:
    return {
        "id": number,
        "task": task,
        "completed_by": {"email": one.reviewer},
        "created_at": one.at,
        "was_cancelled": False,
        "ground_truth": one.settles,
        "lead_time": one.seconds,
        "result": _result(one, number),
    }


def _prediction(one: Assessment, number: int, task: int) -> dict[str, Any]:
    return {
        "id": number,
        "task": task,
        "model_version": one.reviewer,
        "created_at": one.at,
        "result": _result(one, number),
    }


def _result(one: Assessment, number: int) -> list[dict[str, Any]]:
    texts = ((REASON, one.reason), (NOTE, one.note))
    return [
        _region(number, VERDICT, "choices", one.verdict.value),
        *(_region(number, name, "textarea", words) for name, words in texts if words),
    ]


def _region(number: int, name: str, kind: str, words: str) -> dict[str, Any]:
    field = "choices" if kind == "choices" else "text"
    identity = f"{name}-{number}"
    return {"id": identity, "from_name": name, "to_name": TEXT, "type": kind, "value": {field: [words]}}


def _said(one: _Annotation | _Prediction, where: str) -> dict[str, Any]:
    """The fields of a verdict that an annotation or a prediction has; all of them, so that none is taken from
    the task."""
    if isinstance(one, _Annotation):
        source, reviewer = SourceType.HUMAN, _reviewer(one.completed_by)
        seconds, settles = one.lead_time, one.ground_truth
    else:
        source, reviewer, seconds, settles = SourceType.CODE, one.model_version or "", None, False
    return {
        VERDICT: _choice(one.result, where),
        REASON: _words(one.result, REASON),
        NOTE: _words(one.result, NOTE),
        "reviewer": reviewer,
        "at": one.created_at,
        "source": source.value,
        "seconds": seconds,
        "settles": settles,
    }


def _choice(regions: list[_Region], where: str) -> Any:
    """The one choice that was made: of a control with our name, or of the only one."""
    choices = [region for region in regions if region.type == "choices"]
    ours = [region for region in choices if region.from_name == VERDICT] or choices
    words = [word for region in ours for word in _list(region.value.get("choices"))]
    if len(words) != 1:
        raise SourceError(f"{where}: {len(words)} choices where a verdict is one")
    return words[0]


def _words(regions: list[_Region], name: str) -> str:
    return "\n".join(
        str(text)
        for region in regions
        if region.type == "textarea" and region.from_name == name
        for text in _list(region.value.get("text"))
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _reviewer(person: _Person | int | str | None) -> str:
    if isinstance(person, _Person):
        return person.email or ("" if person.id is None else str(person.id))
    return "" if person is None else str(person)


FORMAT = Format(
    "label-studio",
    "Tasks of Label Studio (JSON)",
    "Label Studio: a task for each item with an annotation for each person",
    ".json",
    "application/json",
    read,
    write,
)

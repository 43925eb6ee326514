"""Each field of each request of a panel, too long or of another type: an error in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tests.ui.raw import API, Answer, Raw
from ui.calls import Call
from ui.cases.panel import CALLS as CASES
from ui.check import CALLS as CHECK
from ui.corpus.panel import CALLS as CORPUS
from ui.evaluation import CALLS as EVALUATION
from ui.models.dialog import CALLS as MODEL
from ui.review.panel import CALLS as REVIEW

PANELS: Mapping[str, Mapping[str, Call[Any, Any]]] = {
    "corpus": CORPUS,
    "check": CHECK,
    "cases": CASES,
    "review": REVIEW,
    "evaluation": EVALUATION,
    "model": MODEL,
}
WRONG_TYPES: tuple[object, ...] = ({"x": ["zebra"]}, [["zebra"]], 1.5e300)
OTHER_BODIES: Mapping[str, Any] = {
    "an unknown field": {"zebra": 1},
    "an unknown action": {"do": "zebra"},
    "a private name": {"do": "__class__"},
    "two actions": {"do": ["offer", "offer"]},
    "too long an action": {"do": "x" * 81},
}


def all_fields(
    form: type[BaseModel], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    for name, field in form.model_fields.items():
        yield (*above, name), field
        annotation = field.annotation
        options = get_args(annotation) if get_origin(annotation) is UnionType else (annotation,)
        for inner in options:
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from all_fields(inner, (*above, name))


def wrong_values(field: FieldInfo) -> Iterator[object]:
    bounds = (getattr(one, "max_length", None) for one in field.metadata)
    longest: int | None = next((bound for bound in bounds if bound is not None), None)
    if field.annotation in (str, str | None):
        assert longest is not None, "a text without a bound"
        yield "x" * (longest + 1)
    elif longest is not None:
        yield [1] * (longest + 1) if longest < 2500 else ["x"] * 2600
    if field.annotation in (int, int | None, float, float | None):
        yield from ("zebra", "inf")
    yield from (
        one for one in WRONG_TYPES if not isinstance(one, dict) or "dict" not in str(field.annotation)
    )


def assert_errors(raw: Raw, panel: str, bodies: Iterable[dict[str, Any]]) -> None:
    sent = {"component_id": raw.component(panel), "fn_name": panel, "session_hash": "fields"}
    for body in bodies:
        answer = raw.post(f"{API}/component_server/", {"data": body, **sent})
        assert_is_an_error(body, answer)


def assert_is_an_error(body: dict[str, Any], answer: Answer) -> None:
    assert answer.status == 200 or 400 <= answer.status < 500, (body, answer)
    if answer.status == 200:
        error = answer.json.get("error")
        assert error, (body, answer.body[:200])
        assert "\n" not in error


def wrong_bodies(panel: str) -> Iterator[dict[str, Any]]:
    # A form that several calls share, and a field that several forms have, is tried once.
    tried: set[tuple[object, ...]] = set()
    for do, call in PANELS[panel].items():
        for path, field in all_fields(call.form):
            if "do" in path or (path, str(field)) in tried:
                continue
            tried.add((path, str(field)))
            for value in wrong_values(field):
                body = {path[-1]: value}
                for name in reversed(path[:-1]):
                    body = {name: body}
                yield {"do": do, **body}
        yield from ({"do": do, **body} for body in OTHER_BODIES.values())
    yield {}


@pytest.mark.slow
@pytest.mark.parametrize("panel", PANELS)
def test_a_wrong_request_of_a_panel_is_an_error(raw: Raw, panel: str) -> None:
    assert_errors(raw, panel, wrong_bodies(panel))

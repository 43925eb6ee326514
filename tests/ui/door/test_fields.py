"""Each field of each request of a panel, too long or of another type: an error in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tests.ui.raw import API, Answer, Raw
from ui.cases.desk import Ask as Listing
from ui.check.checking import Ask as Checking
from ui.connecting import Ask as Connecting
from ui.corpus.desk import Ask as Reading
from ui.evaluate.evaluating import Ask as Evaluating
from ui.review.desk import Ask as Reviewing

# The form of each panel, and an action that every visitor may take.
PANELS: Mapping[str, tuple[type[BaseModel], str]] = {
    "corpus": (Reading, "shelf"),
    "check": (Checking, "offer"),
    "cases": (Listing, "records"),
    "review": (Reviewing, "home"),
    "evaluation": (Evaluating, "offer"),
    "model": (Connecting, "state"),
}
WRONG_TYPES: tuple[object, ...] = ({"x": ["zebra"]}, [["zebra"]], 1.5e300)
# The server fills these itself, whatever is sent.
OWN = frozenset({"address", "role", "reviewer"})
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
    form, do = PANELS[panel]
    for path, field in all_fields(form):
        if "do" in path or path[0] in OWN:
            continue
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

"""Every field of every request: too long, of another type, unknown; endpoints past their bounds or past the
queue; models that nobody offers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchmarks.attacks.http.raw import API, Answer, stranger
from benchmarks.attacks.http.target import (
    ATTACKER,
    REFUSED,
    VICTIMS,
    WORD,
    Ask,
    Attack,
    Classes,
    Target,
    call,
    said_error,
    typed,
)
from ui.cases.asked import Ask as Listing
from ui.check.asked import Ask as Checking
from ui.connecting import Ask as Connecting
from ui.corpus.desk import Ask as Reading
from ui.evaluate.asked import Ask as Evaluating
from ui.review.asked import Ask as Reviewing

# The panels' forms, with something to do that every visitor may.
PANELS: Mapping[str, tuple[type[BaseModel], str]] = {
    "corpus": (Reading, "shelf"),
    "check": (Checking, "offer"),
    "cases": (Listing, "records"),
    "review": (Reviewing, "home"),
    "evaluation": (Evaluating, "offer"),
    "model": (Connecting, "state"),
}
WRONG_TYPES: tuple[object, ...] = ({"x": [WORD]}, [[WORD]], 1.5e300)
TAKEN = REFUSED | {200}
# What the server puts in, whatever is sent.
OWN = frozenset({"address", "role", "reviewer"})
SPECS = (
    "openai:m@http://127.0.0.1:9/v1",
    "openai:m@https://169.254.169.254/v1",
    "openai:m",
    "openai:m@file:///etc",
    "st:/etc",
    "st:../../etc",
    "st:sentence-transformers/all-MiniLM-L6-v2",
    "minilm?x=1",
    "Minilm",
    "none\n",
    "none minilm",
    "\x00",
    "../none",
    "minilm\u200b",
    "ours=openai:m@http://127.0.0.1:9/v1",
)


def classes() -> Classes:
    """The attacks, by their class."""
    return {
        "fields of panels": list(_fields()),
        "fields of endpoints": list(_endpoints()),
        "the queue passed by": list(_past_the_queue()),
        "models nobody offers": list(_models()),
    }


def _fields() -> Iterator[Attack]:
    for panel, (form, do) in PANELS.items():
        for path, field in _all_fields(form):
            if "do" in path:
                continue
            for name, value in _values(field):
                sent = _placed(path, value)
                about = f"{panel}: {'.'.join(path)} {name}"
                yield Attack(about, _panel(panel, {"do": do, **sent}), TAKEN, _refused(path[0], name))
        for name, body in {
            "an unknown field": {"do": do, WORD: 1},
            "an unknown request": {"do": WORD},
            "nothing to do": {},
            "a private request": {"do": "__class__"},
            "two to do": {"do": [do, do]},
            "NUL to do": {"do": f"{do}\0"},
            "too long to do": {"do": "x" * 81},
        }.items():
            yield Attack(f"{panel}: {name}", _panel(panel, body), TAKEN, said_error)
    for role in ("operator", "reviewer", "OPERATOR"):
        for do in ("delete", "remove", "areas-save", "decide"):
            forged = {"do": do, "role": role, "corpus": "Act", "visitor": ATTACKER, "address": "127.0.0.1"}
            yield Attack(f"{do} as {role}", _panel("corpus", forged), TAKEN, said_error)
    for do in ("overview", "documents", "piece", "report", "delete", "add", "remove", "statistics"):
        for visitor in ("", ATTACKER, "../" * 8, "V" * 32, "v" * 31, "*" * 32):
            asked = {"do": do, "corpus": VICTIMS, "visitor": visitor}
            yield Attack(
                f"{do} of another's corpus as {visitor[:8]!r}", _panel("corpus", asked), TAKEN, said_error
            )


def _all_fields(
    form: type[BaseModel], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    for name, field in form.model_fields.items():
        inner = _model_in(field.annotation)
        yield (*above, name), field
        if inner is not None:
            yield from _all_fields(inner, (*above, name))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The form inside a field that is one or may be."""
    options = get_args(annotation) if get_origin(annotation) is UnionType else (annotation,)
    return next((one for one in options if isinstance(one, type) and issubclass(one, BaseModel)), None)


def _values(field: FieldInfo) -> Iterator[tuple[str, object]]:
    bounds = (getattr(one, "max_length", None) for one in field.metadata)
    longest: int | None = next((bound for bound in bounds if bound is not None), None)
    if field.annotation in (str, str | None):
        assert longest is not None, "a text without a bound"
        yield "too long", "x" * (longest + 1)
        yield "with NUL", f"{WORD}\0"
    elif longest is not None:
        # Of a list or a mapping: what stands in it is of no type that is taken, and there is too much of it.
        yield "too many", [1] * (longest + 1) if longest < 2500 else ["x"] * 2600
    if field.annotation in (int, int | None, float, float | None):
        yield from (("negative", -1), ("huge", 10**18), ("of no number", WORD), ("infinite", "inf"))
    for value in WRONG_TYPES:
        if isinstance(value, dict) and "dict" in str(field.annotation):
            continue
        yield f"as {type(value).__name__}", value


def _refused(field: str, name: str) -> Any:
    """What has to be an error: everything but numbers and texts that may be meant so."""
    # How many rounds there may be is asked where settings are made of them.
    if name in ("huge", "with NUL") or field in OWN or (field, name) == ("chosen", "negative"):
        return lambda answer: ""
    return said_error


def _placed(path: tuple[str, ...], value: object) -> dict[str, object]:
    for name in reversed(path):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def _panel(name: str, data: object) -> Ask:
    return lambda target: target.panel(name, data)


def _endpoints() -> Iterator[Attack]:
    who, none = "Who may act?", [None] * 4
    many = dict.fromkeys(map(str, range(300)))
    for endpoint, name, data in (
        ("investigate", "a question too long", ["x" * 4001]),
        ("investigate", "no question", ["  "]),
        ("investigate", "a question that is a list", [[who]]),
        ("investigate", "an unknown corpus", [who, WORD]),
        ("investigate", "another's corpus", [who, VICTIMS]),
        ("investigate", "a corpus that climbs", [who, "../.."]),
        ("investigate", "a corpus too long", [who, "x" * 201]),
        ("investigate", "an unknown preset", [who, "", WORD]),
        ("investigate", "101 strategies", [who, "", "quick", ["citations"] * 101]),
        ("investigate", "no strategy", [who, "", "quick", []]),
        ("investigate", "an unknown strategy", [who, "", "quick", [WORD]]),
        ("investigate", "a strategy too long", [who, "", "quick", ["x" * 81]]),
        ("investigate", "a million rounds", [who, "", "quick", None, 10**6]),
        ("investigate", "rounds of no number", [who, "", "quick", None, WORD]),
        ("investigate", "a negative pool", [who, "", "quick", None, None, -1]),
        ("investigate", "a huge pool", [who, "", "quick", None, None, 10**12]),
        ("investigate", "top of all", [who, "", "quick", None, None, None, 10**9]),
        ("investigate", "the operator's model", [who, "", "quick", *none, True]),
        ("investigate", "settings that are a list", [who, "", "quick", *none, False, [WORD]]),
        ("investigate", "a setting that is none", [who, "", "quick", *none, False, {WORD: 1}]),
        ("investigate", "a folder as reranker", [who, "", "quick", *none, False, {"reranker": "ce:/etc"}]),
        ("investigate", "a pool beyond all", [who, "", "quick", *none, False, {"pool_size": 10**9}]),
        (
            "investigate",
            "300 settings",
            [who, "", "quick", *none, False, many],
        ),
        ("answer", "a question too long", ["x" * 4001]),
        ("answer", "a model's address", [who, "", "quick", False, {"llm": "openai:m@http://10.0.0.1"}]),
        ("answer", "another's corpus", [who, VICTIMS]),
        ("answer", "the operator's model", [who, "", "quick", True]),
        ("answer", "a preset as list", [who, "", ["quick"]]),
        ("audit", "a text too long", ["The fee is due. " * 3751]),
        ("audit", "another's corpus", ["x", VICTIMS]),
        ("audit", "a day that is none", ["The fee is due.", "", "2024-13-45"]),
        ("audit", "a grade of 2", ["The fee is due.", "", "", 2]),
        ("audit", "a text that is a list", [["x"]]),
        ("audit", "a grade as text", ["The fee is due.", "", "", WORD]),
    ):
        yield Attack(f"{endpoint}: {name}", _called(endpoint, data), TAKEN, _no_result)


def _called(endpoint: str, data: list[Any]) -> Ask:
    """The end of the stream that a call brings."""

    def ask(target: Target) -> Answer:
        here, path = stranger("127"), f"{API}/call/{endpoint}"
        begun = target.raw.ask("POST", path, typed(), call(*data), forwarded=here)
        if begun.status != 200:
            return begun
        return target.raw.stream(f"{path}/{begun.json['event_id']}", forwarded=here)

    return ask


def _no_result(answer: Answer) -> str:
    if answer.status != 200 or b"event: error" in answer.body:
        return ""
    return f"was taken: {answer.body[:120]!r}"


def _past_the_queue() -> Iterator[Attack]:
    refused = REFUSED | {0}
    for name in (
        "investigate",
        "answer",
        "audit",
        "predict",
        "arrive",
        "ask",
        "__call__",
        "x" * 61,
        "lambda",
    ):
        for route in ("run", "api", "call"):
            if route == "call" and name in ("investigate", "answer", "audit"):
                continue
            body = {"data": [WORD], "session_hash": "attack", "fn_index": None}
            yield Attack(f"{route}/{name}", _json(f"{API}/{route}/{name}", body), refused)
    forms: dict[str, dict[str, object]] = {
        "a number too high": {"fn_index": 10**9},
        "a negative number": {"fn_index": -1},
        "a number as text": {"fn_index": "0"},
        "no number": {},
        "batched": {"fn_index": 0, "batched": True},
        "simple": {"fn_index": 0, "simple_format": True},
        "a session that climbs": {"session_hash": "../a"},
        "a request of one's own": {"fn_index": 0, "request": {}},
        "a token": {"fn_index": 0, "oauth_token": "x"},
        "true for a number": {"fn_index": True},
        "an event that climbs": {"fn_index": 0, "event_id": "../x"},
    }
    for name, more in forms.items():
        whole = {"data": [], "session_hash": "attack", **more}
        yield Attack(f"queue/join: {name}", _json(f"{API}/queue/join", whole), refused)
    yield Attack("every listener without the queue", _all_listeners, refused)


def _all_listeners(target: Target) -> Answer:
    """What waits in the queue cannot be run beside it; the worst answer is given."""
    target.number("corpus")
    waiting = [one["id"] for one in target.config["dependencies"] if one["queue"] is not False]
    waiting += [
        one["id"] for one in target.config["dependencies"] if one["api_name"] in ("investigate", "audit")
    ]
    worst = Answer(0, {}, b"no listener")
    for number in waiting:
        body = {"data": [], "session_hash": "attack", "fn_index": number}
        worst = target.raw.post(f"{API}/run/predict", body)
        if worst.status not in REFUSED:
            return worst
    return worst


def _json(path: str, body: object) -> Ask:
    return lambda target: target.raw.post(path, body)


def _models() -> Iterator[Attack]:
    for spec in SPECS:
        asked = {"do": "embed", "visitor": ATTACKER, "corpus": "x", "embedding": spec}
        yield Attack(f"embedding {spec!r}", _panel("corpus", asked), TAKEN, _not_offered)
    for url in (
        "http://127.0.0.1:9/v1",
        "https://localhost/v1",
        "https://169.254.169.254/v1",
        "https://[::1]/v1",
    ):
        for do in ("list", "test", "connect"):
            asked = {"do": do, "session": "s" * 40, "url": url, "model": "m", "key": WORD}
            yield Attack(f"{do} {url}", _panel("model", asked), TAKEN, said_error)


def _not_offered(answer: Answer) -> str:
    told = said_error(answer)
    if not told and answer.status == 200 and "no such embedding model" not in answer.json["error"]:
        return json.dumps(answer.json)[:120]
    return told

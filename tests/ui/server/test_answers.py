"""Answers that wait to be fetched: how many, how large, how long, and what their callers get."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.ui.raw import API, Raw, stranger
from tests.ui.served import inside_a_loop, served
from tests.ui.visitor import Visitor
from ui.models.connections import Connections
from ui.page import Page, build_page
from ui.server import answers as module
from ui.server import app as serving
from ui.server.answers import GONE, LONGEST_SECONDS, Answers
from ui.shelf import open_library

SECRET = "zebra-5d20"


def _by_call(mark: str) -> bytes:
    return f"event: complete\ndata: {json.dumps(mark)}\n\n".encode()


def _by_queue(mark: str, kind: str = "process_completed") -> bytes:
    message = {"msg": kind, "event_id": "e", "output": {"data": mark, "duration": 0.1}, "success": True}
    return f"data: {json.dumps(message)}\n\n".encode()


VALUES: dict[str, object] = {
    "a text": ["May we?"], "nothing": [], "null": [None], "a number": [1.5], "a truth": [True],
    "a mark as text": ["redstring-answer-" + "0" * 32], "quotes": ['"redstring-answer-'],
    "other alphabets": ["قانون", "§ 5", "\u2028"], "control characters": ["\0\n\\"],
    "an object": [{"a": [1, {"b": None}]}], "numbers as keys": [{1: "a"}], "a tuple": [(1, 2)],
    "large": ["x" * 1_000_000], "an update": [{"__type__": "update", "value": "<b>"}],
}  # fmt: skip


@pytest.mark.parametrize("value", VALUES.values(), ids=list(VALUES))
def test_an_answer_arrives_as_it_was_given(value: object) -> None:
    answers, same = Answers(), json.loads(json.dumps(value))
    for message in (_by_call, _by_queue, lambda mark: _by_queue(mark, "process_generating")):
        mark = answers.store("anna", value)
        stored = answers.restore(message(mark))
        assert mark.encode() not in stored
        told = json.loads(stored.split(b"data: ", 1)[1])
        assert (told if message is _by_call else told["output"]["data"]) == same
        again = answers.restore(message(mark))
        assert GONE in again.decode(), "it is there once"
    assert len(answers) == 0


@pytest.mark.parametrize(
    "message",
    [b"", b"event: heartbeat\ndata: null\n\n", b'data: {"msg":"estimation","rank":0}\n\n',
     b"event: error\ndata: 1\n\n",
     b'data: {"msg":"close_stream","event_id":null}\n\n', b'event: error\ndata: "redstring-answer-1"\n\n',
     b'data: {"msg":"log","log":"\\"redstring-answer-' + b"0" * 32 + b'\\""}\n\n'],
)  # fmt: skip
def test_other_messages_are_left_alone(message: bytes) -> None:
    answers = Answers()
    answers.store("anna", ["x"])
    assert answers.restore(message) == message


def test_an_answer_that_is_gone_is_an_error_in_the_form_of_its_stream() -> None:
    answers, unknown = Answers(), "redstring-answer-" + "0" * 32
    assert answers.restore(_by_call(unknown)) == f'event: error\ndata: "{GONE}"\n\n'.encode()
    told = json.loads(answers.restore(_by_queue(unknown)).removeprefix(b"data: "))
    assert told == {"msg": "process_completed", "event_id": "e", "output": {"error": GONE}, "success": False}


def _kept(answers: Answers, marks: list[str]) -> list[int]:
    return [
        number for number, mark in enumerate(marks) if GONE not in answers.restore(_by_call(mark)).decode()
    ]


# Limits (answers of a visitor, bytes of all); visitors and sizes in the order in which their answers come;
# which of them are there afterwards.
LIMITS: dict[str, tuple[tuple[int, int], list[tuple[str, int]], list[int]]] = {
    "few": ((9, 900), [("a", 10)] * 3, [0, 1, 2]),
    "as many as may be": ((3, 900), [("a", 10)] * 3, [0, 1, 2]),
    "one too many": ((3, 900), [("a", 10)] * 4, [1, 2, 3]),
    "far too many": ((3, 900), [("a", 10)] * 50, [47, 48, 49]),
    "one of each": ((1, 900), [("a", 9), ("b", 9), ("a", 9), ("c", 9), ("b", 9)], [2, 3, 4]),
    "others are not pushed out": ((2, 900), [("a", 9), ("b", 9), *[("a", 9)] * 3], [1, 3, 4]),
    "each has too many": ((1, 900), [(name, 9) for name in "abcabcabc"], [6, 7, 8]),
    "as large as may be": ((9, 30), [("a", 10)] * 3, [0, 1, 2]),
    "too large together": ((9, 29), [("a", 10)] * 3, [1, 2]),
    "a large one after small ones": ((9, 30), [("a", 9), ("a", 9), ("a", 30)], [2]),
    "small ones after a large one": ((9, 30), [("a", 29), ("a", 9), ("a", 9)], [1, 2]),
    "one alone that is too large": ((9, 30), [("a", 9), ("a", 31)], [1]),
    "one alone that is too large for others": ((9, 30), [("b", 9), ("a", 31)], [1]),
    "after one that is too large": ((9, 30), [("b", 31), ("a", 9)], [1]),
    "of all too large": ((9, 30), [("a", 10), ("b", 10), ("c", 10), ("d", 10)], [1, 2, 3]),
    "the one with most gives": ((9, 50), [("b", 9), ("a", 20), ("a", 15), ("c", 9)], [0, 2, 3]),
    "the one with most gives again": ((9, 60), [("b", 20), *[("a", 20)] * 9], [0, 8, 9]),
    "the one with most gives, not the newest": ((9, 60), [("a", 50), ("b", 20)], [1]),
    "a crowd": ((9, 45), [(str(n), 9) for n in range(50)], [45, 46, 47, 48, 49]),
    "a crowd against one": ((9, 90), [("a", 50), *((str(n), 10) for n in range(5))], [1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize(("limits", "stored", "left"), LIMITS.values(), ids=list(LIMITS))
def test_answers_are_bounded(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], stored: list[tuple[str, int]], left: list[int]
) -> None:
    for name, limit in zip(("MOST_OF_VISITOR", "BYTES", "OVERHEAD"), (*limits, 0), strict=True):
        monkeypatch.setattr(module, name, limit)
    answers = Answers()
    # With its quotes a text has two bytes more.
    marks = [answers.store(visitor, "x" * (size - 2)) for visitor, size in stored]
    assert len(answers) == len(left)
    assert _kept(answers, marks) == left
    assert len(answers) == 0


@pytest.mark.parametrize(
    ("ages", "left"),
    [([0.0], [0]), ([LONGEST_SECONDS - 1], [0]), ([LONGEST_SECONDS], []), ([1e9], []), ([-5.0], [0]),
     ([LONGEST_SECONDS + 1, LONGEST_SECONDS, 1.0, 0.0], [2, 3]), ([LONGEST_SECONDS + 1] * 50 + [0.0], [50])],
)  # fmt: skip
def test_an_answer_waits_for_ten_minutes(ages: list[float], left: list[int]) -> None:
    now = [0.0]
    answers, marks = Answers(lambda: now[0]), list[str]()
    for age in ages:
        now[0] = 1e9 - age
        marks.append(answers.store("anna", [age]))
    now[0] = 1e9
    answers.sweep()
    assert len(answers) == len(left)
    assert _kept(answers, marks) == left


class _Served:
    """A page as it is served to all addresses, and what waits of it."""

    def __init__(self, url: str, page: gr.Blocks) -> None:
        self.raw, self.url = Raw(url), url
        assert isinstance(page, Page)
        assert page.answers is not None
        self.answers = page.answers
        self.plan = next(number for number, fn in page.fns.items() if fn.api_name == "plan")
        visitor = Visitor(url, "127.0.0.9")
        with visitor.here():
            self.asked = visitor.listener("asked")

    def wait(self, number: int, most: float = 0) -> None:
        """Wait until so many answers are kept, or up to ``most`` if they may pass by faster than it looks."""
        until = time.monotonic() + 20
        while not number <= len(self.answers) <= (most or number):
            assert time.monotonic() < until, len(self.answers)
            time.sleep(0.01)

    def post(self, path: str, body: Any, here: str) -> Any:
        answer = self.raw.post(f"{API}/{path}", body, forwarded=here)
        assert answer.status == 200, answer.body
        return answer.json


@pytest.fixture(scope="module")
def page(corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Served]:
    home = tmp_path_factory.mktemp("home")
    settings = OperatorSettings(
        host=ANYWHERE, home=home, trusted_proxies=("127.0.0.1",), cases_a_minute=100_000
    )
    library = open_library([corpus_folder], home, settings)
    made = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    with pytest.MonkeyPatch.context() as quick:
        quick.setattr(serving, "SWEEP_SECONDS", 0.05)
        with served(made, settings, home / "uploads") as url:
            yield _Served(url, made)


@pytest.fixture(autouse=True)
def nothing_waits(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "page" in request.fixturenames:
        answers = request.getfixturevalue("page").answers
        answers.clock = lambda: math.inf
        request.getfixturevalue("page").wait(0)
        answers.clock = time.monotonic


def _call(page: _Served, here: str, **more: Any) -> str:
    return str(page.post("call/plan", {"data": [f"May a {SECRET} act?"], **more}, here)["event_id"])


def _join(page: _Served, here: str, load: str) -> str:
    body = {"data": [f"May a {SECRET} act?"], "fn_index": page.plan, "session_hash": load}
    return str(page.post("queue/join", body, here)["event_id"])


def _whole_case(page: _Served, here: str) -> str:
    data = [f"May a {SECRET} act?", "", "quick", None, None, None, None, False, None, "", "full"]
    return str(page.post("call/investigate", {"data": data}, here)["event_id"])


def _page_s_case(page: _Served, here: str, load: str) -> str:
    """A case of the page, which answers in many steps."""
    asked = json.dumps({"question": f"May a {SECRET} act?", "held": {"rounds": 1}})
    body = {"data": [None, asked], "fn_index": page.asked, "session_hash": load}
    return str(page.post("queue/join", body, here)["event_id"])


# Ways to leave something that is not fetched, and how many answers wait then.
LEFT: dict[str, tuple[Callable[[_Served, str], object], int]] = {
    "a call": (_call, 1),
    "a whole case": (_whole_case, 1),
    "a call of a page load": (lambda page, here: _call(page, here, session_hash="a"), 1),
    "an event of a page load": (lambda page, here: _join(page, here, "a"), 1),
    "three of one page load": (lambda page, here: [_join(page, here, "a") for _ in range(3)], 3),
    "one of three page loads": (lambda page, here: [_join(page, here, f"a{n}") for n in range(3)], 3),
    "one of three addresses": (lambda page, here: [_call(page, stranger()) for _ in range(3)], 3),
    "an error": (lambda page, here: page.post("call/plan", {"data": ["x" * 5000]}, here), 0),
}


@pytest.mark.parametrize(("leave", "number"), LEFT.values(), ids=list(LEFT))
def test_what_is_not_fetched_waits_and_is_dropped(
    page: _Served, leave: Callable[[_Served, str], object], number: int
) -> None:
    leave(page, stranger())
    page.wait(number)
    page.answers.clock = lambda: math.inf
    page.wait(0)


def test_answers_that_are_fetched_leave_nothing(page: _Served) -> None:
    here = stranger()
    event = _call(page, here)
    assert SECRET.encode() in page.raw.stream(f"{API}/call/plan/{event}", forwarded=here).body
    _join(page, here, "fetched")
    told = page.raw.stream(f"{API}/queue/data?session_hash=fetched", forwarded=here).body
    assert SECRET.encode() in told
    assert b"redstring-answer" not in told
    assert len(page.answers) == 0


def test_every_step_of_a_case_waits_for_its_page(page: _Served) -> None:
    here = stranger()
    event = _page_s_case(page, here, "steps")
    page.wait(3, most=math.inf)
    told = page.raw.stream(f"{API}/queue/data?session_hash=steps", forwarded=here).body.decode()
    messages = [json.loads(line.removeprefix("data: ")) for line in told.splitlines() if line]
    steps = [one for one in messages if one["msg"] in ("process_generating", "process_completed")]
    assert len(steps) > 2
    assert all(one["success"] and one["event_id"] == event for one in steps)
    assert all(isinstance(one["output"]["data"], list) for one in steps)
    assert len(page.answers) == 0


def test_a_caller_who_comes_too_late_gets_a_reason(page: _Served) -> None:
    here = stranger()
    called, _ = _call(page, here), _join(page, here, "late")
    page.wait(2)
    page.answers.clock = lambda: math.inf
    page.wait(0)
    page.answers.clock = time.monotonic
    told = page.raw.stream(f"{API}/call/plan/{called}", forwarded=here).body
    assert told == f'event: error\ndata: "{GONE}"\n\n'.encode()
    told = page.raw.stream(f"{API}/queue/data?session_hash=late", forwarded=here).body
    assert GONE.encode() in told
    assert SECRET.encode() not in told


def test_one_visitor_does_not_push_out_another(page: _Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OF_VISITOR", 2)
    victim, flood, third = stranger(), stranger(), stranger()
    event = _call(page, victim)
    page.wait(1)
    for _ in range(6):
        _call(page, flood)
    last = _call(page, third)
    assert SECRET.encode() in page.raw.stream(f"{API}/call/plan/{last}", forwarded=third).body
    assert len(page.answers) <= 3
    assert SECRET.encode() in page.raw.stream(f"{API}/call/plan/{event}", forwarded=victim).body


def test_what_does_not_go_through_the_queue_does_not_wait(page: _Served) -> None:
    here = stranger()
    arguments = {"name": "plan", "arguments": {"question": f"May a {SECRET} act?"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
    headers = [("Accept", "application/json, text/event-stream")]
    told = page.raw.post(f"{API}/mcp/", message, headers, forwarded=here)
    assert told.status == 200
    assert b"redstring-answer" not in told.body
    assert len(page.answers) == 0


def test_a_stream_that_breaks_off_leaves_what_is_dropped_in_time(page: _Served) -> None:
    here = stranger()
    _join(page, here, "broken")
    with page.raw.connected() as line:
        head = f"GET {API}/queue/data?session_hash=broken HTTP/1.1\r\nHost: {page.raw.authority}\r\n"
        line.sendall(f"{head}X-Forwarded-For: {here}\r\n\r\n".encode())
    page.answers.clock = lambda: math.inf
    page.wait(0)

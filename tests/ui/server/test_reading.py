"""Hostile files are read at the cost of a confined process, and never at that of the server."""

from __future__ import annotations

import os
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import psutil
import pytest

from engine.errors import CancelledError, InputError, RedstringError
from engine.verbs.verb import SentFile
from tests.hostile_files import LEAKED, questions, texts
from tests.memory import peak_memory as peak
from tests.tables import tuples
from tests.ui.server.test_uploads import until
from ui.server import reading
from ui.server.jobs import Owner
from ui.server.process import Program, confined
from ui.server.reader import READERS
from ui.server.reading import Reading, cancel, put, read_files

MEGABYTE = 1_000_000
# What a hostile file may add to the memory of the server, and to that of who reads it.
SERVER, READER = 30 * MEGABYTE, 150 * MEGABYTE
VISITOR = Owner("visitor", "192.0.2.1")
# These need the limits of a process; what takes long is tried by benchmarks.attacks alone.
APART = {
    *("deflated twice.pdf", "deflated thrice.pdf", "deflated once.pdf", "a long page.pdf"),
    *("lines.jsonl.gz", "questions.jsonl.gz", "dense.jsonl.gz"),
}
LONG = {
    *("a long page.pdf", "deflated once.pdf", "deflated thrice.pdf"),
    *("many.zip", "overlapping.zip", "long.json"),
    *("lines.jsonl.gz", "questions.jsonl.gz", "dense.jsonl.gz"),
}
# Files that only look hostile: what is read of them begins so.
READ = {"many pages.pdf": "The fee is due.", "nothing.txt": "", "long.jsonl": "a" * 100}


def calm(told: str) -> bool:
    """Whether words are one line that tells nothing of the server."""
    told_of_it = (LEAKED, "/tmp", "redstring-", "Traceback", os.getcwd(), "\n")
    return 0 < len(told) <= reading.LONGEST_ERROR and not any(word in told for word in told_of_it)


def bad(name: str, told: str | None, items: Sequence[Any]) -> str:
    """What is wrong with how a hostile file was read."""
    if told is not None:
        return "" if calm(told) and name not in READ else f"told {told!r}"
    text = "".join(str(one["text"]) for one in items)
    return "" if name in READ and text.startswith(READ[name]) else f"was read as {text[:60]!r}"


def test_the_reader_is_not_overwhelmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the limits of a process: what readers bound by themselves."""
    monkeypatch.chdir(tmp_path)
    rows: list[tuple[str, Callable[[], Any]]] = []
    for name, data in texts().items():
        Path(name).write_bytes(data)
        rows.append((name, partial(READERS["text"], Path(name), 1000)))
    for name, (queries, qrels) in questions().items():
        judged = Path(f"{name}.qrels")
        Path(name).write_bytes(queries)
        judged.write_bytes(qrels)
        rows.append((name, partial(READERS["questions"], Path(name), judged, 10)))
    assert len(rows) >= 70
    wrong, before = {}, peak() and peak()
    for name, read in rows:
        if name in APART | LONG:
            continue
        told, items = None, list[Any]()
        try:
            items = list(read())
        except RedstringError as error:
            told = str(error)
        after = peak()
        if found := bad(name, told, items) or ("took memory" if after - before > READER else ""):
            wrong[name] = found
        before = max(before, peak())
    assert wrong == {}


def sent(name: str, data: bytes) -> SentFile:
    return SentFile(name=name, data=b64encode(data).decode())


def of_text(name: str, data: bytes) -> Reading[dict[str, Any]]:
    return Reading("text", partial(put, [sent(name, data)]), orjson.loads, 1, {"longest": 1000})


def of_questions(name: str, queries: bytes, qrels: bytes) -> Reading[dict[str, Any]]:
    files = [sent(name, queries), sent("mine.qrels", qrels)]
    return Reading("questions", partial(put, files), orjson.loads, 100, {"most": 100})


def test_the_server_is_not_overwhelmed() -> None:
    rows = [of_text(name, texts()[name]) for name in sorted({*APART, "zeros.txt.gz"} - LONG)]
    rows.append(of_questions("zeros.jsonl.gz", *questions()["zeros.jsonl.gz"]))
    peak()
    before = peak()
    for row in rows:
        with pytest.raises(InputError) as told:
            read_files(row, VISITOR)
        assert calm(str(told.value))
        assert peak() - before < SERVER
    (found,) = read_files(of_text("memo.txt", b"The fee is due."), VISITOR)
    assert found["text"] == "The fee is due."
    assert not children()


def children() -> list[psutil.Process]:
    mine = psutil.Process().children(recursive=True)
    return [
        one for one in mine if one.status() != psutil.STATUS_ZOMBIE and "ui.server.reader" in one.cmdline()
    ]


@pytest.mark.parametrize("name", ["numpy.py", "orjson.so"])
def test_no_document_is_taken_for_a_module(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}{os.pathsep}")
    (found,) = read_files(of_text(name, b"The fee is due."), VISITOR)
    assert found["text"] == "The fee is due."


def in_background(row: Reading[Any], owner: Owner = VISITOR) -> tuple[Thread, list[BaseException]]:
    ended: list[BaseException] = []

    def read() -> None:
        try:
            read_files(row, owner)
        except RedstringError as error:
            ended.append(error)

    thread = Thread(target=read)
    thread.start()
    return thread, ended


@pytest.fixture
def endless() -> Reading[Any]:
    """A file that takes a minute of the processor."""
    return of_questions("lines.jsonl.gz", *questions()["lines.jsonl.gz"])


def test_a_visitor_cancels_what_they_wait_for(endless: Reading[Any]) -> None:
    thread, ended = in_background(endless)
    until(lambda: bool(children()), 30)
    cancel("another")
    assert children()
    began = time.monotonic()
    cancel(VISITOR.visitor)
    thread.join(10)
    assert isinstance(ended[0], CancelledError)
    assert time.monotonic() - began < 5
    assert not children()


def test_a_deadline_ends_it(endless: Reading[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading._JOBS, "rules", replace(reading.RULES, seconds=1.0))  # noqa: SLF001
    with pytest.raises(InputError, match="took longer than"):
        read_files(endless, VISITOR)
    assert not children()


def test_one_visitor_and_one_address_leave_room_for_others(endless: Reading[Any]) -> None:
    waiting = [in_background(endless) for _ in range(2)]
    try:
        until(lambda: bool(children()), 30)
        with pytest.raises(InputError, match="another reading of yours"):
            read_files(endless, VISITOR)
        others = [Owner(f"other {number}", VISITOR.address) for number in range(2)]
        waiting += [in_background(endless, owner) for owner in others]
        until(lambda: all(reading._JOBS.going(owner.visitor) for owner in others), 30)  # noqa: SLF001
        with pytest.raises(InputError, match="too many readings"):
            read_files(endless, Owner("one more", VISITOR.address))
        # Of two places an address has one: another one is served at once.
        (found,) = read_files(of_text("memo.txt", b"The fee is due."), Owner("else", "192.0.2.2"))
        assert found["text"] == "The fee is due."
    finally:
        for owner in (VISITOR, VISITOR, *(Owner(f"other {number}") for number in range(2))):
            cancel(owner.visitor)
            time.sleep(0.2)
        for thread, _ in waiting:
            thread.join(20)


HOSTILE_WORDS = tuples(__file__, "HOSTILE_WORDS")


@pytest.mark.parametrize("name", HOSTILE_WORDS)
def test_a_reader_that_was_taken_over_is_not_believed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, words = HOSTILE_WORDS[name]

    def taken_over(*given: Any, **named: Any) -> Program:
        made = confined(*given, **named)
        return replace(made, command=[sys.executable, "-P", "-c", program])

    if name == "it sleeps":
        monkeypatch.setattr(reading._JOBS, "rules", replace(reading.RULES, seconds=0.5))  # noqa: SLF001
    monkeypatch.setattr(reading, "confined", taken_over)
    peak()
    before = peak()
    row = replace(of_text("a.txt", b"The fee is due."), take=lambda line: orjson.loads(line)["text"])
    with pytest.raises(InputError) as told:
        read_files(row, VISITOR)
    assert words in str(told.value)
    assert calm(str(told.value)) or name == "an essay"
    assert peak() - before < SERVER


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    assert not children()

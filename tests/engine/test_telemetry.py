"""Cases told as spans to a real server and to a file: only where the operator wants it, and at no cost to the
case."""

from __future__ import annotations

import base64
import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from engine import telemetry
from engine.corpus.protocol import Corpus
from engine.errors import SettingsError
from engine.exports.reading import read
from engine.operator_settings import operator_settings
from tests.engine.command_line import CommandLine
from tests.engine.exports.cases import record_of
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished


@dataclass
class Collector:
    """What a real server on this machine received, and how it answers."""

    status: int = 200
    seconds: float = 0.0
    received: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.received.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            time.sleep(found.seconds)
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}/v1/traces"
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def record(bare: Corpus) -> dict[str, Any]:
    return record_of(finished(bare, QUESTION))


@pytest.fixture(autouse=True)
def _rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_down_until", {})


def names(body: bytes) -> list[str]:
    """The names of the spans that a body holds, as a collector reads it."""
    values = orjson.loads(body)
    for span in values["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in span.keys() & {"traceId", "spanId", "parentSpanId"}:
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    data = ParseDict(values, TracesData())
    return [one.name for one in data.resource_spans[0].scope_spans[0].spans]


def test_unasked_nothing_is_told_nor_made() -> None:
    telemetry.tell_spans(pytest.fail)


def test_a_server_is_told(
    record: dict[str, Any],
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("REDSTRING_OTLP", collector.url)
    telemetry.tell_spans(record)
    [(path, headers, body)] = collector.received
    assert (path, headers["content-type"]) == ("/v1/traces", "application/json")
    assert "investigate" in names(body)
    assert QUESTION.encode() not in body
    assert caplog.records == []
    monkeypatch.setenv("REDSTRING_OTLP_CONTENT", "on")
    telemetry.tell_spans(lambda: record)
    assert QUESTION.encode() in collector.received[1][2]


def test_a_name_and_a_password_in_the_address_are_for_the_server_alone(
    record: dict[str, Any],
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("REDSTRING_OTLP", collector.url.replace("//", "//anna:hush@"))
    telemetry.tell_spans(record)
    assert collector.received[0][1]["authorization"] == "Basic " + base64.b64encode(b"anna:hush").decode()
    collector.status = 500
    telemetry.tell_spans(record)
    assert "answered with status 500" in caplog.text
    assert "hush" not in caplog.text


@pytest.mark.parametrize("status", [302, 401, 500])
def test_a_server_that_refuses_is_one_line_and_is_left_alone(
    status: int,
    record: dict[str, Any],
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("REDSTRING_OTLP", collector.url)
    collector.status = status
    for _ in range(3):
        telemetry.tell_spans(record)
    assert len(collector.received) == 1
    [line] = caplog.records
    assert f"answered with status {status}" in line.getMessage()
    assert "\n" not in line.getMessage()
    monkeypatch.setattr(telemetry, "_down_until", {collector.url: time.monotonic() - 1})
    telemetry.tell_spans(record)
    assert len(collector.received) == 2


def test_a_server_that_is_slow_or_not_there_keeps_nobody_waiting(
    record: dict[str, Any],
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(telemetry, "SECONDS", 0.2)
    collector.seconds = 1.0
    monkeypatch.setenv("REDSTRING_OTLP", collector.url)
    began = time.monotonic()
    telemetry.tell_spans(record)
    assert time.monotonic() - began < 1.0
    assert "did not answer within 0.2 s" in caplog.text
    monkeypatch.setenv("REDSTRING_OTLP", "http://127.0.0.1:1/v1/traces")
    telemetry.tell_spans(record)
    assert "cannot be reached" in caplog.text


def test_a_file_gets_a_line_a_case(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spans.jsonl"
    monkeypatch.setenv("REDSTRING_OTLP", str(path))
    threads = [threading.Thread(target=telemetry.tell_spans, args=(record,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = path.read_bytes().split(b"\n")
    assert (len(lines), lines[-1]) == (9, b"")
    assert all("investigate" in names(line) for line in lines[:-1])
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("what", ["folder", "pipe", "nowhere"])
def test_what_is_no_file_is_one_line(
    what: str,
    record: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "nowhere" / "spans" if what == "nowhere" else tmp_path / what
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    monkeypatch.setenv("REDSTRING_OTLP", str(path))
    telemetry.tell_spans(record)
    [line] = caplog.records
    assert line.levelno == logging.WARNING
    assert line.getMessage().startswith("the spans of a case were not told: ")


def test_nothing_breaks_a_case(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("REDSTRING_OTLP", str(tmp_path / "spans"))
    telemetry.tell_spans({"question": "Who?"})
    telemetry.tell_spans(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    monkeypatch.setenv("REDSTRING_OTLP", "ftp://somewhere/x")
    telemetry.tell_spans(record)
    told = [line.getMessage() for line in caplog.records]
    assert len(told) == 3
    assert "this is no record of a case" in told[0]
    assert told[1].endswith("ZeroDivisionError")
    assert "an address begins with http:// or https://" in told[2]
    with pytest.raises(SettingsError, match=r"REDSTRING_OTLP: .*an address begins with"):
        operator_settings()
    assert "somewhere" not in caplog.text


def test_the_command_line_tells_each_case_that_has_ended(
    run: CommandLine, harbour_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, questions = tmp_path / "spans.jsonl", tmp_path / "questions.txt"
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path))
    monkeypatch.setenv("REDSTRING_OTLP", str(path))
    done = run("investigate", QUESTION, "--corpus", harbour_folder, "--json")
    assert (done.code, done.json["question"]) == (0, QUESTION)
    questions.write_text("Who takes a pilot?\nWhat are dues?\n", encoding="utf-8")
    assert run("batch", questions, "--corpus", harbour_folder, "--matter", "Harbour").code == 0
    # Those that are kept already are not asked, and not told, again.
    assert run("batch", questions, "--corpus", harbour_folder, "--matter", "Harbour").code == 0
    lines = path.read_bytes().splitlines()
    assert len(lines) == 3
    [trace] = {
        span["traceId"] for span in orjson.loads(lines[0])["resourceSpans"][0]["scopeSpans"][0]["spans"]
    }
    saved = read(orjson.loads(done.out))
    assert saved.state
    assert len(trace) == 32


def test_the_trace_is_the_one_that_the_kept_case_is_exported_with(
    run: CommandLine, harbour_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path))
    monkeypatch.setenv("REDSTRING_OTLP", str(tmp_path / "spans.jsonl"))
    done = run("investigate", QUESTION, "--corpus", harbour_folder, "--matter", "Harbour")
    case_id = done.err.rsplit("Kept as case ", 1)[1].split()[0]
    assert run("export", case_id, "--as", "otlp", "--out", tmp_path / "case.json").code == 0
    both = [(tmp_path / name).read_bytes() for name in ("spans.jsonl", "case.json")]
    ids = [orjson.loads(one)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] for one in both]
    assert ids[0] == ids[1]

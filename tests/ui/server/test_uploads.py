from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.types import Message

from tests.ui.raw import API, Answer, Raw, stranger
from tests.ui.server.alone import asked, policy
from ui.server.uploads import KEY, RefusedError, UploadQuotas, UploadRoute, UploadStore

BOUNDARY = "----redstring"
END = f"--{BOUNDARY}--\r\n".encode()
KILOBYTE = 1000


def form(content: bytes, name: str = "act.md", field: str = "files") -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n" + END


def send(raw: Raw, body: bytes, forwarded: str = "") -> Answer:
    typed = [("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")]
    return raw.ask("POST", f"{API}/upload", typed, body, forwarded=forwarded)


def files_in(folder: Path) -> list[Path]:
    """All files below it; folders that the server takes away meanwhile are empty."""
    return [Path(place) / name for place, _, names in os.walk(folder) for name in names]


def until(found: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def emptied(uploads: Path) -> None:
    for file in files_in(uploads):
        file.unlink(missing_ok=True)


@pytest.mark.parametrize(
    "name", ["act.md", "../../escaped.md", "/etc/passwd", "a\x00b", "", "x" * 3000, "CON"]
)
def test_an_uploaded_file_has_an_unguessable_path_without_the_visitors_name(
    raw: Raw, uploads: Path, name: str
) -> None:
    answer = send(raw, form(b"# Act\n", name))
    if answer.status == 400:
        return
    (key,) = answer.json
    assert KEY.fullmatch(key), "and no folder of the server"
    path = uploads / key
    assert path.read_bytes() == b"# Act\n"
    assert path.name == "0"
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_two_visitors_who_send_the_same_file_have_two(raw: Raw) -> None:
    assert send(raw, form(b"same")).json != send(raw, form(b"same")).json


def test_what_was_sent_cannot_be_fetched(raw: Raw, uploads: Path) -> None:
    (key,) = send(raw, form(b"secret of a visitor")).json
    path = uploads / key
    for target in (f"{API}/file={path}", f"{API}/file/{path}", f"{API}/file={key}", f"/libraries/{key}"):
        assert raw.ask("GET", target).status == 404


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nothing", b"--" + BOUNDARY.encode() + b"--\r\n", form(b"x", field="other"),
        form(b"x")[:-len(END)] * 30 + END,
    ],
)  # fmt: skip
def test_what_is_no_form_of_files_is_refused_and_leaves_nothing(raw: Raw, uploads: Path, body: bytes) -> None:
    assert send(raw, body).status in (400, 415)
    assert files_in(uploads) == []


def test_a_file_is_no_larger_than_allowed(raw: Raw, uploads: Path) -> None:
    assert send(raw, form(b"x" * 999 * KILOBYTE)).status == 200
    for size in (1001 * KILOBYTE, 1200 * KILOBYTE):
        assert send(raw, form(b"x" * size)).status == 413
    assert len(files_in(uploads)) == 1


def test_a_form_of_unknown_length_is_no_larger_than_its_route_takes(raw: Raw, uploads: Path) -> None:
    head = (
        f"POST {API}/upload HTTP/1.1\r\nHost: {raw.authority}\r\nX-Forwarded-For: {stranger()}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nTransfer-Encoding: chunked\r\n"
        "Connection: close\r\n\r\n"
    ).encode()
    # Each file is small enough, the form is not.
    body = form(b"x" * 700 * KILOBYTE)[: -len(END)] * 2 + END
    assert raw.send([head, b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)]).status == 413
    assert files_in(uploads) == []


def test_a_file_that_trickles_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.server.uploads.STARTS", 0.05)
    store = UploadStore(tmp_path, UploadQuotas(address=1000, everybody=1000))
    parts = iter(form(b"x" * 100))

    async def receive() -> Message:
        await asyncio.sleep(0.02)
        part = next(parts, None)
        body = b"" if part is None else bytes((part,))
        return {"type": "http.request", "body": body, "more_body": part is not None}

    kind = f"multipart/form-data; boundary={BOUNDARY}"
    route = UploadRoute(store, file_bytes=1000)
    assert asyncio.run(asked(route, policy(body="form", bytes=1000), receive, kind=kind)) == 408
    assert list(tmp_path.iterdir()) == []


def test_limits_for_each_address_and_for_all_report_when_to_retry(raw: Raw, uploads: Path) -> None:
    here = stranger()
    mine = [send(raw, form(b"x" * 900 * KILOBYTE), here) for _ in range(3)]
    assert [answer.status for answer in mine] == [200, 200, 429]
    assert "from your address" in mine[2].json["detail"]
    others = [send(raw, form(b"x" * 900 * KILOBYTE)) for _ in range(3)]
    assert 507 in [answer.status for answer in others]
    assert all(int(answer.headers["retry-after"]) > 0 for answer in others if answer.status != 200)
    held = sum(path.stat().st_size for path in files_in(uploads))
    assert held <= 3_000_000


def test_what_breaks_off_leaves_nothing_and_counts_no_more(raw: Raw, uploads: Path) -> None:
    here = stranger()
    for _ in range(6):
        with socket.create_connection((raw.host, raw.port)) as line:
            line.sendall(
                f"POST {API}/upload HTTP/1.1\r\nHost: {raw.authority}\r\nX-Forwarded-For: {here}\r\n"
                f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
                "Content-Length: 900000\r\n\r\n".encode()
                + form(b"x" * 1000)[:900]
            )
            until(lambda: any(uploads.iterdir()))
        until(lambda: not any(uploads.iterdir()))
    assert send(raw, form(b"x" * 900 * KILOBYTE), here).status == 200


def test_what_is_not_used_in_time_is_removed_and_what_is_used_counts_no_more(tmp_path: Path) -> None:
    now = 0.0
    store = UploadStore(tmp_path, UploadQuotas(address=100, everybody=150, seconds=600), lambda: now)
    unused, used = store.begin("a"), store.begin("b")
    for held in (unused, used):
        store.grow(held, 70)
        (held.folder / "0").write_bytes(b"x" * 70)
        held.arrived = True
    with pytest.raises(RefusedError) as refused:
        store.grow(store.begin("c"), 70)
    assert refused.value.status == 507
    (used.folder / "0").rename(tmp_path / "moved")
    store.sweep()
    assert store.bytes == 70
    now = 601.0
    store.sweep()
    assert store.bytes == 0
    assert [path.name for path in tmp_path.iterdir()] == ["moved"]


def test_an_address_cannot_send_for_ever(tmp_path: Path) -> None:
    now = 0.0
    store = UploadStore(tmp_path, UploadQuotas(address=100, everybody=1000, seconds=600), lambda: now)
    statuses = []
    for _ in range(5):
        held = store.begin("a")
        try:
            store.grow(held, 90)
            statuses.append(200)
        except RefusedError as error:
            statuses.append(error.status)
        store.drop(held)
    assert statuses == [200, 200, 429, 429, 429], "used or not: twice the quota at once, then by and by"


def test_two_sweep_at_once(tmp_path: Path) -> None:
    store = UploadStore(tmp_path, UploadQuotas(address=100, everybody=100))
    held = store.begin("a")
    store.grow(held, 70)
    held.arrived = True
    # Another has removed it a moment ago, and not yet said so.
    held.folder.rmdir()
    store.sweep()
    assert store.bytes == 0

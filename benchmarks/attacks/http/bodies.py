"""Bodies that are too much, no JSON, of another form, or lie about themselves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

from benchmarks.attacks.http.raw import API, Answer
from benchmarks.attacks.http.target import REFUSED, WORD, Ask, Attack, Classes, Target, call, typed

ASKING = f"{API}/call/investigate"
PLAIN = call("Who may act?", "", "quick", None, None, None, None, False)
# One that the server may understand in one way alone; then it is a case, and no harm.
EITHER = REFUSED | {0}


def classes() -> Classes:
    """The attacks, by their class."""
    return {"bodies": list(_bodies()), "forms of requests": list(_forms())}


def _bodies() -> Iterator[Attack]:
    large = b"x" * 600_000
    for name, body in {
        "not JSON": WORD.encode(),
        "nothing": b"",
        "NUL": b"\x00" * 100,
        "not UTF-8": b'{"data": ["\xff"]}',
        "half a pair of surrogates": b'{"data": ["\\ud800"]}',
        "a mark of byte order": b"\xef\xbb\xbf" + PLAIN,
        "UTF-16": PLAIN.decode().encode("utf-16"),
        "not a number": b'{"data": [NaN]}',
        "a comma": b'{"data": [1,]}',
        "infinite": b'{"data": [1e999]}',
        "two values": PLAIN + PLAIN,
        "a comment": b"/* */" + PLAIN,
        "deep lists": b"[" * 100_000,
        "deep lists that close": b"[" * 5000 + b"]" * 5000,
        "deep objects": b'{"a":' * 5000,
        "a question of 500 kB": call(WORD * 50_000),
        "too large": large,
        "60,000 names": call("?", "", "quick", ["x"] * 60_000),
        "a long key": json.dumps({"x" * 300: 1}).encode(),
        "many values": call(*([[0] * 200] * 120)),
        "many keys": json.dumps({str(n): 1 for n in range(5000)}).encode(),
        "a list": b"[1]",
        "a text": b'"x"',
        "null": b"null",
        "a number": b"1",
        "no data": b"{}",
        "data that is a text": b'{"data": "x"}',
        "a field too many": b'{"data": [], "more": 1}',
        "a session that climbs": b'{"data": [], "session_hash": "../../etc"}',
        "a session of 65 letters": json.dumps({"data": [], "session_hash": "a" * 65}).encode(),
        "somebody's token": b'{"data": [], "oauth_token": "x"}',
        "151 inputs": call(*range(151)),
        "a digit too long": b'{"data": [1' + b"0" * 600_000 + b"]}",
    }.items():
        yield Attack(name, _post(ASKING, body))
        if len(body) < 10_000:
            yield Attack(f"{name}, to a panel", _post(f"{API}/component_server/", body))
    for name, body, headers in (
        ("compressed", gzip.compress(PLAIN), [("Content-Encoding", "gzip")]),
        ("compressed, so it says", PLAIN, [("Content-Encoding", "deflate")]),
        ("a gigabyte, so it says", b"", [("Content-Length", "999999999")]),
        ("a length of 5,000 digits", b"", [("Content-Length", "9" * 5000)]),
        ("a negative length", PLAIN, [("Content-Length", "-1")]),
        ("a length in hexadecimal", PLAIN, [("Content-Length", "0x10")]),
        ("a length with a plus", PLAIN, [("Content-Length", "+5")]),
        ("two lengths", PLAIN, [("Content-Length", "5"), ("Content-Length", "6")]),
        ("two lengths in one", PLAIN, [("Content-Length", "5, 6")]),
        ("an unknown coding", PLAIN, [("Transfer-Encoding", "gzip")]),
        ("chunked twice", PLAIN, [("Transfer-Encoding", "chunked, chunked")]),
        ("headers of 200 kB", PLAIN, [("X-A", "x" * 200_000)]),
        ("ten thousand headers", PLAIN, [(f"X-{n}", "x" * 20) for n in range(10_000)]),
        ("a header with a bare CR", PLAIN, [("X-A", "b\rX-C: d")]),
        ("a header with NUL", PLAIN, [("X-A", "b\x00")]),
    ):
        yield Attack(name, _post(ASKING, body, headers), EITHER)
    yield Attack("a body where none is taken", lambda target: target.raw.ask("GET", "/config", (), b"abc"))


def _forms() -> Iterator[Attack]:
    """Requests written by hand: chunks that lie, requests inside requests, half requests."""
    head = f"POST {ASKING} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunked = head + "Transfer-Encoding: chunked\r\n"
    large = "10000\r\n" + "x" * 0x10000 + "\r\n"
    for name, request in {
        "chunks without end": chunked + "\r\n" + large * 20,
        "a chunk that lies": chunked + "\r\n5\r\n{}\r\n0\r\n\r\n",
        "a chunk of no number": chunked + "\r\nzz\r\n{}\r\n0\r\n\r\n",
        "a negative chunk": chunked + "\r\n-1\r\n{}\r\n0\r\n\r\n",
        "a chunk of a yottabyte": chunked + "\r\n" + "f" * 30 + "\r\n",
        "a length and chunks": chunked + "Content-Length: 4\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "a request inside": chunked
        + "Content-Length: 60\r\n\r\n0\r\n\r\nGET /monitoring HTTP/1.1\r\nHost: a\r\n\r\n",
        "chunks of another type": head + "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "no version": "GET /config\r\n\r\n",
        "a preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "another protocol": "SSH-2.0-x\r\n\r\n",
        "a folded header": "GET /config HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n Host: evil.example\r\n\r\n",
        "bare line ends": "GET /monitoring HTTP/1.1\nHost: localhost\n\n",
        "nothing": "\r\n\r\n\r\n",
        "a blank before the colon": "GET /config HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\x00" * 200 + "\r\n\r\n",
        "a line of a megabyte": "GET /" + "a" * 1_000_000,
    }.items():
        # Line folding is old and means one header; h11 reads it as such.
        harmless = {200} if name == "a folded header" else set[int]()
        yield Attack(name, _sent(request), EITHER | {505} | harmless)


def _post(path: str, body: bytes, headers: list[tuple[str, str]] | None = None) -> Ask:
    return lambda target: target.raw.ask("POST", path, [*typed(), *(headers or [])], body)


def _sent(request: str) -> Ask:
    def ask(target: Target) -> Answer:
        closing = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
        return target.raw.send(closing.encode("latin-1"), 30.0)

    return ask

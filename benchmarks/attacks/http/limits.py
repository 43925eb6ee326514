"""Rates, quotas, slow senders, the headers of every answer, and what the log holds after all of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from benchmarks.attacks.http.raw import API, Answer, stranger
from benchmarks.attacks.http.sending import ACT, END, part, sent
from benchmarks.attacks.http.target import (
    KEY,
    OUTSIDE,
    REFUSED,
    SECRET,
    WORD,
    Attack,
    Classes,
    Target,
    call,
    typed,
)
from benchmarks.attacks.outcome import Attempt
from ui.door.connections import HEADERS_SECONDS, MOST_OF_ADDRESS

TOO_MUCH = frozenset({429})
# A slow sender is hung up on within its time and some more, s.
LATE = 15.0
# The log of all attacks together, bytes.
MOST_LOGGED = 1_000_000


def classes() -> Classes:
    """The attacks, by their class."""
    return {"rates and quotas": list(_rates()), "headers of answers": list(_answers())}


def _rates() -> Iterator[Attack]:
    nothing = [""]
    many = 40
    for endpoint in ("investigate", "answer", "audit"):
        path = f"{API}/call/{endpoint}"
        tokens = lambda n: call("", f"token-{n}")  # noqa: E731
        yield Attack(f"{endpoint} with new tokens", _repeated(path, many, tokens), TOO_MUCH, _says_when)
        yield Attack(
            f"{endpoint} with made up addresses",
            _repeated(
                path, many, lambda n: call(*nothing), lambda n: [("X-Forwarded-For", f"198.51.100.{n}")]
            ),
            TOO_MUCH,
        )
        yield Attack(
            f"{endpoint} as other clients",
            _repeated(
                path,
                many,
                lambda n: call(*nothing),
                lambda n: [("User-Agent", f"a{n}"), ("Cookie", f"a={n}")],
            ),
            TOO_MUCH,
        )
    yield Attack("jobs with new tokens", _jobs, TOO_MUCH)
    yield Attack("pages", _repeated("/config", 500), TOO_MUCH)
    yield Attack("uploads until the quota", _uploads, TOO_MUCH | {507})
    yield Attack("connections of one address", _connections, frozenset({0}))


def _says_when(answer: Answer) -> str:
    return "" if int(answer.headers.get("retry-after", "0")) >= 1 else "does not say when to come again"


def _repeated(
    path: str,
    times: int,
    body: Callable[[int], bytes] | None = None,
    headers: Callable[[int], list[tuple[str, str]]] = lambda n: [],
) -> Callable[[Target], Answer]:
    """The answer that refuses, or the last one, to one address that asks again and again."""

    def ask(target: Target) -> Answer:
        here, answer = stranger("127"), Answer(0, {}, b"")
        for number in range(times):
            if body is None:
                answer = target.raw.ask("HEAD", path, headers(number), forwarded=here)
            else:
                sending = [*typed(), *headers(number)]
                answer = target.raw.ask("POST", path, sending, body(number), forwarded=here)
            if answer.status == 429:
                break
        return answer

    return ask


def _jobs(target: Target) -> Answer:
    here, answer = stranger("127"), Answer(0, {}, b"")
    for number in range(60):
        data = {"do": "create", "visitor": f"{number:040}", "name": "x", "embedding": "none"}
        body = {
            "data": data,
            "component_id": target.number("corpus"),
            "fn_name": "corpus",
            "session_hash": f"new{number}",
        }
        answer = target.raw.post(f"{API}/component_server/", body, forwarded=here)
        if answer.status == 429:
            break
    return answer


def _uploads(target: Target) -> Answer:
    here, answer = stranger("127"), Answer(0, {}, b"")
    for _ in range(20):
        answer = sent(target, part(b"x" * 900_000) + END, forwarded=here)
        if answer.status != 200:
            break
    return answer


def _connections(target: Target) -> Answer:
    """One address holds as many lines as it may; one more is closed at once."""
    here = stranger("127")
    with contextlib.ExitStack() as held:
        for _ in range(MOST_OF_ADDRESS):
            held.enter_context(target.raw.connected(10, here))
        # The server has to have seen all of them.
        target.raw.ask("GET", "/robots.txt")
        try:
            return target.raw.ask("GET", "/config", forwarded=here)
        except OSError:
            return Answer(0, {}, b"")


def _answers() -> Iterator[Attack]:
    """Answers of every kind, to what is no attack, too."""
    every = REFUSED | {200, 206, 304}
    for path in (
        "/",
        "/config",
        "/theme.css",
        "/robots.txt",
        "/favicon.ico",
        "/static/img/logo.svg",
        "/nothing",
        f"{API}/info",
        f"{API}/openapi.json",
        f"{API}/heartbeat/abc",
        f"{API}/queue/data?session_hash=no",
        f"{API}/call/investigate/no",
        f"{API}/app_id",
        "/assets/no.js",
        "/manifest.json",
    ):
        for method in ("GET", "HEAD", "POST"):
            if "heartbeat" in path and method != "POST":
                continue
            yield Attack(
                f"{method} {path}",
                lambda target, path=path, method=method: target.raw.ask(method, path),  # type: ignore[misc]
                every,
                _strict,
            )
    for name, headers in {
        "a range": ("Range", "bytes=0-1"),
        "a range that is none": ("Range", "bytes=9-1"),
        "a kind that is none": ("Accept", "\xff"),
        "another language": ("Accept-Language", WORD),
        "a cookie": ("Cookie", f"a={WORD}"),
        "many codings": ("Accept-Encoding", "gzip;q=0, *"),
    }.items():
        for path in ("/", "/static/img/logo.svg"):
            yield Attack(
                f"{name} at {path}",
                lambda target, path=path, headers=headers: target.raw.ask("GET", path, [headers]),  # type: ignore[misc]
                every | {416},
                _strict,
            )


def _strict(answer: Answer) -> str:
    """What is wrong with the headers of an answer."""
    told = answer.headers
    policy = told["content-security-policy"]
    for wanted in ("default-src 'none'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'self'"):
        if wanted not in policy:
            return f"without {wanted}"
    scripts = policy.partition("script-src ")[2].partition(";")[0]
    if "unsafe-inline" in scripts or "*" in scripts or "http" in scripts:
        return f"scripts from {scripts}"
    wanted_values = (
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
    )
    wrong = [name for name, value in wanted_values if told[name] != value]
    if wrong:
        return f"{wrong[0]}: {told[wrong[0]]}"
    return "names its server" if "server" in told or "x-powered-by" in told else ""


class SlowSenders:
    """Requests that come a byte at a time, sent beside everything else."""

    def __init__(self, target: Target) -> None:
        self._pool = ThreadPoolExecutor(8)
        head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
        form = head.replace("application/json", "multipart/form-data; boundary=x")
        openings = {
            "headers": ("GET /config HTTP/1.1\r\nHost: localhost\r\nX-A: ", HEADERS_SECONDS),
            "nothing": ("", HEADERS_SECONDS),
            "a first line": ("GE", HEADERS_SECONDS),
            "a body": (f"POST {API}/cancel HTTP/1.1\r\n{head}", 21.0),
            "a refused body": (f"POST /nothing HTTP/1.1\r\n{head}", HEADERS_SECONDS),
            "a file": (f"POST {API}/upload HTTP/1.1\r\n{form}", 21.0),
        }
        self._running: dict[str, Future[str]] = {
            name: self._pool.submit(_drips, target, opening, seconds + LATE)
            for name, (opening, seconds) in openings.items()
        }

    def attempts(self) -> Iterator[Attempt]:
        """What came of each."""
        for name, running in self._running.items():
            note = running.result()
            yield Attempt(f"slow: {name}", not note, note)
        self._pool.shutdown()


def _drips(target: Target, opening: str, seconds: float) -> str:
    began = time.monotonic()
    with target.raw.connected(5) as line:
        line.sendall(opening.encode())
        line.settimeout(0.5)
        while time.monotonic() - began < seconds:
            try:
                if opening:
                    line.sendall(b"a")
                if not line.recv(65_536):
                    return ""
            except TimeoutError:
                continue
            except (OSError, ConnectionError):
                return ""
    return f"still connected after {seconds:.0f} s"


def logged(target: Target) -> Iterator[Attempt]:
    """After all attacks: no word of a request, no key, nobody's text in the log; and not much of it."""
    log = target.log()
    for name, word in {
        "what was sent": WORD,
        "a key": KEY,
        "another's text": SECRET,
        "a file": OUTSIDE,
        "a form": ACT.decode()[:12],
        "a question": "Who may act?",
    }.items():
        lines = [line for line in log.splitlines() if word in line]
        yield Attempt(f"{name} in the log", not lines, lines[0][:200] if lines else "")
    yield Attempt("a log without end", len(log) < MOST_LOGGED, f"{len(log):,} characters")

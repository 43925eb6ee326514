"""Other names, other pages: hosts, origins, forged requests, CORS, and the same at the server of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.attacks.http.raw import API, Answer
from benchmarks.attacks.http.target import VICTIM, VICTIMS, Ask, Attack, Classes, Target, call, typed

HOSTS = (
    "evil.example", "evil.example:7860", "EVIL.example", "localhost.evil.example", "127.0.0.1.evil.example",
    "127.0.0.1.nip.io", "law.example.evil.example", "evil-law.example", "evillaw.example", "law.example.",
    "localhost.", "xlocalhost", "localhostx", "local-host", "lоcalhost", "2130706433", "0x7f000001", "127.1",
    "0177.0.0.1", "localhost:7860@evil.example", "evil.example@localhost", "localhost, evil.example",
    "evil.example,localhost", "localhost evil.example", "localhost/evil", "localhost\\.evil.example",
    "evil.example#localhost", "localhost?evil", "localhost:", "localhost:99999999", "localhost:80:80",
    "localhost%00.evil.example", "local%68ost", "*", ".", "-", "_", "[::1", "::1", "[evil.example]",
    "xn--lcalhost-n0b", "localhost\tevil.example", "",
)  # fmt: skip
ORIGINS = (
    "https://evil.example", "http://evil.example:7860", "null", "", "file://", "http://localhost:3000",
    "https://localhost", "http://127.0.0.1", "https://law.example.evil.example", "https://evil-law.example",
    "https://law.example:8443", "https://portal.example.evil.example", "http://portal.example",
    "https://portal.example:444", "https://portal.example/", "https://portal.example evil", "*",
    "chrome-extension://abcdefgh", "https://PORTAL.example.", "data:text/html,x",
)  # fmt: skip
FETCHED = (
    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "invented")],
    [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
    [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
)  # fmt: skip
# Types that a form or a script of another page can send without being asked.
SIMPLE = (
    "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "",
    "multipart/form-data; boundary=x", "text/plain; application/json", "application/json, text/plain",
    "application/jsonp", "application/csp-report", "text/json", "*/*", "application/json/x",
)  # fmt: skip
MCP = f"{API}/mcp/"
TOOLS = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
DOOR = frozenset({0, 400, 403, 415, 421})


def classes() -> Classes:
    """The attacks, by their class."""
    return {
        "hosts": list(_hosts()), "origins and forged requests": list(_forged()), "CORS": list(_cors()),
        "MCP": list(_tools()),
    }  # fmt: skip


def _hosts() -> Iterator[Attack]:
    for host in HOSTS:
        # A letter beyond Latin-1 is sent as its bytes.
        name = host.encode().decode("latin-1")
        yield Attack(f"reading under {host!r}", _get("/config", name), DOOR)
        yield Attack(f"changing under {host!r}", _forging(typed(), name), DOOR)
    for header in ("X-Forwarded-Host", "X-Original-Host", "X-Host", "Forwarded"):
        value = "host=localhost" if header == "Forwarded" else "localhost"
        yield Attack(f"believing {header}", _get("/config", "evil.example", (header, value)), DOOR)
    for lines in (
        [], ["Host: localhost", "Host: evil.example"], ["Host: evil.example", "Host: localhost"],
        ["Host : localhost"], [" Host: localhost"], ["Host: localhost\x00"], ["Host: evil.example\rHost: a"],
    ):  # fmt: skip
        head = "\r\n".join(["GET /config HTTP/1.1", *lines, "Connection: close"]).encode() + b"\r\n\r\n"
        yield Attack(f"hosts {lines}", lambda target, head=head: target.raw.send(head), DOOR)  # type: ignore[misc]
    absolute = frozenset({0, 400, 404, 405, 421})
    yield Attack("an absolute target", _get("http://localhost/config", "evil.example"), absolute)
    yield Attack("a tunnel", lambda target: target.raw.ask("CONNECT", "evil.example:443"), absolute)


def _forged() -> Iterator[Attack]:
    refused = frozenset({403})
    for origin in ORIGINS:
        name = origin or "an empty origin"
        yield Attack(f"deleting from {name}", _forging([*typed(), ("Origin", origin)]), refused)
        yield Attack(f"reading from {name}", _get("/config", None, ("Origin", origin)), refused)
    for headers in FETCHED:
        yield Attack(f"deleting by {headers}", _forging([*typed(), *headers]), refused)
    twice = [*typed(), ("Origin", "https://portal.example"), ("Origin", "https://evil.example")]
    yield Attack("two origins", _forging(twice), refused)
    for kind in SIMPLE:
        yield Attack(f"deleting by {kind!r}", _forging(typed(kind)), frozenset({415}))
        yield Attack(f"deleting by {kind!r} from null", _forging([*typed(kind), ("Origin", "null")]), refused)
    yield Attack("two types", _forging([*typed(), *typed("text/plain")]), frozenset({415}))
    yield Attack("no type", _forging([]), frozenset({415}))
    for path in ("upload", "cancel", "reset", "queue/join", "call/investigate", "mcp/"):
        headers = [*typed("text/plain"), ("Origin", "https://evil.example")]
        yield Attack(f"forged {path}", _post(f"{API}/{path}", b"{}", headers), refused)


def _cors() -> Iterator[Attack]:
    asked = [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type")]
    for origin in ORIGINS:
        for path in (f"{API}/component_server/", f"{API}/call/investigate", MCP):
            headers = [*asked, ("Origin", origin)]
            yield Attack(
                f"{path.split('/')[2]} for {origin or 'an empty origin'}",
                lambda target, path=path, headers=headers: target.raw.ask("OPTIONS", path, headers),  # type: ignore[misc]
                frozenset({400, 403}),
                _allowed,
            )


def _allowed(answer: Answer) -> str:
    found = [name for name in answer.headers if name.startswith("access-control-allow-origin")]
    return f"answered with {answer.headers[found[0]]}" if found else ""


def _tools() -> Iterator[Attack]:
    accept = [*typed(), ("Accept", "application/json, text/event-stream")]
    for host in ("evil.example", "localhost.evil.example", "law.example.", "localhost, evil.example", ""):
        yield Attack(f"under {host!r}", _post(MCP, TOOLS, accept, host), DOOR)
    for origin in ORIGINS[:12]:
        yield Attack(f"from {origin!r}", _post(MCP, TOOLS, [*accept, ("Origin", origin)]), DOOR)
    for name, body in {
        "a batch": b"[" + TOOLS + b"," + TOOLS + b"]", "another version": TOOLS.replace(b"2.0", b"1.0"),
        "a long method": TOOLS.replace(b"tools/list", b"x" * 101), "nothing": b"",
        "parameters that are a text": TOOLS.replace(b"{}", b'"x"'), "deep": b"[" * 5000,
    }.items():  # fmt: skip
        yield Attack(name, _post(MCP, body, accept))
    for path in ("mcp/sse", "mcp/messages", "mcp/schema", "mcp/../config", "mcp//"):
        yield Attack(path, _get(f"{API}/{path}", None))


def _get(path: str, host: str | None, *headers: tuple[str, str]) -> Ask:
    return lambda target: target.raw.ask("GET", path, headers, host=host)


def _post(path: str, body: bytes, headers: list[tuple[str, str]], host: str | None = None) -> Ask:
    return lambda target: target.raw.ask("POST", path, headers, body or call(), host=host)


def _forging(headers: list[tuple[str, str]], host: str | None = None) -> Ask:
    """The victim's browser is made to delete the victim's corpus."""

    def ask(target: Target) -> Answer:
        body = {
            "data": {"do": "delete", "corpus": VICTIMS, "visitor": VICTIM}, "session_hash": "forged",
            "component_id": target.number("corpus"), "fn_name": "corpus",
        }  # fmt: skip
        sent = json.dumps(body).encode()
        return target.raw.ask("POST", f"{API}/component_server/", headers, sent, host=host)

    return ask

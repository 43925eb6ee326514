"""What is shut: routes of Gradio, spellings of paths, methods, and every file that is not the page's."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.attacks.http.raw import API
from benchmarks.attacks.http.target import Ask, Attack, Classes, Target
from ui.door.libraries import VIS_NETWORK

SHUT = (
    "/openapi.json",
    "/docs",
    "/redoc",
    "/login",
    "/logout",
    "/monitoring",
    "/monitoring/summary",
    "/monitoring/x",
    "/pwa_icon",
    "/pwa_icon/64",
    "/.env",
    "/.git/config",
    "/app.py",
    "/metrics/x",
    "/health/x",
    "/admin",
    *(
        f"{API}/{name}"
        for name in (
            "deep_link",
            "deep_link?session_hash=abc",
            "api/investigate",
            "api/predict",
            "call/v2/investigate",
            "call/v2/investigate/abc",
            "custom_component/a/b/c/d",
            "dev/reload",
            "file/etc/passwd",
            "login_check",
            "process_recording",
            "proxy=http://127.0.0.1:9/",
            "proxy=http://169.254.169.254/%00",
            "queue/status",
            "runs",
            "stream/abc",
            "stream/abc/close",
            "stream/a/b/c/playlist.m3u8",
            "stream/a/b/c/playlist-file",
            "stream/a/b/c/x.ts",
            "startup-events",
            "token",
            "undo-vibe-edit",
            "user",
            "vibe-code",
            "vibe-edit",
            "vibe-starter-queries",
            "upload_progress?upload_id=a",
            "monitoring",
            "app_id/x",
            "heartbeat/",
            "heartbeat/a/b",
            "call/",
            "call/arrive",
            "call/../config",
            "run/",
        )
    ),
)
SPELLED = (
    "//config",
    "/config//",
    "//gradio_api/info",
    "/gradio_api//info",
    "/./config",
    "/a/../config",
    "/%2e/config",
    "/%2e%2e/config",
    "/.%2e/config",
    "/gradio_api%2finfo",
    "/gradio_api/%69nfo",
    "/gradio_api/info/..",
    "/config;a=1",
    "/config%00",
    "/config%0a",
    "/config%20",
    "/config.",
    "/config/.",
    "/config\\",
    "/libraries/",
    "/libraries/x.js",
    "/libraries/../app.py",
    "/libraries/plotly.js/..",
    "/CONFIG",
    "/Gradio_api/info",
    "/cönfig",
    "/config%c0%af",
    "/%c0%ae%c0%ae/config",
    "/assets/..%2f..%2findex.html",
    "/assets/%252e%252e/a",
    "/assets/../../../../etc/passwd",
    "/assets/....//....//etc/passwd",
    "/static/..;/config",
    "/static/%5c..%5cconfig",
    "/svelte/\x7f",
    "/assets/" + "a/" * 500,
    "/" + "x" * 4000,
    "*",
    "config",
    "/config?" + "a" * 5000,
    "/config?" + "&".join("a" for _ in range(30)),
    "/config?a=%00",
    "/?__theme=" + "x" * 3000,
)
METHODS = ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "FOO", "get", "POSTS", "GE T", "G\x00T")
ASKED = ("/", "/config", f"{API}/component_server/", f"{API}/call/investigate", f"{API}/upload")
FILES = (
    "/etc/passwd",
    "../../../etc/passwd",
    "%2fetc%2fpasswd",
    "/etc/passwd%00.js",
    "/proc/self/environ",
    "/proc/self/cmdline",
    "/proc/self/fd/0",
    "/proc/self/cwd/app.py",
    "app.py",
    "./app.py",
    "~/.ssh/id_rsa",
    "http://127.0.0.1:9/",
    "https://169.254.169.254/latest",
    "file:///etc/passwd",
    "//etc/passwd",
    "C:/boot.ini",
    "\\\\127.0.0.1\\c$",
    "",
    ".",
    "/",
    "OUTSIDE",
    "FOLDER/manifest.json",
    "FOLDER/../OUTSIDE",
    "VIS/../../app.py",
    "VIS",
    "VIS%00",
    "VIS.map",
    "VIS/",
    "VISx",
    "/gradio_api/file=VIS",
)
GONE = frozenset({0, 400, 404, 405, 414, 431, 501})


def classes() -> Classes:
    """The attacks, by their class."""
    return {"routes that are shut": list(_routes()), "files of the server": list(_files())}


def _routes() -> Iterator[Attack]:
    for path in SHUT:
        for method in ("GET", "POST"):
            yield Attack(f"{method} {path}", _asked(method, path), GONE | {415, 413, 422})
    for path in SPELLED:
        name = path.encode().decode("latin-1")
        yield Attack(f"path {path[:60]!r}", _asked("GET", name), GONE | {421})
    for method in METHODS:
        for path in ASKED:
            yield Attack(f"method {method!r} at {path}", _asked(method, path), GONE)
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        yield Attack(header, _asked("GET", f"{API}/reset", (header, "POST")), GONE)
    for header in ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Gradio-Server"):
        yield Attack(header, _asked("GET", f"{API}/monitoring", (header, "/config")), GONE)
    upgrade = (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "x3JJHMbDL1EzLkh9GBhXDw=="),
    )
    yield Attack("a socket", _asked("GET", f"{API}/queue/join", *upgrade), GONE)


def _files() -> Iterator[Attack]:
    for path in FILES:
        yield Attack(f"file={path}", _file(f"{API}/file=", path), GONE | {414})
    for path in ("/etc/passwd", "OUTSIDE", "FOLDER"):
        yield Attack(f"HEAD file={path}", _file(f"{API}/file=", path, "HEAD"), GONE)
        yield Attack(f"file/{path}", _file(f"{API}/file/", path), GONE)


def _asked(method: str, path: str, *headers: tuple[str, str]) -> Ask:
    return lambda target: target.raw.ask(method, path, headers)


def _file(route: str, path: str, method: str = "GET") -> Ask:
    def filled(target: Target) -> str:
        folder = target.folders[0] if target.folders else "/root"
        told = path.replace("OUTSIDE", target.outside).replace("FOLDER", folder)
        return told.replace("VIS", VIS_NETWORK.as_posix())

    return lambda target: target.raw.ask(method, route + filled(target))

"""Uploads: forms that are none, links and paths that lead elsewhere, and what is made of them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.attacks.http.raw import API, Answer
from benchmarks.attacks.http.target import (
    ATTACKER,
    LEAKS,
    REFUSED,
    WORD,
    Ask,
    Attack,
    Classes,
    Target,
    said_error,
    typed,
)
from ui.door.uploads import KEY

BOUNDARY = "----redstring"
END = f"--{BOUNDARY}--\r\n".encode()
UPLOAD = f"{API}/upload"
JOB_SECONDS = 60.0
ACT = b"# Act\n\n## Article 1\n\nThe Port Authority may act.\n"
NAMES = (
    "../../escaped.md",
    "/etc/cron.d/x.md",
    "a/../../b.md",
    "..\\..\\b.md",
    "C:\\b.md",
    "CON.md",
    "a\x00b.md",
    "x" * 3000 + ".md",
    ".htaccess",
    "a\u202emd.exe",
    "corpus.ref/a.md",
    "manifest.json",
    "ontology.yaml",
)
# Files of the server that were never sent.
NAMED = (
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/fd/0",
    "/proc/self/fd/1",
    "/dev/stdin",
    "/dev/zero",
    "../../etc/passwd",
    "",
    ".",
    "/",
    "~",
    "/etc/passwd\0.md",
    "OUTSIDE",
    "UPLOADS/../../../etc/passwd",
    "UPLOADS",
    "UPLOADS/..",
    "UPLOADS/00",
    "./UPLOADS/0",
    "/proc/self/root/etc/passwd",
    "x" * 5000,
)
# What a link may say, in a file that the formats of the engine know as one.
LINKS = (
    "OUTSIDE",
    "FOLDER",
    "FOLDER/..",
    "/etc",
    "/proc/self/fd",
    "/",
    "../..",
    "../../../../../../etc",
    ".",
    "..",
    "/dev",
    "~",
    "file:///etc",
    "FOLDER\n/etc",
    "\\\\host\\share",
    "/proc/self/root/etc",
)


def classes() -> Classes:
    """The attacks, by their class."""
    return {"forms of uploads": list(_forms()), "paths and links in uploads": list(_paths())}


def part(content: bytes, name: str = "act.md", field: str = "files") -> bytes:
    """A file in a form."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n"


def sent(target: Target, body: bytes, kind: str = "", forwarded: str = "") -> Answer:
    """A form, sent."""
    headers = typed(kind or f"multipart/form-data; boundary={BOUNDARY}")
    return target.raw.ask("POST", UPLOAD, headers, body, forwarded=forwarded)


def _forms() -> Iterator[Attack]:
    refused = REFUSED | {0, 507}
    for name, body in {
        "nothing": b"",
        "no form": WORD.encode(),
        "no file": END,
        "another field": part(ACT, field="other") + END,
        "eleven files": part(ACT) * 11 + END,
        "eleven fields": part(ACT, field="a") * 11 + END,
        "no end": part(ACT)[:-2],
        "no head": f"--{BOUNDARY}\r\n\r\nx\r\n".encode() + END,
        "a head of a megabyte": part(b"x", "x" * 1_000_000) + END,
        "too large a file": part(b"x" * 1_100_000) + END,
        "too large a form": part(b"x" * 900_000) * 3 + END,
        "a form in a form": part(part(ACT)) + b"\r\n",
        "another boundary": part(ACT).replace(b"----r", b"----x") + END,
    }.items():
        yield Attack(name, _form(body), refused)
    for kind in (
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "text/plain",
        "application/json",
        "multipart/form-data; boundary=" + "x" * 5000,
        "multipart/mixed; boundary=x",
        f"multipart/form-data; boundary={BOUNDARY}; boundary=y",
    ):
        yield Attack(f"type {kind[:60]!r}", _form(part(ACT) + END, kind), refused | {200})
    for name in NAMES:
        yield Attack(f"name {name[:40]!r}", _form(part(ACT, name) + END), refused | {200}, _hidden)


def _hidden(answer: Answer) -> str:
    """A file lies under no name of its sender."""
    if answer.status != 200:
        return ""
    (key,) = answer.json
    return "" if KEY.fullmatch(key) else f"is called {key}"


def _form(body: bytes, kind: str = "") -> Ask:
    return lambda target: sent(target, body, kind)


def _paths() -> Iterator[Attack]:
    taken = REFUSED | {200}
    for path in NAMED:
        for do in ("create", "add"):
            yield Attack(f"{do} from {path[:40]!r}", _from(do, path), taken, said_error)
    for place in ("corpus.ref", "x/corpus.ref"):
        for link in LINKS if place == "corpus.ref" else LINKS[:4]:
            about = f"{place} that says {link!r}"
            yield Attack(about, _made({"a.md": ACT, place: link.encode()}), taken, _nothing_of_elsewhere)
    for name in (*NAMES[:6], "/proc/self/fd/0", "a/" * 200 + "b.md", "\u202e\u200b", ""):
        about = f"a document called {name[:40]!r}"
        yield Attack(about, _made({name: ACT}), taken, _nothing_of_elsewhere)
    yield Attack("too many files", _too_many, taken, said_error)


def _from(do: str, path: str) -> Ask:
    def ask(target: Target) -> Answer:
        data = {
            "do": do,
            "visitor": ATTACKER,
            "name": "Stolen",
            "corpus": "Act",
            "embedding": "none",
            "files": [{"key": _filled(target, path), "name": "a.md"}],
        }
        return target.panel("corpus", data)

    return ask


def _filled(target: Target, text: str) -> str:
    folder = target.folders[0] if target.folders else "/root"
    found = text.replace("OUTSIDE", target.outside).replace("FOLDER", folder)
    if "UPLOADS" in text:
        (key,) = sent(target, part(ACT) + END).json
        found = found.replace("UPLOADS", key.rpartition("/")[0])
    return found


def _made(files: dict[str, bytes]) -> Ask:
    """Make a corpus of files, read all that it tells, delete it. The answer is all that was told."""

    def ask(target: Target) -> Answer:
        given = []
        for name, content in files.items():
            arrived = sent(target, part(_filled(target, content.decode()).encode()) + END)
            if arrived.status != 200:
                return arrived
            given.append({"key": arrived.json[0], "name": name})
        order = {"do": "create", "visitor": ATTACKER, "name": "Linked", "embedding": "none", "files": given}
        started = target.panel("corpus", order)
        if started.status != 200 or "job" not in started.json:
            return started
        told = [str(_ended(target, started.json["job"]))]
        for do in ("report", "documents", "piece", "cases"):
            told.append(str(target.told("corpus", do=do, corpus="Linked")))
        target.told("corpus", do="delete", corpus="Linked")
        return Answer(200, started.headers, "\n".join(told).encode())

    return ask


def _ended(target: Target, job: str) -> dict[str, object]:
    until = time.monotonic() + JOB_SECONDS
    while (told := target.told("corpus", do="poll", job=job)).get("state") in ("waiting", "running"):
        if time.monotonic() > until:
            raise ValueError("a job did not end")
        time.sleep(0.05)
    return told


def _nothing_of_elsewhere(answer: Answer) -> str:
    found = [leak for leak in (*LEAKS, "daemon:x:", "/bin/bash") if leak.encode() in answer.body]
    return f"told {found[0]!r}" if found else ""


def _too_many(target: Target) -> Answer:
    (key,) = sent(target, part(ACT) + END).json
    files = [{"key": key, "name": f"{n}.md"} for n in range(200)]
    order = {"do": "create", "visitor": ATTACKER, "name": "Many", "embedding": "none", "files": files}
    return target.panel("corpus", order)

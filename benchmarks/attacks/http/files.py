"""Files that cost more than they weigh, lead elsewhere or end too soon: sent to be checked, and as gold
questions. None of them may cost the server itself memory."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator

from benchmarks.attacks.hostile_files import LEAKED, questions, texts
from benchmarks.attacks.http.raw import Answer
from benchmarks.attacks.http.target import (
    ATTACKER,
    REFUSED,
    Ask,
    Attack,
    Classes,
    Target,
    peak_memory,
    said_error,
)

TAKEN = REFUSED | {200}
# What a file may add to the memory of the server, in bytes.
MOST = 100_000_000
# These take as long as there is for one file: to be refused at the end of it.
PATIENT = frozenset({"lines.jsonl.gz", "questions.jsonl.gz", "a long page.pdf", "many.zip", "long.json"})
# Of these something is read, and rightly so.
READ = frozenset({"many pages.pdf", "nothing.txt", "long.jsonl", "long.json", "a long page.pdf"})
# What stands for the bytes of a file, as base 64 has them or not.
NO_BASE64 = {
    "rubbish": "$$$$", "cut": "QUJD" * 10 + "Q", "lines": "QUJD\nQUJD",
    "words": "a file", "letters": "äöü", "NUL": "QUJD\0", "a URL": "data:text/plain;base64,QUJD",
    "a path": "/etc/passwd", "another alphabet": "--__",
}  # fmt: skip
NAMES = (
    "../../../etc/passwd", "/etc/passwd", "C:\\a.txt", "a\0.txt", "\n.txt", "a\u202etxt.exe", "x" * 200, "",
    ".", "..", "~", "a/b/c.txt", "-rf.txt", "$(id).txt", "%2e%2e.txt", "numpy.py", "orjson.so",
    "ontology.yaml", "corpus.ref", ".bashrc",
)  # fmt: skip


def classes() -> Classes:
    """The attacks, by their class."""
    return {"files of Check": list(_texts()), "files of Evaluate": list(_questions())}


def _texts() -> Iterator[Attack]:
    for name, data in texts().items():
        if name not in PATIENT:
            yield Attack(name, _checked(name, b64encode(data).decode()), TAKEN, _calm(name))
    for about, letters in NO_BASE64.items():
        yield Attack(f"base 64: {about}", _checked("a.txt", letters), TAKEN, said_error)
    for name in NAMES:
        attack = _checked(name, b64encode(b"The fee is due.").decode())
        yield Attack(f"called {name[:40]!r}", attack, TAKEN, _leaks_nothing)


def _questions() -> Iterator[Attack]:
    for name, (queries, qrels) in questions().items():
        if name not in PATIENT:
            files = {"queries": (name, queries), "qrels": ("mine.qrels", qrels)}
            yield Attack(name, _measured(files), TAKEN, _calm(name))
    for name in ("zeros.jsonl.gz", "members.jsonl.gz", "cut.jsonl.gz", "rubbish.jsonl.gz", "nul.jsonl"):
        packed = name.removesuffix(".jsonl.gz").removesuffix(".jsonl")
        queries, _ = questions()[name]
        files = {
            "queries": ("q.jsonl", questions()["nan.jsonl"][0]),
            "qrels": (f"{packed}.qrels.gz", queries),
        }
        yield Attack(f"{packed} as judgements", _measured(files), TAKEN, said_error)


def _checked(name: str, data: str) -> Ask:
    asked = {"do": "read", "visitor": ATTACKER, "file": {"name": name, "data": data}}
    return _watched(lambda target: target.panel("check", asked))


def _measured(files: dict[str, tuple[str, bytes]]) -> Ask:
    given = {kind: {"name": name, "data": b64encode(data).decode()} for kind, (name, data) in files.items()}

    def ask(target: Target) -> Answer:
        asked = {"do": "start", "visitor": ATTACKER, "corpus": "Act", "gold": "files", **given}
        answer = target.panel("evaluation", asked)
        if answer.status == 200 and "job" in answer.json:
            target.told("evaluation", do="cancel", job=answer.json["job"])
        return answer

    return _watched(ask)


def _watched(ask: Ask) -> Ask:
    """The same, and nothing if the server has grown by it."""

    def watched(target: Target) -> Answer:
        peak_memory(target.pid)
        before = peak_memory(target.pid)
        answer = ask(target)
        grown = peak_memory(target.pid) - before
        if grown > MOST:
            raise ValueError(f"the server grew by {grown / 1e6:.0f} MB")
        return answer

    return watched


def _calm(name: str) -> Callable[[Answer], str]:
    return _leaks_nothing if name in READ else said_error


def _leaks_nothing(answer: Answer) -> str:
    return "told of another file" if LEAKED.encode() in answer.body or b"/tmp/" in answer.body else ""

"""Attacks over HTTP on ``app.py``, served to everybody, with a victim's corpus and keys to be had.

Each request comes from an address of its own (127.x.y.z), so that what is refused is refused for itself. Held
where the status is an expected one, the answer bears every header, tells no key, no text of another visitor
and no file of the server, and an honest request is answered right afterwards. What is drawn by chance is sent
besides: paths, hosts and bodies near to those that are taken.
"""

from __future__ import annotations

import random
import shutil
import string
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.attacks.http import bodies, calls, fields, file_objects, files, limits, names, routes, sending
from benchmarks.attacks.http.raw import API, Raw
from benchmarks.attacks.http.target import (
    KEY,
    OUTSIDE,
    REFUSED,
    SECRET,
    VICTIM,
    VICTIMS,
    Attack,
    Classes,
    Target,
    attempts,
    typed,
)
from benchmarks.attacks.outcome import Outcome, counted
from benchmarks.attacks.own_server import own_server
from benchmarks.attacks.small_corpora import write_acts
from engine.access.users import visitors_folder
from engine.ingestion.build import build_corpus
from engine.operator_settings import PROJECT

SETTINGS = {
    "REDSTRING_HOSTS": "law.example",
    "REDSTRING_ORIGINS": "https://portal.example",
    "REDSTRING_FILE_MB": "1",
    "REDSTRING_UPLOAD_MB": "2",
    "REDSTRING_FILES": "100",
    "REDSTRING_UNUSED_UPLOAD_MB": "50",
    "OPENAI_API_KEY": KEY,
    "REDSTRING_LLM": "openai:m@https://llm.example/v1",
    "REDSTRING_LLM_KEY": KEY,
    "REDSTRING_EMBEDDINGS": "none",
}


def run(tries: int = 300, seed: int = 0) -> tuple[Outcome, ...]:
    """All that are listed, and as many by chance as there are tries."""
    with attacked() as target:
        slow = limits.SlowSenders(target)
        outcomes = [counted(f"HTTP: {kind}", attempts(target, attacks)) for kind, attacks in listed().items()]
        drawn = list(by_chance(tries, random.Random(seed)))
        outcomes.append(counted("HTTP: by chance", attempts(target, drawn)))
        outcomes.append(counted("HTTP: slow senders", slow.attempts()))
        outcomes.append(counted("HTTP: logs", limits.logged(target)))
    return tuple(outcomes)


def listed() -> Classes:
    """All attacks of the lists, by their class."""
    found: dict[str, list[Attack]] = {}
    for module in (names, routes, bodies, file_objects, fields, calls, sending, files, limits):
        found |= {kind: list(attacks) for kind, attacks in module.classes().items()}
    return found


def victims_corpus(folder: Path) -> Path:
    """A corpus with a text that only the victim may read."""
    sources = write_acts(folder / "victims", {0: 0})
    (sources / "secret.md").write_text(f"# Secret\n\n## Article 1\n\nThe word is {SECRET}.\n", "utf-8")
    build_corpus([sources], folder / "victims-corpus", name=VICTIMS, embedding="none")
    return folder / "victims-corpus"


def put_in_place(made: Path, home: Path) -> Path:
    """The victim's corpus, as if it had been made on the page."""
    own = visitors_folder(home, VICTIM)
    assert own is not None
    own.mkdir(parents=True)
    shutil.copytree(made, own / "victims-0")
    return own / "victims-0"


@contextmanager
def attacked() -> Iterator[Target]:
    """``app.py``, with a corpus for everybody, a victim's, and a file beside its home."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        outside = folder / "outside"
        outside.mkdir()
        (outside / "secret.md").write_text(f"# Secret\n\n## Article 1\n\n{OUTSIDE}\n", "utf-8")
        build_corpus(
            [write_acts(folder / "acts", {0: 1, 1: 1})], folder / "act", name="Act", embedding="none"
        )
        with own_server((folder / "act",), SETTINGS) as server:
            victims = put_in_place(victims_corpus(folder), server.home)
            raw = Raw(server.address, by_proxy=False)
            yield Target(
                raw,
                str(outside / "secret.md"),
                (str(victims), str(outside)),
                (str(PROJECT), sys.prefix, str(server.home), str(server.temporary)),
                lambda: server.log.read_text("utf-8", "replace"),
                pid=server.process.pid,
            )


def by_chance(tries: int, chance: random.Random) -> Iterator[Attack]:
    """Paths, hosts and bodies one step from those that are taken. Some of them are taken: never with an
    error of the server, and never with what is not the attacker's."""
    paths = ("/config", f"{API}/info", f"{API}/file=/etc/passwd", f"{API}/queue/data", "/assets/a.js")
    taken = frozenset({0, 200, 206}) | REFUSED
    body = b'{"data": [""], "session_hash": "attack", "fn_index": 1, "component_id": 1, "fn_name": "corpus"}'
    for number in range(tries):
        kind = number % 3
        if kind == 0:
            path = _near(chance.choice(paths).encode(), chance).decode("latin-1")
            yield Attack(
                f"path {path!r}",
                lambda target, path=path: target.raw.ask("GET", path.replace("\r", "").replace("\n", "")),  # type: ignore[misc]
                taken,
            )
        elif kind == 1:
            host = _near(b"localhost", chance).decode("latin-1")
            yield Attack(
                f"host {host!r}",
                lambda target, host=host: target.raw.ask("GET", "/config", host=host),  # type: ignore[misc]
                frozenset({0, 400, 421}) if host.lower() != "localhost" else taken,
            )
        else:
            sent = _near(body, chance)
            path = chance.choice(
                (f"{API}/queue/join", f"{API}/component_server/", f"{API}/call/audit", f"{API}/mcp/")
            )
            yield Attack(
                f"body {sent!r} to {path}",
                lambda target, path=path, sent=sent: target.raw.ask("POST", path, typed(), sent),  # type: ignore[misc]
                taken | {406, 202},
            )


def _near(text: bytes, chance: random.Random) -> bytes:
    """A text with some of its bytes changed, left out, doubled or put in."""
    found = bytearray(text)
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.randrange(len(found))
        piece = chance.choice(
            (
                b"%2e",
                b"%00",
                b"/",
                b"..",
                b"\\",
                b"\xff",
                b'"',
                b"[",
                b"{",
                b"@",
                b";",
                b"9" * 30,
                chance.choice(string.printable[:94]).encode(),
            )
        )
        match chance.randrange(3):
            case 0:
                found[place : place + 1] = piece
            case 1 if len(found) > 2:
                del found[place]
            case _:
                found[place:place] = piece
    return bytes(found)

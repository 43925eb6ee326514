"""A page that is attacked over HTTP: what it must never tell, and how an attempt on it is judged."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.attacks.http.raw import API, Answer, Raw
from benchmarks.attacks.outcome import Attempt

# In the environment of the server, in another visitor's corpus, in a file beside its home.
KEY, SECRET, OUTSIDE = "sk-canary-61e0b7", "quokka-7c1f", "wombat-93be"
# In what is sent: nothing of it may stand in the log.
WORD = "zebra-5d20"
LEAKS = (KEY, SECRET, OUTSIDE, "root:x:0:", "Traceback (most recent")
VICTIM, VICTIMS = "v" * 32, "Victim's"
ATTACKER = "a" * 32
# An answer that takes longer has kept the server busy, s; on a machine that has other things to do.
SLOW = 10.0
REFUSED = frozenset({400, 403, 404, 405, 408, 411, 413, 414, 415, 421, 422, 429, 431, 501})
# What the server's own parser of HTTP says before anything of ours is asked.
UNREADABLE = b"Invalid HTTP request received."
MARKED = (
    "content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-resource-policy",
    "cross-origin-opener-policy", "permissions-policy", "x-frame-options",
)  # fmt: skip
Ask = Callable[["Target"], Answer]


@dataclass(slots=True)
class Target:
    """``outside`` and ``folders``: files and folders of the server that no visitor may read; ``paths``: paths
    that no answer may contain. ``log``: all that it has said. ``numbers``: of the panels' components.
    ``pid``: of the server's process, None for this one."""

    raw: Raw
    outside: str
    folders: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    log: Callable[[], str] = lambda: ""
    numbers: dict[str, int] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    pid: int | None = None

    def panel(self, name: str, data: Any, headers: Iterable[tuple[str, str]] = (), **more: Any) -> Answer:
        """A request of a panel."""
        body = {"data": data, "component_id": self.number(name), "fn_name": name, "session_hash": "attack"}
        return self.raw.post(f"{API}/component_server/", body | more, tuple(headers))

    def number(self, name: str) -> int:
        """The number of a panel's component."""
        if not self.config:
            self.config = self.raw.ask("GET", "/config").json
        if name not in self.numbers:
            self.numbers[name] = next(
                int(part["id"])
                for part in self.config["components"]
                if name in part["props"].get("server_fns", [])
            )
        return self.numbers[name]

    def told(self, name: str, **data: Any) -> dict[str, Any]:
        """What a panel tells the attacker."""
        answer = self.panel(name, {"visitor": ATTACKER, **data})
        told: dict[str, Any] = answer.json if answer.status == 200 else {"error": f"status {answer.status}"}
        return told

    def victims(self) -> list[str]:
        """The corpora that the victim sees, as an honest request."""
        shelf = self.panel("corpus", {"do": "shelf", "visitor": VICTIM}).json
        return [one["name"] for one in shelf.get("corpora", [])]


@dataclass(frozen=True, slots=True)
class Attack:
    """``statuses`` that are expected (0: hung up); ``wrong`` says what else is wrong with an answer."""

    name: str
    ask: Ask
    statuses: frozenset[int] = REFUSED
    wrong: Callable[[Answer], str] = lambda answer: ""


Classes = Mapping[str, Iterable[Attack]]


def attempts(target: Target, attacks: Iterable[Attack], every: int = 1) -> Iterator[Attempt]:
    """Each attack, or every so manieth; after each an honest request has to be answered."""
    for attack in list(attacks)[::every]:
        began = time.monotonic()
        try:
            answer = attack.ask(target)
            note = judged(attack, answer, time.monotonic() - began) or leaked_path(target, answer)
        except (OSError, ValueError, KeyError) as error:
            note = f"{type(error).__name__}: {error}"
        if not note and VICTIMS not in target.victims():
            note = "afterwards an honest request is not answered"
        yield Attempt(attack.name, not note, note)


def judged(attack: Attack, answer: Answer, seconds: float) -> str:
    """What is wrong with an answer, or nothing."""
    if answer.status not in attack.statuses:
        return f"status {answer.status}: {answer.body[:120]!r}"
    for leak in LEAKS:
        if leak.encode() in answer.body or leak in str(answer.headers):
            return f"told {leak!r}"
    if seconds > SLOW:
        return f"took {seconds:.0f} s"
    if answer.status and UNREADABLE not in answer.body:
        missing = [name for name in MARKED if name not in answer.headers]
        if missing:
            return f"without {missing[0]}"
    return attack.wrong(answer)


def leaked_path(target: Target, answer: Answer) -> str:
    """The path of the server that an answer contains, or an empty string."""
    everything = answer.body + str(answer.headers).encode()
    return next((f"the answer contains {path}" for path in target.paths if path.encode() in everything), "")


def peak_memory(pid: int | None = None) -> int:
    """The most bytes of memory that a process has used since this was last asked of it, None for this one."""
    here = Path(f"/proc/{pid or 'self'}")
    found = int((here / "status").read_text().partition("VmHWM:")[2].split()[0]) << 10
    (here / "clear_refs").write_text("5")
    return found


def said_error(answer: Answer) -> str:
    """What is wrong with an answer of a panel that had to be an error in one line."""
    if answer.status != 200:
        return ""
    told = answer.json.get("error")
    if not told:
        return f"was taken: {answer.body[:120]!r}"
    return "an error of several lines" if "\n" in told or len(told) > 1000 else ""


def typed(kind: str = "application/json") -> list[tuple[str, str]]:
    """The header of a body."""
    return [("Content-Type", kind)]


def call(*data: object) -> bytes:
    """The body of an endpoint's call."""
    return json.dumps({"data": data}).encode()

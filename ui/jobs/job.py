"""One piece of ordered work: whose it is, how far it is, how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Generic, TypeVar

from engine.errors import CancelledError

Payload = TypeVar("Payload")
UNEXPLAINED = "the {} ended without a word; the server's log has the details"


class State(StrEnum):
    """Where a job stands. ``STOPPED``: ended before its end, with something left to do later."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has ordered something. Visitors are told apart by a token that they make themselves, so turns
    are shared between the addresses that they come from, too; "" where it is not known."""

    visitor: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How work has ended that was neither cancelled nor failed. ``WAITING``: its turn is over, and it wants
    another."""

    state: State = State.DONE
    message: str = ""


@dataclass(slots=True)
class Job(Generic[Payload]):
    """``payload`` is what the work is about and what has come of it; ``folder`` the corpus that it changes.

    ``step``, ``done`` and ``total`` tell how far it is. Only ``Jobs`` changes ``state``.
    """

    id: str
    owner: Owner
    payload: Payload
    name: str = ""
    folder: Path | None = None
    state: State = State.WAITING
    step: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    turn: int = 0
    finished: float | None = None
    # Set by whoever wants it to end: the visitor, its deadline, the end of the server.
    stop: Event = field(default_factory=Event)
    overdue: str = ""
    # It is near its end: the deadline counts no more.
    unhurried: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in (State.WAITING, State.RUNNING)

    def tell(self, step: str, done: int, total: int) -> None:
        """Say how far the work is. Raises CancelledError once it is to end."""
        self.step, self.done, self.total = step, done, total
        if self.stop.is_set():
            raise CancelledError(self.overdue or "cancelled")

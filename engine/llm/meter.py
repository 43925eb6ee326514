"""A budget for language models, and the meter that keeps it: a circuit breaker and a ledger in one.

Before a prompt is sent its greatest use is reserved, so that prompts sent side by side cannot
overdraw the budget together; after it, what the server counted takes the place of the reservation. Once a
prompt did not fit, the breaker stays open: no later one is sent, however small, and what works without a
model goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.errors import BudgetError, CancelledError
from engine.llm.usage import Usage

# Between two looks whether somebody cancelled.
WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be used at most; None for no limit. ``seconds`` count from the meter's start, ``money`` is in
    the currency of the prices that were given."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    money: float | None = None


@dataclass(slots=True)
class Slot:
    """A reservation. ``used`` is what the server counted so far; the caller sets it. ``thread`` made it."""

    expected: Usage
    used: Usage = field(default_factory=Usage)
    thread: int = field(default_factory=threading.get_ident)


class Meter:
    """Counts what one investigation uses, by task, and stops it at its budget. Safe for several threads.

    ``cancelled`` is asked before each prompt, and by clients while they wait.
    """

    def __init__(self, budget: Budget | None = None, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.budget = budget or Budget()
        self.cancelled = cancelled
        self._lock = threading.Lock()
        self._freed = threading.Condition(self._lock)
        self._started = time.monotonic()
        self._tasks: dict[str, Usage] = {}
        self._reserved: list[Slot] = []
        self._opened = ""

    @property
    def spent(self) -> Usage:
        """What was used so far."""
        with self._lock:
            return sum(self._tasks.values(), Usage())

    @property
    def tasks(self) -> Mapping[str, Usage]:
        """What was used so far, by task."""
        with self._lock:
            return dict(self._tasks)

    @property
    def opened(self) -> str:
        """Why the breaker is open; empty while it is closed."""
        with self._lock:
            return self._opened

    @property
    def seconds(self) -> float:
        """Seconds since the meter was started."""
        return time.monotonic() - self._started

    def restart(self) -> None:
        """Start the clock again, for somebody who comes back to a case. What was used still counts, so a
        breaker that opened for calls, tokens or money opens again at the next prompt."""
        with self._lock:
            self._started, self._opened = time.monotonic(), ""

    @contextmanager
    def slot(self, task: str, expected: Usage) -> Iterator[Slot]:
        """Reserve what a prompt may use; whatever happens inside, what was used is kept in the ledger.

        Where only the reservations of other threads are in the way, it waits for them: they mostly use less.
        Raises BudgetError where the budget does not hold it, CancelledError where the meter was cancelled.
        """
        slot = Slot(expected)
        while True:
            if self.cancelled():
                raise CancelledError("the language model was not asked: cancelled")
            if self._reserve(slot):
                break
        try:
            yield slot
        finally:
            with self._lock:
                self._reserved = [other for other in self._reserved if other is not slot]
                self._tasks[task] = self._tasks.get(task, Usage()) + slot.used
                self._freed.notify_all()

    def check(self) -> None:
        """For clients between two calls of one prompt, and while they wait.

        Raises CancelledError or, where the seconds are over, BudgetError.
        """
        if self.cancelled():
            raise CancelledError("the language model was stopped: cancelled")
        limit = self.budget.seconds
        if limit is not None and self.seconds >= limit:
            with self._lock:
                self._opened = self._opened or _over("seconds", round(self.seconds, 1), limit)
            raise BudgetError(self._opened)

    def _reserve(self, slot: Slot) -> bool:
        """Whether the slot is reserved; False where it is worth trying again. Raises BudgetError."""
        with self._lock:
            own = [other for other in self._reserved if other.thread == slot.thread]
            if not self._opened:
                reason = self._too_much(slot.expected, self._reserved)
                if not reason:
                    self._reserved.append(slot)
                    return True
                if len(own) < len(self._reserved) and not self._too_much(slot.expected, own):
                    self._freed.wait(WAIT_SECONDS)
                    return False
                self._opened = reason
            raise BudgetError(self._opened)

    def _too_much(self, expected: Usage, reserved: Sequence[Slot]) -> str:
        """Why a prompt does not fit beside these reservations; called with the lock held."""
        budget = self.budget
        held = sum((slot.expected for slot in reserved), Usage())
        used = sum(self._tasks.values(), Usage()) + held + expected
        if budget.calls is not None and used.calls > budget.calls:
            return _over("calls", used.calls, budget.calls)
        if budget.tokens is not None and used.tokens > budget.tokens:
            return _over("tokens", used.tokens, budget.tokens)
        if budget.seconds is not None and self.seconds >= budget.seconds:
            return _over("seconds", round(self.seconds, 1), budget.seconds)
        if budget.money is not None and used.money is None:
            return "the budget is in money and the prices of this model are not known: give them"
        if budget.money is not None and used.money is not None and used.money > budget.money:
            return _over("money", round(used.money, 6), budget.money)
        return ""


def _over(unit: str, needed: float, limit: float) -> str:
    return f"the budget for language models is used up: {needed:g} {unit} needed, {limit:g} allowed"

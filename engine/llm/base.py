"""The interface of language models: prompts, replies, usage, and the meter with its budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from engine.errors import BudgetError, CancelledError, ModelError

# The usage of language models: calls, tokens as counted by the server, time, money.


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of a request as counted by the server.

    Of the prompt's tokens, ``cached`` were read from the server's cache and ``written`` were written to it.
    """

    prompt: int = 0
    cached: int = 0
    written: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """The actual or expected usage.

    ``calls`` are requests sent, repeated ones included. ``cached_tokens`` are those of ``prompt_tokens`` that
    the provider had cached, ``written_tokens`` those that it wrote to its cache. ``reused`` answers came from
    the cache on disk and cost nothing. ``money`` is in the currency of the given prices, None if no prices
    are known; ``saved`` is the money saved by the provider's cache, 0 if unknown.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: float = 0.0
    money: float | None = 0.0
    reused: int = 0
    written_tokens: int = 0
    saved: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        money = None if self.money is None or other.money is None else self.money + other.money
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.milliseconds + other.milliseconds,
            money,
            self.reused + other.reused,
            self.written_tokens + other.written_tokens,
            self.saved + other.saved,
        )


# A budget for language models, and the meter that enforces it: a circuit breaker and a ledger.
#
# Before a prompt is sent, its maximum usage is reserved, so that concurrent prompts cannot overdraw
# the budget. Afterwards the server's count replaces the reservation. Once a prompt did not fit, the
# breaker stays open: no later prompt is sent, however small, and work without a model continues.

# Interval of checks for cancellation.
WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; None for no limit.

    ``seconds`` count from the start of the meter, ``money`` is in the prices' currency.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    money: float | None = None


@dataclass(slots=True)
class Slot:
    """A reservation. ``used`` is the server's count so far, set by the caller. ``thread`` made it."""

    expected: Usage
    used: Usage = field(default_factory=Usage)
    thread: int = field(default_factory=threading.get_ident)


class Meter:
    """Counts the usage of an investigation by task and stops it at its budget. Thread-safe.

    ``cancelled`` is called before each prompt, and by clients while they wait.
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
        """The usage so far."""
        with self._lock:
            return sum(self._tasks.values(), Usage())

    @property
    def tasks(self) -> Mapping[str, Usage]:
        """The usage so far, by task."""
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
        """Start the clock again when a case is resumed.

        Earlier usage still counts: a breaker that opened for calls, tokens or money opens again at the next
        prompt.
        """
        with self._lock:
            self._started, self._opened = time.monotonic(), ""

    @contextmanager
    def slot(self, task: str, expected: Usage) -> Iterator[Slot]:
        """Reserve the maximum usage of a prompt; the actual usage is always recorded.

        If only reservations of other threads are in the way, it waits for them, as they mostly use less.
        Raises BudgetError if the budget is too small, CancelledError if the meter was cancelled.
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
        """Check the budget between two calls of a prompt, and while waiting.

        Raises CancelledError or, if the time is over, BudgetError.
        """
        if self.cancelled():
            raise CancelledError("the language model was stopped: cancelled")
        limit = self.budget.seconds
        if limit is not None and self.seconds >= limit:
            with self._lock:
                self._opened = self._opened or _over("seconds", round(self.seconds, 1), limit)
            raise BudgetError(self._opened)

    def _reserve(self, slot: Slot) -> bool:
        """Return whether the slot is reserved; False to try again later. Raises BudgetError."""
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
        """Return why a prompt does not fit next to these reservations; the caller holds the lock."""
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


# The interface between the engine and language models.
#
# A model has one task: to fill a schema from a prompt. It has no tools, keeps no conversation, and
# the caller checks what it returns. A prompt separates the engine's text (``instructions``) from
# untrusted text (``data``): a question, a passage, pasted text.
#

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Data:
    """Untrusted text to read and never obey.

    ``name`` is the engine's word for it ("question", "passage 3").
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Form:
    """A possible task of a case: its name, instructions, and the schema of its answer."""

    task: str
    instructions: str
    schema: type[BaseModel]


@dataclass(frozen=True, slots=True)
class Prefix:
    """The beginning that all prompts of a case share, byte for byte: all its tasks, and its collection.

    ``data`` is untrusted, like all data.
    """

    forms: tuple[Form, ...]
    data: tuple[Data, ...]

    def knows(self, task: str) -> bool:
        """Return whether it describes a task."""
        return any(form.task == task for form in self.forms)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model.

    ``task`` names it in the cost report ("decompose"). ``instructions`` are the same words each time and are
    sent first, so that a provider can cache them. ``longest`` is the longest answer, in tokens. ``prefix`` is
    the shared beginning of the prompts of a case; it includes the task's instructions, too.
    """

    task: str
    instructions: str
    data: tuple[Data, ...]
    longest: int = 1024
    temperature: float = 0.0
    prefix: Prefix | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[Answer]):
    """A model's answer, checked against the schema. ``reused``: it came from the cache on disk.

    ``warnings`` inform the user about the server, for example that it ignores schemas.
    """

    value: Answer
    usage: Usage
    reused: bool = False
    warnings: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """A model that fills schemas. It is thread-safe."""

    @property
    def spec(self) -> str:
        """The spec, without secrets."""

    @property
    def context_tokens(self) -> int:
        """The limit of tokens of a prompt with its answer."""

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the estimated maximum usage of a prompt."""

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Send a prompt and validate the answer.

        Raises ModelError if the server fails, refuses, truncates its answer or gives an invalid one even
        after a repair; BudgetError if the budget is too small; CancelledError if the meter was cancelled.
        """


# Requests for one case. The caller has a deterministic fallback, so that a failing model never ends a case.


class Asking:
    """The language model of one case; ``model`` is None if none is connected.

    ``notes`` report failures and omissions with their replacements, each once.
    """

    def __init__(self, model: LanguageModel | None, meter: Meter) -> None:
        self.model, self.meter = model, meter
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user so far."""
        return tuple(self._notes)

    def note(self, words: str) -> None:
        """Add a note for the user."""
        self._notes[words] = None

    def answer(self, prompt: Prompt, schema: type[Answer], instead: str) -> Answer | None:
        """Return the model's answer, which the caller has to check; None without an answer.

        ``instead`` names the fallback ("the question's own structure"). A cancelled case gets no answer and
        no note.
        """
        if self.model is None:
            self.note(f"{prompt.task}: no language model is connected; {instead} instead")
            return None
        try:
            reply = self.model.ask(prompt, schema, self.meter)
        except CancelledError:
            return None
        except (ModelError, BudgetError) as error:
            reason = str(error).removeprefix(f"{prompt.task}: ")
            self.note(f"{prompt.task}: {reason}; {instead} instead")
            return None
        for warning in reply.warnings:
            self.note(warning)
        return reply.value

"""One exchange with a server of language models, in the dialect that it understands."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, NoReturn

from pydantic import BaseModel

from engine.errors import AnswerError, ModelError
from engine.llm.base import Counted, Meter, Prefix, Prompt, Usage
from engine.llm.completions import Completion, read_completion, told
from engine.llm.prompt import Messages, cut_at, messages, most_tokens, prompt_tokens, sent_messages
from engine.llm.schemas import one_of, schema_text, strict_schema
from engine.llm.sending import POLL_SECONDS, Patience, Sender, passing
from engine.llm.spec import ModelSpec
from engine.network import OVERSIZED, TIMED_OUT, UNREACHABLE, Received, in_words

# What a server understands of the protocol, learnt from what it refuses.
#
# Servers that call themselves OpenAI-compatible differ in how an answer can be bound to a schema,
# in the name of the limit on its length and in the sampling parameters they take. The first
# prompt finds out; later ones profit.

SEED = 7
OLD_LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"
MARK = "cache_control"

# What the name of a schema may not hold.
UNNAMED, LONGEST_NAME = re.compile(r"[^A-Za-z0-9_-]"), 64
WORD = re.compile(r"[a-z_]+")
# Words of servers whose context is too small; no parameter is at fault then.
CONTEXT = frozenset({"context", "context_length_exceeded", "n_ctx", "exceed_context_size_error"})


class Rung(IntEnum):
    """How an answer is bound to its schema; the schema in words is in every prompt."""

    SCHEMA = 0
    OBJECT = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Dialect:
    """What to send to one server. ``limit`` names the greatest length of an answer. ``marks``: it is told
    what to cache (``cache_control``), which only servers that know it ever are. ``one_schema``: all tasks of
    a case have the same."""

    rung: Rung = Rung.SCHEMA
    limit: str = OLD_LIMIT
    temperature: bool = True
    seed: bool = True
    marks: bool = False
    one_schema: bool = False

    def parameters(
        self, task: str, schema: Mapping[str, Any], longest: int, temperature: float = 0.0
    ) -> dict[str, Any]:
        """All of a request's body but the model and the messages."""
        sent: dict[str, Any] = {self.limit: longest}
        if self.temperature:
            sent["temperature"] = temperature
        if self.seed:
            sent["seed"] = SEED
        if self.rung is Rung.SCHEMA:
            named = {"name": UNNAMED.sub("_", task)[:LONGEST_NAME], "schema": schema, "strict": True}
            sent["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.rung is Rung.OBJECT:
            sent["response_format"] = {"type": "json_object"}
        return sent

    def lower(self) -> Dialect:
        """One rung down; where all tasks had one schema, each has its own first."""
        if self.one_schema and self.rung is Rung.SCHEMA:
            return replace(self, one_schema=False)
        return replace(self, rung=Rung(min(self.rung + 1, Rung.TEXT)))

    def common(self, other: Dialect) -> Dialect:
        """What either leaves out: two prompts sent side by side may have learnt different things."""
        limit = NEW_LIMIT if NEW_LIMIT in (self.limit, other.limit) else OLD_LIMIT
        rung = max(self.rung, other.rung)
        return Dialect(
            rung,
            limit,
            self.temperature and other.temperature,
            self.seed and other.seed,
            self.marks and other.marks,
            self.one_schema and other.one_schema,
        )

    def after_refusal(self, message: str) -> Dialect | None:
        """What to try after a request was called bad; None where nothing is left to leave out.

        The message is only searched for names of parameters; one that names none may mean the response
        format, the newest of them. Each step leaves something out for good, so that trying ends.
        """
        named = set(WORD.findall(message.lower()))
        if named & CONTEXT:
            return None
        if self.limit == OLD_LIMIT and named & {OLD_LIMIT, NEW_LIMIT}:
            return replace(self, limit=NEW_LIMIT)
        if "temperature" in named and self.temperature:
            return replace(self, temperature=False)
        if "seed" in named and self.seed:
            return replace(self, seed=False)
        if self.marks and (MARK in named or self.rung is Rung.TEXT):
            return replace(self, marks=False)
        return None if self.rung is Rung.TEXT else self.lower()


# One prompt to one server: sent until it is answered, kept in the meter call by call.

# Prompts that a server may still have in its cache.
EARLIER = 8
DOWN_SECONDS = 15.0
# Name of the schema that all tasks of a case share.
CASE = "case"
# What a server says to a request that it cannot read.
BAD_REQUEST = (400, 422)


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of the server, and what it cost with all its retries. ``dialect`` is how it was asked."""

    completion: Completion
    usage: Usage
    dialect: Dialect
    warnings: tuple[str, ...] = ()


class Exchange:
    """Sends prompts to one server: so many at once, patiently, in the dialect that it understands."""

    def __init__(self, spec: ModelSpec, sender: Sender, patience: Patience) -> None:
        self._spec, self._sender, self._patience = spec, sender, patience
        self._places = threading.BoundedSemaphore(spec.concurrency)
        self._lock = threading.Lock()
        self._earlier: deque[str] = deque(maxlen=EARLIER)
        # By rung: how often an answer kept to the format that was asked for, and how often not.
        self._kept, self._broken = Counter[Rung](), Counter[Rung]()
        self._down_until = 0.0
        self._dialect = Dialect(
            limit=OLD_LIMIT if spec.own_url else NEW_LIMIT,
            marks=spec.marks,
            one_schema=spec.one_schema,
        )

    @property
    def dialect(self) -> Dialect:
        """What is known of the server so far."""
        with self._lock:
            return self._dialect

    def learn(self, spoken: Dialect) -> None:
        """Remember what the server understood, so that later prompts need not find out again."""
        with self._lock:
            self._dialect = self._dialect.common(spoken)

    def judge(self, spoken: Dialect, kept: bool) -> None:
        """Note whether an answer kept to its format; step down where answers mostly do not."""
        with self._lock:
            (self._kept if kept else self._broken)[spoken.rung] += 1
            if self._broken[spoken.rung] > self._kept[spoken.rung]:
                self._dialect = self._dialect.common(spoken.lower())

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What one request will use at most."""
        tokens, prices = prompt_tokens(messages(prompt, schema_text(schema))), self._spec.prices
        if prompt.prefix is not None and self.dialect.one_schema:
            tokens += _schema_tokens(prompt.prefix)
        answer = prompt.longest + self._spec.thinking
        money = None if prices is None else prices.most(tokens, answer)
        return Usage(calls=1, prompt_tokens=tokens, completion_tokens=answer, money=money)

    def answered(self, prompt: Prompt, schema: type[BaseModel], meter: Meter) -> Answered:
        """Send until the server answers. Raises ModelError where it does not, and AnswerError where the
        prompt does not fit the context; then nothing is sent."""
        built = messages(prompt, schema_text(schema))
        expected = self.expected(prompt, schema)
        if expected.tokens > self._spec.context:
            raise AnswerError(
                f"{prompt.task}: the prompt has up to {expected.prompt_tokens:,} tokens and its answer up to "
                f"{expected.completion_tokens:,}; {self._spec.where} has a context of {self._spec.context:,}"
            )
        used, attempt, dialect = Usage(), 0, self.dialect
        while True:
            body = {
                "model": self._spec.model,
                "messages": sent_messages(built, prompt.prefix, dialect.marks),
                **dialect.parameters(
                    *_named_schema(prompt, schema, dialect), expected.completion_tokens, prompt.temperature
                ),
            }
            received, completion, usage = self._sent(body, prompt.task, expected, meter)
            used += usage
            if completion is not None:
                warnings = self._checked(built, completion, prompt.task)
                self.learn(dialect)
                return Answered(completion, used, dialect, warnings)
            other = dialect.after_refusal(told(received.body)) if received.status in BAD_REQUEST else None
            if other is not None:
                dialect = other
                continue
            seconds = self._patience.seconds(attempt, received.headers)
            if not passing(received) or attempt >= self._retries(received) or seconds is None:
                self._failed(prompt.task, received, attempt)
            attempt += 1
            self._patience.wait(seconds, meter.check)

    def _retries(self, received: Received) -> int:
        """How often it is worth trying again. What took all the time once may do so again; and a server that
        was not there for one prompt needs no patience from the next."""
        if received.status == TIMED_OUT:
            return min(self._patience.retries, 1)
        with self._lock:
            down = received.status == UNREACHABLE and time.monotonic() < self._down_until
        return 0 if down else self._patience.retries

    def _sent(
        self, body: dict[str, object], task: str, expected: Usage, meter: Meter
    ) -> tuple[Received, Completion | None, Usage]:
        """One request, kept in the meter whatever happens."""
        with self._place(meter), meter.slot(task, expected) as slot:
            slot.used = self._used(Counted(), 0.0)
            received = self._sender.send(body, meter.check)
            completion = read_completion(received.body) if received.fine else None
            counted = Counted()
            if completion is not None:
                estimated = Counted(expected.prompt_tokens, completion=most_tokens(completion.content))
                counted = completion.counted or estimated
            slot.used = self._used(counted, received.milliseconds)
            return received, completion, slot.used

    def _used(self, counted: Counted, milliseconds: float) -> Usage:
        """One request with what was counted, and what that costs."""
        prices = self._spec.prices
        return Usage(
            calls=1,
            prompt_tokens=counted.prompt,
            cached_tokens=counted.cached,
            completion_tokens=counted.completion,
            milliseconds=milliseconds,
            money=None if prices is None else prices.money(counted),
            written_tokens=counted.written,
            saved=0.0 if prices is None else prices.saved(counted),
        )

    def _checked(self, built: Messages, completion: Completion, task: str) -> tuple[str, ...]:
        """What is to be said of the count. Raises ModelError where the prompt cannot have been read whole."""
        where, counted = self._spec.where, completion.counted
        if counted is None:
            return (f"{where} tells no usage: its tokens are estimated",)
        read, text = counted.prompt, "\n".join(content for _, content in built)
        with self._lock:
            earlier = tuple(self._earlier)
            self._earlier.append(text)
        about = cut_at(read, text, earlier)
        if about is not None:
            raise ModelError(
                f"{task}: {where} cut the prompt: it read {read:,} of about {about:,} tokens; raise its "
                f"context (Ollama: num_ctx), or lower context={self._spec.context} in the spec"
            )
        if cut_at(read, text) is not None:
            return (f"{where} counts only the tokens that it had not cached: the sums are too low",)
        return ()

    def _failed(self, task: str, received: Received, attempt: int) -> NoReturn:
        where, tried = self._spec.where, f" after {attempt + 1} attempts" if attempt else ""
        if received.status == TIMED_OUT:
            raise ModelError(f"{task}: {where}{tried}: {received.body}; timeout= in the spec gives it longer")
        if received.status == OVERSIZED:
            raise ModelError(f"{task}: {where}{tried}: {received.body}")
        if received.status == UNREACHABLE:
            with self._lock:
                self._down_until = time.monotonic() + DOWN_SECONDS
            raise ModelError(f"{task}: {where} cannot be reached{tried}: {told(received.body)}")
        if 300 <= received.status < 400:
            raise ModelError(
                f"{task}: {where} redirects (status {received.status}); give the address that it redirects to"
            )
        if received.fine:
            raise ModelError(f"{task}: {where} sent what is no completion{self._quoted(received)}")
        raise ModelError(
            f"{task}: {where} failed{tried} with status {received.status}{self._quoted(received)}"
        )

    def _quoted(self, received: Received) -> str:
        """What the server said. A server that a stranger named may be one that only this machine can read."""
        said = in_words(received.status) if self._sender.strange else told(received.body)
        return f": {said}" if said else ""

    @contextmanager
    def _place(self, meter: Meter) -> Iterator[None]:
        """One of the places for requests at once; waiting for it can be cancelled."""
        while not self._places.acquire(timeout=POLL_SECONDS):
            meter.check()
        try:
            yield
        finally:
            self._places.release()


def _named_schema(prompt: Prompt, schema: type[BaseModel], dialect: Dialect) -> tuple[str, Mapping[str, Any]]:
    """The schema of a request, and its name: the case's where all of its tasks have one."""
    if prompt.prefix is None or not dialect.one_schema:
        return prompt.task, strict_schema(schema)
    return CASE, strict_schema(_case_schema(prompt.prefix))


def _case_schema(prefix: Prefix) -> type[BaseModel]:
    """The schema that the answers of all tasks of a case fit."""
    return one_of(tuple(form.schema for form in prefix.forms))


@lru_cache(maxsize=16)
def _schema_tokens(prefix: Prefix) -> int:
    """About what a server counts for a schema that it puts, in its own words, before the prompt."""
    return most_tokens(schema_text(_case_schema(prefix)))

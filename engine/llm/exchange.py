"""An exchange with a server of language models, in the dialect that it supports."""

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
from engine.llm.completions import (
    Completion,
    error_message,
    one_of,
    read_completion,
    schema_text,
    strict_schema,
)
from engine.llm.connection import POLL_SECONDS, ModelSpec, Patience, Sender, passing
from engine.llm.prompt import Messages, cut_at, messages, most_tokens, prompt_tokens, sent_messages
from engine.network import OVERSIZED, TIMED_OUT, UNREACHABLE, Received, in_words

# The protocol features that a server supports, learnt from its refusals.
#
# Servers that call themselves OpenAI-compatible differ in how an answer can be bound to a schema,
# in the name of the limit on its length and in the sampling parameters they accept. The first
# prompt finds out; later ones use the result.

SEED = 7
OLD_LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"
MARK = "cache_control"

# Characters that the name of a schema may not contain, and its maximum length.
UNNAMED, LONGEST_NAME = re.compile(r"[^A-Za-z0-9_-]"), 64
WORD = re.compile(r"[a-z_]+")
# Words in errors of servers whose context is too small; then no parameter is at fault.
CONTEXT = frozenset({"context", "context_length_exceeded", "n_ctx", "exceed_context_size_error"})


class Rung(IntEnum):
    """How an answer is bound to its schema; every prompt contains the schema in words."""

    SCHEMA = 0
    OBJECT = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Dialect:
    """What to send to one server.

    ``limit`` is the name of the parameter for the maximum length of an answer. ``marks``: messages mark what
    to cache (``cache_control``), only for servers that support it. ``one_schema``: all tasks of a case have
    the same schema.
    """

    rung: Rung = Rung.SCHEMA
    limit: str = OLD_LIMIT
    temperature: bool = True
    seed: bool = True
    marks: bool = False
    one_schema: bool = False

    def parameters(
        self, task: str, schema: Mapping[str, Any], longest: int, temperature: float = 0.0
    ) -> dict[str, Any]:
        """Return the request's body except for the model and the messages."""
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
        """Return the next simpler dialect; a shared schema is first replaced by one per task."""
        if self.one_schema and self.rung is Rung.SCHEMA:
            return replace(self, one_schema=False)
        return replace(self, rung=Rung(min(self.rung + 1, Rung.TEXT)))

    def common(self, other: Dialect) -> Dialect:
        """Return the dialect without features that either lacks: concurrent prompts may differ."""
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
        """Return the dialect to try after status "bad request"; None if nothing is left to omit.

        The message is searched for names of parameters only. If it contains none, the response format may be
        the problem, as the newest parameter. Each step omits something permanently, so that the attempts end.
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


# One prompt to one server: sent until it is answered; the meter records every call.

# Number of prompts that a server may still have in its cache.
EARLIER = 8
DOWN_SECONDS = 15.0
# Name of the schema that all tasks of a case share.
CASE = "case"
# Statuses of a server that cannot read a request.
BAD_REQUEST = (400, 422)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the server, with the usage of all its attempts. ``dialect`` is that of the request."""

    completion: Completion
    usage: Usage
    dialect: Dialect
    warnings: tuple[str, ...] = ()


class Exchange:
    """Sends prompts to one server, with a limit of concurrent requests, retries, and its dialect."""

    def __init__(self, spec: ModelSpec, sender: Sender, patience: Patience) -> None:
        self._spec, self._sender, self._patience = spec, sender, patience
        self._places = threading.BoundedSemaphore(spec.concurrency)
        self._lock = threading.Lock()
        self._earlier: deque[str] = deque(maxlen=EARLIER)
        # By rung: the number of answers that followed the requested format, and of those that did not.
        self._kept, self._broken = Counter[Rung](), Counter[Rung]()
        self._down_until = 0.0
        self._dialect = Dialect(
            limit=OLD_LIMIT if spec.own_url else NEW_LIMIT,
            marks=spec.marks,
            one_schema=spec.one_schema,
        )

    @property
    def dialect(self) -> Dialect:
        """What is known about the server's dialect so far."""
        with self._lock:
            return self._dialect

    def learn(self, spoken: Dialect) -> None:
        """Store the dialect that the server accepted, for later prompts."""
        with self._lock:
            self._dialect = self._dialect.common(spoken)

    def judge(self, spoken: Dialect, kept: bool) -> None:
        """Record whether an answer followed its format; use a simpler one if most answers do not."""
        with self._lock:
            (self._kept if kept else self._broken)[spoken.rung] += 1
            if self._broken[spoken.rung] > self._kept[spoken.rung]:
                self._dialect = self._dialect.common(spoken.lower())

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the maximum usage of one request."""
        tokens, prices = prompt_tokens(messages(prompt, schema_text(schema))), self._spec.prices
        if prompt.prefix is not None and self.dialect.one_schema:
            tokens += _schema_tokens(prompt.prefix)
        answer = prompt.longest + self._spec.thinking
        money = None if prices is None else prices.most(tokens, answer)
        return Usage(calls=1, prompt_tokens=tokens, completion_tokens=answer, money=money)

    def answered(self, prompt: Prompt, schema: type[BaseModel], meter: Meter) -> Answered:
        """Send until the server answers. Raises ModelError if it fails.

        Raises AnswerError, without sending anything, if the prompt does not fit the context.
        """
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
            other = (
                dialect.after_refusal(error_message(received.body))
                if received.status in BAD_REQUEST
                else None
            )
            if other is not None:
                dialect = other
                continue
            seconds = self._patience.seconds(attempt, received.headers)
            if not passing(received) or attempt >= self._retries(received) or seconds is None:
                self._failed(prompt.task, received, attempt)
            attempt += 1
            self._patience.wait(seconds, meter.check)

    def _retries(self, received: Received) -> int:
        """Return the number of useful retries.

        Another timeout is likely after the first, and a server that was down for one prompt is not retried
        for the next.
        """
        if received.status == TIMED_OUT:
            return min(self._patience.retries, 1)
        with self._lock:
            down = received.status == UNREACHABLE and time.monotonic() < self._down_until
        return 0 if down else self._patience.retries

    def _sent(
        self, body: dict[str, object], task: str, expected: Usage, meter: Meter
    ) -> tuple[Received, Completion | None, Usage]:
        """Send one request; the meter records it whatever happens."""
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
        """Return the usage of one request from the server's counts."""
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
        """Return warnings about the token count. Raises ModelError if the prompt was cut by the server."""
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
            raise ModelError(
                f"{task}: {where} cannot be reached{tried} ({error_message(received.body)}). "
                "Is the server running, and is the address right?"
            )
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
        """Return the server's message, or only the status if a visitor named the server.

        Such a server may be one that only this machine can read.
        """
        said = in_words(received.status) if self._sender.strange else error_message(received.body)
        return f": {said}" if said else ""

    @contextmanager
    def _place(self, meter: Meter) -> Iterator[None]:
        """Acquire a slot for a concurrent request; waiting can be cancelled."""
        while not self._places.acquire(timeout=POLL_SECONDS):
            meter.check()
        try:
            yield
        finally:
            self._places.release()


def _named_schema(prompt: Prompt, schema: type[BaseModel], dialect: Dialect) -> tuple[str, Mapping[str, Any]]:
    """Return the name and schema of a request: those of the case if all its tasks share a schema."""
    if prompt.prefix is None or not dialect.one_schema:
        return prompt.task, strict_schema(schema)
    return CASE, strict_schema(_case_schema(prompt.prefix))


def _case_schema(prefix: Prefix) -> type[BaseModel]:
    """Return the schema that the answers of all tasks of a case fit."""
    return one_of(tuple(form.schema for form in prefix.forms))


@lru_cache(maxsize=16)
def _schema_tokens(prefix: Prefix) -> int:
    """Estimate the tokens that a server counts for a schema, which it inserts before the prompt."""
    return most_tokens(schema_text(_case_schema(prefix)))

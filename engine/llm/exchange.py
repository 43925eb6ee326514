"""One prompt to one server: sent until it is answered, kept in the meter call by call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from pydantic import BaseModel

from engine.errors import AnswerError, ModelError
from engine.llm.base import Prompt
from engine.llm.completions import Completion, read_completion, told
from engine.llm.dialects import NEW_LIMIT, Dialect
from engine.llm.estimating import cut_at, most_tokens
from engine.llm.meter import Meter
from engine.llm.prompt import Messages, messages, prompt_tokens
from engine.llm.retrying import Patience, passing
from engine.llm.schemas import schema_text, strict_schema
from engine.llm.sending import OVERSIZED, POLL_SECONDS, TIMED_OUT, UNREACHABLE, Received, Sender
from engine.llm.spec import ModelSpec
from engine.llm.usage import Usage

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
        self._dialect = Dialect() if spec.own_url else Dialect(limit=NEW_LIMIT)

    @property
    def dialect(self) -> Dialect:
        """What is known of the server so far."""
        with self._lock:
            return self._dialect

    def learn(self, spoken: Dialect) -> None:
        """Remember what the server understood, so that later prompts need not find out again."""
        with self._lock:
            self._dialect = self._dialect.common(spoken)

    def expected(self, built: Messages, longest: int) -> Usage:
        """What one request will use at most."""
        prompt, prices = prompt_tokens(built), self._spec.prices
        answer = longest + self._spec.thinking
        money = None if prices is None else prices.money(prompt, 0, answer)
        return Usage(calls=1, prompt_tokens=prompt, completion_tokens=answer, money=money)

    def answered(self, prompt: Prompt, schema: type[BaseModel], meter: Meter) -> Answered:
        """Send until the server answers. Raises ModelError where it does not, and AnswerError where the
        prompt does not fit the context; then nothing is sent."""
        built = messages(prompt, schema_text(schema))
        expected = self.expected(built, prompt.longest)
        if expected.tokens > self._spec.context:
            raise AnswerError(
                f"{prompt.task}: the prompt has up to {expected.prompt_tokens:,} tokens and its answer up to "
                f"{expected.completion_tokens:,}; {self._spec.where} has a context of {self._spec.context:,}"
            )
        used, attempt, dialect = Usage(), 0, self.dialect
        while True:
            body = {
                "model": self._spec.model,
                "messages": [{"role": role, "content": content} for role, content in built],
                **dialect.parameters(prompt.task, strict_schema(schema), expected.completion_tokens),
            }
            received, completion, usage = self._sent(body, prompt.task, expected, meter)
            used += usage
            if completion is not None:
                self._uncut(built, completion, prompt.task)
                self.learn(dialect)
                return Answered(completion, used, dialect, self._uncounted(completion))
            other = dialect.after_refusal(told(received.body)) if received.status in BAD_REQUEST else None
            if other is not None:
                dialect = other
                continue
            seconds = self._patience.seconds(attempt, received.headers)
            if not passing(received) or attempt >= self._patience.retries or seconds is None:
                self._failed(prompt.task, received, attempt)
            attempt += 1
            self._patience.wait(seconds, meter.check)

    def _sent(
        self, body: dict[str, object], task: str, expected: Usage, meter: Meter
    ) -> tuple[Received, Completion | None, Usage]:
        """One request, kept in the meter whatever happens."""
        with self._place(meter), meter.slot(task, expected) as slot:
            slot.used = Usage(calls=1, money=self._money(0, 0, 0))
            received = self._sender.send(body, meter.check)
            completion = read_completion(received.body) if received.fine else None
            counted = (0, 0, 0)
            if completion is not None:
                estimated = (expected.prompt_tokens, 0, most_tokens(completion.content))
                counted = completion.counted or estimated
            slot.used = Usage(1, *counted, received.milliseconds, self._money(*counted))
            return received, completion, slot.used

    def _money(self, prompt: int, cached: int, answer: int) -> float | None:
        return None if self._spec.prices is None else self._spec.prices.money(prompt, cached, answer)

    def _uncounted(self, completion: Completion) -> tuple[str, ...]:
        told_nothing = f"{self._spec.where} tells no usage: its tokens are estimated"
        return () if completion.counted is not None else (told_nothing,)

    def _uncut(self, built: Messages, completion: Completion, task: str) -> None:
        """Raises ModelError where the server cannot have read the whole prompt."""
        read = completion.counted
        about = None if read is None else cut_at(read[0], [content for _, content in built])
        if read is not None and about is not None:
            raise ModelError(
                f"{task}: {self._spec.where} cut the prompt: it read {read[0]:,} of about {about:,} tokens; "
                f"raise its context (Ollama: num_ctx), or lower context={self._spec.context} in the spec"
            )

    def _failed(self, task: str, received: Received, attempt: int) -> NoReturn:
        where, tried = self._spec.where, f" after {attempt + 1} attempts" if attempt else ""
        if received.status in (TIMED_OUT, OVERSIZED):
            raise ModelError(f"{task}: {where}{tried}: {received.body}")
        if received.status == UNREACHABLE:
            raise ModelError(f"{task}: {where} cannot be reached{tried}: {told(received.body)}")
        if 300 <= received.status < 400:
            raise ModelError(
                f"{task}: {where} redirects (status {received.status}); give the address that it redirects to"
            )
        if received.fine:
            raise ModelError(f"{task}: {where} sent what is no completion: {told(received.body)}")
        raise ModelError(
            f"{task}: {where} failed{tried} with status {received.status}: {told(received.body)}"
        )

    @contextmanager
    def _place(self, meter: Meter) -> Iterator[None]:
        """One of the places for requests at once; waiting for it can be cancelled."""
        while not self._places.acquire(timeout=POLL_SECONDS):
            meter.check()
        try:
            yield
        finally:
            self._places.release()

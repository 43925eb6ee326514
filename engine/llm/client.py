"""A language model behind an OpenAI-compatible server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from pydantic import BaseModel

from engine.errors import AnswerError, ModelError, RefusalError
from engine.llm.answers import Fitting, Unfit, read_answer
from engine.llm.base import Answer, Data, Prompt, Reply
from engine.llm.completions import Completion, read_completion, told
from engine.llm.dialects import NEW_LIMIT, Dialect, Rung
from engine.llm.estimating import least_tokens, most_tokens
from engine.llm.meter import Meter
from engine.llm.prompt import Messages, messages, prompt_tokens
from engine.llm.retrying import Patience, passing
from engine.llm.schemas import schema_text, strict_schema
from engine.llm.secret import Secret
from engine.llm.sending import POLL_SECONDS, TIMED_OUT, UNREACHABLE, Network, Received, Sender
from engine.llm.spec import ModelSpec
from engine.llm.usage import Usage

REJECTED, WRONG = "rejected answer", "what is wrong with it"
LONGEST_REJECTED = 8000


@dataclass(frozen=True, slots=True)
class _Answered:
    """One answer of the server, and what it cost with all its retries."""

    completion: Completion
    usage: Usage
    warnings: tuple[str, ...]


class ChatModel:
    """Asked by ``POST /chat/completions``. Safe for several threads; opens nothing before it is asked."""

    def __init__(
        self,
        spec: ModelSpec,
        key: Secret,
        *,
        patience: Patience | None = None,
        network: Network | None = None,
    ) -> None:
        self.model_spec = spec
        self._key = key
        self._patience = patience or Patience()
        self._sender = Sender(spec, key, network)
        self._places = threading.BoundedSemaphore(spec.concurrency)
        self._lock = threading.Lock()
        self._dialect = Dialect() if spec.own_url else Dialect(limit=NEW_LIMIT)

    def __repr__(self) -> str:
        return f"ChatModel({self.spec!r})"

    @property
    def spec(self) -> str:
        """What was asked for, without any secret."""
        return self.model_spec.text

    @property
    def context_tokens(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        return self.model_spec.context

    @property
    def dialect(self) -> Dialect:
        """What is known of the server so far."""
        with self._lock:
            return self._dialect

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What one request with this prompt will use at most; a repair or a retry is another."""
        return self._expected(messages(prompt, schema_text(schema)), prompt.longest)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Ask, check the answer, and where it does not fit have it repaired once."""
        first = self._answered(prompt, schema, meter)
        read = self._read(first, prompt, schema)
        if isinstance(read, Fitting):
            return Reply(read.value, first.usage, warnings=first.warnings + self._noted(read))
        repaired = self._answered(_repair(prompt, first.completion.content, read), schema, meter)
        again = self._read(repaired, prompt, schema)
        warnings = tuple(dict.fromkeys(first.warnings + repaired.warnings + self._noted(read)))
        if isinstance(again, Fitting):
            return Reply(again.value, first.usage + repaired.usage, warnings=warnings)
        raise AnswerError(
            f"{prompt.task}: the answer of {self.model_spec.where} does not fit its schema, "
            f"even after a repair: {again.reason}"
        )

    def _read(self, answered: _Answered, prompt: Prompt, schema: type[Answer]) -> Fitting[Answer] | Unfit:
        completion, where = answered.completion, self.model_spec.where
        if completion.refusal:
            raise RefusalError(f"{prompt.task}: {where} declined to answer: {told(completion.refusal)}")
        if completion.finish == "content_filter":
            raise RefusalError(f"{prompt.task}: a filter of {where} withheld the answer")
        read = read_answer(completion.content, schema)
        if isinstance(read, Unfit) and completion.finish == "length":
            raise AnswerError(
                f"{prompt.task}: the answer of {where} was truncated at {prompt.longest} tokens"
            )
        return read

    def _noted(self, read: Fitting[Answer] | Unfit) -> tuple[str, ...]:
        """Step down where the server took a response format and did not keep to it."""
        kept = read.pure if isinstance(read, Fitting) else False
        with self._lock:
            rung = self._dialect.rung
            if kept or rung is Rung.TEXT:
                return ()
            self._dialect = self._dialect.lower()
        format_name = "json_schema" if rung is Rung.SCHEMA else "json_object"
        return (f"{self.model_spec.where} takes {format_name} and does not keep to it",)

    def _expected(self, built: Messages, longest: int) -> Usage:
        prompt, prices = prompt_tokens(built), self.model_spec.prices
        money = None if prices is None else prices.money(prompt, 0, longest)
        return Usage(calls=1, prompt_tokens=prompt, completion_tokens=longest, money=money)

    def _answered(self, prompt: Prompt, schema: type[BaseModel], meter: Meter) -> _Answered:
        """Send until the server answers. Raises ModelError where it does not."""
        built = messages(prompt, schema_text(schema))
        expected = self._expected(built, prompt.longest)
        if expected.tokens > self.context_tokens:
            raise AnswerError(
                f"{prompt.task}: the prompt has about {expected.prompt_tokens} tokens and its answer up to "
                f"{prompt.longest}; {self.model_spec.where} has a context of {self.context_tokens}"
            )
        used, attempt, dialect = Usage(), 0, self.dialect
        while True:
            received, completion, usage, warnings = self._sent(
                built, dialect, prompt, schema, meter, expected
            )
            used += usage
            if completion is not None:
                self._learn(dialect)
                return _Answered(completion, used, warnings)
            other = dialect.after_refusal(told(received.body)) if received.status in (400, 422) else None
            if other is not None:
                dialect = other
                continue
            seconds = self._patience.seconds(attempt, received.headers)
            if not passing(received.status) or attempt >= self._patience.retries or seconds is None:
                self._failed(prompt.task, received, attempt)
            attempt += 1
            self._patience.wait(seconds, meter.check)

    def _learn(self, spoken: Dialect) -> None:
        """Remember what the server understood, so that later prompts need not find out again."""
        with self._lock:
            self._dialect = self._dialect.common(spoken)

    def _sent(
        self,
        built: Messages,
        dialect: Dialect,
        prompt: Prompt,
        schema: type[BaseModel],
        meter: Meter,
        expected: Usage,
    ) -> tuple[Received, Completion | None, Usage, tuple[str, ...]]:
        """One request, kept in the meter whatever happens."""
        body = {
            "model": self.model_spec.model,
            "messages": [{"role": role, "content": content} for role, content in built],
            **dialect.parameters(prompt.task, strict_schema(schema), prompt.longest),
        }
        with self._place(meter), meter.slot(prompt.task, expected) as slot:
            slot.used = Usage(calls=1)
            received = self._sender.send(body, meter.check)
            slot.used = Usage(calls=1, milliseconds=received.milliseconds)
            completion = read_completion(received.body) if received.fine else None
            if completion is None:
                return received, None, slot.used, ()
            slot.used, warnings = self._counted(completion, expected, received.milliseconds)
            self._uncut(built, completion, prompt.task)
            return received, completion, slot.used, warnings

    def _counted(
        self, completion: Completion, expected: Usage, milliseconds: float
    ) -> tuple[Usage, tuple[str, ...]]:
        counted = completion.counted
        warnings: tuple[str, ...] = ()
        if counted is None:
            counted = expected.prompt_tokens, 0, most_tokens(completion.content)
            warnings = (f"{self.model_spec.where} tells no usage: tokens are estimated",)
        prices = self.model_spec.prices
        return Usage(1, *counted, milliseconds, None if prices is None else prices.money(*counted)), warnings

    def _uncut(self, built: Messages, completion: Completion, task: str) -> None:
        """Raises ModelError where the server cannot have read the whole prompt."""
        counted = completion.counted
        least = sum(least_tokens(content) for _, content in built)
        if counted is not None and counted[0] < least:
            raise ModelError(
                f"{task}: {self.model_spec.where} cut the prompt: it read {counted[0]:,} of at least "
                f"{least:,} tokens; raise the context of the server (Ollama: num_ctx), or say context= here"
            )

    def _failed(self, task: str, received: Received, attempt: int) -> NoReturn:
        where, tried = self.model_spec.where, f" after {attempt + 1} attempts" if attempt else ""
        if received.status == TIMED_OUT:
            raise ModelError(f"{task}: {where} gave {received.body}{tried}")
        if received.status == UNREACHABLE:
            raise ModelError(f"{task}: {where} cannot be reached{tried}: {told(received.body)}")
        if 300 <= received.status < 400:
            raise ModelError(
                f"{task}: {where} redirects (status {received.status}); name the address that it redirects to"
            )
        if received.fine:
            raise ModelError(f"{task}: {where} answered with something that is no completion")
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


def _repair(prompt: Prompt, content: str, problem: Unfit) -> Prompt:
    """The same prompt with the answer that does not fit, and why, as data."""
    parts = (Data(REJECTED, content[:LONGEST_REJECTED]), Data(WRONG, problem.reason))
    return Prompt(prompt.task, prompt.instructions, prompt.data + parts, prompt.longest)

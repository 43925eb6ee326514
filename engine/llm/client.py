"""A language model behind an OpenAI-compatible server."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from engine.errors import AnswerError, RefusalError
from engine.llm.answers import Fitting, Unfit, read_answer
from engine.llm.base import Answer, Data, Prompt, Reply
from engine.llm.cache import AnswerCache, answer_key
from engine.llm.completions import Completion, told
from engine.llm.defusing import undefused
from engine.llm.dialects import SEED, Dialect, Rung
from engine.llm.exchange import Answered, Exchange
from engine.llm.meter import Meter
from engine.llm.prompt import messages
from engine.llm.retrying import Patience
from engine.llm.schemas import Wrapped, schema_text
from engine.llm.secret import Secret
from engine.llm.sending import Sender
from engine.llm.spec import ModelSpec
from engine.llm.usage import Usage
from engine.network.fetching import Network

REJECTED, WRONG = "rejected answer", "what is wrong with it"
LONGEST_REJECTED = 8000
FORMATS = {Rung.SCHEMA: "json_schema", Rung.OBJECT: "json_object"}


class ChatModel:
    """Asked by ``POST /chat/completions``. Safe for several threads; opens nothing before it is asked.

    ``cache`` keeps answers on disk; None keeps none. ``network`` makes what opens the connections.
    """

    def __init__(
        self,
        spec: ModelSpec,
        key: Secret,
        *,
        patience: Patience | None = None,
        cache: AnswerCache | None = None,
        network: Network | None = None,
    ) -> None:
        self.model_spec = spec
        self._key, self._cache = key, cache
        self._exchange = Exchange(spec, Sender(spec, key, network), patience or Patience())

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
    def cautions(self) -> tuple[str, ...]:
        """What whoever connects it should know before anything is sent."""
        spec = self.model_spec
        if not self._key or spec.url.startswith("https:") or spec.local:
            return ()
        return (f"the key goes to {spec.host} without encryption: use https",)

    @property
    def dialect(self) -> Dialect:
        """What is known of the server so far."""
        return self._exchange.dialect

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What one request with this prompt will use at most; a repair or a retry is another."""
        return self._exchange.expected(self._fitting(prompt, schema), schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Ask, check the answer, have it repaired once where it does not fit. See ``LanguageModel.ask``."""
        prompt = self._fitting(prompt, schema)
        key = self._key_of(prompt, schema)
        kept = None if self._cache is None else self._cache.get(key, schema)
        if kept is not None:
            with meter.slot(prompt.task, Usage()) as slot:
                slot.used = Usage(reused=1)
            return Reply(kept, Usage(reused=1), reused=True)
        reply = self._asked(prompt, schema, meter)
        if self._cache is None:
            return reply
        self._cache.put(key, reply.value)
        trouble = (self._cache.trouble,) if self._cache.trouble else ()
        return replace(reply, warnings=reply.warnings + trouble)

    def _fitting(self, prompt: Prompt, schema: type[BaseModel]) -> Prompt:
        """The prompt, without what it shares with others where the context has no room for that."""
        if prompt.prefix is None:
            return prompt
        fits = self._exchange.expected(prompt, schema).tokens <= self.context_tokens
        return prompt if fits else replace(prompt, prefix=None)

    def _asked(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        first = self._exchange.answered(prompt, schema, meter)
        read = self._read(first, prompt, schema)
        warnings = first.warnings + self._unkept(read, first.dialect)
        if isinstance(read, Fitting):
            return Reply(read.value, first.usage, warnings=warnings)
        repair = self._fitting(_repair(prompt, first.completion.content, read), schema)
        if self.expected(repair, schema).tokens > self.context_tokens:
            raise AnswerError(f"{self._misfit(prompt, read)}, and the context holds no repair")
        second = self._exchange.answered(repair, schema, meter)
        again = self._read(second, prompt, schema)
        if isinstance(again, Unfit):
            raise AnswerError(f"{self._misfit(prompt, again)}, even after a repair")
        warnings = tuple(dict.fromkeys(warnings + second.warnings))
        return Reply(again.value, first.usage + second.usage, warnings=warnings)

    def _read(self, answered: Answered, prompt: Prompt, schema: type[Answer]) -> Fitting[Answer] | Unfit:
        completion, where = answered.completion, self.model_spec.where
        if completion.refusal:
            raise RefusalError(f"{prompt.task}: {where} declined to answer: {told(completion.refusal)}")
        if completion.finish == "content_filter":
            raise RefusalError(f"{prompt.task}: a filter of {where} withheld the answer")
        if completion.finish == "length":
            raise AnswerError(self._truncated(prompt, completion))
        one_schema = prompt.prefix is not None and answered.dialect.one_schema
        found = _unwrapped(completion.content, schema) if one_schema else None
        read = found or read_answer(completion.content, schema)
        if isinstance(read, Unfit):
            return read
        # JSON in JSON can spell a key with escapes; written once more, it has none. And what was put into the
        # data to defuse them does not come back.
        written = read.value.model_dump_json()
        clean = self._key.redact(undefused(written))
        return read if clean == written else read_answer(clean, schema)

    def _unkept(self, read: Fitting[Answer] | Unfit, dialect: Dialect) -> tuple[str, ...]:
        """A warning, and a step down, where the server took a response format and did not keep to it."""
        if dialect.rung is Rung.TEXT:
            return ()
        if isinstance(read, Fitting):
            kept = read.pure
        else:
            # What a schema cannot say, only pydantic checks: the server did its part.
            kept = read.formed if dialect.rung is Rung.OBJECT else not read.shape
        self._exchange.judge(dialect, kept)
        return (
            ()
            if kept
            else (f"{self.model_spec.where} takes {FORMATS[dialect.rung]} and does not keep to it",)
        )

    def _truncated(self, prompt: Prompt, completion: Completion) -> str:
        most, counted = prompt.longest + self.model_spec.thinking, completion.counted
        full = counted is not None and counted.completion < most - 1
        advice = (
            f"after {counted.completion:,} of {most:,} tokens: its context is full; raise it "
            "(Ollama: num_ctx)"
            if counted is not None and full
            else f"at {most:,} tokens; a model that thinks first needs thinking=TOKENS in its spec"
        )
        return f"{prompt.task}: the answer of {self.model_spec.where} was truncated {advice}"

    def _misfit(self, prompt: Prompt, read: Unfit) -> str:
        return f"{prompt.task}: the answer of {self.model_spec.where} does not fit its schema ({read.reason})"

    def _key_of(self, prompt: Prompt, schema: type[BaseModel]) -> str:
        return answer_key(
            {
                "model": self.model_spec.model,
                "url": self.model_spec.url,
                "messages": messages(prompt, schema_text(schema)),
                "schema": schema.model_json_schema(),
                "sampling": [prompt.temperature, SEED, prompt.longest + self.model_spec.thinking],
            }
        )


def _unwrapped(content: str, schema: type[Answer]) -> Fitting[Answer] | None:
    """The value in an answer to a schema of several tasks; None where it is none, or another task's."""
    read = read_answer(content, Wrapped[schema])  # type: ignore[valid-type]
    return Fitting(read.value.answer, read.pure) if isinstance(read, Fitting) else None


def _repair(prompt: Prompt, content: str, problem: Unfit) -> Prompt:
    """The same prompt with the answer that does not fit, and why, as data."""
    parts = (Data(REJECTED, content[:LONGEST_REJECTED]), Data(WRONG, problem.reason))
    return replace(prompt, data=prompt.data + parts)

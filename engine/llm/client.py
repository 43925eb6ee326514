"""The client of language models: its connection from settings, and a test of the connection."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, Field

from engine.errors import AnswerError, ModelError, RedstringError, RefusalError, SettingsError
from engine.llm.base import Answer, Data, Meter, Prompt, Reply, Usage
from engine.llm.completions import (
    Completion,
    Fitting,
    Unfit,
    Wrapped,
    error_message,
    read_answer,
    schema_text,
)
from engine.llm.connection import (
    NO_MODEL,
    OPENAI_URL,
    ModelSpec,
    Patience,
    Secret,
    Sender,
    checked_key,
    read_spec,
)
from engine.llm.cost import AnswerCache, answer_key, default_cache
from engine.llm.exchange import SEED, Answered, Dialect, Exchange, Rung
from engine.llm.prompt import messages, undefused
from engine.network import Network
from engine.operator_settings import operator_settings

# A language model behind an OpenAI-compatible server.

REJECTED, WRONG = "rejected answer", "what is wrong with it"
LONGEST_REJECTED = 8000
FORMATS = {Rung.SCHEMA: "json_schema", Rung.OBJECT: "json_object"}


class ChatModel:
    """A model called by ``POST /chat/completions``. Thread-safe; connects on the first request.

    ``cache`` stores answers on disk, None stores none. ``network`` makes the transports.
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
        """The spec, without secrets."""
        return self.model_spec.text

    @property
    def context_tokens(self) -> int:
        """The limit of tokens of a prompt with its answer."""
        return self.model_spec.context

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings for the user, before anything is sent."""
        spec = self.model_spec
        if not self._key or spec.url.startswith("https:") or spec.local:
            return ()
        return (f"the key goes to {spec.host} without encryption: use https",)

    @property
    def dialect(self) -> Dialect:
        """What is known about the server's dialect so far."""
        return self._exchange.dialect

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the maximum usage of one request with this prompt, without repairs and retries."""
        return self._exchange.expected(self._fitting(prompt, schema), schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Send a prompt, check the answer, and request one repair if it is invalid.

        See ``LanguageModel.ask``.
        """
        prompt = self._fitting(prompt, schema)
        key = self._key_of(prompt, schema)
        kept = None if self._cache is None else self._cache.get(key, schema)
        if kept is not None:
            with meter.slot(prompt.task, Usage()) as slot:
                slot.used = Usage(reused=1)
            return Reply(kept, Usage(reused=1), reused=True)
        reply = self._complete(prompt, schema, meter)
        if self._cache is None:
            return reply
        self._cache.put(key, reply.value)
        trouble = (self._cache.trouble,) if self._cache.trouble else ()
        return replace(reply, warnings=reply.warnings + trouble)

    def _fitting(self, prompt: Prompt, schema: type[BaseModel]) -> Prompt:
        """Return the prompt, without its shared prefix if that does not fit the context."""
        if prompt.prefix is None:
            return prompt
        fits = self._exchange.expected(prompt, schema).tokens <= self.context_tokens
        return prompt if fits else replace(prompt, prefix=None)

    def _complete(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
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
            raise RefusalError(
                f"{prompt.task}: {where} declined to answer: {error_message(completion.refusal)}"
            )
        if completion.finish == "content_filter":
            raise RefusalError(f"{prompt.task}: a filter of {where} withheld the answer")
        if completion.finish == "length":
            raise AnswerError(self._truncated(prompt, completion))
        one_schema = prompt.prefix is not None and answered.dialect.one_schema
        found = _unwrapped(completion.content, schema) if one_schema else None
        read = found or read_answer(completion.content, schema)
        if isinstance(read, Unfit):
            return read
        # JSON in JSON can spell a key with escapes; serialised again, it has none. And the word joiners that
        # defuse the data are removed.
        written = read.value.model_dump_json()
        clean = self._key.redact(undefused(written))
        return read if clean == written else read_answer(clean, schema)

    def _unkept(self, read: Fitting[Answer] | Unfit, dialect: Dialect) -> tuple[str, ...]:
        """Return a warning, and use a simpler format, if the server did not follow the requested one."""
        if dialect.rung is Rung.TEXT:
            return ()
        if isinstance(read, Fitting):
            kept = read.pure
        else:
            # Only pydantic checks what a schema cannot express: the server followed the schema.
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
    """Return the value in an answer to a schema of several tasks; None if invalid or of another task."""
    read = read_answer(content, Wrapped[schema])  # type: ignore[valid-type]
    return Fitting(read.value.answer, read.pure) if isinstance(read, Fitting) else None


def _repair(prompt: Prompt, content: str, problem: Unfit) -> Prompt:
    """Return the prompt with the invalid answer, and the problem, as data."""
    parts = (Data(REJECTED, content[:LONGEST_REJECTED]), Data(WRONG, problem.reason))
    return replace(prompt, data=prompt.data + parts)


# From a spec to a language model. Nothing is sent before the first request.


def connect(
    spec: str,
    key: str | None = None,
    *,
    environment_key: bool = False,
    patience: Patience | None = None,
    network: Network | None = None,
    cache: AnswerCache | None = None,
) -> ChatModel | None:
    """Return the model of a spec, None for "none".

    ``environment_key``: whether the key may come from this machine's environment if none is given. Only if
    the operator chose the address: a visitor's address must never be sent the operator's key. Even then
    OPENAI_API_KEY is sent to another address than OpenAI's only if REDSTRING_LLM contains the same spec.
    ``network`` makes the transports, for a visitor's address. ``cache`` stores answers on disk: for the
    operator (see ``default_cache``), not for visitors. Raises SettingsError for an invalid spec or key.
    """
    spec = spec.strip()
    if spec in ("", NO_MODEL):
        return None
    read = read_spec(spec)
    secret = checked_key(key if key else _environment_key(read) if environment_key else "")
    if not secret and read.url == OPENAI_URL:
        raise SettingsError(f"{read.host} needs a key: set REDSTRING_LLM_KEY, or name another server after @")
    return ChatModel(read, secret, patience=patience, network=network, cache=cache)


def connect_from_environment(*, kept: bool = True) -> ChatModel | None:
    """Return the operator's model, named by REDSTRING_LLM, else None. A key alone enables nothing.

    ``kept``: answers are cached on disk.
    """
    cache = default_cache() if kept else None
    return connect(operator_settings().llm, environment_key=True, cache=cache)


def _environment_key(spec: ModelSpec) -> str:
    settings = operator_settings()
    own = settings.llm_key.get_secret_value()
    if own:
        return own
    openai = spec.url == OPENAI_URL or settings.llm == spec.text
    return settings.openai_api_key.get_secret_value() if openai else ""


# A test of a connection: the server answers, follows schemas, and reads the context of its spec.

ROOM = 512
# A neutral sentence, repeated to fill a prompt.
FILLING = "The harbour office keeps a list of the vessels that came in, and one of those that left. "
WORDS = ("lantern", "anchor")
KEPT = {
    Rung.SCHEMA: "schemas are kept (json_schema)",
    Rung.OBJECT: "JSON is kept, schemas are not (json_object); answers are checked and repaired here",
    Rung.TEXT: "no format is kept; JSON is searched in the text, checked and repaired here",
}


class _Word(BaseModel):
    """What the probe asks for."""

    first_word: str = Field(description="the word in the part named first")
    last_word: str = Field(description="the word in the part named last")


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of a probe. ``schemas`` describes how answers are bound, ``context`` how much was read.

    ``context_tokens`` is the number of tokens that the server read of the long prompt. It is None if the
    prompt was not read completely; ``problem`` then contains the reason. Only ``problem`` is set if the
    server could not be tested.
    """

    spec: str
    seconds: float = 0.0
    rung: Rung | None = None
    context_tokens: int | None = None
    prices_known: bool = False
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()
    problem: str = ""

    @property
    def fine(self) -> bool:
        """True if the server answered and read a prompt that fills its context."""
        return self.problem == ""


def probe(model: ChatModel, meter: Meter | None = None) -> Probe:
    """Send a short prompt, then one that fills the context given in the spec."""
    meter = meter or Meter()
    prices = model.model_spec.prices is not None
    try:
        short = model.ask(_prompt(""), _Word, meter)
    except RedstringError as error:
        return Probe(
            model.spec,
            prices_known=prices,
            usage=meter.spent,
            warnings=model.cautions,
            problem=str(error),
        )
    problem, read = "", None
    warnings = model.cautions + short.warnings
    try:
        long = model.ask(_filling(model), _Word, meter)
        warnings = tuple(dict.fromkeys(warnings + long.warnings))
        read = long.usage.prompt_tokens
        if long.value.first_word.strip().lower() != WORDS[0]:
            problem = f"{model.model_spec.where} missed the word at the beginning of {read:,} tokens"
    except AnswerError as error:
        problem = f"a long prompt was not answered as it should be: {error}"
    except ModelError as error:
        problem = str(error)
    return Probe(
        spec=model.spec,
        seconds=short.usage.milliseconds / 1000,
        rung=model.dialect.rung,
        context_tokens=None if problem else read,
        prices_known=prices,
        usage=meter.spent,
        warnings=warnings,
        problem=problem,
    )


def _prompt(filling: str) -> Prompt:
    parts = (Data("first", WORDS[0]), Data("filling", filling), Data("last", WORDS[1]))
    return Prompt(
        "probe", "Give the word of the part first and the word of the part last.", parts, longest=100
    )


def _filling(model: ChatModel) -> Prompt:
    """Return a prompt that nearly fills the context."""
    free = model.context_tokens - model.expected(_prompt(""), _Word).tokens - ROOM
    one = model.expected(_prompt(FILLING * 10), _Word).tokens - model.expected(_prompt(""), _Word).tokens
    return _prompt(FILLING * max(1, free * 10 // max(one, 1)))


def probe_lines(found: Probe) -> list[str]:
    """Return a probe as lines of text."""
    lines = [f"Model: {found.spec}"]
    if found.rung is not None:
        lines.append(f"Answers: {KEPT[found.rung]}; {found.seconds:.1f} s for a short one")
    if found.context_tokens is not None:
        lines.append(f"Context: a prompt of {found.context_tokens:,} tokens was read whole")
    known = "known" if found.prices_known else "not known; give input= and output= in the spec to count money"
    lines.append(f"Prices: {known}")
    lines += [f"Note: {warning}" for warning in found.warnings]
    return lines + ([f"Problem: {found.problem}"] if found.problem else [])


def probe_to_json(found: Probe) -> dict[str, Any]:
    """Return a probe as plain values."""
    return {
        "spec": found.spec,
        "fine": found.fine,
        "seconds": round(found.seconds, 3),
        "format": None if found.rung is None else found.rung.name.lower(),
        "context_tokens": found.context_tokens,
        "prices_known": found.prices_known,
        "usage": {
            "calls": found.usage.calls,
            "prompt_tokens": found.usage.prompt_tokens,
            "cached_tokens": found.usage.cached_tokens,
            "completion_tokens": found.usage.completion_tokens,
            "money": found.usage.money,
        },
        "warnings": list(found.warnings),
        "problem": found.problem or None,
    }

"""A test of a connection: the server answers, follows schemas, and reads the context of its spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from engine.errors import AnswerError, ModelError, RedstringError
from engine.llm.base import Data, Meter, Prompt, Usage
from engine.llm.client import ChatModel
from engine.llm.exchange import Rung

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

"""The seam between the engine and language models.

A model is asked one thing only: to fill a schema from a prompt. It has no tools, keeps no conversation,
and what it returns is data that the caller checks. A prompt keeps apart what the engine says
(``instructions``) and what comes from outside (``data``): a question, a passage, a text that was pasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from engine.llm.meter import Meter
from engine.llm.usage import Usage

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Data:
    """Text from outside, to be read and never obeyed. ``name`` is what the instructions call it ("question",
    "passage 3"); it is the engine's own word, never a part of the text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Form:
    """One task that a case may ask for: its name, its instructions, and the schema of its answer."""

    task: str
    instructions: str
    schema: type[BaseModel]


@dataclass(frozen=True, slots=True)
class Prefix:
    """What all prompts of a case begin with, byte for byte: all its tasks, and what its collection is.

    ``data`` comes from outside like all data.
    """

    forms: tuple[Form, ...]
    data: tuple[Data, ...]

    def knows(self, task: str) -> bool:
        """Whether a task is among those it tells."""
        return any(form.task == task for form in self.forms)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing to ask.

    ``task`` names it in the cost report ("decompose"). ``instructions`` are the same words each time: they
    are sent first, so that a provider can cache them. ``longest`` is the longest answer, in tokens.
    ``prefix`` is what the prompts of a case have in common; it tells the task's instructions, too.
    """

    task: str
    instructions: str
    data: tuple[Data, ...]
    longest: int = 1024
    temperature: float = 0.0
    prefix: Prefix | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[Answer]):
    """What a model answered, checked against the schema. ``reused``: it came from the cache on disk.
    ``warnings`` tell what the person should know of the server, such as that it ignores schemas."""

    value: Answer
    usage: Usage
    reused: bool = False
    warnings: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """A model that fills schemas. One object may be asked from several threads."""

    @property
    def spec(self) -> str:
        """What was asked for, without any secret."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        ...

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What a prompt will use at most, estimated before anything is sent."""
        ...

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Ask, and check the answer.

        Raises ModelError where the server fails, refuses, cuts its answer short or gives one that does not
        fit the schema even after a repair; BudgetError where the meter's budget does not hold the
        prompt; CancelledError where the meter was cancelled.
        """
        ...

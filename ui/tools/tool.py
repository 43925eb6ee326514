"""What a tool is: one thing that a program can ask for, over HTTP and over MCP alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from pydantic import BeforeValidator, Field

from engine.records.fitting import characters, fitted
from engine.records.slim import Slim
from ui.asked import Request
from ui.tools.asking import Asking

# Of an answer as MCP sends it: its values and, for clients that read no values, the same as a text.
LONGEST_ANSWER = 39_500
AROUND_ANSWER = 200
Detail = Annotated[
    Literal["slim", "full"],
    Field(description="slim: in short, under 40,000 characters; full: everything."),
]
Matter = Annotated[
    str, Field(max_length=200, description="Name of the matter that the case is kept in; empty for General.")
]


def _none_of_nothing(given: object) -> object:
    return None if given == "" else given


# Of an argument that may be left empty.
Blank = BeforeValidator(_none_of_nothing)


def as_they_are(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that are short already."""
    return dict(values)


@dataclass(frozen=True, slots=True)
class Tool:
    """``title`` is what a person reads, ``meaning`` what a program does. ``form`` are its arguments, in the
    order in which callers without names give them; ``does`` does it and gives plain values, all of them;
    ``gives`` is what they are in short, made by ``slim``.

    ``reads``: nothing is changed by it; ``repeats``: to ask twice changes no more than to ask once.
    ``lined``: it waits in line for a place where cases run.
    """

    name: str
    title: str
    meaning: str
    form: type[Request]
    does: Callable[[Asking, Any], Mapping[str, Any]]
    gives: type[Slim]
    slim: Callable[[Mapping[str, Any]], Mapping[str, Any]] = as_they_are
    reads: bool = True
    repeats: bool = True
    lined: bool = False

    @property
    def is_two(self) -> bool:
        """Whether it can be asked for everything, too."""
        return "detail" in self.form.model_fields

    def answer(self, asking: Asking, asked: Request) -> dict[str, Any]:
        """Do what is asked. Raises what the tool raises, InputError where the answer cannot be made short."""
        # Through JSON once, so that it is the same for every kind of caller.
        values: dict[str, Any] = orjson.loads(orjson.dumps(self.does(asking, asked)))
        if not self.is_two:
            return fitted(values, LONGEST_ANSWER, weight)
        if getattr(asked, "detail", "") == "full":
            return {"detail": "full", **values}
        return fitted({"detail": "slim", **self.slim(values)}, LONGEST_ANSWER, weight)


def weight(values: object) -> int:
    """Characters that an answer takes as MCP sends it: as values, and as a text inside of JSON."""
    text = as_text(values)
    return len(text) + characters(text) + AROUND_ANSWER


def as_text(values: object) -> str:
    """Values as JSON."""
    return orjson.dumps(values).decode()

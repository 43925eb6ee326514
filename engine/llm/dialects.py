"""What a server understands of the protocol, learnt from what it refuses.

Servers that call themselves OpenAI-compatible differ in how an answer can be bound to a schema, in the name
of the limit on its length and in the sampling parameters they take. The first prompt finds out; later ones
profit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

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

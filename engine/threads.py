"""Threads that a case may follow: what a strategy says of itself, and which strategies there are.

A strategy is named here as an entry point names it and loaded when somebody asks which there are: so the
settings, on the lowest floor, can start from what the strategies on a higher one declare.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import BaseModel, Field, InstanceOf, ValidationError

from engine.errors import SettingsError

if TYPE_CHECKING:
    from engine.settings import Preset

GROUP = "redstring.strategies"
# One line registers a strategy; the page shows them in this order.
BUILT_IN: dict[str, str] = {
    "metadata": "engine.investigation.strategies.metadata:Metadata",
    "citations": "engine.investigation.strategies.citations:Citations",
    "entities": "engine.investigation.strategies.entities:Entities",
    "semantic": "engine.investigation.strategies.semantic:Semantic",
    "pagerank": "engine.investigation.strategies.pagerank:PageRank",
    "amendments": "engine.investigation.strategies.amendments:Amendments",
    "definitions": "engine.investigation.strategies.definitions:Definitions",
    "concepts": "engine.investigation.strategies.concepts:Concepts",
    "extracted": "engine.investigation.strategies.extracted:Extracted",
    "whole_document": "engine.investigation.strategies.whole_document:WholeDocument",
}
_HEX = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in the light and in the dark theme, ``#rrggbb`` each. SettingsError for another form."""

    light: str
    dark: str

    def __post_init__(self) -> None:
        for value in (self.light, self.dark):
            if not _HEX.fullmatch(value):
                raise SettingsError(f"{value!r} is no colour: write it as #rrggbb, in small letters")


class Thread(Protocol):
    """What a strategy says of itself, in attributes of its class."""

    @property
    def name(self) -> str:
        """How it is registered: small letters, digits and underscores."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def legend(self) -> str:
        """Its word in the legend of the board."""
        ...

    @property
    def meaning(self) -> str:
        """What it follows, in one sentence."""
        ...

    @property
    def trust(self) -> float:
        """How far its links are trusted, 0..1: their weight at the gate, and its share of the budget."""
        ...

    @property
    def stated(self) -> bool:
        """Whether the texts themselves say its links: a look-up of a provision follows no others."""
        ...

    @property
    def colour(self) -> Colour:
        """Its colour on the page and on the board."""
        ...

    @property
    def on_from(self) -> Preset | None:
        """The first of quick, balanced, thorough and detective to follow it; None: only where asked for."""
        ...


class _Declared(BaseModel):
    name: str = Field(pattern="^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    legend: str = Field(min_length=1)
    meaning: str = Field(min_length=1)
    trust: float = Field(ge=0, le=1)
    stated: bool
    colour: InstanceOf[Colour]
    on_from: Literal["quick", "balanced", "thorough", "detective"] | None


@cache
def threads() -> Mapping[str, Thread]:
    """All strategies by name, those of other packages last; a built-in name cannot be taken by one.

    Raises SettingsError for a strategy that does not say all of ``Thread``.
    """
    own = [EntryPoint(name, where, GROUP) for name, where in BUILT_IN.items()]
    added = [entry for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN]
    return {entry.name: _declared(entry) for entry in (*own, *added)}


def _declared(entry: EntryPoint) -> Thread:
    thread: Thread = entry.load()
    where = f"strategy {entry.name!r} ({entry.value})"
    check_thread(thread, where)
    if thread.name != entry.name:
        raise SettingsError(f"{where}: name: it says {thread.name!r}")
    return thread


def check_thread(thread: object, where: str) -> None:
    """Check that a strategy says all of ``Thread``. Raises SettingsError naming it by ``where``."""
    said = {name: getattr(thread, name) for name in _Declared.model_fields if hasattr(thread, name)}
    try:
        _Declared.model_validate(said)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def title_of(name: str) -> str:
    """What people call a strategy; its name in words where no such strategy is known any more."""
    found = threads().get(name)
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:] if found is None else found.title

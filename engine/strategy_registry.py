"""The registry of strategies: their descriptions, and which ones exist.

A strategy is registered by its import path and loaded on demand, so that the settings, in the lowest layer,
can use the declarations of strategies in a higher one.
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
    "semantic": "engine.investigation.strategies.pagerank:Semantic",
    "pagerank": "engine.investigation.strategies.pagerank:PageRank",
    "amendments": "engine.investigation.strategies.citations:Amendments",
    "definitions": "engine.investigation.strategies.entities:Definitions",
    "concepts": "engine.investigation.strategies.concepts:Concepts",
    "extracted": "engine.investigation.strategies.citations:Extracted",
    "whole_document": "engine.investigation.strategies.metadata:WholeDocument",
}
_HEX = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in the light and in the dark theme, ``#rrggbb`` each.

    Raises SettingsError for another form.
    """

    light: str
    dark: str

    def __post_init__(self) -> None:
        for value in (self.light, self.dark):
            if not _HEX.fullmatch(value):
                raise SettingsError(f"{value!r} is not a colour: write it as #rrggbb, in lower case")


class StrategyInfo(Protocol):
    """The description of a strategy, in attributes of its class."""

    @property
    def name(self) -> str:
        """The registered name: lower case letters, digits and underscores."""

    @property
    def title(self) -> str:
        """The title for readers."""

    @property
    def legend(self) -> str:
        """The word in the legend of the board."""

    @property
    def meaning(self) -> str:
        """One sentence on what it follows."""

    @property
    def trust(self) -> float:
        """The trust in its links, 0 to 1: their weight at the gate, and its share of the budget."""

    @property
    def stated(self) -> bool:
        """True if the texts themselves state its links: a look-up of a provision follows no others."""

    @property
    def colour(self) -> Colour:
        """The colour on the page and on the board."""

    @property
    def on_from(self) -> Preset | None:
        """The first of quick, balanced, thorough and detective to use it; None: only on request."""


class _StrategyModel(BaseModel):
    name: str = Field(pattern="^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    legend: str = Field(min_length=1)
    meaning: str = Field(min_length=1)
    trust: float = Field(ge=0, le=1)
    stated: bool
    colour: InstanceOf[Colour]
    on_from: Literal["quick", "balanced", "thorough", "detective"] | None


@cache
def load_strategies() -> Mapping[str, StrategyInfo]:
    """Return all strategies by name, those of other packages last; a built-in name cannot be replaced.

    Raises SettingsError for a strategy with an incomplete description.
    """
    own = [EntryPoint(name, where, GROUP) for name, where in BUILT_IN.items()]
    added = [entry for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN]
    return {entry.name: _load_strategy(entry) for entry in (*own, *added)}


def _load_strategy(entry: EntryPoint) -> StrategyInfo:
    strategy: StrategyInfo = entry.load()
    where = f"strategy {entry.name!r} ({entry.value})"
    check_strategy(strategy, where)
    if strategy.name != entry.name:
        raise SettingsError(f"{where}: its name is {strategy.name!r}")
    return strategy


def check_strategy(strategy: object, where: str) -> None:
    """Check the description of a strategy. Raises SettingsError that begins with ``where``."""
    declared = {
        name: getattr(strategy, name) for name in _StrategyModel.model_fields if hasattr(strategy, name)
    }
    try:
        _StrategyModel.model_validate(declared)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def strategy_title(name: str) -> str:
    """Return the title of a strategy; for an unknown one its name in words."""
    found = load_strategies().get(name)
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:] if found is None else found.title

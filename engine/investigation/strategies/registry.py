"""Strategies by name: the built-in ones, and those other packages add.

A package adds one through the entry point group ``redstring.strategies``; the entry's name is the
strategy's name, its value the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points

from engine.errors import SettingsError
from engine.investigation.strategies.amendments import Amendments
from engine.investigation.strategies.base import Strategy
from engine.investigation.strategies.citations import Citations
from engine.investigation.strategies.definitions import Definitions
from engine.investigation.strategies.entities import Entities
from engine.investigation.strategies.extracted import Extracted
from engine.investigation.strategies.metadata import Metadata
from engine.investigation.strategies.pagerank import PageRank
from engine.investigation.strategies.semantic import Semantic

GROUP = "redstring.strategies"

BUILT_IN: Mapping[str, Callable[[], Strategy]] = {
    "metadata": Metadata,
    "citations": Citations,
    "entities": Entities,
    "semantic": Semantic,
    "pagerank": PageRank,
    "amendments": Amendments,
    "definitions": Definitions,
    "extracted": Extracted,
}


@cache
def known_strategies() -> Mapping[str, Callable[[], Strategy]]:
    """All strategies by name. A built-in name cannot be taken by another package."""
    added = {entry.name: entry.load() for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}
    return {**BUILT_IN, **added}


def strategy(name: str) -> Strategy:
    """A strategy by name. Raises SettingsError for an unknown name."""
    known = known_strategies()
    if name not in known:
        raise SettingsError(f"unknown strategy {name!r}; known strategies: {', '.join(known)}")
    return known[name]()

"""The registry of strategies: the built-in ones and those of other packages.

A package adds one by the entry point group ``redstring.strategies``; the entry's name is the strategy's name,
its value the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from engine.errors import SettingsError
from engine.investigation.strategies.base import Strategy
from engine.strategy_registry import load_strategies


def all_strategies() -> Mapping[str, type[Strategy]]:
    """Return all strategies by name. Raises SettingsError for one without the required attributes."""
    return cast("Mapping[str, type[Strategy]]", load_strategies())


def strategy(name: str) -> Strategy:
    """Make a strategy by name. Raises SettingsError for an unknown name."""
    known = all_strategies()
    if name not in known:
        raise SettingsError(f"unknown strategy {name!r}; known strategies: {', '.join(known)}")
    return known[name]()

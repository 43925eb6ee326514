"""Strategies by name: the built-in ones, and those other packages add.

A package adds one through the entry point group ``redstring.strategies``; the entry's name is the
strategy's name, its value the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from engine.errors import SettingsError
from engine.investigation.strategies.base import Strategy
from engine.threads import threads


def known_strategies() -> Mapping[str, type[Strategy]]:
    """All strategies by name. Raises SettingsError for one that does not say what it must of itself."""
    return cast("Mapping[str, type[Strategy]]", threads())


def strategy(name: str) -> Strategy:
    """A strategy by name. Raises SettingsError for an unknown name."""
    known = known_strategies()
    if name not in known:
        raise SettingsError(f"unknown strategy {name!r}; known strategies: {', '.join(known)}")
    return known[name]()

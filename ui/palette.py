"""Names and colours of what brings passages: the scan, the strategies, gap queries, a person.

A strategy says what it is called and which colours it has; here they become custom properties of CSS, so that
light and dark are one matter for the style sheet. The hues are the colour-blind safe set of Okabe and Ito
(2008), the lightness adapted per theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.investigation.strategies.gaps import Gaps
from engine.strategy_registry import Colour, StrategyInfo, load_strategies, strategy_title


@dataclass(frozen=True, slots=True)
class Shown:
    """How a thread is shown: what the rail calls it, what the legend calls it, its colour token."""

    key: str
    title: str
    legend: str
    token: str


# What brings passages and is no strategy.
_OTHERS = {
    "scan": ("Scan", "scan", Colour("#7a7a7a", "#a5a5a5")),
    "named": ("Named in the question", "named", Colour("#a3195b", "#ff7eb6")),
    "person": ("Brought by you", "by you", Colour("#1d1d1f", "#ececee")),
}
# Colours of what is no longer known: a saved case may name a strategy of a package that is gone.
_SPARE = ("spare-a", "spare-b", "spare-c")


def _strategies() -> Iterator[StrategyInfo]:
    yield from load_strategies().values()
    yield Gaps


def _shown() -> dict[str, tuple[str, str, Colour]]:
    """Title, legend and colour of everything that brings passages, by name."""
    return {**_OTHERS, **{one.name: (one.title, one.legend, one.colour) for one in _strategies()}}


def thread(strategy: str) -> Shown:
    """How a strategy is shown. One that is not known gets a spare colour by its name."""
    known = _shown().get(strategy)
    if known is not None:
        return Shown(strategy, known[0], known[1], f"thread-{strategy}")
    token = _SPARE[sum(strategy.encode()) % len(_SPARE)]
    return Shown(strategy, strategy_title(strategy), strategy.replace("_", " "), token)


def colour(strategy: str) -> str:
    """The CSS value of a strategy's colour."""
    return f"var(--{thread(strategy).token})"


def palette_css() -> str:
    """The colours of all threads as custom properties, light and dark, and their list in ``--threads``."""
    found = {name: colour for name, (_, _, colour) in _shown().items()}
    light = "".join(f"--thread-{name}:{colour.light};" for name, colour in found.items())
    dark = "".join(f"--thread-{name}:{colour.dark};" for name, colour in found.items())
    return f":root{{--threads:{' '.join(found)};{light}}}.dark{{{dark}}}"

"""Names and colours of the sources of passages: the scan, the strategies, gap queries, and users.

A strategy declares its name and colours. They become custom properties of CSS here, so that the style sheet
handles light and dark. The hues are the colour-blind safe set of Okabe and Ito (2008), with the lightness
adapted to each theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.investigation.strategies.gaps import Gaps
from engine.strategy_registry import Colour, StrategyInfo, load_strategies, strategy_title


@dataclass(frozen=True, slots=True)
class Shown:
    """How a thread is shown: its name in the sidebar, its name in the legend, and its colour token."""

    key: str
    title: str
    legend: str
    token: str


# Sources of passages that are not strategies.
_OTHERS = {
    "scan": ("Scan", "scan", Colour("#7a7a7a", "#a5a5a5")),
    "named": ("Named in the question", "named", Colour("#a3195b", "#ff7eb6")),
    "person": ("Brought by you", "by you", Colour("#1d1d1f", "#ececee")),
}
# Fallback colours: a saved case may name a strategy of a package that is no longer installed.
_SPARE = ("spare-a", "spare-b", "spare-c")


def _strategies() -> Iterator[StrategyInfo]:
    yield from load_strategies().values()
    yield Gaps


def _shown() -> dict[str, tuple[str, str, Colour]]:
    """Return the title, legend and colour of every source of passages, by name."""
    return {**_OTHERS, **{one.name: (one.title, one.legend, one.colour) for one in _strategies()}}


def thread(strategy: str) -> Shown:
    """Return how a strategy is shown. The name of an unknown strategy determines its spare colour."""
    known = _shown().get(strategy)
    if known is not None:
        return Shown(strategy, known[0], known[1], f"thread-{strategy}")
    token = _SPARE[sum(strategy.encode()) % len(_SPARE)]
    return Shown(strategy, strategy_title(strategy), strategy.replace("_", " "), token)


def colour(strategy: str) -> str:
    """Return the CSS value of a strategy's colour."""
    return f"var(--{thread(strategy).token})"


def palette_css() -> str:
    """Return CSS custom properties for all thread colours, light and dark, and their list, ``--threads``."""
    found = {name: colour for name, (_, _, colour) in _shown().items()}
    light = "".join(f"--thread-{name}:{colour.light};" for name, colour in found.items())
    dark = "".join(f"--thread-{name}:{colour.dark};" for name, colour in found.items())
    return f":root{{--threads:{' '.join(found)};{light}}}.dark{{{dark}}}"

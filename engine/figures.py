"""Conditions on the figures and counts of a case, such as "coverage >= 0.9 and passages >= 30"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# Shares or mean similarities, 0..1; ``engine.model.Metrics`` defines them.
FIGURES = (
    "coverage",
    "similarity",
    "similarity_top",
    "references",
    "efficiency",
    "coherence",
    "completeness",
)
# Passages of the pool, rounds, passages that the last round admitted, calls of external models, seconds.
COUNTS = ("passages", "rounds", "admitted", "calls", "seconds")
# Figures of the passages that would be shown now.
OF_THE_SHOWN = frozenset({"similarity", "similarity_top", "references", "coherence"})
# Decimal places of the bound.
DIGITS = 6
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_WRITTEN = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<)\s*(\d*\.?\d+)\s*(%?)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """A figure or count, a comparison and a bound; the bound of a figure is 0..1."""

    figure: str
    comparison: str
    wanted: float

    def holds(self, value: float) -> bool:
        """Return whether a value of the figure meets the condition."""
        return _COMPARED[self.comparison](value, self.wanted)

    def __str__(self) -> str:
        number = f"{self.wanted:.{DIGITS}f}".rstrip("0").rstrip(".")
        return f"{self.figure} {self.comparison} {number}"


def condition(written: str) -> Condition:
    """Parse one condition; 90% is 0.9. Raises ValueError with the problem and the known figures."""
    found = _WRITTEN.fullmatch(written)
    if found is None:
        raise ValueError(f"{written!r} is not a condition: write it as coverage >= 0.9")
    figure, comparison, number, percent = found.groups()
    if figure not in (*FIGURES, *COUNTS):
        known = f"known figures: {', '.join(FIGURES)}; known counts: {', '.join(COUNTS)}"
        raise ValueError(f"{figure!r} is not a figure of a case; {known}")
    wanted = round(float(number) / 100 if percent else float(number), DIGITS)
    if figure in COUNTS:
        if percent:
            raise ValueError(f"{written!r}: {figure} are counted; write a number without %")
        return Condition(figure, comparison, wanted)
    if not 0.0 <= wanted <= 1.0:
        raise ValueError(f"{written!r}: a figure must be between 0 and 1")
    return Condition(figure, comparison, wanted)


def joined_conditions(written: str) -> tuple[Condition, ...]:
    """Parse conditions joined by "and". Raises ValueError as ``condition`` does."""
    return tuple(map(condition, _AND.split(written.strip())))

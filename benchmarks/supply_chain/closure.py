"""Every package that the requirements bring along, as installed in this environment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.version import Version

from benchmarks.supply_chain.requirements import DEVELOPMENT, SHIPPED, RequirementsError, normalised, pins


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package, what it needs in turn (normalised names), and whether it ships."""

    distribution: Distribution
    needs: frozenset[str]
    ships: bool

    @property
    def name(self) -> str:
        """The name as its maker writes it."""
        return self.distribution.name

    @property
    def version(self) -> str:
        """The installed version, a local part ("+cpu") included."""
        return self.distribution.version

    @property
    def public_version(self) -> str:
        """The version as an index names it."""
        return Version(self.version).public


@cache
def closure() -> dict[str, Package]:
    """Every package of the two files and all that they need, by normalised name in its order."""
    direct = {file: [pin for pin in pins(file) if not pin.brought] for file in (SHIPPED, DEVELOPMENT)}
    roots = {file: [Requirement(pin.name + pin.extras) for pin in found] for file, found in direct.items()}
    shipped = needed(roots[SHIPPED])
    everything = needed(roots[SHIPPED] + roots[DEVELOPMENT])
    return {
        name: Package(distribution(name), frozenset(everything[name]), name in shipped)
        for name in sorted(everything)
    }


def needed(roots: Iterable[Requirement]) -> dict[str, set[str]]:
    """What each package that is needed needs itself, here and now (environment markers are evaluated).

    Raises RequirementsError where a package is not installed.
    """
    found: dict[str, set[str]] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(root, extra) for root in roots for extra in ("", *root.extras)]
    while waiting:
        asked, extra = waiting.pop()
        name = normalised(asked.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            lines = distribution(name).requires or ()
        except PackageNotFoundError as error:
            raise RequirementsError(f"{asked.name} is not installed: pip install -r {DEVELOPMENT}") from error
        needs = [Requirement(line) for line in lines]
        taken = [need for need in needs if need.marker is None or need.marker.evaluate({"extra": extra})]
        found.setdefault(name, set()).update(normalised(need.name) for need in taken)
        waiting += [(need, part) for need in taken for part in ("", *need.extras)]
    return found

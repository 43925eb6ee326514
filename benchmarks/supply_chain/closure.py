"""Every package that the requirements bring along, as installed here, and its version written into them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from benchmarks.supply_chain.requirements import (
    BROUGHT_ALONG,
    DEVELOPMENT,
    PROJECT,
    SHIPPED,
    RequirementsError,
    normalised,
    pins,
)

# Every package that the requirements bring along, as installed in this environment.


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


# The versions of this environment, written into the files of requirements.
#
# Lines that people wrote keep their place and their words, with the version that is installed;
# what is brought along is written anew below them.


def write_pins() -> int:
    """Write both files and say what changed."""
    packages = closure()
    for file in (SHIPPED, DEVELOPMENT):
        path = PROJECT / file
        before = path.read_text(encoding="utf-8")
        after = written(file, packages)
        changed = [line for line in after.splitlines() if line not in before.splitlines()]
        path.write_text(after, encoding="utf-8")
        print(f"{file}: {len(changed)} lines changed", *changed, sep="\n  ")
    return 0


def written(file: str, packages: Mapping[str, Package], folder: Path = PROJECT) -> str:
    """The text of one file with the versions of ``packages``."""

    def current(line: str) -> str:
        name = re.match(r"[\w.-]+", line)
        if name is None or line.startswith("-"):
            return line
        version = packages[normalised(name[0])].public_version
        return re.sub(r"==[\w.!]+", f"=={version}", line, count=1)

    text = (folder / file).read_text(encoding="utf-8").split(BROUGHT_ALONG)[0].rstrip()
    lines = [current(line) for line in text.splitlines()]
    named = {pin.key for pin in pins(file, folder) if not pin.brought}
    brought = [
        f"{package.name}=={package.public_version}"
        for name, package in packages.items()
        if name not in named and package.ships == (file == SHIPPED)
    ]
    return "\n".join([*lines, "", BROUGHT_ALONG, *brought, ""])

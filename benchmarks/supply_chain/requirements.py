"""The two files of requirements: what Redstring imports, and what that brings along, one version each.

Reads them with nothing but Python itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SHIPPED, DEVELOPMENT = "requirements.txt", "requirements-dev.txt"
BROUGHT_ALONG = "# Brought along by these (written by `python -m benchmarks.supply_chain pins`)."
_PIN = re.compile(r"([\w.-]+)(\[[\w,-]+\])?==([\w.!]+)(?:  # \S.*)?")
_DECISIONS = Path(__file__).with_name("decisions.toml")


class RequirementsError(Exception):
    """A file of requirements that cannot be read, or an environment that does not hold what it names."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One line: a package in one version, for itself or ``brought`` along by another."""

    name: str
    extras: str
    version: str
    brought: bool

    @property
    def key(self) -> str:
        """The name as PEP 503 normalises it."""
        return normalised(self.name)


def normalised(name: str) -> str:
    """A package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str, folder: Path = PROJECT) -> Iterator[Pin]:
    """The pins of one file, in its order. Raises RequirementsError for any other line."""
    brought = False
    for number, line in enumerate((folder / file).read_text(encoding="utf-8").splitlines(), 1):
        brought |= line == BROUGHT_ALONG
        if not line or line.startswith(("#", "-r ")):
            continue
        found = _PIN.fullmatch(line)
        if found is None:
            raise RequirementsError(f"{file}:{number}: {line!r} is not name==version  # what for")
        yield Pin(found[1], found[2] or "", found[3], brought)


def pinned_versions(folder: Path = PROJECT) -> dict[str, str]:
    """Version by normalised name, of both files."""
    return {pin.key: pin.version for file in (SHIPPED, DEVELOPMENT) for pin in pins(file, folder)}


def decisions(about: str) -> Mapping[str, str]:
    """What people decided about ``licences`` or ``vulnerabilities``: the reason by name."""
    with _DECISIONS.open("rb") as file:
        read: dict[str, dict[str, str]] = tomllib.load(file)
    return read[about]

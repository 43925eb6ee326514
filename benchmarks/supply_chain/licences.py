"""The licences of all packages, and a bill of materials as CycloneDX 1.6 in JSON (ECMA-424)."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.metadata import Distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import AttachedText
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseAcknowledgement
from cyclonedx.model.license import License as BillLicence
from cyclonedx.output.json import JsonV1Dot6
from license_expression import (
    ExpressionError,
    LicenseSymbol,
    LicenseWithExceptionSymbol,
    Licensing,
    get_license_index,
    get_spdx_licensing,
)
from packageurl import PackageURL

from benchmarks.supply_chain.closure import Package, closure
from benchmarks.supply_chain.requirements import PROJECT, SHIPPED, decisions, normalised, pins
from engine import __version__

# Under what licence each package is, and what that asks of whoever passes it on.
#
# What a package says of itself, in this order: its SPDX expression (PEP 639), a licence field
# that is one unless a classifier asks for more, its classifiers. How far a licence reaches is
# what ScanCode's table of licences says, which comes with ``license-expression``. What is
# copyleft, or unclear, needs a decision of a person (``decisions.toml``).

# The classifiers that name one licence, or one family that asks for the same.
CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD License",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}
LONGEST_NAME = 80


class Reach(IntEnum):
    """How far a licence reaches; the higher, the more it asks."""

    PERMISSIVE = 0
    LIMITED_COPYLEFT = 1
    COPYLEFT = 2
    UNCLEAR = 3


_REACH = {
    "Permissive": Reach.PERMISSIVE,
    "Public Domain": Reach.PERMISSIVE,
    "Copyleft Limited": Reach.LIMITED_COPYLEFT,
    "Copyleft": Reach.COPYLEFT,
}


@dataclass(frozen=True, slots=True)
class Licence:
    """The licences of one package, how far they reach together, and why a person let that pass."""

    names: tuple[str, ...]
    reach: Reach
    decided: str = ""
    concluded: bool = False

    @property
    def open(self) -> bool:
        """Whether somebody has to decide."""
        return self.reach is not Reach.PERMISSIVE and not self.decided


def show_licences() -> int:
    """Print the table; 1 where a licence waits for a decision."""
    rows = []
    for package in closure().values():
        found = licence(package.distribution)
        mark = "DECIDE" if found.open else ""
        reach = found.reach.name.lower().replace("_", " ")
        names, part = " and ".join(found.names), "ships" if package.ships else "development"
        rows.append((mark, -found.reach, package.name, package.version, names, reach, part, found.decided))
    rows.sort(key=lambda row: (row[0] == "", row[1], row[2].lower()))
    for mark, _, name, version, names, reach, part, why in rows:
        print(f"{mark:<7}{name:<26}{version:<18}{names:<62}{reach:<18}{part:<12}{why}".rstrip())
    waiting = sum(row[0] != "" for row in rows)
    print(f"\n{len(rows)} packages; {waiting} wait for a decision in decisions.toml")
    return 1 if waiting else 0


def licence(package: Distribution) -> Licence:
    """What a package is under. A decision holds only for the licence that it names first."""
    names = _stated(package)
    reach = max(reach_of(name) for name in names)
    named, _, why = decisions("licences").get(normalised(package.name), "").partition(": ")
    if reach is Reach.UNCLEAR and named:
        return Licence((named,), reach_of(named), why, concluded=True)
    return Licence(names, reach, why if (named,) == names else "")


def reach_of(name: str) -> Reach:
    """How far one licence or SPDX expression reaches: of an OR the least, of an AND the most."""
    if name == "BSD License":
        return Reach.PERMISSIVE
    licensing = _licensing()
    try:
        return _reach(licensing.parse(name, validate=True, strict=True), licensing)
    except ExpressionError:
        return Reach.UNCLEAR


def _reach(node: object, licensing: Licensing) -> Reach:
    if isinstance(node, LicenseWithExceptionSymbol):
        return _reach(node.license_symbol, licensing)
    if isinstance(node, LicenseSymbol):
        return _REACH.get(_categories().get(node.key, ""), Reach.UNCLEAR)
    parts: Iterable[object] = getattr(node, "args", ())
    choose = min if isinstance(node, licensing.OR) else max
    return choose((_reach(part, licensing) for part in parts), default=Reach.UNCLEAR)


def _stated(package: Distribution) -> tuple[str, ...]:
    """The names of a package's licences as it gives them itself."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return (metadata["License-Expression"],)
    field = " ".join(metadata["License"].split()) if "License" in metadata else ""
    lines = [line for line in metadata.get_all("Classifier") or [] if line.startswith("License :: ")]
    telling = [line for line in lines if line != "License :: OSI Approved"]
    classified = tuple(CLASSIFIERS.get(line, line.rsplit(" :: ", 1)[1]) for line in telling)
    reach = reach_of(field)
    if reach is not Reach.UNCLEAR and all(reach_of(name) <= reach for name in classified):
        return (field,)
    return classified or (field[:LONGEST_NAME] or "none stated",)


@cache
def _licensing() -> Licensing:
    return get_spdx_licensing()


@cache
def _categories() -> dict[str, str]:
    """ScanCode's category of each licence, by its SPDX identifier."""
    return {row["spdx_license_key"]: row["category"] for row in get_license_index()}


# A bill of materials of this environment, as CycloneDX 1.6 in JSON (ECMA-424).
#
# Every package of the requirements and all that they bring along: name, version, package URL,
# licence, and what needs what. What only tests and measurements need has the scope ``excluded``.

_LICENCE_FILE = re.compile(r"(?:licen[cs]e|copying)[^/]*", re.IGNORECASE)


def write_bill(to: Path | None) -> int:
    """Write the bill to a file or the terminal."""
    text = JsonV1Dot6(bill()).output_as_string(indent=2) + "\n"
    if to is None:
        sys.stdout.write(text)
    else:
        to.write_text(text, encoding="utf-8")
    return 0


def bill() -> Bom:
    """What Redstring is made of, in this environment."""
    packages = closure()
    with (PROJECT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    itself = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=__version__,
        bom_ref=project["name"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
    )
    components = {name: component(name, package) for name, package in packages.items()}
    made = Bom(components=components.values())
    made.metadata.component = itself
    made.metadata.tools.components.add(this_component())
    direct = [pin.key for pin in pins(SHIPPED) if not pin.brought]
    made.register_dependency(itself, [components[name] for name in direct])
    for name, package in packages.items():
        made.register_dependency(components[name], [components[need] for need in sorted(package.needs)])
    return made


def component(name: str, package: Package) -> Component:
    """One package of the bill."""
    url = PackageURL("pypi", None, name, package.version)
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        purl=url,
        bom_ref=url.to_string(),
        scope=ComponentScope.REQUIRED if package.ships else ComponentScope.EXCLUDED,
        licenses=licences_of(package.distribution),
    )


def licences_of(package: Distribution) -> Iterator[BillLicence]:
    """The licences of a package; one that SPDX has no name for with its text, where the package brings it."""
    found, factory = licence(package), LicenseFactory()
    kind = LicenseAcknowledgement.CONCLUDED if found.concluded else LicenseAcknowledgement.DECLARED
    for name in found.names:
        made = factory.make_from_string(name, license_acknowledgement=kind)
        if isinstance(made, DisjunctiveLicense) and made.name and (text := _text(package)):
            made = factory.make_with_name(name, text=AttachedText(content=text), acknowledgement=kind)
        yield made


def _text(package: Distribution) -> str:
    """The first licence text among a package's files, empty where there is none."""
    info = f"{normalised(package.name)}-"
    for path in sorted(package.files or ()):
        if normalised(path.parts[0]).startswith(info) and _LICENCE_FILE.fullmatch(path.name):
            return path.read_text(encoding="utf-8")
    return ""

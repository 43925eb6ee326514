"""A bill of materials of this environment, as CycloneDX 1.6 in JSON (ECMA-424).

Every package of the requirements and all that they bring along: name, version, package URL, licence, and what
needs what. What only tests and measurements need has the scope ``excluded``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
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
from packageurl import PackageURL

from benchmarks.supply_chain.closure import Package, closure
from benchmarks.supply_chain.licences import licence
from benchmarks.supply_chain.requirements import PROJECT, SHIPPED, normalised, pins
from engine import __version__

_LICENCE_FILE = re.compile(r"(?:licen[cs]e|copying)[^/]*", re.IGNORECASE)


def main(to: Path | None) -> int:
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

"""The bill of materials, held against the schema of CycloneDX."""

from __future__ import annotations

import json
from pathlib import Path

from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from benchmarks.supply_chain.licences import licences_of, write_bill
from benchmarks.supply_chain.requirements import pinned_versions
from tests.benchmarks.supply_chain.packages import package


def test_the_bill_names_every_pinned_package_and_what_it_needs(tmp_path: Path) -> None:
    assert write_bill(tmp_path / "bill.json") == 0
    text = (tmp_path / "bill.json").read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    parts = {part["bom-ref"]: part for part in bill["components"]}
    urls = {part["purl"].split("+")[0].replace("%2Bcpu", "") for part in parts.values()}
    assert urls == {f"pkg:pypi/{name}@{version}" for name, version in pinned_versions().items()}
    assert all(part["licenses"] for part in parts.values())
    needs = {row["ref"]: row.get("dependsOn", []) for row in bill["dependencies"]}
    assert needs.keys() == {*parts, "redstring"}
    reached, waiting = set(), ["redstring"]
    while waiting:
        ref = waiting.pop()
        reached.add(ref)
        waiting += [need for need in needs[ref] if need not in reached]
    required = {ref for ref, part in parts.items() if part["scope"] == "required"}
    assert reached == required | {"redstring"}, "what ships is what Redstring needs"


def test_a_licence_without_a_name_in_spdx_comes_with_its_text(tmp_path: Path) -> None:
    bsd = "Classifier: License :: OSI Approved :: BSD License"
    (found,) = licences_of(package(tmp_path, "Made_Here", bsd, licence_text="Redistribution and use"))
    assert isinstance(found, DisjunctiveLicense)
    assert found.name == "BSD License"
    assert found.text is not None
    assert found.text.content == "Redistribution and use"

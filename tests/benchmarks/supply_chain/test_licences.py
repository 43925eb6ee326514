"""What packages say of their licences, and what that asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.supply_chain.closure import closure
from benchmarks.supply_chain.licences import Reach, licence, reach_of
from benchmarks.supply_chain.requirements import decisions
from tests.benchmarks.supply_chain.packages import package

OSI = "Classifier: License :: OSI Approved"
GPL, OTHER = "GNU General Public License v3 (GPLv3)", "Other/Proprietary License"
MIT = f"{OSI} :: MIT License"


@pytest.mark.parametrize(
    ("name", "reach"),
    [
        ("MIT", Reach.PERMISSIVE),
        ("Apache-2.0 WITH LLVM-exception", Reach.PERMISSIVE),
        ("CC0-1.0", Reach.PERMISSIVE),
        ("MPL-2.0", Reach.LIMITED_COPYLEFT),
        ("LGPL-3.0-or-later", Reach.LIMITED_COPYLEFT),
        ("MIT AND MPL-2.0", Reach.LIMITED_COPYLEFT),
        ("MIT OR GPL-3.0-only", Reach.PERMISSIVE),
        ("MIT AND (Apache-2.0 OR GPL-3.0-only)", Reach.PERMISSIVE),
        ("GPL-3.0-only", Reach.COPYLEFT),
        ("AGPL-3.0-only", Reach.COPYLEFT),
        ("MIT AND GPL-2.0-only", Reach.COPYLEFT),
        ("BUSL-1.1", Reach.UNCLEAR),
        ("LicenseRef-Proprietary", Reach.UNCLEAR),
        ("MIT AND", Reach.UNCLEAR),
        ("MIT, GPL", Reach.UNCLEAR),
        ("", Reach.UNCLEAR),
    ],
)
def test_how_far_a_licence_reaches(name: str, reach: Reach) -> None:
    assert reach_of(name) is reach


@pytest.mark.parametrize(
    ("metadata", "names", "reach"),
    [
        (["License-Expression: MIT"], ("MIT",), Reach.PERMISSIVE),
        (["License-Expression: GPL-3.0-only", "License: MIT", MIT], ("GPL-3.0-only",), Reach.COPYLEFT),
        (["License-Expression: LicenseRef-Own", MIT], ("LicenseRef-Own",), Reach.UNCLEAR),
        (
            ["License: BSD-3-Clause", OSI],
            ("BSD-3-Clause",),
            Reach.PERMISSIVE,
        ),
        (["License: see LICENSE", MIT], ("MIT",), Reach.PERMISSIVE),
        (["License: MIT", f"{OSI} :: {GPL}"], (GPL,), Reach.UNCLEAR),
        (
            ["License: MIT", f"Classifier: License :: {OTHER}"],
            (OTHER,),
            Reach.UNCLEAR,
        ),
        ([MIT, f"{OSI} :: {GPL}"], ("MIT", GPL), Reach.UNCLEAR),
        (["License: UNKNOWN"], ("UNKNOWN",), Reach.UNCLEAR),
        ([], ("none stated",), Reach.UNCLEAR),
    ],
)
def test_what_a_package_says_of_itself(
    tmp_path: Path, metadata: list[str], names: tuple[str, ...], reach: Reach
) -> None:
    found = licence(package(tmp_path, "made", *metadata))
    assert (found.names, found.reach) == (names, reach)
    assert found.open is (reach is not Reach.PERMISSIVE)


def test_a_decision_on_copyleft_holds_for_its_licence_alone(tmp_path: Path) -> None:
    assert decisions("licences")["certifi"].startswith("MPL-2.0: ")
    assert not licence(package(tmp_path, "certifi", "License-Expression: MPL-2.0")).open
    (tmp_path / "later").mkdir()
    assert licence(package(tmp_path / "later", "certifi", "License-Expression: AGPL-3.0-only")).open


def test_every_licence_of_ours_is_permissive_or_decided_upon() -> None:
    found = {name: licence(one.distribution) for name, one in closure().items()}
    assert [name for name, one in found.items() if one.open] == []
    assert decisions("licences").keys() == {name for name, one in found.items() if one.decided}
    shipped = [found[name].reach for name, one in closure().items() if one.ships]
    assert max(shipped) is Reach.LIMITED_COPYLEFT

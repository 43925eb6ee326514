"""What packages need, walked over packages that are made here."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks.supply_chain.closure import needed
from benchmarks.supply_chain.requirements import RequirementsError
from tests.benchmarks.supply_chain.packages import package

NEEDS = {
    "made_page": ("Made.Server>=1", 'made-tools; extra == "tools"'),
    "made_server": ("made-page", 'nowhere; sys_platform == "none"'),
    "made_tools": ("made-server[fast]",),
}


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, lines in NEEDS.items():
        package(tmp_path, name, *(f"Requires-Dist: {line}" for line in lines))
    monkeypatch.syspath_prepend(str(tmp_path))


def test_what_is_needed_is_followed_in_rings_and_through_extras() -> None:
    plain = needed([Requirement("made-page")])
    assert plain == {"made-page": {"made-server"}, "made-server": {"made-page"}}
    extra = needed([Requirement("made-page[tools]")])
    assert extra == {
        "made-page": {"made-server", "made-tools"},
        "made-server": {"made-page"},
        "made-tools": {"made-server"},
    }


def test_what_is_not_installed_is_said() -> None:
    with pytest.raises(RequirementsError, match="absent is not installed"):
        needed([Requirement("made-page"), Requirement("absent")])

"""Lines of requirements."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.supply_chain.requirements import (
    BROUGHT_ALONG,
    PROJECT,
    Pin,
    RequirementsError,
    pinned_versions,
    pins,
)
from benchmarks.supply_chain.vulnerabilities import TOOL


def test_pins_are_read(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(
        f"# words\n-r other.txt\n\nBoth_Of.Them[a,b]==1.0!2  # what for\n\n{BROUGHT_ALONG}\nlow==3\n"
    )
    both, low = pins("r.txt", tmp_path)
    assert both == Pin("Both_Of.Them", "[a,b]", "1.0!2", brought=False)
    assert both.key == "both-of-them"
    assert low == Pin("low", "", "3", brought=True)


@pytest.mark.parametrize(
    "line",
    [
        "name",
        "name>=1",
        "name==1.*",
        "name==1,<2",
        "name===1",
        "name @ https://example.org/name.whl",
        "name==1; sys_platform == 'linux'",
        "name==1 --hash=sha256:00",
        "name==1 # one space",
        "-c constraints.txt",
        "--extra-index-url https://example.org",
        "-e .",
        " name==1",
        "name==1\\",
    ],
)
def test_anything_but_one_version_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "r.txt").write_text(f"fine==1\n{line}\n")
    with pytest.raises(RequirementsError, match=r"r\.txt:2"):
        list(pins("r.txt", tmp_path))


def test_the_tools_for_vulnerabilities_are_of_the_same_versions() -> None:
    """They are looked up together with the rest, one version a name."""
    tools = {pin.key: pin.version for pin in pins(TOOL, PROJECT / "benchmarks" / "supply_chain")}
    pinned = pinned_versions()
    assert [name for name, version in tools.items() if pinned.get(name, version) != version] == []

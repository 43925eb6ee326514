"""What is imported is named and pinned: nothing is there only because something else happens to need it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import pytest

from tests.conftest import ROOT

OWN = {"app", "benchmarks", "engine", "tests", "ui"}
SHIPPED = ("app.py", "engine", "ui")
# What the contract kits import, which ship with the engine and are run by tests alone.
OF_TESTS = {"pytest"}


def names(file: str) -> set[str]:
    """The normalised names (PEP 503) that a requirements file pins; each line must pin one version."""
    found = set()
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith(("#", "-r")):
            continue
        pinned = re.fullmatch(r"([\w.-]+)(\[[\w,-]+\])?==[\w.!+]+", line)
        assert pinned, f"{file}: {line!r} does not pin one version"
        found.add(normalised(pinned[1]))
    return found


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(part: str) -> Iterator[tuple[str, str]]:
    """File and top package of each import of other people's code, those inside functions included."""
    for path in [ROOT / part] if part.endswith(".py") else sorted((ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules = [node.module]
            tops = {module.split(".")[0] for module in modules}
            yield from ((str(path.relative_to(ROOT)), top) for top in tops - OWN - sys.stdlib_module_names)


@pytest.mark.parametrize("part", [*SHIPPED, "benchmarks", "tests"])
def test_every_package_that_is_imported_is_named(part: str) -> None:
    named = names("requirements.txt")
    if part not in SHIPPED:
        named |= names("requirements-dev.txt")
    owners = packages_distributions()
    nameless = {
        f"{file} imports {top}, of {', '.join(owners.get(top, ['no package']))}"
        for file, top in imported(part)
        if top not in OF_TESTS and not named & {normalised(owner) for owner in owners.get(top, ())}
    }
    assert nameless == set()


def test_no_package_is_pinned_twice() -> None:
    assert not names("requirements.txt") & names("requirements-dev.txt")

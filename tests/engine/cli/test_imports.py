"""The files of the command line stand in an order: none imports, by whatever way, one that imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = "engine.cli"


def modules(folder: Path) -> dict[str, Path]:
    """The modules of the package, by name."""
    return {
        ".".join(path.relative_to(folder.parents[1]).with_suffix("").parts).removesuffix(".__init__"): path
        for path in folder.rglob("*.py")
    }


def imported(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """Those of the ``known`` modules that a source imports, anywhere in it, functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in (*whole, node.module) if name in known)


def order(folder: Path) -> list[str]:
    """The modules, each behind those that it imports. Raises CycleError."""
    known = modules(folder)
    graph = {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), known)) - {name}
        for name, path in known.items()
    }
    return list(TopologicalSorter(graph).static_order())


def test_no_file_of_the_command_line_imports_itself_by_another() -> None:
    found = order(ROOT / "engine" / "cli")
    assert set(found) >= {PACKAGE, f"{PACKAGE}.main", f"{PACKAGE}.program", f"{PACKAGE}.printing"}
    assert (
        found.index(f"{PACKAGE}.printing")
        < found.index(f"{PACKAGE}.main")
        < found.index(f"{PACKAGE}.program")
    )


def test_a_circle_is_seen_also_inside_a_function(tmp_path: Path) -> None:
    folder = tmp_path / "engine" / "cli"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("from engine.cli import two\n")
    (folder / "two.py").write_text("def late():\n    from engine.cli.one import x\n")
    with pytest.raises(CycleError):
        order(folder)

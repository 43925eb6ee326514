"""A floor of the engine imports only from its own and those below; nothing in the engine knows a screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = (
    (
        *("model", "settings", "operator_settings", "errors", "network", "files", "isolation"),
        "bounded_yaml",
    ),
    ("llm",),
    ("language",),
    ("corpus",),
    ("access", "ingestion", "retrieval", "ontology"),
    ("investigation",),
    ("records", "answers", "extraction", "evaluation"),
    ("cli", "__main__"),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
SCREENS = {"gradio", "ui", "app"}


def room(module: str) -> str:
    """The part of the engine that a module belongs to; all files of the command line are one."""
    name = module.split(".")[1]
    return "cli" if name.startswith("cli") else name


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of each import, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


@pytest.mark.parametrize("name", sorted(FLOOR_OF))
def test_a_floor_stands_on_those_below(name: str) -> None:
    files = [path for path in (ROOT / "engine").rglob("*.py") if own(path) == name]
    assert files, f"no file in engine/{name}"
    for path in files:
        for line, module in imports(path):
            place = f"{path.relative_to(ROOT)}:{line}"
            assert module.split(".")[0] not in SCREENS, f"{place} imports a screen: {module}"
            if module.startswith("engine."):
                assert FLOOR_OF[room(module)] <= FLOOR_OF[name], f"{place} imports from above: {module}"


def own(path: Path) -> str:
    """The part of the engine that a file belongs to; nothing for ``engine/__init__.py``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "" if parts == ("engine", "__init__") else room(".".join(parts))


def test_every_part_has_a_floor() -> None:
    parts = {own(path) for path in (ROOT / "engine").rglob("*.py")} - {""}
    assert parts == set(FLOOR_OF)

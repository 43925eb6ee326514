"""A floor of the engine imports only from its own and those below; nothing in the engine knows a screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.imports import perhaps_imported

ROOT = Path(__file__).parents[1]
FLOORS = (
    (
        *("model", "settings", "operator_settings", "errors", "network", "files", "isolation"),
        *("bounded", "strategy_registry", "search_budget", "caching", "arrays"),
    ),
    ("languages",),
    ("llm",),
    ("language",),
    ("corpus",),
    ("access", "ingestion", "retrieval", "ontology"),
    ("investigation",),
    ("records", "answers", "extraction", "evaluation", "exports", "review"),
    ("verbs",),
    ("api", "cli", "__main__"),
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
        # Only where something else may be imported is there anything to parse.
        if all(allowed(module, name) for module in perhaps_imported(path.read_text(encoding="utf-8"))):
            continue
        for line, module in imports(path):
            assert allowed(module, name), f"{path.relative_to(ROOT)}:{line} imports {module}"


def allowed(module: str, name: str) -> bool:
    """Whether a part of the engine may import a module: no screen, nothing from above or without a floor."""
    if module.split(".")[0] in SCREENS:
        return False
    return not module.startswith("engine.") or FLOOR_OF.get(room(module), len(FLOORS)) <= FLOOR_OF[name]


def test_what_may_be_imported_holds_all_that_is() -> None:
    text = "import os, engine.a as a\nif x: from engine.b import (\n  c,\n)\n\tfrom ui import d; import app\n"
    assert {"os", "engine.a", "engine.b", "ui", "app"} <= perhaps_imported(text)
    for path in (ROOT / "engine" / "llm").rglob("*.py"):
        assert {module for _, module in imports(path)} <= perhaps_imported(path.read_text(encoding="utf-8"))


def own(path: Path) -> str:
    """The part of the engine that a file belongs to; nothing for ``engine/__init__.py``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "" if parts == ("engine", "__init__") else room(".".join(parts))


def test_every_part_has_a_floor() -> None:
    parts = {own(path) for path in (ROOT / "engine").rglob("*.py")} - {""}
    assert parts == set(FLOOR_OF)

"""What the page for programs says is true: its examples run against a server, its tables are made anew."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.operator_settings import OperatorSettings
from tests.ui.served import inside_a_loop, served
from ui.models.connections import Connections
from ui.page import build_page
from ui.shelf import open_library
from ui.tools.schemas import reference

PAGE = (Path(__file__).parents[3] / "docs" / "programs.md").read_text(encoding="utf-8")
HERE = "http://127.0.0.1:7860"
SECONDS = 240


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def address(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    settings = OperatorSettings(home=home)
    library = open_library([sample_folder], home, settings)
    page = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    with served(page, settings, home / "uploads") as found:
        yield found


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tables_are_what_there_is() -> None:
    assert PAGE.endswith(reference())


def test_the_client_in_python(address: str, tmp_path: Path) -> None:
    (example,) = (block for block in blocks("python") if "gradio_client" in block)
    printed = run([sys.executable, "-c", example.replace(HERE, address.rstrip("/"))], tmp_path)
    assert printed.startswith("found ")
    assert "passages in the pool" in printed


def test_curl(address: str, tmp_path: Path) -> None:
    (example,) = blocks("bash")
    printed = run(
        ["bash", "-eu", "-o", "pipefail", "-c", example.replace(HERE, address.rstrip("/"))], tmp_path
    )
    assert "event: complete" in printed
    assert json.loads((tmp_path / "case.json").read_text())["question"] == "When is an assessment final?"


def test_the_client_of_mcp(address: str, tmp_path: Path) -> None:
    (example,) = (block for block in blocks("python") if "ClientSession" in block)
    printed = run([sys.executable, "-c", example.replace(HERE, address.rstrip("/"))], tmp_path)
    names, found, size = printed.strip().splitlines()
    assert "'investigate'" in names
    assert found.startswith("found [")
    assert int(size) > 1000


def test_configurations_are_json_and_name_the_server() -> None:
    named = [block for block in blocks("json") if "gradio_api/mcp" in block]
    assert len(named) == 2
    for block in named:
        json.loads(block)

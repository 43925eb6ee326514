from __future__ import annotations

import ast
from pathlib import Path
from typing import Literal

import pytest

from engine.cli.main import main
from engine.errors import SettingsError
from engine.operator_settings import (
    ANYWHERE,
    PROJECT,
    OperatorSettings,
    list_settings,
    operator_settings,
    variable,
)
from engine.verbs.server import HEADINGS, markdown_lines

SECRET = "sk-not-to-be-shown"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OperatorSettings.model_fields:
        monkeypatch.delenv(variable(name), raising=False)


def test_nothing_set_is_private_and_offers_nothing_to_strangers() -> None:
    found = operator_settings()
    assert found.uploads
    assert not found.shared
    assert found.llm == "none"
    assert found.loopback
    assert not found.llm_shared
    assert found.access == "off"
    assert not found.audited
    assert not found.allows_private(local=False)
    assert found.home_folder == PROJECT / ".redstring"


def test_variables_are_read_without_their_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "REDSTRING_UPLOADS": " Off ",
        "REDSTRING_SHARED": "ON",
        "REDSTRING_FILE_MB": " 7",
        "REDSTRING_WAITING": "0",
        "REDSTRING_HOME": "  ",
        "REDSTRING_CORPORA": "",
        "REDSTRING_PRIVATE_ENDPOINTS": "OFF",
        "REDSTRING_RERANKERS": " ce:a  ce:b ce:a",
        "GRADIO_SERVER_PORT": "80",
        "OPENAI_API_KEY": f" {SECRET}\n",
    }.items():
        monkeypatch.setenv(name, value)
    found = operator_settings()
    assert (found.uploads, found.shared, found.waiting, found.port) == (False, True, 0, 80)
    assert (found.file_bytes, found.corpora, found.home) == (7_000_000, 10, None)
    assert found.private_endpoints == "off"
    assert found.rerankers == ("ce:a", "ce:b")
    assert found.openai_api_key.get_secret_value() == SECRET
    assert operator_settings(port=81, uploads=True).changed(shared=False) == operator_settings(
        port=81, uploads=True, shared=False
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REDSTRING_UPLOAD", "REDSTRING_UPLOADS"),
        ("REDSTRING_ACESS", ""),
        ("redstring_share", "REDSTRING_SHARED"),
        ("REDSTRING_LLM_KEYS", "REDSTRING_LLM_KEY"),
        ("REDSTRING_", ""),
    ],
)
def test_a_slip_of_the_pen_leaves_no_door_open(
    name: str, meant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, SECRET)
    with pytest.raises(SettingsError, match=rf"^{name} is no setting; the nearest is {meant}") as raised:
        operator_settings()
    assert SECRET not in str(raised.value), "a key in the wrong variable"
    assert main(["settings"]) == 2
    assert SECRET not in capsys.readouterr().err


def test_all_that_is_wrong_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDSTRING_FILES", "x")
    monkeypatch.setenv("REDSTRING_JOBS", "x")
    monkeypatch.setenv("REDSTRING_JOB", "1")
    with pytest.raises(SettingsError, match=r"REDSTRING_JOB is .*; REDSTRING_FILES: .*; REDSTRING_JOBS: "):
        operator_settings()
    monkeypatch.undo()
    with pytest.raises(SettingsError, match="nonsense: no such setting"):
        operator_settings(nonsense=1)


@pytest.mark.parametrize(
    ("private", "host", "local", "allowed"),
    [
        ("auto", "127.0.0.1", True, True),
        ("auto", "::1", True, True),
        ("auto", "localhost", False, False),
        ("auto", "127.0.0.1.example.org", True, False),
        ("on", ANYWHERE, False, True),
        ("off", "127.0.0.1", True, False),
    ],
)
def test_who_may_name_a_private_server(
    private: Literal["auto", "on", "off"], host: str, local: bool, allowed: bool
) -> None:
    assert OperatorSettings(private_endpoints=private, host=host).allows_private(local) is allowed


def test_the_command_prints_values_and_their_origin_but_no_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDSTRING_LLM_KEY", SECRET)
    monkeypatch.setenv("REDSTRING_FILES", "7")
    for form in ([], ["--json"], ["--markdown"]):
        assert main(["settings", *form]) == 0
        printed = capsys.readouterr().out
        assert SECRET not in printed
        assert all(variable(name) in printed for name in OperatorSettings.model_fields)
    shown = {one.variable: one for one in list_settings(operator_settings())}
    assert (shown["REDSTRING_LLM_KEY"].value, shown["OPENAI_API_KEY"].value) == ("set", "not set")
    files = shown["REDSTRING_FILES"]
    assert (files.value, files.default, files.source) == ("7", "2000", "environment")
    assert shown["REDSTRING_UPLOADS"].source == "default"
    assert all(one.meaning and one.unit and one.group in HEADINGS for one in shown.values())


def test_the_docs_are_what_the_command_prints() -> None:
    page = (PROJECT / "docs" / "operator-settings.md").read_text(encoding="utf-8")
    assert page == "\n".join(markdown_lines()) + "\n", "python -m engine settings --markdown > the page"


# What else touches the environment, and why that is no setting of ours.
ALLOWED = {
    "engine/operator_settings.py": "the one place",
    "engine/evaluation/evaluate.py": "gives child processes one thread each",
    "engine/isolation/enter.py": "takes what its parent handed over",
    "engine/isolation/confining.py": "finds the libraries and modules of this Python",
    "ui/serve.py": "tells libraries, before they are imported, to be silent and where temporary files go",
    "ui/corpus/ingestion.py": "tells a worker where models lie",
    "ui/server/process.py": "makes the environment of a confined process out of the server's",
    "ui/server/template.py": "gives itself, and so the workers, one thread each",
}


WAYS = {"environ", "environb", "getenv", "getenvb", "expandvars"}


def test_nothing_else_reads_the_environment() -> None:
    found = set()
    for path in [PROJECT / "app.py", *(PROJECT / "engine").rglob("*.py"), *(PROJECT / "ui").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        # Only where a word of it stands is there anything to parse.
        if any(name in text for name in WAYS) and _touches_environment(ast.parse(text)):
            found.add(path.relative_to(PROJECT).as_posix())
    assert found == set(ALLOWED)


def _touches_environment(tree: ast.AST) -> bool:
    return any(
        (isinstance(node, ast.Attribute) and node.attr in WAYS)
        or (isinstance(node, ast.alias) and node.name in WAYS)
        for node in ast.walk(tree)
    )


def test_the_scan_sees_every_way(tmp_path: Path) -> None:
    for line in ("import os; os.environ['A']", "from os import getenv", "import os as o; o.getenv('A')"):
        assert _touches_environment(ast.parse(line))

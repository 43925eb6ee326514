"""The README and the docs: their links lead somewhere, their commands can be read, their tables are those of
the program."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from engine.cli.main import parser
from engine.settings import InvestigationSettings, Preset, presets
from engine.strategy_registry import load_strategies
from tests.conftest import ROOT
from ui.command import SERVE, add_serve

README = ROOT / "README.md"
PAGES = [README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
INSTALL_AND_RUN = "pip install -r requirements.txt && python app.py"
INSTALL_AND_TEST = "pip install -r requirements-dev.txt && pytest"
MOST_LINES = 200
# What stands for a command in a sentence about all of them.
PLACEHOLDERS = {"COMMAND", "VERB"}
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_COMMAND = re.compile(r"(?:^|&& )(?:python -m engine|redstring) +([^|>\n]*)", re.MULTILINE)


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The names by which headings of a page are linked to."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(page)))
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    wrong = []
    for link in _LINK.findall(_INLINE.sub("", prose(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path) if path else page
        inside = target.resolve().is_relative_to(ROOT) and target.exists()
        if not inside or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_every_page_of_the_docs_is_linked_to() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in _LINK.findall(prose(page))
    }
    assert set(PAGES) - {README} <= linked


def test_the_readme_is_short_and_its_two_commands_are_those_that_are_run() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) < MOST_LINES
    assert f"```\n{INSTALL_AND_RUN}\n{INSTALL_AND_TEST}\n```" in text
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert INSTALL_AND_TEST.replace("install -r", "install -q -r") in ci


def commands(page: Path) -> Iterator[str]:
    """What stands behind ``python -m engine`` or ``redstring`` on a page, in blocks of code and in lines;
    a line that begins with blanks goes on with the one before."""
    text = page.read_text(encoding="utf-8")
    for language, block in _FENCED.findall(text):
        if language in ("", "sh", "console"):
            joined = re.sub(r"\\?\n +", " ", block)
            yield from _COMMAND.findall("\n".join(line.split("  # ")[0] for line in joined.splitlines()))
    for code in _INLINE.findall(_FENCED.sub("", text).replace("\n", " ")):
        yield from _COMMAND.findall(code)


@cache
def known() -> argparse.ArgumentParser:
    """The command line with the command that the page adds."""
    return parser("redstring", add_serve)


def verbs(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands below a parser, by name."""
    lists = [action.choices for action in vars(of)["_actions"] if isinstance(action.choices, dict)]
    return {name: command for commands in lists for name, command in commands.items()}


def flags(of: argparse.ArgumentParser) -> set[str]:
    """The flags of a parser."""
    return {flag for action in vars(of)["_actions"] for flag in action.option_strings}


def unknown_parts(command: str) -> list[str]:
    """The verb and the flags of a command as a page writes it (``[--flag VALUE]``, ``one|other``, ``...``)
    that the program does not have."""
    words = [word.strip("[],.") for word in shlex.split(command.replace("'", '"'))]
    at = known()
    for word in words:
        if not (choices := verbs(at)) or word.startswith("--") or word in PLACEHOLDERS:
            break
        if not set(word.split("|")) <= choices.keys():
            return [word]
        at = choices[word.split("|")[0]]
    if at is verbs(known())[SERVE]:
        # Its flags are read by the page.
        return []
    have = flags(at).union(*map(flags, verbs(at).values()))
    return sorted({part for word in words for part in word.split("|") if part.startswith("--")} - have)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_can_be_read(page: Path) -> None:
    assert [(command, wrong) for command in commands(page) if (wrong := unknown_parts(command))] == []


def test_a_wrong_command_is_seen() -> None:
    assert sum(1 for page in PAGES for _ in commands(page)) > 60
    assert unknown_parts("dream --corpus DIR") == ["dream"]
    assert unknown_parts("investigate 'Q' --corpus DIR [--depht fixed]") == ["--depht"]
    assert unknown_parts("cases list|shwo ID") == ["list|shwo"]
    assert unknown_parts("cases list|show ID [--json]") == []


def in_words(default: object) -> str:
    """A default as the table has it, empty for no limit."""
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, tuple):
        return ", ".join(default)
    return "" if default is None else str(default)


def setting_rows() -> Iterator[str]:
    """The rows of the tables in docs/settings.md."""
    for name, field in InvestigationSettings.model_fields.items():
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        default = field.get_default(call_default_factory=True)
        flag = f"--{name.replace('_', '-')}"
        shown = "those of `balanced`" if name == "strategies" else in_words(default)
        yield f"| `{flag}` | {shown} | {extra['unit']} | {field.description} |"
    for name, thread in load_strategies().items():
        begins = "when asked for" if thread.on_from is None else f"`{thread.on_from.value}`"
        yield f"| `{name}` | {begins} | {thread.meaning} |"
    for preset, settings in presets().items():
        if preset is not Preset.AUTO:
            yield (
                f"| `{preset.value}` | {settings.rounds} | {settings.pool_size} | {settings.top_k} "
                f"| {len(settings.strategies)} | {settings.query_strategy} |"
            )


def test_the_settings_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in setting_rows() if row not in page] == []

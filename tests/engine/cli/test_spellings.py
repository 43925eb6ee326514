"""Every command and option that was ever documented is still read, and the docs have all of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli.main import parser, reference
from tests.conftest import ROOT

SPELLINGS = Path(__file__).with_name("spellings.txt").read_text(encoding="utf-8").splitlines()
PAGE = ROOT / "docs" / "command-line.md"


def commands(of: argparse.ArgumentParser, before: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:
    """Each command with its positional arguments and its options."""
    words: set[str] = set()
    for action in vars(of)["_actions"]:
        if isinstance(action.choices, dict):
            for name, command in action.choices.items():
                yield from commands(command, (*before, name))
        elif action.option_strings:
            words.update(action.option_strings)
        else:
            words.add(f"{action.metavar}{action.nargs or ''}")
    yield " ".join(before), words


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    return dict(commands(parser()))


@pytest.mark.parametrize("line", SPELLINGS, ids=lambda line: line.partition(":")[0])
def test_a_spelling_is_still_read(line: str, known: dict[str, set[str]]) -> None:
    command, _, words = line.partition(":")
    assert set(words.split()) <= known[command]


def test_the_table_of_the_docs_is_that_of_the_program() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith("\n".join(reference()) + "\n")

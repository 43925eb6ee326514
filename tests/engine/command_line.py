"""The command line as a person types it, for tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.cli.main import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        value = orjson.loads(self.out)
        assert isinstance(value, dict)
        return value


class CommandLine:
    """Runs commands in this process and collects what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Done:
        self._capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = self._capsys.readouterr()
        return Done(code, printed.out, printed.err)

    def refused(self, told: str, *arguments: str | Path) -> None:
        """Run a command that cannot be done: it prints nothing and says why in one line."""
        done = self(*arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
        assert told in done.err


def made_once(made: Path, home: Path, make: Callable[[], str]) -> str:
    """What ``make`` returns, which fills ``home``: once, and then it is copied from ``made``."""
    told = made.with_suffix(".id")
    if told.exists():
        shutil.copytree(made, home, dirs_exist_ok=True)
        return told.read_text()
    found = make()
    shutil.copytree(home, made)
    told.write_text(found)
    return found

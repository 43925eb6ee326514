from __future__ import annotations

import io
import os
import pty
import runpy
import sys
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.terminal import VisibleStream
from engine.ingestion.build import build_corpus

HARM = "\x1b]0;owned\x07\x1b[2J Act \u202eelbail ton\u202c"


@given(st.text(max_size=40))
def test_no_controlling_character_gets_through(text: str) -> None:
    stream = io.StringIO()
    assert VisibleStream(stream).write(text) == len(text)
    assert not {letter for letter in stream.getvalue() if ord(letter) < 32 or 127 <= ord(letter) < 160} - set(
        "\t\n\v\f\r\x85"
    )


def printed(stream: TextIO, *arguments: str) -> None:
    """Run the program with a stream for what it prints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["engine", *arguments])
        patch.setattr(sys, "stdout", stream)
        patch.setattr(sys, "stderr", stream)
        with pytest.raises(SystemExit, match=r"^0$"):
            runpy.run_module("engine", run_name="__main__")


def test_a_terminal_sees_numbers_and_a_file_every_character(tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("---\nid: act\n---\n\n# Act\n\nArticle 1 holds.\n", encoding="utf-8")
    build_corpus([tmp_path / "act.md"], tmp_path / "corpus", name=HARM, embedding="none")
    command = ("info", "--corpus", str(tmp_path / "corpus"))
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        with os.fdopen(theirs, "w", encoding="utf-8") as stream:
            printed(stream, *command)
        shown = b""
        # Linux tells the end of a terminal by an error.
        try:
            while part := terminal.read(65536):
                shown += part
        except OSError:
            pass
    assert b"\x1b" not in shown
    assert "⟦U+001B⟧]0;owned" in shown.decode()
    with (tmp_path / "kept").open("w", encoding="utf-8") as file:
        printed(file, *command, "--json")
    assert "\u202e" in (tmp_path / "kept").read_text(encoding="utf-8")

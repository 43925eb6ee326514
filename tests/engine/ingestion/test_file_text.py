"""The text of one file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import InputError, RedstringError
from engine.ingestion.reading import read_text


def test_texts_of_files(tmp_path: Path) -> None:
    memo = tmp_path / "memo.txt"
    memo.write_text("The deadline is 30 days – no more.", encoding="utf-8")
    assert read_text(memo) == "The deadline is 30 days – no more."
    memo.write_bytes("Die Frist".encode("utf-16"))
    assert read_text(memo).strip() == "Die Frist"
    with pytest.raises(RedstringError):
        read_text(tmp_path / "nothing.txt")
    empty = tmp_path / "memo.docx"
    empty.touch()
    with pytest.raises(RedstringError):
        read_text(empty)


def test_only_a_file_of_data_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path / "pipe.txt", tmp_path, Path("/proc/self/environ")):
        with pytest.raises(InputError, match=r"not a file of data|cannot be read"):
            read_text(path)
    monkeypatch.setattr("engine.ingestion.reading.LARGEST", 10)
    (tmp_path / "large.txt").write_text("x" * 11)
    with pytest.raises(InputError, match=r"large\.txt: larger than 10 bytes"):
        read_text(tmp_path / "large.txt")

"""Files before anything in them is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.review.drafts import json_lines, text_of


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf[1]")
    assert text_of(tmp_path / "a") == "[1]"


def test_empty_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('\n{"a": 1}\r\n\n', encoding="utf-8")
    assert [(where.rpartition("/")[2], value) for where, value in json_lines(tmp_path / "a")] == [
        ("a, line 2", {"a": 1})
    ]


@pytest.mark.parametrize("line", ["[1]", "{", '{"a": NaN}', "[" * 100_000])
def test_a_line_that_is_no_object_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f'{{"a": 1}}\n{line}\n', encoding="utf-8")
    with pytest.raises(SourceError, match="a, line 2: not"):
        list(json_lines(tmp_path / "a"))


def test_what_is_not_in_utf_8_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("für".encode("latin-1"))
    with pytest.raises(SourceError, match="not in UTF-8, at byte 1; save it as UTF-8"):
        text_of(tmp_path / "a")

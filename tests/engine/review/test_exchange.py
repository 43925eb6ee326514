"""All formats: what is written is read again, whatever the words; what cannot be read is named."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from engine.errors import InputError, SourceError
from engine.evaluation.questions import topic_of
from engine.review import drafts
from engine.review.drafts import Draft
from engine.review.exchange import FORMATS, format_of
from engine.review.model import Assessment
from tests.engine.review.judged import R, journals, passage, said

FULL = ("csv", "jsonl")


def written(name: str, assessments: list[Assessment]) -> bytes:
    """The bytes of a format that can be written."""
    write = format_of(name).write
    assert write is not None
    return write(assessments)


def read_back(name: str, data: bytes) -> list[Draft]:
    """What a format reads in a file of these bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"all{format_of(name).suffix}"
        path.write_bytes(data)
        return format_of(name).read(path)


def test_names() -> None:
    assert list(FORMATS) == ["csv", "jsonl", "qrels", "binary-qrels"]
    assert all(one.suffix.startswith(".") and one.title and one.meaning for one in FORMATS.values())
    with pytest.raises(InputError, match="unknown format 'xls'; known: csv, jsonl, qrels"):
        format_of("xls")


@pytest.mark.parametrize("name", FULL)
@given(assessments=journals())
def test_what_is_written_is_read(name: str, assessments: list[Assessment]) -> None:
    found = read_back(name, written(name, assessments))
    expected = [
        Draft(
            one.item.kind,
            one.verdict,
            one.item.case_id,
            topic_of(one.question),
            one.question,
            one.item.key,
            one.item.passage_id,
            one.item.source_id,
            one.item.relation,
            one.reviewer,
            one.reason,
            one.note,
            one.at,
            one.source,
        )
        for one in assessments
    ]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


@pytest.mark.parametrize("name", FULL)
def test_only_what_stands_is_written(name: str) -> None:
    first, last = said(passage("a"), R, number=1), said(passage("a"), R, number=2)
    assert written(name, [last, first]) == written(name, [last])


@pytest.mark.parametrize("name", FULL)
def test_nothing_is_written_as_nothing(name: str) -> None:
    assert read_back(name, written(name, [])) == []


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"\x00", b"[[[[", b'"open', b"[1]", b"null", b'{"a": 1}', b"a b c d e\n"]
)
def test_what_is_none_of_the_format_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="verdicts"):
        format_of(name).read(path)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_not_there_or_no_file_is_named(name: str, tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(SourceError, match=path.name):
            format_of(name).read(path)


@pytest.mark.parametrize("name", FORMATS)
def test_files_are_bounded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "verdicts"
    if name == "binary-qrels":
        path.write_bytes(b"q 0 a 1\nq 0 b 0\n")
    else:
        path.write_bytes(written(name, [said(passage(key), R, number=key == "b") for key in "ab"]))
    assert len(format_of(name).read(path, 2)) == 2
    with pytest.raises(SourceError, match="more than 1 verdicts; split the file"):
        format_of(name).read(path, 1)
    monkeypatch.setattr(drafts, "LARGEST", 10)
    with pytest.raises(SourceError, match="larger than 10 bytes"):
        format_of(name).read(path)

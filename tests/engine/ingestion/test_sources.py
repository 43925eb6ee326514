from __future__ import annotations

import gzip
import os
import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.ingestion.readers import formats
from engine.ingestion.readers.base import Problem
from engine.ingestion.sources import FoundFiles, open_sources
from tests.engine.ingestion.readers.docx.writing import docx, paragraph

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
LINES = b'{"id": "a", "text": "A line."}\n{"id": "b", "text": "Another."}\n'


def look(*sources: Path, passwords: Sequence[str] = ()) -> tuple[dict[str, str], FoundFiles]:
    with open_sources(sources, passwords=passwords) as found:
        top = sources[0] if sources[0].is_dir() else sources[0].parent
        readers = {source.name.removeprefix(f"{top}/"): reader.name for source, reader in found.documents}
        assert all(source.path.is_file() for source, _ in found.documents)
        return readers, found


def reasons(problems: Sequence[Problem], top: Path) -> dict[str, str]:
    return {problem.path.removeprefix(f"{top}/"): problem.reason for problem in problems}


@pytest.mark.parametrize(
    ("name", "data", "reader"),
    [
        ("law.txt", PDF, "PDF"),
        ("law.xml", b"<!DOCTYPE html><html><body><p>Words.</p></body></html>", "HTML"),
        ("law.txt", b"\xef\xbb\xbf <!-- saved --><HTML><body>", "HTML"),
        ("page.htm", b"Words <b>and</b> tags", "HTML"),
        ("law.doc", b"Just words.", "plain text"),
        ("LAW", b"Just words.", "plain text"),
        ("law.md", b"# Title\n\nWords.", "Markdown"),
        ("law.json", b'{"title": "A"}', "JSON"),
        ("law.txt", b'[{"title": "A"}]', "JSON"),
        ("corpus.jsonl", LINES, "BEIR"),
        ("corpus.data", LINES, "BEIR"),
        ("corpus.jsonl", b'{"articles": []}\n{"articles": []}\n', "JSON"),
        ("law.csv", b"law,text\nA,B\n", "CSV"),
        ("law.txt", "Ein Wort".encode("utf-16"), "plain text"),
        # Documents, though their names begin as those of files about a collection.
        ("licences.md", b"# Harbour Licences Act 2019\n\nWords.", "Markdown"),
        ("licence agreement.txt", b"Licence Agreement", "plain text"),
        ("notice-of-termination.txt", b"Notice of termination", "plain text"),
    ],
)
def test_the_content_tells_the_format(tmp_path: Path, name: str, data: bytes, reader: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert look(tmp_path)[0] == {name: reader}


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "Microsoft Office before 2007"),
        (b"{\\rtf1 words}", "no reader for RTF; save it as DOCX"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture; pictures hold no text; run OCR first"),
        (bytes(range(256)) * 4, "binary data of an unknown kind; known: PDF, DOCX"),
        (b"Rar!\x1a\x07\0", "a RAR archive; unpack it"),
        (b"<?xml version='1.0'?><catalogue><book/></catalogue>", "outermost element is <catalogue>"),
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
    ],
)
def test_what_is_not_read_says_what_was_seen(tmp_path: Path, data: bytes, seen: str) -> None:
    (tmp_path / "file.xyz").write_bytes(data)
    readers, found = look(tmp_path)
    assert readers == {}
    assert seen in found.problems[0].reason


@pytest.mark.parametrize(
    ("part", "seen"),
    [("xl/workbook.xml", "an Excel workbook; export"), ("ppt/presentation.xml", "PowerPoint")],
)
def test_other_packed_formats_are_named(tmp_path: Path, part: str, seen: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(part, "<x/>")
    assert seen in look(tmp_path)[1].problems[0].reason


def test_nothing_that_leads_elsewhere_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    top = tmp_path / "top"
    (top / "in").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("canary")
    (top / "in" / "law.txt").write_text("words")
    (top / "in" / "again").symlink_to(top)
    (top / "in" / "same.txt").symlink_to("law.txt")
    (top / "lost.txt").symlink_to("nowhere.txt")
    for name in ("law.txt", "edges.tsv", "ontology.yaml", "examples.json", "corpus.jsonl", "corpus.ref"):
        (top / f"{name}.d").mkdir()
        (top / f"{name}.d" / name).symlink_to(outside / "secret.txt")
    (top / "folder").symlink_to(outside)
    os.mkfifo(top / "pipe.txt")
    os.mkfifo(top / "corpus.ref")
    readers, found = look(top)
    assert readers == {"in/law.txt": "plain text"}
    assert (found.edges, found.ontology, found.examples) == ([], None, None)
    skipped = reasons(found.skipped, top)
    assert set(skipped) == {"in/again", "in/same.txt"}
    assert set(skipped.values()) == {"skipped: a link: its target is among the sources and is read there"}
    told = reasons(found.problems, top)
    assert "not a file of data" in told.pop("pipe.txt")
    assert "not a file of data" in told.pop("corpus.ref")
    assert len(told) == 8
    assert set(told.values()) == {
        "a link: not followed; where it leads is none of the sources; name that too to have it read"
    }


def test_a_source_may_be_a_link_and_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2" / "law.txt").write_text("words")
    (tmp_path / "current").symlink_to("v2")
    with open_sources([tmp_path / "current", tmp_path / "v2"]) as found:
        assert [source.name for source, _ in found.documents] == [str(tmp_path / "current" / "law.txt")]


@pytest.mark.parametrize(
    "words",
    ["{outside}", "../outside", "../../outside", "outside", "/proc/self/fd", "/proc/self/cwd/../outside", "/",
     "..", "a\0b", "x" * 5000, "\udcff", ""],
)  # fmt: skip
def test_no_reference_leads_out_of_the_sources(tmp_path: Path, words: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("canary")
    (tmp_path / "sent" / "x").mkdir(parents=True)
    text = words.format(outside=tmp_path / "outside").encode("utf-8", "surrogateescape")
    (tmp_path / "sent" / "x" / "corpus.ref").write_bytes(text)
    readers, found = look(tmp_path / "sent")
    assert readers == {}
    assert len(found.problems) + len(found.skipped) == 1


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"), open_sources([tmp_path / "nowhere"]):
        raise AssertionError


def test_an_archive_is_its_members(tmp_path: Path) -> None:
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("deep.md", "# Deep\n\nWords.")
        with zipfile.ZipFile(tmp_path / "third.zip", "w") as third:
            third.writestr("x.txt", "words")
        packed.write(tmp_path / "third.zip", "third.zip")
    with zipfile.ZipFile(tmp_path / "laws.zip", "w") as packed:
        packed.writestr("a/uu-6.txt", "words")
        packed.writestr("a/README.txt", "about")
        packed.writestr("__MACOSX/a/._uu-6.txt", "x")
        packed.writestr("edges.tsv", "a\tb")
        packed.writestr("empty.txt", "")
        packed.writestr("gesetz-ü.txt", "words")
        packed.write(inner, "more/inner.zip")
    readers, found = look(tmp_path / "laws.zip")
    assert readers == {
        "laws.zip/a/uu-6.txt": "plain text",
        "laws.zip/gesetz-ü.txt": "plain text",
        "laws.zip/more/inner.zip/deep.md": "Markdown",
    }
    told = reasons(found.problems, tmp_path)
    assert told == {
        "laws.zip/empty.txt": "the file is empty",
        "laws.zip/more/inner.zip/third.zip": "an archive in an archive in an archive: not read",
    }
    assert len(found.skipped) == 3
    assert found.edges == []


def test_documents_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("law.html", "law.txt", "a/law.txt", "b/law.txt", "b/c/Law.txt", "b/b/law.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>words" if name.endswith("html") else "words")
    with open_sources([tmp_path]) as found:
        stems = {source.name.removeprefix(f"{tmp_path}/"): source.stem for source, _ in found.documents}
    assert stems == {
        "law.html": "law",
        "law.txt": "law-txt",
        "a/law.txt": "a-law",
        "b/law.txt": "b-law",
        "b/b/law.txt": "law-2",
        "b/c/Law.txt": "c-Law",
    }


def member(name: str, mode: int = 0) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    return entry


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:\\out.txt", "..\\out.txt"]
)
def test_no_name_leads_out_of_an_archive(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(member(name), "words")
        packed.writestr("good.txt", "words")
    before = set(tmp_path.parent.iterdir())
    readers, found = look(tmp_path / "a.zip")
    assert list(readers) == ["a.zip/good.txt"]
    assert "leads out" in found.problems[0].reason
    assert set(tmp_path.parent.iterdir()) == before


def test_links_and_twins_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(member("link.txt", stat.S_IFLNK | 0o777), "/etc/passwd")
        packed.writestr("one.txt", "words")
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("one.txt", "other words")
    readers, found = look(tmp_path / "a.zip")
    assert list(readers) == ["a.zip/one.txt", "a.zip/one.txt~"]
    assert "a link" in found.problems[0].reason


def test_bombs_are_named_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb.txt", b"a" * 20_000_000)
        packed.writestr("good.txt", "words")
    readers, found = look(tmp_path / "a.zip")
    assert list(readers) == ["a.zip/good.txt"]
    assert "200 times its size" in found.problems[0].reason
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"a" * 20_000_000))
    assert "200 times" in look(tmp_path / "b.txt.gz")[1].problems[0].reason
    monkeypatch.setattr(formats, "MOST_MEMBERS", 1)
    assert "only the first 1" in look(tmp_path / "a.zip")[1].problems[0].reason
    monkeypatch.setattr(formats, "MOST_FILES", 0)
    assert "more than 0 files" in look(tmp_path / "a.zip")[1].problems[-1].reason
    monkeypatch.setattr(formats, "MOST_FILES", 100)
    monkeypatch.setattr(formats, "LARGEST_TOTAL", 3)
    monkeypatch.setattr(formats, "MOST_MEMBERS", 9)
    assert any("all archives" in problem.reason for problem in look(tmp_path / "a.zip")[1].problems)


def test_sizes_that_an_archive_declares_are_not_believed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb.txt", b"a" * 20_000_000)
    data = (tmp_path / "a.zip").read_bytes()
    size = (20_000_000).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data.replace(size, (100).to_bytes(4, "little")))
    readers, found = look(tmp_path / "a.zip")
    assert readers == {}
    assert found.problems


def test_gzip_of_any_format(tmp_path: Path) -> None:
    (tmp_path / "law.md.gz").write_bytes(gzip.compress(b"# Title\n\nWords."))
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(LINES))
    (tmp_path / "law.txt.gz").write_bytes(gzip.compress(PDF))
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(b"words" * 5000)[:40])
    (tmp_path / "false.gz").write_bytes(b"\x1f\x8bnothing")
    docx(tmp_path / "w.docx", paragraph("Words."))
    (tmp_path / "w.docx").write_bytes(gzip.compress((tmp_path / "w.docx").read_bytes()))
    readers, found = look(tmp_path)
    assert readers == {
        "law.md.gz": "Markdown",
        "corpus.jsonl.gz": "BEIR",
        "law.txt.gz": "PDF",
        "w.docx": "DOCX",
    }
    assert set(reasons(found.problems, tmp_path)) == {"broken.txt.gz", "false.gz"}


def encrypted(path: Path, data: bytes, password: bytes) -> None:
    """Write a zip by PKWARE's traditional cipher, which Python reads and does not write."""
    table = [0] * 256
    for number in range(256):
        value = number
        for _ in range(8):
            value = (value >> 1) ^ 0xEDB88320 if value & 1 else value >> 1
        table[number] = value
    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte: int) -> None:
        keys[0] = table[(keys[0] ^ byte) & 0xFF] ^ (keys[0] >> 8)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = table[(keys[2] ^ (keys[1] >> 24)) & 0xFF] ^ (keys[2] >> 8)

    for byte in password:
        update(byte)
    check = zlib.crc32(data)
    out = bytearray()
    for byte in bytes(11) + bytes([check >> 24]) + data:
        temporary = (keys[2] | 2) & 0xFFFF
        out.append(byte ^ ((temporary * (temporary ^ 1)) >> 8) & 0xFF)
        update(byte)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("law.txt", bytes(out))
    raw = bytearray(path.read_bytes())
    for signature, flags, crc, size in ((b"PK\x03\x04", 6, 14, 22), (b"PK\x01\x02", 8, 16, 24)):
        start = raw.index(signature)
        raw[start + flags] |= 1
        raw[start + crc : start + crc + 4] = check.to_bytes(4, "little")
        raw[start + size : start + size + 4] = len(data).to_bytes(4, "little")
    path.write_bytes(bytes(raw))


def test_encrypted_members_open_with_their_password(tmp_path: Path) -> None:
    encrypted(tmp_path / "a.zip", b"Article 1\nWords of a law.", b"test")
    with open_sources([tmp_path / "a.zip"], passwords=("wrong", "test")) as found:
        assert found.documents[0][0].path.read_bytes() == b"Article 1\nWords of a law."
    assert "give its password" in look(tmp_path / "a.zip")[1].problems[0].reason
    told = look(tmp_path / "a.zip", passwords=("wrong",))[1].problems[0].reason
    assert "none of the passwords" in told

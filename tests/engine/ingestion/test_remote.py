"""Sources at URLs: fetched, called by their URLs, and kept from leading elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from engine.errors import SourceError
from engine.ingestion.build import build_corpus
from engine.ingestion.sources import fetch_sources, parse_source, source_name

# A worker of the test's own process reads it, so that nothing of it is left for other tests.
HOME = "memory://test-remote"


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    yield system
    if system.exists("/test-remote"):
        system.rm("/test-remote", recursive=True)


@pytest.mark.parametrize(
    ("text", "source", "name"),
    [
        ("laws", Path("laws"), "laws"),
        ("/laws/a.txt", Path("/laws/a.txt"), "a.txt"),
        ("file:///laws/a%20b.txt", Path("/laws/a b.txt"), "a b.txt"),
    ],
)
def test_what_is_named_is_a_path_or_a_url(text: str, source: Path | str, name: str) -> None:
    assert parse_source(text) == source
    assert source_name(parse_source(text)) == name


def test_files_are_called_by_their_urls(tmp_path: Path, memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe("/test-remote/laws/a.md", b"# Harbour law\n\nThe harbour is open.")
    memory.pipe("/test-remote/laws/deep/b.md", b"# Pier law\n\nThe pier is closed.")
    memory.pipe("/test-remote/laws/notes.xyz", b"\0\1\2")
    report = build_corpus([f"{HOME}/laws/"], tmp_path / "corpus", embedding="none")
    assert {file.name for file in report.files} == {
        f"{HOME}/laws/a.md", f"{HOME}/laws/deep/b.md", f"{HOME}/laws/notes.xyz"
    }  # fmt: skip
    assert [problem.path for problem in report.problems] == [f"{HOME}/laws/notes.xyz"]
    again = build_corpus([f"{HOME}/laws"], tmp_path / "corpus", embedding="none")
    assert [file.reused for file in again.files if file.documents] == [True, True]


def test_one_file_and_a_path_beside_it(tmp_path: Path, memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe("/test-remote/laws/a.md", b"# Harbour law\n\nThe harbour is open.")
    (tmp_path / "here.md").write_text("# Here\n\nText.")
    with fetch_sources([f"{HOME}/laws/a.md", tmp_path / "here.md"]) as found:
        assert [path.name for path in found.paths] == ["a.md", "here.md"]
        assert found.paths[0].parent.name == "laws"
        assert list(found.urls.values()) == ["memory:///test-remote/laws/a.md"]
        folder = found.paths[0]
    assert not folder.exists()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"{HOME}/nothing", "no file at|cannot be fetched"),
        ("nonsense://x/y", "nonsense://x/y: cannot be fetched .ValueError"),
    ],
)
@pytest.mark.usefixtures("memory")
def test_what_cannot_be_fetched_is_told(tmp_path: Path, url: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        build_corpus([url], tmp_path / "corpus", embedding="none")
    assert not (tmp_path / "corpus").exists()


def test_no_name_of_a_server_leads_elsewhere(memory: fsspec.AbstractFileSystem) -> None:
    memory.store["/test-remote/laws/../../../etc/x"] = fsspec.implementations.memory.MemoryFile(
        memory, "/test-remote/laws/../../../etc/x", b"x"
    )
    try:
        with pytest.raises(SourceError, match="leads elsewhere"), fetch_sources([f"{HOME}/laws"]):
            pass
    finally:
        memory.store.pop("/test-remote/laws/../../../etc/x")

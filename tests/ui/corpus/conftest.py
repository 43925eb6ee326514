"""A visitor with a corpus of their own: an act, a regulation that cites it, an Arabic law."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ui.corpus.changes
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from tests.engine.endpoint import EmbeddingServer
from tests.tables import table
from tests.ui.corpus.toy_model import LONGEST, Toy
from ui.calls import answer
from ui.corpus.access import CorpusDesk
from ui.corpus.panel import CALLS
from ui.shelf import open_library

VISITOR = "v" * 32
STRANGER = "s" * 32
# Behind the others, but on a busy machine not for minutes.
BEHIND = 1
Page = Callable[..., CorpusDesk]
ACT: str = table(__file__, "ACT")
REGULATION: str = table(__file__, "REGULATION")
ARABIC: str = table(__file__, "ARABIC")


class Caller:
    """Asks the desk as a page of one visitor does."""

    def __init__(self, desk: CorpusDesk, visitor: str, corpus: str) -> None:
        self.desk, self.visitor, self.corpus = desk, visitor, corpus

    def __call__(self, do: str, **more: Any) -> dict[str, Any]:
        return answer(self.desk, CALLS, {"do": do, "visitor": self.visitor, "corpus": self.corpus, **more})

    def good(self, do: str, **more: Any) -> dict[str, Any]:
        """The answer of a request that must not fail."""
        found = self(do, **more)
        assert "error" not in found, found["error"]
        return found


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk-sources")
    for name, text in (("act.md", ACT), ("regulation.md", REGULATION), ("nizam.md", ARABIC)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    """The visitor's corpus, made once; each test gets a copy."""
    folder = tmp_path_factory.mktemp("made") / "mine"
    build_corpus([sources], folder, name="Mine", embedding="none")
    return folder


@pytest.fixture
def desk(tmp_path: Path, corpus_folder: Path, made: Path) -> CorpusDesk:
    home = tmp_path / "home"
    library = open_library([corpus_folder], home, OperatorSettings(home=home))
    shutil.copytree(made, library.place_for("Mine", VISITOR))
    return CorpusDesk(library)


@pytest.fixture
def mine(desk: CorpusDesk) -> Caller:
    return Caller(desk, VISITOR, "Mine")


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setattr(ui.corpus.changes, "get_upload_folder", lambda: str(folder))
    return folder


def sent(uploads: Path, **files: str | bytes) -> list[dict[str, str]]:
    found = []
    for name, content in files.items():
        key = f"{len(list(uploads.iterdir())):024}/0"
        (uploads / key).parent.mkdir()
        (uploads / key).write_bytes(content if isinstance(content, bytes) else content.encode())
        found.append({"key": key, "name": f"{name}.md"})
    return found


def ended(caller: Caller, job: str) -> dict[str, Any]:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        found = caller.good("poll", job=job)
        if found["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.05)
    raise AssertionError("the job did not end")


@pytest.fixture
def toy() -> Iterator[Toy]:
    with EmbeddingServer() as server:
        made = Toy(server)
        yield made
        made.let()


@pytest.fixture
def page(tmp_path: Path, corpus_folder: Path, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """Makes the desk of a server with some models on offer, and settings."""
    monkeypatch.setattr("ui.server.process.BEHIND", BEHIND)
    desks: list[CorpusDesk] = []

    def make(*embeddings: str, **settings: Any) -> CorpusDesk:
        given = embeddings or (f"toy={toy.spec}",)
        home = tmp_path / "home"
        told = OperatorSettings(embeddings=given, home=home, **settings)
        library = open_library([corpus_folder], home, told)
        desks.append(CorpusDesk(library))
        return desks[-1]

    yield make
    for desk in desks:
        desk.vectors.jobs.end_all()

"""Small corpora built from texts, to read law the way users do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus

Build = Callable[[Mapping[str, str | bytes]], Corpus]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that ingests files, by the names of their files, and opens the corpus."""
    return lambda texts: _built(tmp_path / str(len(list(tmp_path.iterdir()))), texts)


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus of the ``TEXTS`` of a module of tests, by the names of their files."""
    return _built(tmp_path_factory.mktemp("field"), request.module.TEXTS)


def _built(folder: Path, texts: Mapping[str, str | bytes]) -> Corpus:
    (folder / "sources").mkdir(parents=True)
    for name, text in texts.items():
        content = text if isinstance(text, bytes) else text.encode()
        (folder / "sources" / name).write_bytes(content)
    build_corpus([folder / "sources"], folder / "corpus", name="Field", embedding="none")
    return open_corpus(folder / "corpus")

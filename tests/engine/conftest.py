"""Small real corpora, each built once: with and without an ontology, with vectors, and one that is full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.strategies.contract import toy_corpus
from tests.engine.command_line import CommandLine
from tests.engine.endpoint import EmbeddingServer
from tests.engine.harbour import tariff_schedule, write_harbour


@pytest.fixture(scope="session")
def harbour_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harbour's law with its ontology, no vectors."""
    root = tmp_path_factory.mktemp("harbour")
    build_corpus([write_harbour(root / "sources", ontology=True)], root / "harbour", embedding="none")
    return root / "harbour"


@pytest.fixture(scope="session")
def meridia(sample_folder: Path) -> Corpus:
    return open_corpus(sample_folder)


@pytest.fixture(scope="session")
def harbour(harbour_folder: Path) -> Corpus:
    return open_corpus(harbour_folder)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The harbour's law without an ontology."""
    root = tmp_path_factory.mktemp("bare")
    build_corpus([write_harbour(root / "sources", ontology=False)], root / "bare", embedding="none")
    return open_corpus(root / "bare")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Eight passages of the harbour's law, with vectors; each module has its own."""
    return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")


@pytest.fixture(scope="session")
def tariff(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """One act of 150 articles about tariffs."""
    root = tmp_path_factory.mktemp("tariff")
    (root / "tariff.md").write_text(tariff_schedule(150), encoding="utf-8")
    build_corpus([root / "tariff.md"], root / "tariff", embedding="none")
    return open_corpus(root / "tariff")


@pytest.fixture(scope="session")
def model_server() -> Iterator[EmbeddingServer]:
    """The endpoint of the toy model; a test that gives it other answers takes a server of its own."""
    with EmbeddingServer() as server:
        yield server


@pytest.fixture(scope="session")
def dense(tmp_path_factory: pytest.TempPathFactory, model_server: EmbeddingServer) -> Corpus:
    """The harbour's law in the plane of the toy model."""
    root = tmp_path_factory.mktemp("dense")
    sources = write_harbour(root / "sources", ontology=True)
    build_corpus([sources], root / "dense", embedding=model_server.spec)
    return open_corpus(root / "dense")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, as people type it."""
    return CommandLine(capsys)

"""Where a corpus cannot be written it stays as it was, and nobody else on the computer may read it."""

from __future__ import annotations

import hashlib
import os
import resource
import stat
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.ingestion.build import build_corpus
from tests.engine.forked import FORK


def state(corpus: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(corpus.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def law(number: int, articles: int) -> str:
    lines = (f"Article {n}\nThe authority {number} keeps a register {n}." for n in range(1, articles))
    return f"---\nlanguage: en\n---\nLaw {number}\n\n" + "\n\n".join(lines)


def ingested_within(largest_file: int, sources: Path, corpus: Path, errors: Path) -> int | None:
    """An ingestion that may write no larger file: the system refuses as where a disk is full."""

    def ingest() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        with errors.open("w", encoding="utf-8") as sys.stderr:
            sys.exit(main(["ingest", str(sources), "--corpus", str(corpus), "--embedding", "none"]))

    process = FORK.Process(target=ingest)
    process.start()
    process.join()
    return process.exitcode


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "law.txt").write_text(law(1, 30))
    return tmp_path / "sources"


@pytest.mark.parametrize("largest_file", [10_000, 60_000])
def test_a_corpus_that_cannot_be_written_stays_as_it_was(
    sources: Path, tmp_path: Path, largest_file: int
) -> None:
    corpus = tmp_path / "corpus"
    build_corpus([sources], corpus, embedding="none")
    before = state(corpus)
    (sources / "more.txt").write_text(law(2, 400))
    errors = tmp_path / "errors"
    assert ingested_within(largest_file, sources, corpus, errors) == 1
    told = errors.read_text(encoding="utf-8")
    last = told.strip().splitlines()[-1]
    assert last.startswith("redstring: cannot write ")
    assert str(corpus) in last
    assert "raise its limit" in last
    assert "Traceback" not in told
    assert state(corpus) == before


def test_nobody_else_may_read_a_corpus_and_an_old_one_is_tightened(sources: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    build_corpus([sources], corpus, embedding="none")

    def rights() -> set[tuple[bool, int]]:
        paths = (corpus, *corpus.rglob("*"))
        return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}

    private = {(True, 0o700), (False, 0o600)}
    assert rights() == private
    for path in (*corpus.rglob("*"), corpus):
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    (sources / "more.txt").write_text(law(2, 5))
    build_corpus([sources], corpus, embedding="none")
    assert rights() == private

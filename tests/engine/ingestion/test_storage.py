"""Where a corpus cannot be written it stays as it was, and nobody else on the computer may read it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus


def state(corpus: Path) -> dict[str, str]:
    """The bytes of everything in a corpus but its lock."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(corpus.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def law(number: int, articles: int) -> str:
    lines = (f"Article {n}\nThe authority {number} keeps a register {n}." for n in range(1, articles))
    return f"---\nlanguage: en\n---\nLaw {number}\n\n" + "\n\n".join(lines)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "law.txt").write_text(law(1, 30))
    return tmp_path / "sources"


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

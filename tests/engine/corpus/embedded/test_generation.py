"""The generation that counts is read whole, also while another takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import Generation, published, read_published
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError


class Replaced:
    """Publishes the corpus anew the first times that a generation is looked at, as another process may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        self._look, self._left = Generation.check_sizes, times
        monkeypatch.setattr(Generation, "check_sizes", lambda generation: self.check_sizes(generation))

    def check_sizes(self, generation: Generation) -> None:
        if self._left:
            self._left -= 1
            write_corpus(generation.folder, toy_contents())
        self._look(generation)


@pytest.mark.parametrize("times", [1, 3])
def test_a_generation_that_is_replaced_while_it_is_read_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    write_corpus(tmp_path, toy_contents())
    first = published(tmp_path).manifest.generation
    Replaced(monkeypatch, times)
    now = published(tmp_path)
    assert now.manifest.generation != first
    assert now.data.is_dir()


def test_a_corpus_that_is_replaced_while_it_is_opened_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpus(tmp_path, toy_contents())
    Replaced(monkeypatch, 2)
    assert len(open_corpus(tmp_path)) == len(open_corpus(tmp_path))


def test_damage_is_told_at_once(tmp_path: Path) -> None:
    write_corpus(tmp_path, toy_contents())
    read = 0

    def damaged(generation: Generation) -> None:
        nonlocal read
        read += 1
        raise CorpusError("damaged")

    with pytest.raises(CorpusError, match="damaged"):
        read_published(tmp_path, damaged)
    assert read == 1

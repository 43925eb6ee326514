"""The generation that counts is read whole, also while another takes its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded import generation
from engine.corpus.embedded.generation import Generation, current_generation
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError


class Replaced:
    """Publishes the corpus anew the first times that a generation is looked at, as another process may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        self._look, self._left = Generation.check_sizes, times
        monkeypatch.setattr(Generation, "check_sizes", lambda current: self.check_sizes(current))

    def check_sizes(self, current: Generation) -> None:
        if self._left:
            self._left -= 1
            write_corpus(current.folder, toy_contents())
        self._look(current)


@pytest.mark.parametrize("times", [1, 3])
def test_a_generation_that_is_replaced_while_it_is_read_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    write_corpus(tmp_path, toy_contents())
    first = current_generation(tmp_path).manifest.generation
    Replaced(monkeypatch, times)
    now = current_generation(tmp_path)
    assert now.manifest.generation != first
    assert now.data.is_dir()


def test_a_corpus_that_is_replaced_while_it_is_opened_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpus(tmp_path, toy_contents())
    Replaced(monkeypatch, 2)
    assert len(open_corpus(tmp_path)) == len(open_corpus(tmp_path))


class TestALargeFile:
    @pytest.fixture(autouse=True)
    def small_is_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(generation, "MOST_READ", 100)

    def test_is_mapped_and_says_the_same(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_corpus(tmp_path, toy_contents(further=True))
        mapped = open_corpus(tmp_path)
        assert current_generation(tmp_path).memory < 100
        monkeypatch.setattr(generation, "MOST_READ", 1 << 28)
        read = open_corpus(tmp_path)
        assert current_generation(tmp_path).memory > 1000
        rows = np.arange(len(read), dtype=np.int32)
        assert mapped.passages(rows) == read.passages(rows)
        assert mapped.vectors(rows).tolist() == read.vectors(rows).tolist()
        assert list(mapped.all_references()) == list(read.all_references())

    def test_is_compared_before_anything_of_it_is_used(self, tmp_path: Path) -> None:
        write_corpus(tmp_path, toy_contents())
        state = current_generation(tmp_path).data / generation.STATE_NAME
        data = bytearray(state.read_bytes())
        data[len(data) // 2] ^= 1
        state.write_bytes(data)
        with pytest.raises(CorpusError, match=r"state\.arrays does not fit its checksum"):
            open_corpus(tmp_path)

    def test_stays_as_it_was_when_the_corpus_is_published_anew(self, tmp_path: Path) -> None:
        write_corpus(tmp_path, toy_contents())
        old = open_corpus(tmp_path)
        write_corpus(tmp_path, replace(toy_contents(), name="another"))
        rows = np.arange(len(old), dtype=np.int32)
        assert old.name != "another" == open_corpus(tmp_path).name
        assert [one.id for one in old.passages(rows)] == [
            one.id for one in open_corpus(tmp_path).passages(rows)
        ]

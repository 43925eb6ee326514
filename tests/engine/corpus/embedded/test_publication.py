from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import new_generation
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError
from tests.engine.forked import Tell, killed

STEPS = {
    "lexical": "engine.corpus.embedded.writing.LexicalIndex.put",
    "manifest": "engine.corpus.embedded.writing.publish",
    "flush": "engine.corpus.embedded.publication.flush",
}


def kill_in(step: str, folder: Path) -> None:

    def write(tell: Tell) -> None:
        def stop(*arguments: object, **options: object) -> None:
            tell()
            time.sleep(60)

        pytest.MonkeyPatch().setattr(STEPS[step], staticmethod(stop) if step == "lexical" else stop)
        write_corpus(folder, toy_contents())

    with killed(write):
        pass


@pytest.mark.parametrize("step", ["lexical", "manifest", "flush"])
def test_a_killed_writer_leaves_the_old_corpus_whole(tmp_path: Path, step: str) -> None:
    folder = tmp_path / "corpus"
    write_corpus(folder, toy_contents())
    before, manifest = open_corpus(folder).info(), (folder / "manifest.json").read_bytes()
    kill_in(step, folder)
    assert len(list(folder.glob("data-*"))) == 2, "the killed writer had begun"
    assert (folder / "manifest.json").read_bytes() == manifest
    assert open_corpus(folder).info() == before
    write_corpus(folder, toy_contents())
    assert len(list(folder.glob("data-*"))) == 1, "what it left is swept away"
    assert sorted(path.name for path in folder.iterdir() if not path.is_dir()) == [".lock", "manifest.json"]


def test_a_killed_first_writer_leaves_no_corpus(tmp_path: Path) -> None:
    kill_in("manifest", tmp_path / "corpus")
    with pytest.raises(CorpusError, match="no corpus at"):
        open_corpus(tmp_path / "corpus")
    write_corpus(tmp_path / "corpus", toy_contents())
    assert len(open_corpus(tmp_path / "corpus")) == 8


def test_a_failing_writer_cleans_up(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    write_corpus(folder, toy_contents())
    toy = toy_contents()
    with pytest.raises(ValueError, match="order of their documents"):
        write_corpus(folder, replace(toy, passages=toy.passages[::-1]))
    assert len(list(folder.glob("data-*"))) == 1
    assert len(open_corpus(folder)) == 8


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    with (
        new_generation(tmp_path / "corpus"),
        pytest.raises(CorpusError, match="another process is writing"),
        new_generation(tmp_path / "corpus"),
    ):
        pytest.fail("the second writer was let in")


def test_a_process_forked_meanwhile_does_not_keep_others_out(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", toy_contents())
    with new_generation(tmp_path / "corpus"):
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
    try:
        with new_generation(tmp_path / "corpus") as generation:
            assert generation.is_dir()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_corpus_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_corpus(tmp_path / "corpus", toy_contents())
    finally:
        os.umask(before)
    made = [tmp_path / "corpus", *(tmp_path / "corpus").rglob("*")]
    assert len(made) > 5
    assert [path.name for path in made if path.stat().st_mode & 0o077] == []


def test_foreign_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(CorpusError, match=r"holds other files \(thesis.txt\)"):
        write_corpus(tmp_path, toy_contents())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("")
    with pytest.raises(CorpusError, match="it is a file"):
        write_corpus(tmp_path / "corpus", toy_contents())

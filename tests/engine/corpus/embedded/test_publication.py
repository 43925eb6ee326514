from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import new_generation
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError

# A writer that stops for good at a step, so that the kill meets it there.
WRITER = """
import sys, time
from pathlib import Path
from engine.corpus.toy import toy_contents
from engine.corpus.embedded import publication, writing

step, folder = sys.argv[1], Path(sys.argv[2])
module, name = {
    "lexical": (writing.LexicalIndex, "put"),
    "manifest": (writing, "publish"),
    "flush": (publication, "_flush"),
}[step]

def stop(*arguments, **options):
    print("here", flush=True)
    time.sleep(60)

setattr(module, name, staticmethod(stop) if step == "lexical" else stop)
writing.write_corpus(folder, toy_contents())
"""


def kill_in(step: str, folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, step, str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("step", ["lexical", "manifest", "flush"])
def test_a_killed_writer_leaves_the_old_corpus_whole(tmp_path: Path, step: str) -> None:
    folder = tmp_path / "corpus"
    write_corpus(folder, toy_contents())
    before = open_corpus(folder).info()
    kill_in(step, folder)
    assert len(list(folder.glob("data-*"))) == 2, "the killed writer had begun"
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

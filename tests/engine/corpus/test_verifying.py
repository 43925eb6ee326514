from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.judgements import Place, add_decision
from engine.corpus.toy import toy_contents
from engine.corpus.verifying import verify
from engine.errors import CorpusError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "corpus", toy_contents(further=True))
    add_decision(tmp_path / "corpus", Place("act/art-1", "Article 7", 0), None)
    return tmp_path / "corpus"


def data(folder: Path, name: str) -> Path:
    return next(folder.glob(f"data-*/{name}"))


def turn(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_an_intact_corpus_has_one_digest_that_any_change_changes(folder: Path, tmp_path: Path) -> None:
    found = verify(folder)
    assert found.problems == ()
    assert found.entries == {"decisions.jsonl": 1}
    shutil.copytree(folder, tmp_path / "copy")
    assert verify(tmp_path / "copy") == found
    add_decision(folder, Place("act/art-1", "Article 8", 0), None)
    assert verify(folder).digest != found.digest
    # Another's bytes with their own checksums fit each other; only the digest tells.
    write_corpus(tmp_path / "copy", toy_contents(further=True))
    again = verify(tmp_path / "copy")
    assert again.problems == ()
    assert again.digest != found.digest


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (lambda folder: turn(data(folder, "state.arrays"), -1), "state.arrays does not fit"),
        (lambda folder: turn(data(folder, "blocks/contents.block"), 9), "contents.block does not fit"),
        (lambda folder: turn(data(folder, "sparse.arrays"), 70), "sparse.arrays does not fit"),
        (lambda folder: data(folder, "found.arrays").unlink(), "found.arrays is missing"),
        (lambda folder: turn(folder / "decisions.jsonl", 9), "decisions.jsonl:1 does not fit"),
        (lambda folder: (data(folder, "blocks") / "more.block").write_bytes(b""), "blocks/more.block is not"),
        (lambda folder: (folder / "notes.txt").write_text("n"), "notes.txt is not part"),
        (lambda folder: (folder / "manifest.json.bak").write_text("n"), "manifest.json.bak is not part"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, damage: Callable[[Path], object], name: str) -> None:
    damage(folder)
    (problem,) = verify(folder).problems
    assert name in problem


def test_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--corpus", str(folder)]) == 0
    assert "Every file is as it was published." in capsys.readouterr().out
    turn(data(folder, "cited.arrays"), 70)
    assert main(["verify", "--corpus", str(folder), "--json"]) == 2
    told = capsys.readouterr()
    assert "cited.arrays does not fit its checksum" in told.err
    assert "cited.arrays" in json.loads(told.out)["problems"][0]
    turn(folder / "manifest.json", 40)
    assert main(["verify", "--corpus", str(folder)]) == 2
    assert "manifest.json does not fit its checksum" in capsys.readouterr().err


def test_a_file_changed_after_opening_changes_no_answer(folder: Path) -> None:
    corpus = open_corpus(folder)
    expected = corpus.passages(corpus.rows([document.id for document in corpus.documents()]).clip(0))
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff" * path.stat().st_size)
    assert corpus.passages(corpus.rows([document.id for document in corpus.documents()]).clip(0)) == expected
    with pytest.raises(CorpusError):
        open_corpus(folder)

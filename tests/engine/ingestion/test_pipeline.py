"""Files that hang, crash or eat memory: each is named, and the others are read."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.ingestion import sources as sources_module
from engine.ingestion.build import build_corpus
from engine.ingestion.readers.base import Problem, ReadDocument, Reader, SourceFile
from engine.ingestion.readers.registry import choose_reader
from engine.ingestion.reading import MOST_PROBLEMS
from engine.ingestion.report import FileStatus
from engine.ingestion.workers import Limits
from engine.model import Document, Passage

LIMITS = Limits(deadline=1.5, memory=300 << 20, patience=2)


class HostileReader:
    name = "hostile"

    def accepts(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".evil"

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        order = source.path.read_text()
        name = source.path.stem
        yield ReadDocument(Document(name, name), (), (Passage(f"{name}/1", name, None, 0, "A harbour."),))
        match order:
            case "hang":
                time.sleep(600)
            case "crash":
                ctypes.string_at(0)
            case "eat":
                yield Problem(source.name, str(len(bytearray(2 << 30))))
            case "mistake":
                raise KeyError("nothing there")
            case "contradiction":
                passage = Passage("x/1", "x", None, 5, "Out of place.")
                yield ReadDocument(Document("x", "x"), (), (passage,))


@pytest.fixture(autouse=True)
def hostile_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(path: Path, head: bytes, *, mapped: bool = False) -> Reader | None:
        return HostileReader() if path.suffix == ".evil" else choose_reader(path, head, mapped=mapped)

    monkeypatch.setattr(sources_module, "choose_reader", found)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("hang", "longer than 3 seconds"),
        ("crash", "ended by SIGSEGV"),
        ("eat", "more than 300 MiB"),
        ("contradiction", "order of their documents"),
    ],
)
def test_a_hostile_file_is_named_and_the_others_are_read(tmp_path: Path, order: str, reason: str) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "bad.evil").write_text(order)
    (tmp_path / "sources" / "good.md").write_text("# Good\n\nA pier.")
    lines: list[str] = []
    report = build_corpus(
        [tmp_path / "sources"], tmp_path / "corpus", embedding="none", limits=LIMITS, log=lines.append
    )
    status = {Path(file.name).name: file for file in report.files}
    assert status["good.md"].status is FileStatus.READ
    assert status["bad.evil"].status is not FileStatus.READ
    assert any(reason in problem.reason and "bad.evil" in problem.path for problem in report.problems)
    assert any("good.md" in line for line in lines)
    rows = np.arange(report.passages, dtype=np.int32)
    assert "A pier." in [passage.text for passage in open_corpus(tmp_path / "corpus").passages(rows)]


def test_a_file_of_faults_is_told_within_bounds_and_hidden_marks_are_counted(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text('{"id": "a", "text": "A pier."}\n' + "x\n" * 5000)
    (tmp_path / "law.txt").write_text("It is not li\u200bable\u202e here.")
    report = build_corpus([tmp_path], tmp_path / "corpus", embedding="none")
    files = {Path(file.name).name: file for file in report.files}
    assert len(report.problems) == MOST_PROBLEMS + 2
    assert "4,000 further problems" in str(report.problems)
    assert files["lines.jsonl"].status is FileStatus.PARTLY
    assert files["law.txt"].status is FileStatus.READ
    assert files["law.txt"].reason.startswith("contains 2 invisible characters")
    rows = np.arange(report.passages, dtype=np.int32)
    texts = [passage.text for passage in open_corpus(tmp_path / "corpus").passages(rows)]
    assert "It is not li\u200bable\u202e here." in texts

"""A cluster makes the corpus that one machine makes, to the byte, within the same limits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from engine.ingestion.cluster import pools
from engine.ingestion.report import FileStatus, IngestionReport
from engine.ingestion.resolving import CorpusReferences
from engine.ingestion.workers import Limits
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster
from tests.engine.ingestion.cluster.support import build, make_sources, read_corpus

Here = tuple[Path, IngestionReport]
LIMITS = Limits(deadline=1, memory=300 << 20, patience=10)
# What a file does while it is read, and the reason in the report.
REASONS = {
    "hang": "longer than 10 seconds",
    "segfault": "ended by SIGSEGV",
    "eat": "more than 300 MiB",
    "write": "cannot be read ([Errno 13] Permission denied",
    "connect": "cannot be read ([Errno 1",
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Here:
    folder = tmp_path_factory.mktemp("here")
    make_sources(folder / "sources")
    return folder, build(folder / "sources", folder / "corpus")


def test_the_corpus_is_that_of_one_machine(
    tmp_path: Path, here: Here, two_workers: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, report = here
    monkeypatch.delattr(CorpusReferences, "resolve")
    there = build(folder / "sources", tmp_path / "there" / "corpus", two_workers.address)
    assert read_corpus(folder / "corpus") == read_corpus(tmp_path / "there" / "corpus")
    assert [str(problem) for problem in report.problems] == [str(problem) for problem in there.problems]
    assert two_workers.children() == []
    again = build(folder / "sources", tmp_path / "there" / "corpus", two_workers.address)
    assert {Path(file.name).name for file in again.files if not file.reused} <= {"broken.pdf"}


def test_files_are_bounded_as_on_one_machine(tmp_path: Path, two_workers: DaskCluster) -> None:
    (tmp_path / "sources").mkdir()
    for order in REASONS:
        (tmp_path / "sources" / f"{order}.evil").write_text(order)
    (tmp_path / "sources" / "good.md").write_text("# Good\n\nA pier.")
    report = build(tmp_path / "sources", tmp_path / "corpus", two_workers.address, limits=LIMITS)
    read = [Path(file.name).name for file in report.files if file.status is FileStatus.READ]
    assert read == ["good.md"]
    for order, reason in REASONS.items():
        assert any(reason in one.reason for one in report.problems if f"{order}.evil" in one.path), order


def test_workers_that_do_not_see_the_files_of_the_client(
    tmp_path: Path, here: Here, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a nanny, as the documentation starts workers.
    cluster.with_workers(1, APART="1")
    folder = here[0]
    build(folder / "sources", tmp_path / "sent" / "corpus", cluster.address)
    assert read_corpus(folder / "corpus") == read_corpus(tmp_path / "sent" / "corpus")

    monkeypatch.setattr(pools, "MOST_SENT", 100)
    large, small = tmp_path / "large.txt", tmp_path / "small.txt"
    large.write_text("Article 1\n\nThe harbour.\n\n" * 20)
    small.write_text("Article 1\n\nThe pier.")
    report = build_corpus([large, small], tmp_path / "corpus", embedding="none", cluster=cluster.address)
    (reason,) = [file.reason for file in report.files if file.status is FileStatus.NOT_READ]
    assert "too large to be sent to a worker; put it where workers see it" in reason

    # A file in an archive has no URL.
    laws = shutil.copytree(folder / "sources", tmp_path / "laws", ignore=shutil.ignore_patterns("*.zip"))
    build(f"local://{laws}", tmp_path / "one" / "corpus")
    build(f"local://{laws}", tmp_path / "two" / "corpus", cluster.address)
    assert read_corpus(tmp_path / "one" / "corpus") == read_corpus(tmp_path / "two" / "corpus")

"""What a cluster makes is what one machine makes, to the byte; its workers are confined as children are."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from engine.ingestion.build import add_to_corpus, build_corpus
from engine.ingestion.cluster.connecting import Cluster
from engine.ingestion.report import FileStatus, IngestionReport
from engine.ingestion.workers import Limits
from tests.conftest import SAMPLE
from tests.engine.ingestion.cluster.corpora import contents, laws_in, resolve_nothing_here
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster

# A machine that is busy with other things still gives a second of its processor in ten.
LIMITS = Limits(deadline=1, memory=300 << 20, patience=10)
# What a file does while it is read, and what is told of it.
REASONS = {
    "hang": "longer than 10 seconds",
    "spin": "longer than 1 seconds of the processor",
    "segfault": "ended by SIGSEGV",
    "killed": "ended by SIGKILL",
    "eat": "more than 300 MiB",
    "mistake": "KeyError: 'nothing there'",
    "write": "cannot be read ([Errno 13] Permission denied",
    "connect": "cannot be read ([Errno 1",
    "signal": "cannot be read ([Errno 1",
    "contradiction": "order of their documents",
}


def sources_in(folder: Path) -> Path:
    """Files of several kinds, one in an archive that is unpacked on this machine alone."""
    folder.mkdir()
    for file in sorted(SAMPLE.glob("*.md"))[:3]:
        (folder / file.name).write_bytes(file.read_bytes())
    with zipfile.ZipFile(folder / "more.zip", "w") as packed:
        packed.writestr("inside.txt", "Article 1\n\nThe harbour is open.\n\nArticle 2\n\nSee Article 1.")
    lines = (f'{{"id": "d{n}", "text": "Article {n}. The pier of {n}."}}\n' for n in range(40))
    (folder / "lines.jsonl").write_text("".join(lines))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, IngestionReport]:
    """A folder with sources and the corpus that this machine makes of them, and its report."""
    folder = tmp_path_factory.mktemp("here")
    laws_in(sources_in(folder / "sources") / "laws")
    return folder, build_corpus([folder / "sources"], folder / "corpus", embedding="none")


@pytest.mark.parametrize("way", ["sent", "left"])
def test_the_corpus_is_that_of_one_machine(
    tmp_path: Path,
    here: tuple[Path, IngestionReport],
    two_workers: DaskCluster,
    way: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, report = here
    blocks = tmp_path / "blocks"
    blocks.mkdir()
    cluster = Cluster(two_workers.address, str(blocks) if way == "left" else None)
    resolve_nothing_here(monkeypatch)
    there = build_corpus(
        [folder / "sources"], tmp_path / "there" / "corpus", embedding="none", cluster=cluster
    )
    assert contents(folder / "corpus") == contents(tmp_path / "there" / "corpus")
    assert [str(problem) for problem in report.problems] == [str(problem) for problem in there.problems]
    assert list(blocks.iterdir()) == []
    assert two_workers.children() == []


def test_what_has_not_changed_is_not_read_again(
    tmp_path: Path, here: tuple[Path, IngestionReport], two_workers: DaskCluster
) -> None:
    sources, cluster = here[0] / "sources", Cluster(two_workers.address)
    shutil.copytree(here[0] / "corpus", tmp_path / "corpus")
    lines = sources / "lines.jsonl"
    before = lines.read_bytes()
    try:
        lines.write_bytes(before + b'{"id": "last", "text": "The last."}\n')
        report = build_corpus([sources], tmp_path / "corpus", embedding="none", cluster=cluster)
    finally:
        lines.write_bytes(before)
    assert [Path(file.name).name for file in report.files if not file.reused] == ["lines.jsonl"]
    assert report.documents == here[1].documents + 1
    (tmp_path / "added.md").write_text("# Added\n\nA quay.")
    added = add_to_corpus([tmp_path / "added.md"], tmp_path / "corpus", cluster=cluster)
    assert added.documents == report.documents + 1


@pytest.mark.usefixtures("hostile_reader")
def test_files_are_bounded_as_on_one_machine(tmp_path: Path, two_workers: DaskCluster) -> None:
    (tmp_path / "sources").mkdir()
    for order in REASONS:
        (tmp_path / "sources" / f"{order}.evil").write_text(order)
    (tmp_path / "sources" / "good.md").write_text("# Good\n\nA pier.")
    report = build_corpus(
        [tmp_path / "sources"],
        tmp_path / "corpus",
        embedding="none",
        limits=LIMITS,
        cluster=Cluster(two_workers.address),
    )
    status = {Path(file.name).name: file.status for file in report.files}
    assert status.pop("good.md") is FileStatus.READ
    assert FileStatus.READ not in status.values()
    told = {
        order: [problem.reason for problem in report.problems if f"{order}.evil" in problem.path]
        for order in REASONS
    }
    missing = {
        order: told[order] for order, why in REASONS.items() if not any(why in one for one in told[order])
    }
    assert not missing

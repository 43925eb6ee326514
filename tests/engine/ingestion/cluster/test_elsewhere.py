"""Workers that do not see the files of the client: they are sent, or fetched from their URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import CorpusError
from engine.ingestion.build import build_corpus
from engine.ingestion.cluster.connecting import Cluster
from engine.ingestion.report import FileStatus
from engine.isolation.confining import landlock_version
from tests.engine.ingestion.cluster.corpora import contents
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster
from tests.engine.ingestion.cluster.test_ingesting import sources_in
from tests.engine.ingestion.cluster.warehouse import Warehouse

pytestmark = pytest.mark.skipif(landlock_version() == 0, reason="hides files by Landlock")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What stands at ``warehouse://``, in the folder of the cluster."""
    folder = tmp_path_factory.mktemp("dask") / "warehouse"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAREHOUSE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def elsewhere(warehouse: Path) -> Iterator[DaskCluster]:
    with DaskCluster(warehouse.parent) as cluster:
        cluster.add_worker("--no-nanny", "--preload", Warehouse.__module__, is_apart=True)
        yield cluster


def test_files_that_workers_do_not_see_are_sent(tmp_path: Path, elsewhere: DaskCluster) -> None:
    sources = sources_in(tmp_path / "sources")
    build_corpus([sources], tmp_path / "here" / "corpus", embedding="none")
    cluster = Cluster(elsewhere.address)
    build_corpus([sources], tmp_path / "there" / "corpus", embedding="none", cluster=cluster)
    assert contents(tmp_path / "here" / "corpus") == contents(tmp_path / "there" / "corpus")


def test_a_file_too_large_to_be_sent_is_told(
    tmp_path: Path, elsewhere: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ingestion.cluster.pools.MOST_SENT", 100)
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "large.txt").write_text("Article 1\n\nThe harbour.\n\n" * 20)
    (tmp_path / "sources" / "small.txt").write_text("Article 1\n\nThe pier.")
    cluster = Cluster(elsewhere.address)
    report = build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none", cluster=cluster)
    files = {Path(file.name).name: file for file in report.files}
    assert files["small.txt"].status is FileStatus.READ
    assert files["large.txt"].status is FileStatus.NOT_READ
    assert "too large to be sent to a worker; put it where workers see it" in files["large.txt"].reason


def test_sources_and_blocks_at_urls(
    tmp_path: Path, warehouse: Path, elsewhere: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ingestion.cluster.pools.MOST_SENT", 0)
    sources_in(warehouse / "laws")
    # What is in an archive stands nowhere else, so that it would have to be sent.
    (warehouse / "laws" / "more.zip").unlink()
    (warehouse / "blocks").mkdir()
    build_corpus(["warehouse://laws"], tmp_path / "here" / "corpus", embedding="none")
    cluster = Cluster(elsewhere.address, "warehouse://blocks")
    report = build_corpus(
        ["warehouse://laws"], tmp_path / "there" / "corpus", embedding="none", cluster=cluster
    )
    assert contents(tmp_path / "here" / "corpus") == contents(tmp_path / "there" / "corpus")
    assert {file.name for file in report.files} > {"warehouse://laws/lines.jsonl"}
    assert list((warehouse / "blocks").iterdir()) == []


def test_blocks_that_cannot_be_left_are_told(tmp_path: Path, elsewhere: DaskCluster) -> None:
    (tmp_path / "law.md").write_text("# Law\n\nText.")
    cluster = Cluster(elsewhere.address, "warehouse://nowhere")
    with pytest.raises(CorpusError, match=r"worker at tcp://.* cannot write blocks at warehouse://nowhere"):
        build_corpus([tmp_path / "law.md"], tmp_path / "corpus", embedding="none", cluster=cluster)
    assert not (tmp_path / "corpus").exists()

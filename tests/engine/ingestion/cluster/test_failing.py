"""Workers that die, hang, have another engine or are not there: nothing is lost, what is wrong is told."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from engine.errors import ClusterError, IngestionCancelledError, SettingsError
from engine.ingestion.build import build_corpus
from engine.ingestion.cluster.connecting import Cluster
from engine.ingestion.report import FileStatus
from tests.engine.ingestion.cluster.conftest import read_hostile
from tests.engine.ingestion.cluster.corpora import contents, piers_in, resolve_nothing_here
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster, stop, until

SLOW = 7
# So often a worker was seen at work before it is killed: half a second.
LOOKS = 10


def slow_files(folder: Path, files: int = SLOW) -> Path:
    folder.mkdir()
    for number in range(files):
        (folder / f"file-{number}.evil").write_text("slow")
    return folder


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def reading(worker: subprocess.Popen[bytes], name: str = "") -> bool:
    with suppress(psutil.Error):
        children = psutil.Process(worker.pid).children(recursive=True)
        return any(name in file.path for child in children[1:] for file in child.open_files())
    return False


def executing(cluster: DaskCluster) -> list[str]:
    from distributed import Client

    with Client(cluster.address, timeout=10, set_as_default=False) as client:
        scheduled = [key for keys in client.processing().values() for key in keys]
        held = client.run(lambda dask_worker: [str(key) for key in dask_worker.state.tasks])
        return [*scheduled, *(key for keys in held.values() for key in keys)]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("slow")
    sources = slow_files(folder / "sources")
    with pytest.MonkeyPatch.context() as patch:
        read_hostile(patch)
        build_corpus([sources], folder / "corpus", embedding="none")
    return sources, contents(folder / "corpus")


@pytest.mark.usefixtures("hostile_reader")
@pytest.mark.parametrize("way", ["killed", "silent"])
def test_a_worker_that_is_lost_in_the_middle_loses_nothing(
    tmp_path: Path,
    slow: tuple[Path, dict[str, bytes]],
    lossy_cluster: DaskCluster,
    way: str,
) -> None:
    sources, expected = slow
    first, second = lossy_cluster.with_workers(2)
    read: list[str] = []

    def lose() -> None:
        until(lambda: len(read) > 1 and reading(first, ".evil"))
        first.kill() if way == "killed" else stop(first)

    cluster = Cluster(lossy_cluster.address)
    with meanwhile(lose):
        report = build_corpus(
            [sources], tmp_path / "corpus", embedding="none", cluster=cluster, log=read.append
        )
    assert second.poll() is None
    assert report.documents == SLOW
    assert contents(tmp_path / "corpus") == expected


@pytest.fixture(scope="module")
def piers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("piers")
    sources = piers_in(folder / "sources")
    build_corpus([sources], folder / "corpus", embedding="none")
    return sources, contents(folder / "corpus")


@pytest.mark.parametrize("way", ["killed", "silent"])
def test_a_worker_that_is_lost_while_references_are_resolved_loses_nothing(
    tmp_path: Path,
    piers: tuple[Path, dict[str, bytes]],
    lossy_cluster: DaskCluster,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    sources, expected = piers
    resolve_nothing_here(monkeypatch)
    first, second = lossy_cluster.with_workers(2)
    lost: list[int] = []

    def lose(step: str, done: int, total: int) -> None:
        if step == "references" and 0 < done < total and not lost:
            lost.append(done)
            stop(first) if way == "silent" else first.kill()

    cluster = Cluster(lossy_cluster.address)
    build_corpus([sources], tmp_path / "corpus", embedding="none", cluster=cluster, progress=lose)
    assert lost
    assert second.poll() is None
    assert contents(tmp_path / "corpus") == expected


@pytest.mark.usefixtures("hostile_reader")
def test_a_cancelled_ingestion_leaves_no_task_running(tmp_path: Path, lossy_cluster: DaskCluster) -> None:
    lossy_cluster.with_workers(2)
    sources = slow_files(tmp_path / "sources")
    (sources / "long.evil").write_text("wait")
    read: list[str] = []
    with pytest.raises(IngestionCancelledError):
        build_corpus(
            [sources],
            tmp_path / "corpus",
            embedding="none",
            cluster=Cluster(lossy_cluster.address),
            log=read.append,
            cancelled=lambda: len(read) > 2,
        )
    assert not (tmp_path / "corpus").exists()
    until(lambda: lossy_cluster.children() == [], 10)
    # A worker hears of what nobody wants any more from the scheduler, a moment later.
    until(lambda: executing(lossy_cluster) == [], 10)


@pytest.mark.usefixtures("hostile_reader")
def test_a_file_that_costs_each_worker_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    sources = slow_files(tmp_path / "sources", 4)
    (sources / "deadly.evil").write_text("wait")
    ended: list[subprocess.Popen[bytes]] = []
    is_over = threading.Event()

    def kill_readers(workers: list[subprocess.Popen[bytes]]) -> None:
        while not is_over.wait(0.05):
            for worker in workers:
                if worker not in ended and reading(worker, "deadly.evil"):
                    ended.append(worker)
                    worker.kill()

    (tmp_path / "dask").mkdir()
    with DaskCluster(tmp_path / "dask", ALLOWED_FAILURES=0) as cluster:
        workers = cluster.with_workers(3)
        with meanwhile(lambda: kill_readers(workers)):
            try:
                report = build_corpus(
                    [sources], tmp_path / "corpus", embedding="none", cluster=Cluster(cluster.address)
                )
            finally:
                is_over.set()
    assert len(ended) == 2
    files = {Path(file.name).name: file for file in report.files}
    deadly = files.pop("deadly.evil")
    assert "workers that tried it were lost" in deadly.reason
    assert report.documents == 4 + deadly.documents
    assert all(file.status is FileStatus.READ for file in files.values())


def build_law(folder: Path, address: str) -> None:
    (folder / "law.md").write_text("# Law\n\nText.")
    build_corpus([folder / "law.md"], folder / "corpus", embedding="none", cluster=Cluster(address))


def test_a_worker_with_another_engine_is_an_error(tmp_path: Path, empty_cluster: DaskCluster) -> None:
    grammars = tmp_path / "grammars"
    grammars.mkdir()
    (grammars / "own.yaml").write_text("language: xx\n")
    empty_cluster.add_worker(environment={"REDSTRING_GRAMMARS": str(grammars)})
    with pytest.raises(ClusterError, match=r"worker at tcp://.* would make other blocks .*grammars"):
        build_law(tmp_path, empty_cluster.address)
    assert not (tmp_path / "corpus").exists()
    assert empty_cluster.children() == []


def test_a_worker_without_the_engine_is_an_error(tmp_path: Path, empty_cluster: DaskCluster) -> None:
    empty_cluster.add_worker(environment={"PYTHONPATH": ""})
    with pytest.raises(ClusterError, match=r"cannot make blocks .*engine as this machine"):
        build_law(tmp_path, empty_cluster.address)


@pytest.mark.parametrize("listens", [False, True])
def test_an_address_without_a_scheduler_is_an_error_in_seconds(
    tmp_path: Path, listens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ingestion.cluster.connecting.CONNECT", 0.5)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listens:
            server.listen()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(ClusterError, match=f"no Dask scheduler answers at {address}"):
            build_law(tmp_path, address)
    assert time.monotonic() < start + 15
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("address", ["localhost:8786", "http://localhost:8786", "tcp://", ""])
def test_an_invalid_address_is_an_error(tmp_path: Path, address: str) -> None:
    with pytest.raises(SettingsError, match="no address of a scheduler"):
        build_law(tmp_path, address)


def test_a_scheduler_without_workers_is_an_error(tmp_path: Path, empty_cluster: DaskCluster) -> None:
    with pytest.raises(ClusterError, match="has no worker; start one with `dask worker"):
        build_law(tmp_path, empty_cluster.address)


@pytest.mark.usefixtures("hostile_reader")
def test_a_scheduler_that_is_lost_leaves_the_corpus_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ingestion.cluster.sending.SILENCE", 3.0)
    (tmp_path / "law.md").write_text("# Law\n\nText.")
    build_corpus([tmp_path / "law.md"], tmp_path / "corpus", embedding="none")
    before = contents(tmp_path / "corpus")
    sources = slow_files(tmp_path / "sources")
    read: list[str] = []

    (tmp_path / "dask").mkdir()
    with DaskCluster(tmp_path / "dask") as cluster:
        cluster.add_worker()

        def lose() -> None:
            until(lambda: len(read) > 2)
            cluster.scheduler.kill()

        with meanwhile(lose), pytest.raises(ClusterError, match="scheduler has not answered"):
            build_corpus(
                [sources],
                tmp_path / "corpus",
                embedding="none",
                cluster=Cluster(cluster.address),
                log=read.append,
            )
    assert contents(tmp_path / "corpus") == before

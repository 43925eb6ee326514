"""Workers that die, hang, have another engine or are missing: nothing is lost, and errors are reported."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from engine.errors import ClusterError, IngestionCancelledError
from engine.ingestion.cluster import pools
from engine.ingestion.report import FileStatus
from engine.ingestion.resolving import CorpusReferences
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster, until
from tests.engine.ingestion.cluster.support import build, make_sources, read_corpus

FILES = 7


def slow_files(folder: Path) -> Path:
    folder.mkdir()
    for number in range(FILES):
        (folder / f"file-{number}.evil").write_text("slow")
    return folder


def is_reading(worker: subprocess.Popen[bytes], name: str) -> bool:
    with suppress(psutil.Error):
        children = psutil.Process(worker.pid).children(recursive=True)
        return any(name in file.path for child in children for file in child.open_files())
    return False


def has_ended(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_lost_while_it_reads_loses_nothing(
    tmp_path: Path, cluster: DaskCluster, how: signal.Signals
) -> None:
    sources = slow_files(tmp_path / "sources")
    build(sources, tmp_path / "here" / "corpus")
    first, second = cluster.with_workers(2, "--no-nanny")
    read: list[str] = []

    def lose() -> None:
        until(lambda: len(read) > 1 and is_reading(first, ".evil"))
        first.send_signal(how)

    there = tmp_path / "there" / "corpus"
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lose)
        build(sources, there, cluster.address, log=read.append)
    assert second.poll() is None
    assert read_corpus(there) == read_corpus(tmp_path / "here" / "corpus")


def test_a_worker_that_is_lost_while_it_resolves_references_loses_nothing(
    tmp_path: Path, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = make_sources(tmp_path / "sources")
    build(sources, tmp_path / "here" / "corpus")
    monkeypatch.delattr(CorpusReferences, "resolve")
    first, _ = cluster.with_workers(2, "--no-nanny")
    lost: list[int] = []

    def lose(step: str, done: int, total: int) -> None:
        if step == "references" and 0 < done < total and not lost:
            lost.append(done)
            first.kill()

    there = tmp_path / "there" / "corpus"
    build(sources, there, cluster.address, progress=lose)
    assert lost
    assert read_corpus(there) == read_corpus(tmp_path / "here" / "corpus")


def test_a_file_that_ends_workers_is_reported_and_the_others_are_read(
    tmp_path: Path, cluster: DaskCluster
) -> None:
    sources = slow_files(tmp_path / "sources")
    (sources / "deadly.evil").write_text("wait")
    workers, ended = cluster.with_workers(3, "--no-nanny"), set[int]()
    children: list[psutil.Process] = []
    is_over = threading.Event()

    def kill_readers() -> None:
        while not is_over.wait(0.05):
            for worker in workers:
                if worker.pid not in ended and is_reading(worker, "deadly.evil"):
                    ended.add(worker.pid)
                    children.extend(psutil.Process(worker.pid).children(recursive=True))
                    worker.kill()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(kill_readers)
        try:
            report = build(sources, tmp_path / "corpus", cluster.address)
        finally:
            is_over.set()
    assert len(ended) == 2
    assert len(children) > 3
    until(lambda: all(has_ended(child) for child in children), 10)
    (deadly,) = [file for file in report.files if file.status is not FileStatus.READ]
    assert "the workers that tried it were lost" in deadly.reason
    assert report.documents == FILES + deadly.documents


def test_a_cancelled_ingestion_leaves_nothing_running(tmp_path: Path, cluster: DaskCluster) -> None:
    cluster.with_workers(2, "--no-nanny")
    sources = slow_files(tmp_path / "sources")
    (sources / "long.evil").write_text("wait")
    read: list[str] = []
    with pytest.raises(IngestionCancelledError):
        build(sources, tmp_path / "corpus", cluster.address, log=read.append, cancelled=lambda: len(read) > 2)
    assert not (tmp_path / "corpus").exists()
    until(lambda: cluster.children() == [], 10)


def test_a_scheduler_that_is_lost_leaves_the_corpus_as_it_was(
    tmp_path: Path, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "SILENCE", 3.0)
    (tmp_path / "law.md").write_text("# Law\n\nText.")
    corpus = tmp_path / "corpus"
    build(tmp_path / "law.md", corpus)
    before = read_corpus(corpus)
    sources = slow_files(tmp_path / "sources")
    cluster.with_workers(1, "--no-nanny")
    read: list[str] = []

    def lose() -> None:
        until(lambda: len(read) > 2)
        cluster.scheduler.kill()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(lose)
        with pytest.raises(ClusterError, match="scheduler has not answered"):
            build(sources, corpus, cluster.address, log=read.append)
    assert read_corpus(corpus) == before


def build_law(folder: Path, address: str) -> None:
    (folder / "law.md").write_text("# Law\n\nText.")
    build(folder / "law.md", folder / "corpus", address)


def test_a_worker_that_cannot_make_the_same_blocks_is_an_error(tmp_path: Path, cluster: DaskCluster) -> None:
    with pytest.raises(ClusterError, match="has no worker; start one with `dask worker"):
        build_law(tmp_path, cluster.address)
    (tmp_path / "own.yaml").write_text("language: xx\n")
    (worker,) = cluster.with_workers(1, "--no-nanny", REDSTRING_GRAMMARS=str(tmp_path))
    with pytest.raises(ClusterError, match=r"worker at tcp://.* would make other blocks .*grammars"):
        build_law(tmp_path, cluster.address)
    worker.kill()
    worker.wait()
    cluster.with_workers(1, "--no-nanny", PYTHONPATH="")
    with pytest.raises(ClusterError, match=r"cannot make blocks .*engine as this machine"):
        build_law(tmp_path, cluster.address)
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("listens", [False, True])
def test_an_address_without_a_scheduler_is_an_error_in_seconds(
    tmp_path: Path, listens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "CONNECT", 0.5)
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

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.ingestion import sources as sources_module
from engine.ingestion.readers.base import Reader
from engine.ingestion.readers.registry import reader_of
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster
from tests.engine.ingestion.cluster.hostile import HostileReader


def read_hostile(patch: pytest.MonkeyPatch) -> None:
    """From now on ``.evil`` files are read, too."""

    def found(path: Path, head: bytes, *, mapped: bool = False) -> Reader | None:
        return HostileReader() if path.suffix == ".evil" else reader_of(path, head, mapped=mapped)

    patch.setattr(sources_module, "reader_of", found)


@pytest.fixture
def hostile_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    read_hostile(monkeypatch)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two workers that nothing happens to."""
    with DaskCluster(tmp_path_factory.mktemp("dask")) as cluster:
        cluster.with_workers(2)
        yield cluster


@pytest.fixture(scope="module")
def _shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    # A worker that is silent for five seconds is lost.
    with DaskCluster(tmp_path_factory.mktemp("dask"), WORKER_TTL="5s") as cluster:
        yield cluster


@pytest.fixture
def lossy_cluster(_shared_cluster: DaskCluster) -> Iterator[DaskCluster]:
    """A scheduler, and the workers that are left of earlier tests, for tests that end some."""
    yield _shared_cluster
    _shared_cluster.end_lost_workers()


@pytest.fixture
def empty_cluster(_shared_cluster: DaskCluster) -> Iterator[DaskCluster]:
    """A scheduler without a worker, for tests that add one of their own kind."""
    if _shared_cluster.workers:
        _shared_cluster.end_workers()
    yield _shared_cluster
    _shared_cluster.end_workers()

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.ingestion import sources
from engine.ingestion.readers.base import Reader
from engine.ingestion.readers.registry import choose_reader
from tests.engine.ingestion.cluster.dask_cluster import DaskCluster
from tests.engine.ingestion.cluster.support import HostileReader


@pytest.fixture(autouse=True)
def _hostile_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(path: Path, head: bytes, *, mapped: bool = False) -> Reader | None:
        return HostileReader() if path.suffix == ".evil" else choose_reader(path, head, mapped=mapped)

    monkeypatch.setattr(sources, "choose_reader", find)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path_factory.mktemp("dask")) as cluster:
        cluster.with_workers(2, "--no-nanny")
        yield cluster


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler that gives up a worker after five silent seconds, and a task after one lost worker."""
    with DaskCluster(tmp_path_factory.mktemp("dask"), WORKER_TTL="5s", ALLOWED_FAILURES=0) as found:
        yield found

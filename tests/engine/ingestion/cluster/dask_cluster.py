"""A Dask cluster of processes that are started by hand, as an operator starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from tests.conftest import ROOT

APART = "tests.engine.ingestion.cluster.apart"
LONGEST = 60.0


class DaskCluster:
    """A scheduler and its workers, each one process with one thread. Used as a context manager."""

    def __init__(self, folder: Path, **settings: object) -> None:
        """``settings``: those of the scheduler, as Dask spells them in its environment."""
        self._folder = folder
        self._settings = {f"DASK_DISTRIBUTED__SCHEDULER__{name}": str(value) for name, value in settings.items()}
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def __enter__(self) -> DaskCluster:
        file = self._folder / "scheduler.json"
        self.scheduler = self._start(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file), "--no-jupyter", environment={"PYTHONPATH": "", **self._settings},
        )  # fmt: skip
        # It is written in place: half of it may be there.
        until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        self.address = str(json.loads(file.read_text())["address"])
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            self._kill(process)

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
        process.kill()
        process.wait()

    def with_workers(self, count: int) -> list[subprocess.Popen[bytes]]:
        """So many workers of the usual kind: those that are there, and new ones."""
        new = [self._begin_worker() for _ in range(count - len(self.workers))]
        for worker, log in new:
            self._registered(worker, log)
        return self.workers[:count]

    def end_lost_workers(self) -> None:
        """End workers that hang, and wait until the scheduler has none that is not there."""
        self.end_workers(lambda worker: psutil.Process(worker.pid).status() == psutil.STATUS_STOPPED)

    def end_workers(self, which: Callable[[subprocess.Popen[bytes]], bool] = lambda worker: True) -> None:
        """End some workers, and wait until the scheduler has none that is not there."""
        for worker in self.workers:
            if worker.poll() is None and which(worker):
                self._kill(worker)
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        from distributed import Client

        with Client(self.address, timeout=LONGEST, set_as_default=False) as client:
            until(lambda: client.scheduler_info(n_workers=-1)["n_workers"] == len(self.workers))

    def add_worker(
        self, *more: str, environment: Mapping[str, str] | None = None, is_apart: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start a worker, and wait until it has told the scheduler. ``is_apart``: of temporary
        files it sees those of this cluster alone."""
        return self._registered(*self._begin_worker(*more, environment=environment, is_apart=is_apart))

    def _begin_worker(
        self, *more: str, environment: Mapping[str, str] | None = None, is_apart: bool = False
    ) -> tuple[subprocess.Popen[bytes], Path]:
        log = self._folder / f"worker-{len(self._processes)}.log"
        worker = self._start(
            *([APART, str(self._folder)] if is_apart else []),
            "distributed.cli.dask_worker", self.address, "--nworkers", "1", "--nthreads", "1",
            "--no-dashboard", "--local-directory", str(self._folder / log.stem), *(more or ("--no-nanny",)),
            environment=environment, log=log,
        )  # fmt: skip
        self.workers.append(worker)
        return worker, log

    @staticmethod
    def _registered(worker: subprocess.Popen[bytes], log: Path) -> subprocess.Popen[bytes]:
        until(lambda: b"Registered to" in log.read_bytes() or worker.poll() is not None)
        assert worker.poll() is None, log.read_text()
        return worker

    def children(self) -> list[psutil.Process]:
        """The children of the fork servers of all workers: they read files and make blocks."""
        found: list[psutil.Process] = []
        for worker in self.workers:
            with suppress(psutil.Error):
                servers = psutil.Process(worker.pid).children()
                found.extend(child for server in servers for child in server.children())
        return found

    def _start(
        self,
        module: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        own = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
        with open(log or self._folder / f"{module}.log", "wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *arguments],
                env=own,
                cwd=self._folder,
                stdout=output,
                stderr=output,
            )
        self._processes.append(process)
        return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """Let a process hang: it is there, and does nothing."""
    process.send_signal(signal.SIGSTOP)


def until(is_so: Callable[[], object], longest: float = LONGEST) -> None:
    """Wait until something is so."""
    end = time.monotonic() + longest
    while not is_so():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)

"""A Dask cluster of processes that are started by hand, as an operator starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from distributed import Client

from tests.conftest import ROOT

SUPPORT = "tests.engine.ingestion.cluster.support"


class DaskCluster:
    """A scheduler with these ``settings`` and without the engine, and workers with one thread each."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self._folder, self._processes = folder, list[subprocess.Popen[bytes]]()
        self._settings = {f"DASK_DISTRIBUTED__SCHEDULER__{name}": str(one) for name, one in settings.items()}
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> DaskCluster:
        file = self._folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--no-jupyter",
            PYTHONPATH="", **self._settings,
        )  # fmt: skip
        # It is written in place: half of it may be there.
        until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        self.address = str(json.loads(file.read_text())["address"])
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            with suppress(psutil.NoSuchProcess):
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
            process.kill()
            process.wait()

    def with_workers(self, count: int, *options: str, **environment: str) -> list[subprocess.Popen[bytes]]:
        """Start workers until there are so many, and wait for them."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        local = ["--local-directory", str(self._folder), *options]
        if "PYTHONPATH" not in environment:
            local += ["--preload", SUPPORT]
        while len(self.workers) < count:
            self.workers.append(self._start("worker", self.address, "--nthreads", "1", *local, **environment))
        with Client(self.address, timeout=60, set_as_default=False) as client:
            until(lambda: len(client.nthreads()) == count)
        return self.workers

    def children(self) -> list[psutil.Process]:
        """The processes that read files and make blocks, of workers without a nanny."""
        servers = (server for worker in self.workers for server in psutil.Process(worker.pid).children())
        return [child for server in servers for child in server.children()]

    def _start(self, kind: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *arguments]
        own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        with open(self._folder / f"{kind}.log", "ab") as log:
            process = subprocess.Popen(command, env=own, cwd=self._folder, stdout=log, stderr=log)
        self._processes.append(process)
        return process


def until(is_so: Callable[[], object], longest: float = 60.0) -> None:
    end = time.monotonic() + longest
    while not is_so():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)

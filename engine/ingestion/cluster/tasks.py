"""What runs on a Dask worker: the one task of the cluster, and the end of an ingestion.

Everything of one ingestion is a ``Run``: a folder for what is on its way, and the process that has the
children. It begins with the first request and ends when the client says so; where the client is gone without
a word, the process ends by itself.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from engine.errors import FileRefusedError, system_error
from engine.ingestion.cluster.content import placed
from engine.ingestion.cluster.messages import (
    Analyse,
    Answer,
    Body,
    Broken,
    Brought,
    Lacking,
    Lacks,
    Made,
    Mismatch,
    More,
    Read,
    Request,
    Resolve,
    Setup,
    Unusable,
)
from engine.ingestion.cluster.versions import versions_here
from engine.ingestion.ledger import makers
from engine.ingestion.remote import file_system
from engine.operator_settings import PROJECT

# Seconds for a process to end its children.
_END = 5.0

_runs: dict[str, Run] = {}
_lock = threading.Lock()


def perform(made_by: str, key: str, payload: bytes) -> bytes:
    """Do what a client asks for, and answer; both are pickled. ``made_by`` is the key of the client's engine;
    ``key`` is told on the topic of the ingestion as the work begins."""
    if made_by != makers():
        return _pickled(Mismatch(versions_here()))
    request: Request = pickle.loads(payload)
    worker: Any = import_module("distributed").get_worker()
    worker.log_event(topic_of(request.run), key)
    return _pickled(answered(request, worker.local_directory))


def answered(request: Request, folder: str) -> Answer:
    """The answer to a request, by a worker that may write below ``folder``."""
    with _lock:
        run = _runs.get(request.run)
        if run is None:
            if request.setup is None:
                return Lacks(Lacking.SETUP)
            run = _runs[request.run] = Run(request.setup, folder)
    if request.setup is not None:
        run.tell(request.setup)
    return run.answer(request.body)


def end_run(name: str) -> None:
    """The ingestion is over: end its processes and leave nothing behind."""
    with _lock:
        run = _runs.pop(name, None)
    if run is not None:
        run.close()


def topic_of(run: str) -> str:
    """Where workers tell which tasks of an ingestion have begun."""
    return f"redstring-{run}"


class Run:
    """One ingestion on this worker. Threads may ask at the same time."""

    def __init__(self, setup: Setup, folder: str) -> None:
        self._setup = setup
        self._folder = Path(tempfile.mkdtemp(prefix="redstring-", dir=folder))
        self._host: _HostProcess | None = None
        self._lock = threading.Lock()

    def tell(self, setup: Setup) -> None:
        """What the ingestion has in common now."""
        with self._lock:
            if setup != self._setup:
                self._setup = setup
                if self._host is not None:
                    self._host.tell(setup)

    def answer(self, body: Body) -> Answer:
        """Do what is asked."""
        if isinstance(body, Resolve) and self._setup.corpus is None:
            return Lacks(Lacking.SETUP)
        try:
            if isinstance(body, Read):
                return self._read(body)
            answer = self._ask(body)
            if isinstance(body, Analyse | Resolve) and isinstance(answer, Made) and answer.failure is None:
                return self._handed_over(body.file, answer)
            return answer
        except OSError as error:
            refused = system_error("keep files on the worker", error)
            return Unusable(type(refused).__name__, str(refused))

    def close(self) -> None:
        """End the process and remove the folder."""
        with self._lock:
            if self._host is not None:
                self._host.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, body: Read) -> Answer:
        file = body.file
        try:
            source = placed(file.source, body.content, self._folder / "sources" / body.session)
        # What a file system of somebody else raises is not known beforehand; it concerns this file alone.
        except Exception as error:
            return Brought((), True, f"cannot be read ({_said(error)})", 0.0)
        if source is None:
            return Lacks(Lacking.CONTENT)
        content = replace(body.content, url=None, sent=None)
        return self._ask(replace(body, file=replace(file, source=source), content=content))

    def _ask(self, body: Body) -> Answer:
        with self._lock:
            if self._host is None or not self._host.is_there:
                self._host = _HostProcess(self._setup, self._folder)
            host = self._host
        answer = host.ask(body, self._setup.limits.longest + self._setup.margin / 2)
        is_end = isinstance(answer, Broken) or (isinstance(answer, Brought) and answer.is_end)
        if is_end and isinstance(body, Read | More):
            shutil.rmtree(self._folder / "sources" / body.session, ignore_errors=True)
        return answer

    def _handed_over(self, name: str, answer: Made) -> Answer:
        path = self._folder / name
        content = path.read_bytes()
        path.unlink()
        digest = hashlib.sha256(content).digest()
        if self._setup.blocks is None:
            return Made(content, digest, None, answer.seconds)
        try:
            filesystem, where = file_system(f"{self._setup.blocks}/{Path(name).name}")
            filesystem.pipe_file(where, content)
        except Exception as error:
            return Unusable("CorpusError", f"cannot write blocks at {self._setup.blocks} ({_said(error)})")
        return Made(None, digest, None, answer.seconds)


class _HostProcess:
    """The process that has the children, and a thread that listens to it."""

    def __init__(self, setup: Setup, folder: Path) -> None:
        ours, theirs = socket.socketpair()
        paths = [str(PROJECT), *filter(None, sys.path)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "engine.ingestion.cluster.host", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
                "TMPDIR": str(folder),
            },
        )
        theirs.close()
        self._socket, self._pipe = ours, Connection(os.dup(ours.fileno()))
        self._sending = threading.Lock()
        self._waiting: dict[int, Future[Answer]] = {}
        self._number = 0
        self.is_there = True
        self._pipe.send_bytes(_pickled((setup, str(folder))))
        threading.Thread(target=self._listen, daemon=True, name="redstring-host").start()

    def tell(self, setup: Setup) -> None:
        """Let the process know another setup; where it is gone, the next one begins with that."""
        with self._sending, suppress(OSError):
            self._pipe.send_bytes(_pickled((0, setup)))

    def ask(self, body: Body, seconds: float) -> Answer:
        """The answer to a request. One that does not come in time ends the process."""
        answer: Future[Answer] = Future()
        with self._sending:
            if not self.is_there:
                return Broken("the process that reads files has ended")
            self._number += 1
            number = self._number
            self._waiting[number] = answer
            try:
                self._pipe.send_bytes(_pickled((number, body)))
            except OSError:
                return Broken("the process that reads files has ended")
        try:
            return answer.result(seconds)
        except FutureTimeoutError:
            # Nobody else is to ask it while it ends.
            self.is_there = False
            self._process.kill()
            return Broken(f"the process that reads files did not answer within {seconds:g} seconds")

    def end(self) -> None:
        """Let the process end its children and itself; it is killed where it does not."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        while True:
            try:
                number, answer = pickle.loads(self._pipe.recv_bytes())
            except (EOFError, OSError):
                break
            waiting = self._waiting.pop(number, None)
            if waiting is not None:
                waiting.set_result(answer)
        with self._sending:
            self.is_there = False
            left, self._waiting = self._waiting, {}
        self._process.kill()
        code = self._process.wait()
        self._pipe.close()
        self._socket.close()
        for waiting in left.values():
            waiting.set_result(Broken(f"the process that reads files ended with code {code}"))


def _pickled(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _said(error: Exception) -> str:
    if isinstance(error, FileRefusedError):
        return str(error)
    told = getattr(error, "strerror", None) or str(error)
    return f"{type(error).__name__}: {' '.join(str(told).split())[:200]}"

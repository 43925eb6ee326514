"""Run a confined process, monitor it, and end it with all its child processes."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import IO

import psutil

from engine.errors import InputError
from engine.isolation.confining import (
    Layer,
    Policy,
    entering,
    in_words,
    layers_of,
    link_program,
    python_policy,
)

LOG = logging.getLogger(__name__)
# Interval of checks of a process, s. It can exceed its limits by what it uses in one interval.
PAUSE = 0.25
# Longest output line of a process, in bytes: a report on every row of a long table.
LONGEST_LINE = 64 << 20
# How much of the standard error of a failed process is read, in bytes.
LAST_WORDS = 8192
# Timeout for a process to end after it has closed its output, s.
PARTING = 5.0
_ROUNDS = 100
DOCUMENTS = "documents"
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Environment variables passed on to a process: only those for computing, no secrets.
PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", *THREADS, "TOKENIZERS_PARALLELISM")
# Niceness of background work: a tenth of a core under load. With less, storing vectors would lock a corpus
# for minutes.
BEHIND = 10


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a process and its children; 0 is no limit.

    ``memory`` in bytes, ``disk``: growth of their folders in bytes, ``cpu`` in seconds.
    """

    memory: int = 0
    disk: int = 0
    cpu: float = 0.0
    processes: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """A command with its environment, to run in ``folder``.

    ``order`` is the line that it reads first. ``behind``: run as background work, at low priority.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    order: bytes
    policy: Policy
    bounds: Bounds = Bounds()
    behind: bool = False


def confined(
    module: str,
    order: bytes,
    workspace: Path,
    bounds: Bounds,
    *,
    read: Sequence[str] = (),
    write: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Program:
    """Make the program that runs ``module`` in the folder ``documents`` of a workspace.

    It may read that folder, write to ``scratch`` next to it, and read and write the given paths.
    """
    documents, scratch, program = workspace / DOCUMENTS, workspace / "scratch", workspace / "program"
    for folder in (documents, scratch):
        folder.mkdir(exist_ok=True)
    link_program(program)
    policy = python_policy()
    return Program(
        [sys.executable, "-P", "-m", module],
        _environment(scratch, program) | dict(environment or {}),
        documents,
        order,
        replace(
            policy,
            read=(*policy.read, str(program), str(documents), *read),
            write=(*write, str(scratch)),
            memory=bounds.memory,
            file_bytes=bounds.disk,
            cpu=int(bounds.cpu),
            processes=bounds.processes,
        ),
        bounds,
    )


def run(
    program: Program, hear: Callable[[bytes], bytes | None], stop: Event, *, longest: int = LONGEST_LINE
) -> str:
    """Run a program until it ends, ``stop`` is set, or it exceeds a limit.

    Returns the reason for ending it, else an empty text. ``hear`` gets each line of its output, and the
    program can read the return value. All processes that it started are ended, too. Raises InputError for a
    line of ``longest`` bytes, and what ``hear`` raises.
    """
    command, environment = entering(program.policy, program.environment, *program.command)
    complaints = program.folder.parent / f"{program.folder.name}.stderr"
    with (
        complaints.open("w+b") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=program.folder,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        if program.behind:
            _step_back(process.pid)
        watch = _Watch(process, program, stop)
        watch.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            # Passwords are sent through the pipe only: every user can read a command line.
            _give(process.stdin, program.order + b"\n")
            for number, line in enumerate(_lines(process.stdout, longest)):
                if number == 0:
                    _compare(layers_of(line))
                elif answer := hear(line):
                    _give(process.stdin, answer)
            with suppress(BrokenPipeError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PARTING)
        finally:
            end(process)
            watch.join()
        if not watch.reason and not stop.is_set() and process.returncode != 0:
            LOG.error("a worker ended with code %s: %s", process.returncode, _trace(errors))
        return watch.reason


def _environment(scratch: Path, program: Path) -> dict[str, str]:
    """Return the environment of a confined process."""
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "PYTHONPATH": str(program),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        # A document called "numpy.py" must not be taken for a module.
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class _Watch(Thread):
    """Ends a process that was cancelled or exceeds its limits."""

    def __init__(self, process: subprocess.Popen[bytes], program: Program, stop: Event) -> None:
        super().__init__(name=f"watch-{process.pid}", daemon=True)
        self.reason = ""
        self._process, self._bounds, self._stop_wanted = process, program.bounds, stop
        self._folders = [Path(path) for path in program.policy.write]
        self._before = _bytes_below(self._folders)

    def run(self) -> None:
        """Check the process until it has ended."""
        while self._process.poll() is None:
            if self._stop_wanted.wait(PAUSE):
                end(self._process)
                return
            self.reason = self._exceeded()
            if self.reason:
                end(self._process)
                return

    def _exceeded(self) -> str:
        bounds, seconds, memory = self._bounds, 0.0, 0
        processes = tree(self._process.pid)
        # Check memory first: it may double while the rest is checked.
        if 0 < bounds.processes < len(processes):
            return "stopped: it started too many processes"
        for one in processes:
            with suppress(psutil.Error):
                times = one.cpu_times()
                # Only its ended children are included in these, and no other processes.
                seconds += times.user + times.system + times.children_user + times.children_system
                memory += _own_memory(one)
        if 0 < bounds.memory < memory:
            return f"stopped: it needs more than {bounds.memory >> 20:,} MiB of memory"
        if 0 < bounds.cpu < seconds:
            return f"stopped: it needs more than {bounds.cpu / 60:g} minutes of computing"
        if 0 < bounds.disk < _bytes_below(self._folders) - self._before:
            return f"stopped: it writes more than {bounds.disk >> 20:,} MiB to disk"
        return ""


def _step_back(pid: int) -> None:
    """Give a process and its future children a lower priority than other processes."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, BEHIND)
        # If Linux groups processes by session, the priority of the group counts against other groups.
        Path(f"/proc/{pid}/autogroup").write_text(str(BEHIND), encoding="ascii")


def tree(pid: int) -> list[psutil.Process]:
    """Return a process and its descendants, as far as they exist."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its descendants, including those that left its group or were orphaned."""
    for _ in range(_ROUNDS):
        # The first process has the group or namespace that contains the others: this ends them in one step.
        children = [one for one in tree(process.pid)[1:] if _lives(one)]
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            with suppress(psutil.NoSuchProcess):
                child.kill()
        if not children:
            break
    if process.poll() is None:
        # Kill the first process last: it adopts orphans, so that they can be found.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _own_memory(process: psutil.Process) -> int:
    """Return the memory of a process in bytes; shared memory is divided between its processes."""
    try:
        return int(process.memory_full_info().pss)
    except (psutil.AccessDenied, AttributeError):
        return int(process.memory_info().rss)


def _bytes_below(folders: Sequence[Path]) -> int:
    total, waiting = 0, [os.fspath(folder) for folder in folders]
    while waiting:
        # Files may be removed while this runs.
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def _give(stream: IO[bytes], content: bytes) -> None:
    # The process has ended; its exit is reported elsewhere.
    with suppress(BrokenPipeError):
        stream.write(content)
        stream.flush()


def _lines(stream: IO[bytes], longest: int) -> Iterator[bytes]:
    while line := stream.readline(longest):
        if len(line) >= longest:
            raise InputError(f"stopped: it sent more than {longest >> 20} MiB in one line")
        yield line


def _trace(errors: IO[bytes]) -> str:
    """Return the lines of the last traceback of one of our programs that hold no document content."""
    errors.seek(0, os.SEEK_END)
    errors.seek(max(0, errors.tell() - LAST_WORDS))
    lines = errors.read().decode("utf-8", "replace").splitlines()
    return " < ".join(line.strip() for line in reversed(lines) if line.startswith('  File "')) or "no trace"


_reported: dict[Layer, str] = {}


def _compare(held: dict[Layer, str]) -> None:
    """Log the layers of the first worker, and of any worker with fewer layers."""
    if set(held) != set(_reported):
        level = logging.INFO if set(held) >= set(_reported) else logging.WARNING
        LOG.log(level, "worker: %s", in_words(held))
        _reported.clear()
        _reported.update(held)

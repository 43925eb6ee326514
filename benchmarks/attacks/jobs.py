"""Jobs of hostile visitors: programs that take more than they may or outlive their end, and full queues."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer

import psutil

from benchmarks.attacks.outcome import Attempt, Outcome, counted
from engine.errors import InputError
from engine.isolation.installation import python_policy
from ui.jobs.job import Job, Owner, State
from ui.jobs.jobs import Jobs, Rules
from ui.jobs.process import Bounds, Program
from ui.jobs.process import run as run_program

KIND = "jobs of hostile visitors"
MARK = "redstring-attack-of-jobs"
BOUNDS = Bounds(memory=300 << 20, disk=50 << 20, cpu=4.0, processes=30)
# Each is ended, whatever it does, within so many seconds after it could have been.
DEADLINE, PATIENCE = 4.0, 20.0
_HOSTILE = {
    "fork bomb": "while True: os.fork()",
    "slow fork bomb": "while True: os.fork(); time.sleep(0.05)",
    "fork bomb of orphans": "while True: os.fork() and os._exit(0)",
    "memory at once": "x = bytes(bytearray(b'1' * (2 << 30)))",
    "memory of many": "[os.fork() for _ in range(4)]\nx = bytearray(b'1' * (50 << 20)); time.sleep(600)",
    "memory in steps": "x = []\nwhile True: x.append(bytearray(b'1' * (1 << 20)))",
    "one large file": "open('f', 'wb').truncate(1 << 40)",
    "many files": "for n in range(10**6): open(str(n), 'wb').write(bytes(1 << 22))",
    "files below files": "while True: os.mkdir('d'); os.chdir('d'); open('f', 'wb').write(bytes(1 << 21))",
    "computing": "while True: pass",
    "computing in children": "[os.fork() for _ in range(3)]\nwhile True: pass",
    "waiting for ever": "time.sleep(10**6)",
    "deaf to signals": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15)]; time.sleep(10**6)",
    "a daemon": "os.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)\ntime.sleep(10**6)",
    "a daemon without files": "os.fork() and os._exit(0)\nos.setsid(); os.closerange(0, 9); time.sleep(99)",
    "closing its output and going on": "os.close(1); time.sleep(10**6)",
    "a line without end": "while True: os.write(1, b'1' * 65536)",
    "lines without end": "while True: os.write(1, b'1\\n' * 32768)",
    "words to the log without end": "while True: os.write(2, b'1' * 65536)",
    "killing everybody": "os.kill(-1, 9); time.sleep(10**6)",
    "killing its group": "os.killpg(0, 9); time.sleep(10**6)",
    "killing its parent": "os.kill(os.getppid(), 9); time.sleep(10**6)",
    "stopping itself": "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(10**6)",
    "ending by a crash": "import ctypes; ctypes.string_at(0)",
    "threads": "import threading\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
}  # fmt: skip


def run(tries: int = 100, seed: int = 0) -> tuple[Outcome, ...]:
    """Each hostile program once, then queues that somebody fills, up to the number of tries."""
    return (counted(KIND, _attempts(tries, random.Random(seed))),)


def _attempts(tries: int, chance: random.Random) -> Iterator[Attempt]:
    programs = list(_HOSTILE.items())[:tries]
    for name, text in programs:
        yield _ended(name, text)
    for number in range(tries - len(programs)):
        yield _served(f"queue {number}", chance)


def _ended(name: str, text: str) -> Attempt:
    """One program: it ends in time, and nothing of it is left."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "scratch"
        folder.mkdir()
        bounded = replace(
            python_policy(), write=(str(folder),), memory=BOUNDS.memory, file_bytes=BOUNDS.disk, processes=200
        )
        command = [sys.executable, "-P", "-c", f"import os, signal, time\n{text}", MARK]
        stop, began = Event(), time.monotonic()
        deadline = Timer(DEADLINE, stop.set)
        deadline.start()
        try:
            run_program(Program(command, {}, folder, b"", bounded, BOUNDS), _deaf, stop)
        except InputError:
            # Told too much: that is an end as good as any.
            pass
        finally:
            deadline.cancel()
        seconds = time.monotonic() - began
    left = sum(MARK in (one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"]))
    return Attempt(name, not left and seconds < PATIENCE, f"{left} processes left, {seconds:.0f} s")


def _deaf(line: bytes) -> None:
    return


def _served(name: str, chance: random.Random) -> Attempt:
    """A crowd of tokens from few addresses and one visitor of another: how many go before that one."""
    rules = Rules("job", running=chance.randint(1, 3), waiting=chance.randint(4, 30))
    jobs: Jobs[str] = Jobs(rules)
    go = Event()

    def work(job: Job[str]) -> None:
        go.wait(PATIENCE)

    crowd = [f"6.6.6.{number}" for number in range(chance.randint(1, 2))]
    turned_away = 0
    for number in range(200):
        try:
            jobs.start(Owner(f"token {number}", chance.choice(crowd)), "hostile", work)
        except InputError:
            turned_away += 1
    try:
        honest = jobs.start(Owner("honest", "1.1.1.1"), "honest", work)
    except InputError as error:
        go.set()
        # Two addresses together may fill a queue: that is what its length is for.
        return Attempt(name, len(crowd) > 1, str(error))
    before = 0 if honest.state is State.RUNNING else jobs.before(honest)
    go.set()
    jobs.end_all()
    return Attempt(name, before <= rules.running + len(crowd), f"{before} before the one who waits")

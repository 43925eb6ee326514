"""Programs that take more than they may, or try to outlive their end: real processes, really ended."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer

import psutil
import pytest

from engine.errors import InputError
from engine.isolation.confining import Layer, layers_here, python_policy
from ui.server.process import Bounds, Program, run

MEBIBYTE = 1 << 20
MARK = "redstring-test-of-processes"


def program(folder: Path, text: str, bounds: Bounds, memory: int = 0, file_bytes: int = 0) -> Program:
    scratch = folder / "scratch"
    scratch.mkdir()
    policy = replace(python_policy(), write=(str(scratch),), memory=memory, file_bytes=file_bytes)
    command = [sys.executable, "-P", "-c", text, MARK]
    return Program(command, {"TMPDIR": str(scratch)}, folder, b"order", policy, bounds)


def left() -> list[str]:
    """What is still there of the programs of these tests."""
    found = [process.info for process in psutil.process_iter(["cmdline", "status"])]
    return [one["status"] for one in found if MARK in (one["cmdline"] or []) and one["status"] != "zombie"]


def heard(program: Program, stop: Event | None = None) -> tuple[str, list[bytes]]:
    lines: list[bytes] = []
    return run(program, lines.append, stop or Event()), lines


def test_an_order_arrives_and_what_is_told_is_heard_and_answered(tmp_path: Path) -> None:
    text = "print(input()); print('more'); print(input())"
    lines: list[bytes] = []

    def hear(line: bytes) -> bytes | None:
        lines.append(line)
        return b"answer\n" if line == b"more\n" else None

    assert run(program(tmp_path, text, Bounds()), hear, Event()) == ""
    assert lines == [b"order\n", b"more\n", b"answer\n"]


# But for the one that doubles, each ends by itself soon, so that a bound can be taken out without harm.
@pytest.mark.parametrize(
    ("text", "bounds", "reason"),
    [
        # Each child stays below the bound of one process; together they do not.
        (
            "import os, time\n"
            "for _ in range(3): os.fork() or exec('x = bytearray(b\"1\" * (60 << 20)); time.sleep(20)')\n"
            "os.wait()",
            Bounds(memory=120 * MEBIBYTE),
            "120 MiB of memory",
        ),
        (
            "import os, time\nfor _ in range(3): os.fork()\nuntil = time.time() + 20\n"
            "while time.time() < until: pass",
            Bounds(cpu=0.4),
            "minutes of computing",
        ),
        (
            "import os, time\nfor _ in range(8): os.fork(); time.sleep(0.02)\ntime.sleep(5)",
            Bounds(processes=20),
            "too many processes",
        ),
        (
            "import os, time\nfor _ in range(30): os.fork() or (time.sleep(5), os._exit(0))\nos.wait()",
            Bounds(processes=20),
            "too many processes",
        ),
        (
            "import os; os.chdir(os.environ['TMPDIR'])\n"
            "for n in range(40): open(str(n), 'wb').write(bytes(1 << 22))\nimport time; time.sleep(5)",
            Bounds(disk=40 * MEBIBYTE),
            "40 MiB to disk",
        ),
    ],
    ids=["memory", "computing", "doubling", "processes", "disk"],
)
def test_what_all_take_together_is_bounded(tmp_path: Path, text: str, bounds: Bounds, reason: str) -> None:
    found, _ = heard(program(tmp_path, text, bounds))
    assert reason in found
    assert left() == []


def test_one_process_is_bounded_without_being_looked_at(tmp_path: Path) -> None:
    text = (
        "import os\n"
        "try: bytearray(1 << 30)\n"
        "except MemoryError: print('no memory')\n"
        "try: open(os.environ['TMPDIR'] + '/large', 'wb').truncate(1 << 30)\n"
        "except OSError: print('no room')"
    )
    bounded = program(tmp_path, text, Bounds(), memory=200 * MEBIBYTE, file_bytes=MEBIBYTE)
    assert heard(bounded) == ("", [b"no memory\n", b"no room\n"])


def test_nothing_outlives_its_end(tmp_path: Path) -> None:
    # Left its session and its group, its parent is gone, and it holds the pipe that is listened to.
    text = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(600)\n"
        "    os._exit(0)\n"
        "print('begun', flush=True)"
    )
    began = time.monotonic()
    assert heard(program(tmp_path, text, Bounds())) == ("", [b"begun\n"])
    assert left() == []
    assert time.monotonic() - began < 60


def test_a_wish_to_stop_ends_it_at_once(tmp_path: Path) -> None:
    stop = Event()
    Timer(0.5, stop.set).start()
    assert heard(program(tmp_path, "import time; time.sleep(600)", Bounds()), stop) == ("", [])
    assert left() == []


def test_a_line_without_end_is_not_taken_in(tmp_path: Path) -> None:
    text = "print('1' * 4000, flush=True)\nfor _ in range(5000): print('1' * 4096, end='')"
    lines: list[bytes] = []
    with pytest.raises(InputError, match="in one line"):
        run(program(tmp_path, text, Bounds()), lines.append, Event(), longest=5000)
    assert [len(line) for line in lines] == [4001]
    assert left() == []


def test_what_it_complains_of_is_logged_without_content(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard(program(tmp_path, "raise SystemExit(int('words of a document'))", Bounds()))
    assert "code 1" in caplog.text
    assert "line 1" in caplog.text
    assert "words of a document" not in caplog.text


def test_the_kernel_bounds_processes_even_for_root(tmp_path: Path) -> None:
    held = layers_here()
    if held.get(Layer.PROCESSES) != Layer.PROCESSES:
        pytest.skip("this kernel has no namespace of processes here")
    text = (
        "import os, time\n"
        "try:\n"
        "    for n in range(9999): os.fork() or time.sleep(600)\n"
        "except OSError: print('bounded', flush=True)"
    )
    bounded = replace(program(tmp_path, text, Bounds()), policy=replace(python_policy(), processes=100))
    assert heard(bounded) == ("", [b"bounded\n"])
    assert left() == []

"""Arenas of the C library: as few as are set, whatever the number of threads."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FEW = 2
# Every thread allocates while all live; then the C library tells its heaps.
PROGRAM = """
import ctypes, sys, threading
from ui.serve import share_arenas

if sys.argv[1] == "set":
    assert share_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
together = threading.Barrier(9)

def allocate():
    libc.malloc(50_000)
    together.wait()
    together.wait()

for _ in range(8):
    threading.Thread(target=allocate).start()
together.wait()
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
together.wait()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="arenas are of the GNU C library")
@pytest.mark.parametrize(("how", "few"), [("set", True), ("as it comes", False)])
def test_threads_share_arenas(how: str, few: bool) -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True
    ).stdout
    assert (told.count("<heap nr=") <= FEW) is few


GIVES_BACK = """
import sys
import psutil
from ui.serve import give_back

held = [bytes(1000) for _ in range(100_000)]
del held[1::2]
full = psutil.Process().memory_info().rss
held.clear()
given = give_back()
print(given, full - psutil.Process().memory_info().rss > 50_000_000)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a function of the GNU C library")
def test_freed_memory_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", GIVES_BACK], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "True"]

"""The product as it is started, in a process, a home and a folder of temporary files of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from select import select

import httpx

from engine.operator_settings import PREFIX, PROJECT

START_SECONDS, END_SECONDS = 180.0, 30.0
# Served on all addresses: whoever asks is a visitor, this machine's own programs too.
PUBLIC = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class Server:
    """``log`` is the file of all that it says; ``temporary`` the folder that it makes its own in."""

    address: str
    process: subprocess.Popen[bytes]
    home: Path
    temporary: Path
    log: Path


@contextmanager
def own_server(corpora: tuple[Path, ...] = (), settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """``app.py`` over folders of corpora, or the sample; ended afterwards. ``settings`` as environment."""
    with tempfile.TemporaryDirectory() as base:
        home, temporary, log = Path(base, "home"), Path(base, "temporary"), Path(base, "log")
        for folder in (home, temporary):
            folder.mkdir(mode=0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "GRADIO_"))}
        environment = {
            **kept, "REDSTRING_HOME": str(home), "TMPDIR": str(temporary), "GRADIO_SERVER_NAME": PUBLIC,
            **(settings or {}),
        }  # fmt: skip
        command = [sys.executable, "app.py", "--port", "0"]
        command += [part for folder in corpora for part in ("--corpus", str(folder.resolve()))]
        with log.open("wb") as said:
            process = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=said
            )
            with process:
                try:
                    port = _port(process, log)
                    yield Server(f"http://127.0.0.1:{port}", process, home, temporary, log)
                finally:
                    process.terminate()
                    try:
                        process.wait(END_SECONDS)
                    except subprocess.TimeoutExpired:
                        process.kill()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port that it was given, once it answers there."""
    assert process.stdout is not None
    until = time.monotonic() + START_SECONDS
    ready, _, _ = select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline().decode() if ready else ""
    if not line:
        raise SystemExit(f"the page did not start: {log.read_text(errors='replace')[-500:]}")
    port = int(line.rpartition(":")[2])
    while time.monotonic() < until:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/robots.txt", timeout=5).status_code < 500:
                return port
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("the page did not answer in time")

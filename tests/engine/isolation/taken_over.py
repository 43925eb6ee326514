"""The process that reads documents, taken over: what it can reach of the machine that it runs on."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.attacks.small_corpora import Attempt
from engine.isolation.confining import entering, python_policy
from engine.operator_settings import PROJECT
from tests.engine.isolation import inside

# As an ingestion has by default, in bytes.
MEMORY = 4 << 30


def attempts(before: Sequence[str] = ()) -> Iterator[Attempt]:
    """Each attack from inside a confined process. ``before``: a command that is to start that process."""
    with _targets() as targets:
        found = _told(targets, before)
        secret = Path(targets["secret"])
        intact = secret.is_file() and secret.read_bytes() == b"secret"
        for name in found["tried"]:
            yield Attempt(name, name not in found["gained"], str(found["gained"].get(name, "")))
        yield Attempt("the other visitor's corpus is as it was", intact)


@contextmanager
def _targets() -> Iterator[dict[str, Any]]:
    """A machine with something to gain: another visitor, a server with a key, open sockets."""
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        others = base / "visitors" / "other"
        for folder in (others, base / "documents", base / "scratch", base / "corpus"):
            folder.mkdir(parents=True)
        (others / "secret").write_bytes(b"secret")
        (base / "documents" / "sent.txt").write_bytes(b"sent")
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = tcp.getsockname()[1]
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", port))
        names = {"unix": str(base / "socket"), "abstract": f"redstring-{secrets.token_hex(4)}"}
        for name in (names["unix"], "\0" + names["abstract"]):
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(name)
            listening.listen()
        key = f"sk-{secrets.token_hex(16)}"
        server = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", "import sys; sys.stdin.read()"],
                stdin=subprocess.PIPE,
                env={**os.environ, "OPENAI_API_KEY": key},
            )
        )
        try:
            yield {
                **names,
                "base": str(base),
                "secret": str(others / "secret"),
                "others": str(others),
                "visitors": str(others.parent),
                "documents": str(base / "documents"),
                "scratch": str(base / "scratch"),
                "corpus": str(base / "corpus"),
                "home": str(Path.home()),
                "project": str(PROJECT),
                "port": port,
                "server": server.pid,
                "parent": os.getpid(),
                "key": key,
            }
        finally:
            server.kill()


def _told(targets: dict[str, Any], before: Sequence[str]) -> dict[str, Any]:
    policy = python_policy()
    program = Path(inside.__file__)
    policy = replace(
        policy,
        read=(*policy.read, targets["documents"], str(program)),
        write=(targets["corpus"], targets["scratch"]),
        memory=MEMORY,
        file_bytes=MEMORY,
        processes=64,
    )
    command, environment = entering(policy, {}, sys.executable, "-P", str(program))
    ran = subprocess.run(
        [*before, *(command[1:] if before else command)],
        env=environment,
        cwd=targets["documents"],
        input=json.dumps(targets).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found

"""Runs a command of the project under an audit hook that writes down every attempt to reach a network.

``python -m tests.safety.watching LOG engine COMMANDS.json`` runs commands of the command line one after
another, ``python -m tests.safety.watching LOG page ARGUMENT...`` serves the page. Children that are forked
write into the same log. Nothing is stopped: everything is written down, and the test decides.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
from pathlib import Path

# Whoever asks for a name or a connection raises one of these (docs.python.org/3/library/audit_events.html).
WATCHED = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
    "socket.getnameinfo",
    "socket.sendto",
    "socket.sendmsg",
    "http.client.connect",
    "urllib.Request",
    "ftplib.connect",
    "smtplib.connect",
)


def watch(log: Path) -> None:
    """Write every attempt to the log, one line each, with the process that made it."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in WATCHED:
            os.write(file, f"{os.getpid()}\t{event}\t{arguments!r}\n".encode())

    sys.addaudithook(hook)


def commands(path: Path) -> int:
    """Run commands, and print the exit code and the output of each as JSON."""
    from engine.cli.main import main

    results = []
    for arguments in json.loads(path.read_text(encoding="utf-8")):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = main(arguments)
        results.append({"code": code, "output": output.getvalue(), "errors": errors.getvalue()})
    print(json.dumps(results))
    return 0


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
    if sys.argv[2] == "engine":
        sys.exit(commands(Path(sys.argv[3])))
    sys.argv = ["app.py", *sys.argv[3:]]
    runpy.run_path(str(Path(__file__).parents[2] / "app.py"), run_name="__main__")

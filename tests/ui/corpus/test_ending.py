"""A server that is ended, or killed, while it makes a corpus: nothing stays behind, and nothing is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.corpus import open_corpus
from tests.ui.corpus.conftest import VISITOR
from ui.serve import FOLDER, Workspaces
from ui.shelf import Library

LONG = 60.0
# Servers as the page has them, without a page: each adds documents to a corpus, and lives until it is ended.
# What they import is imported once, and each is a child of the process that did.
SERVERS = """
import os, signal, sys, time
from pathlib import Path
import ui.corpus.changes
from ui.calls import answer
from ui.corpus.panel import CALLS
from ui.corpus.access import CorpusDesk
from ui.shelf import open_library

def serve(home, uploads, visitor):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ui.corpus.changes.get_upload_folder = lambda: uploads
    desk = CorpusDesk(open_library([], Path(home)))
    files = [{"key": f"{path.name}/0", "name": f"{path.name}.md"} for path in Path(uploads).iterdir()]
    ask = {"visitor": visitor, "corpus": "Mine"}
    job = answer(desk, CALLS, {**ask, "do": "add", "files": files})["job"]
    while not answer(desk, CALLS, {**ask, "do": "poll", "job": job})["step"]:
        time.sleep(0.01)
    print(os.getpid(), flush=True)
    time.sleep(600)

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork() == 0:
        try:
            serve(*line.removesuffix("\\n").split("\\t"))
        except Exception:
            print("failed", flush=True)
            raise
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_ends_while_it_changes_a_corpus(
    tmp_path: Path, made: Path, servers: subprocess.Popen[str], ending: signal.Signals
) -> None:
    home, uploads = tmp_path / "home", tmp_path / "uploads"
    uploads.mkdir()
    for number in range(200):
        text = f"---\nid: act-{number}\n---\n\n# Act {number}\n\n" + f"Article {number} holds. " * 200
        (uploads / f"{number:024}").mkdir()
        (uploads / f"{number:024}" / "0").write_text(text, encoding="utf-8")
    corpus = Library([], home).place_for("Mine", VISITOR)
    shutil.copytree(made, corpus)
    before = (corpus / "manifest.json").read_bytes()
    assert servers.stdin is not None
    assert servers.stdout is not None
    servers.stdin.write(f"{home}\t{uploads}\t{VISITOR}\n")
    servers.stdin.flush()
    server = psutil.Process(int(servers.stdout.readline()))
    workers = server.children(recursive=True)
    assert workers, "else there is nothing to end"
    assert list((home / FOLDER).glob("*/job-*"))
    server.send_signal(ending)
    _, living = psutil.wait_procs([server, *workers], timeout=LONG)
    assert living == []
    if ending is signal.SIGKILL:
        # Nobody was there to clear up; the next server does.
        Workspaces(home)
    assert list((home / FOLDER).iterdir()) == []
    assert (corpus / "manifest.json").read_bytes() == before
    assert len(open_corpus(corpus)) > 0

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
from tests.tables import table
from tests.ui.corpus.conftest import VISITOR
from ui.serve import FOLDER, Workspaces
from ui.shelf import Library

LONG = 60.0
# Servers as the page has them, without a page: each adds documents to a corpus, and lives until it is ended.
# What they import is imported once, and each is a child of the process that did.
SERVERS = table(__file__, "SERVERS")


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

"""A server that is ended, or killed, while it makes a corpus: nothing stays behind, and nothing is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from engine.corpus import open_corpus
from tests.ui.corpus.conftest import VISITOR
from ui.server_folders import FOLDER, Workspaces
from ui.shelf import Library

LONG = 60.0
# The server as the page has it, without a page: it adds documents to a corpus, and lives until it is ended.
SERVER = """
import signal, sys, time
from pathlib import Path
import ui.corpus.adding
from ui.corpus.answers import answer
from ui.corpus.desk import CorpusDesk
from ui.shelf import open_library

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
home, uploads, visitor = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
ui.corpus.adding.get_upload_folder = lambda: str(uploads)
desk = CorpusDesk(open_library([], home))
files = [{"key": f"{path.name}/0", "name": f"{path.name}.md"} for path in uploads.iterdir()]
ask = {"visitor": visitor, "corpus": "Mine"}
job = answer(desk, {**ask, "do": "add", "files": files})["job"]
while not answer(desk, {**ask, "do": "poll", "job": job})["step"]:
    time.sleep(0.01)
print("reading", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_ends_while_it_changes_a_corpus(tmp_path: Path, made: Path, ending: signal.Signals) -> None:
    home, uploads = tmp_path / "home", tmp_path / "uploads"
    uploads.mkdir()
    for number in range(200):
        text = f"---\nid: act-{number}\n---\n\n# Act {number}\n\n" + f"Article {number} holds. " * 200
        (uploads / f"{number:024}").mkdir()
        (uploads / f"{number:024}" / "0").write_text(text, encoding="utf-8")
    corpus = Library([], home).place_for("Mine", VISITOR)
    shutil.copytree(made, corpus)
    before = (corpus / "manifest.json").read_bytes()
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, home, uploads, VISITOR], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"reading\n", server.communicate()[1].decode()
    workers = psutil.Process(server.pid).children(recursive=True)
    assert workers, "else there is nothing to end"
    assert list((home / FOLDER).glob("*/job-*"))
    server.send_signal(ending)
    server.communicate(timeout=LONG)
    _, living = psutil.wait_procs(workers, timeout=LONG)
    assert living == []
    if ending is signal.SIGKILL:
        # Nobody was there to clear up; the next server does.
        Workspaces(home)
    assert list((home / FOLDER).iterdir()) == []
    assert (corpus / "manifest.json").read_bytes() == before
    assert len(open_corpus(corpus)) > 0

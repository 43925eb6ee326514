from __future__ import annotations

import gc
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from weakref import ref

import numpy as np
import pytest

from engine.corpus.embedded.generation import current_generation
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.external_text import external_resolver
from engine.corpus.toy import toy_contents
from engine.investigation import Case
from engine.settings import preset
from ui.shelf import CACHE_BYTES, OpenCorpora


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("corpora")
    write_corpus(root / "0", toy_contents(further=True))
    return [root / "0", *(shutil.copytree(root / "0", root / str(number)) for number in (1, 2, 3))]


def room_for(count: int, folder: Path) -> OpenCorpora:
    return OpenCorpora(count * (current_generation(folder).memory + CACHE_BYTES))


def test_the_least_recently_asked_is_let_go(folders: list[Path]) -> None:
    opened = room_for(2, folders[0])
    alive = [ref(opened.get(folder)) for folder in folders[:2]]
    assert opened.get(folders[0]) is alive[0]()
    opened.get(folders[2])
    gc.collect()
    assert len(opened) == 2
    assert alive[0]() is opened.get(folders[0])
    assert alive[1]() is None


def test_a_case_at_work_keeps_its_corpus_and_shares_it(folders: list[Path]) -> None:
    opened = room_for(1, folders[0])
    corpus = opened.get(folders[0])
    opened.get(folders[1])
    assert len(opened) == 1
    assert opened.get(folders[0]) is corpus


def test_the_last_one_is_open_however_large(folders: list[Path]) -> None:
    opened = OpenCorpora(1)
    corpus = opened.get(folders[0])
    assert opened.get(folders[0]) is corpus
    assert len(opened) == 1


def test_what_has_changed_is_opened_anew(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", toy_contents())
    opened = OpenCorpora(1 << 30)
    before = opened.get(tmp_path / "c")
    write_corpus(tmp_path / "c", toy_contents(further=True))
    assert opened.get(tmp_path / "c") is not before
    assert len(opened) == 1


def test_nothing_that_a_case_leaves_keeps_its_corpus(folders: list[Path], tmp_path: Path) -> None:
    write_corpus(tmp_path / "plain", replace(toy_contents(), vectors=None, embedding="none"))
    opened = OpenCorpora(1)
    corpus = opened.get(tmp_path / "plain")
    list(Case(corpus, "Who sets the harbour fees?", preset("quick")).run())
    external_resolver(corpus)
    held = ref(corpus)
    del corpus
    opened.get(folders[1])
    gc.collect()
    assert held() is None, [type(one) for one in gc.get_referrers(held())]


def test_an_open_corpus_holds_no_descriptor(folders: list[Path]) -> None:
    # What tests before left to be collected would close its files meanwhile.
    gc.collect()
    opened, before = OpenCorpora(1 << 30), len(os.listdir("/proc/self/fd"))
    for folder in folders:
        opened.get(folder).passages(np.zeros(1, np.int32))
    assert len(os.listdir("/proc/self/fd")) <= before


OPENING = """
import resource, sys
from pathlib import Path
from engine.corpus import open_corpus
from engine.errors import RedstringError
folder, files = Path(sys.argv[1]), []
open_corpus(folder)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        files.append(open("/dev/null"))
except OSError:
    pass
try:
    open_corpus(folder)
except RedstringError as error:
    print(type(error).__name__, error)
files.clear()
print(len(open_corpus(folder)))
"""


def test_without_a_descriptor_an_intact_corpus_is_not_called_damaged(folders: list[Path]) -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 64
    told = subprocess.run(
        [sys.executable, "-c", OPENING, str(folders[0])], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert told[0].startswith("ResourceError cannot read manifest.json")
    assert "too many files open" in told[0]
    assert "ulimit -n" in told[0]
    assert told[1] == "8"

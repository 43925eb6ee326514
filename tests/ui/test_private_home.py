"""The home folder and all that is made in it belong to the server's account alone, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from pydantic import BaseModel

from engine.access.audit_log import audit_log
from engine.access.users import server_secret
from engine.cli.main import main
from engine.files import make_private_folder
from engine.llm.cost import AnswerCache
from engine.operator_settings import OperatorSettings
from engine.records.store.store import CaseStore
from tests.engine.harbour import write_harbour
from ui.corpus.ingestion import store_report
from ui.sample import sample_folder
from ui.serve import ServerFolder
from ui.server.uploads import UploadQuotas, UploadStore


class Model(BaseModel):
    name: str


OPEN = stat.S_IRWXG | stat.S_IRWXO


def add_user(home: Path) -> None:
    assert main(["users", "add", "ann", "--password", "-"]) == 0


def keep_log(home: Path) -> None:
    with audit_log(OperatorSettings(home=home, audit="on")):
        pass


def keep_cases(home: Path) -> None:
    CaseStore(f"sqlite:///{home / 'cases.sqlite'}").close()


def serve_work(home: Path) -> None:
    with closing(ServerFolder(home / "work")):
        pass


def report(home: Path) -> None:
    store_report(home / "visitors" / "a" / "corpus", {"documents": 1})


def keep_answer(home: Path) -> None:
    cache = AnswerCache(home / "answers")
    cache.put("a" * 64, Model(name="x"))
    assert not cache.trouble


def upload(home: Path) -> None:
    store = UploadStore(home / "uploads", UploadQuotas(10**6, 10**6))
    store.begin("127.0.0.1")


def ingest(home: Path) -> None:
    sources = write_harbour(home.parents[1] / "sources", ontology=False)
    folder = home / "corpora" / "harbour"
    assert main(["ingest", str(sources), "--corpus", str(folder), "--embedding", "none"]) == 0


MAKERS: tuple[Callable[[Path], object], ...] = (
    *(add_user, keep_log, keep_cases, keep_answer, upload, serve_work, report, ingest),
    *(server_secret, sample_folder),
    lambda home: main(["cases", "list"]),
    lambda home: main(["forget", "--person", "ann"]),
    lambda home: make_private_folder(home / "a" / "b" / "c"),
)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_nobody_else_can_open_anything_in_a_home_that_was_made(
    umask: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, make in enumerate(MAKERS):
        home = tmp_path / str(number) / "made" / "home"
        home.parent.parent.mkdir()
        home.parent.parent.chmod(stat.S_IRWXU)
        monkeypatch.setenv("REDSTRING_HOME", str(home))
        monkeypatch.setattr("sys.stdin", StringIO("a long enough password\n"))
        make(home)
        made = [home.parent, home, *home.rglob("*")]
        assert home.is_dir(), make
        assert [path for path in made if path.is_dir() and path.stat().st_mode & 0o777 != 0o700] == [], make
        assert [path for path in made if path.is_file() and path.stat().st_mode & OPEN] == [], make


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o750)
    (tmp_path / "there").chmod(0o750)
    make_private_folder(tmp_path / "there" / "new")
    make_private_folder(tmp_path / "there" / "new")
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "there" / "new").stat().st_mode & 0o777 == 0o700

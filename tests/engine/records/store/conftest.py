"""A store on SQLite and on a real PostgreSQL server: what holds for the one holds for the other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import psycopg
import pytest

from engine.corpus.protocol import Corpus
from engine.records.store.store import CaseStore
from tests.engine.corpus.postgresql.conftest import database, server
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished, record_of

__all__ = ["database", "server"]


@pytest.fixture(scope="session")
def record(bare: Corpus) -> dict[str, Any]:
    return record_of(finished(bare, QUESTION))


@pytest.fixture(scope="session")
def small(record: dict[str, Any]) -> dict[str, Any]:
    """The same with few passages and no hops, to be kept often."""
    nodes = record["pool"]["nodes"][:4]
    few = {node["id"] for node in nodes}
    passages = [one for one in record["passages"] if one["id"] in few]
    return {**record, "passages": passages, "pool": {**record["pool"], "nodes": nodes, "edges": []}}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables and without a case, to be copied."""
    path = tmp_path_factory.mktemp("made") / "cases.sqlite"
    CaseStore(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def template(database: str) -> str:
    """The same as a database of the server, by its name."""
    CaseStore(created(database, "made")).close()
    return "made"


def created(kept: str, name: str, more: str = "") -> str:
    """The address of a database of the server that there was not."""
    with psycopg.connect(kept, autocommit=True) as connection:
        connection.execute(f"create database {name} {more}")
    whole, _, parameters = kept.partition("?")
    return f"{whole.rsplit('/', 1)[0]}/{name}" + (f"?{parameters}" if parameters else "")


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kept' / 'cases.sqlite'}"
    return created(request.getfixturevalue("database"), f"cases_{token_hex(4)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there are no cases yet, but their tables are."""
    if request.param == "sqlite":
        path = tmp_path / "kept" / "cases.sqlite"
        path.parent.mkdir(mode=0o700)
        shutil.copy(request.getfixturevalue("made"), path)
        return f"sqlite:///{path}"
    of = f"template {request.getfixturevalue('template')}"
    return created(request.getfixturevalue("database"), f"cases_{token_hex(4)}", of)


@pytest.fixture
def store(address: str) -> Iterator[CaseStore]:
    found = CaseStore(address)
    yield found
    found.close()

"""A second address whose server is asked in the place of the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import psycopg
import pytest

from engine.corpus import address_of, open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.grades import grades_of, set_grade
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.server import Server
from engine.corpus.toy import toy_contents
from engine.errors import ResourceError
from engine.model import Grade

ROWS = np.array([3, 1], np.int32)


@pytest.fixture
def place(database: str, tmp_path: Path) -> str:
    write_corpus(tmp_path / "toy", toy_contents())
    copy_to_server(tmp_path / "toy", address_of(f"{database}&corpus=twofold"))
    return f"{database}&corpus=twofold"


def asked_as(database: str, role: str) -> str:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"drop role if exists {role}".encode())
        connection.execute(f"create role {role} login".encode())
        connection.execute(f"grant pg_read_all_data to {role}".encode())
    return quote(database.replace("postgres@", f"{role}@"), safe="")


def connections(database: str, role: str) -> int:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "select count(*) from pg_stat_activity where usename = %s and query like %s", (role, "%passages%")
        ).fetchone()
    assert found is not None
    return int(found[0])


def test_reads_go_to_the_replica_and_writes_to_the_server(place: str, database: str) -> None:
    corpus = open_corpus(f"{place}&replica={asked_as(database, 'replica')}")
    assert corpus.passages(ROWS) == open_corpus(place).passages(ROWS)
    assert connections(database, "replica") == 1
    # Whoever reads there may write nothing: what people say is kept by the server itself, and read from it.
    set_grade(corpus, "document", "code", Grade.C)
    assert grades_of(corpus).of(corpus.documents()[0]) is Grade.C


def test_a_replica_that_is_away_is_not_waited_for_again(
    place: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = quote("postgresql://replica@127.0.0.1:1/db?connect_timeout=1", safe="")
    asked = list[str]()
    read = Server.read

    def counted(server: Server, statement: str, parameters: dict[str, Any]) -> Any:
        asked.append(server._url.partition("?")[0].rpartition("/")[2])  # noqa: SLF001  (which server it is)
        return read(server, statement, parameters)

    monkeypatch.setattr(Server, "read", counted)
    corpus = open_corpus(f"{place}&replica={away}")
    assert corpus.passages(ROWS) == open_corpus(place).passages(ROWS)
    assert asked.count("db") == 1


def test_a_replica_that_has_not_got_the_corpus_yet(place: str, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("create database behind")
    behind = database.replace("/postgres?", "/behind?")
    corpus = open_corpus(f"{place}&replica={quote(behind, safe='')}")
    assert corpus.passages(ROWS) == open_corpus(place).passages(ROWS)


def test_without_the_server_itself_nothing_is_opened(place: str, database: str) -> None:
    away = "postgresql://postgres@127.0.0.1:1/db?connect_timeout=1&corpus=twofold"
    with pytest.raises(ResourceError, match="does not answer"):
        open_corpus(f"{away}&replica={asked_as(database, 'other')}")

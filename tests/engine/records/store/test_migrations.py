"""Databases of earlier versions, with real cases in them, are brought up to date and lose nothing."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import MetaData, create_engine, insert, select, text

from engine.errors import InputError
from engine.records.store import EVERYBODY
from engine.records.store.database import CaseFilter
from engine.records.store.opening import SCHEMA, VERSION
from engine.records.store.store import CaseStore
from tests.engine.records.former import former_database


@pytest.fixture
def former(empty: str, tmp_path: Path) -> str:
    """An address at which the database of version 0001 lies."""
    old = former_database(tmp_path)
    if empty.startswith("sqlite:"):
        path = Path(empty.removeprefix("sqlite:///"))
        path.parent.mkdir(parents=True)
        old.rename(path)
        return empty
    options = {"options": f"-c search_path={SCHEMA}"}
    server = create_engine(empty.replace("postgresql:", "postgresql+psycopg:"), connect_args=options)
    file = create_engine(f"sqlite:///{old}")
    with server.begin() as there, file.connect() as here:
        there.execute(text(f"create schema {SCHEMA}"))
        kept = MetaData()
        kept.reflect(here)
        for table in kept.sorted_tables:
            for column in table.c:
                column.type = column.type.as_generic()
        kept.create_all(there)
        for table in kept.sorted_tables:
            rows = [dict(row) for row in here.execute(select(table)).mappings()]
            if rows:
                there.execute(insert(table), rows)
        # Numbers were given by hand: the server goes on behind them.
        there.execute(text("select setval('cases_number_seq', (select max(number) from cases))"))
    for engine in (server, file):
        engine.dispose()
    return empty


def states(tmp_path: Path) -> dict[str, list[bytes]]:
    """The records of each case of the former database, as they were written."""
    folder = tmp_path / "again"
    folder.mkdir()
    with sqlite3.connect(former_database(folder)) as connection:
        rows = connection.execute(
            "select id, record from cases join states on case_number = cases.number order by states.number"
        ).fetchall()
    connection.close()
    found: dict[str, list[bytes]] = {}
    for name, record in rows:
        found.setdefault(name, []).append(zlib.decompress(record))
    return found


def test_all_cases_are_there_and_sound(former: str, tmp_path: Path) -> None:
    before = states(tmp_path)
    store = CaseStore(former)
    listed = store.listed(CaseFilter(), None, EVERYBODY)
    assert {one.id for one in listed.cases} == set(before)
    assert len(before) == 3
    for one in listed.cases:
        assert store.verify(one.id, EVERYBODY) == []
        record = store.record(one.id, EVERYBODY)
        assert record["format"] == 1
        assert record == orjson.loads(before[one.id][-1])
        handed = store.handed(one.id, EVERYBODY)
        assert {*handed.case.earlier.values()} <= {*before[one.id]}
    store.close()


def test_they_are_gone_on_with(former: str, record: dict[str, Any]) -> None:
    store = CaseStore(former)
    (one,) = (one for one in store.listed(CaseFilter(), None, EVERYBODY).cases if one.name == "Haftung")
    owner = "a" * 32
    assert one.verdict == "supported"
    kinds = [event.kind for event in store.events(one.id, owner)]
    assert kinds == ["opened", "ran", "pin", "dismiss", "undone", "judged", "described"]
    store.undo(one.id, who="Ann", owner=owner)
    with pytest.raises(InputError, match="no step to undo"):
        store.undo(one.id, who="Ann", owner=owner)
    store.step(one.id, "pin", who="Ann", owner=owner, record=record)
    store.share(one.id, who="Ann", owner=owner)
    assert store.shared(one.id).record == record
    store.unjudge(one.id, who="Ann", owner=owner)
    assert store.summary(one.id, owner).verdict is None
    assert store.verify(one.id, owner) == []
    new = store.keep(record, store.matter("Agency"), application="cli", who="Ann")
    assert store.verify(new) == []
    assert len(store.listed(CaseFilter(), store.matter("Agency")).cases) == 3
    store.close()


def test_brought_up_to_date_once(former: str) -> None:
    for _ in range(2):
        CaseStore(former).close()
    engine = create_engine(former.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"set search_path to {SCHEMA}"))
        assert connection.execute(text("select version_num from alembic_version")).scalar() == VERSION
        hits = connection.execute(text("select count(*) from hits")).scalar()
        kinds = connection.execute(text("select distinct cast(kinds as varchar) from rounds")).scalars()
        assert (hits, list(kinds)) == (0, ["[]"])
    engine.dispose()


def test_a_migration_that_is_stopped_leaves_the_former_version(tmp_path: Path) -> None:
    path = former_database(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("create table by_verdict (number integer)")
    connection.close()
    with pytest.raises(InputError, match="by_verdict already exists"):
        CaseStore(f"sqlite:///{path}")
    with sqlite3.connect(path) as connection:
        assert connection.execute("select version_num from alembic_version").fetchone() == ("0001",)
        columns = {row[1] for row in connection.execute("pragma table_info(rounds)")}
        assert "kinds" not in columns
        connection.execute("drop table by_verdict")
    connection.close()
    store = CaseStore(f"sqlite:///{path}")
    assert len(store.listed(CaseFilter(), None, EVERYBODY).cases) == 3
    store.close()

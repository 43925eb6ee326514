"""A database of an earlier version gets the tables that it lacks, and loses nothing."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import create_engine, text

from engine.errors import InputError
from engine.records.store.opening import SCHEMA, VERSION, WEIGHTS
from engine.records.store.store import CaseStore


def changed(address: str, *statements: str) -> str | None:
    """Run statements on a database, and return the version that it names then."""
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"set search_path to {SCHEMA}"))
        for statement in statements:
            connection.execute(text(statement))
        found: str | None = connection.execute(text("select version_num from alembic_version")).scalar()
    engine.dispose()
    return found


def test_missing_tables_are_added_and_cases_stay(address: str, small: dict[str, Any]) -> None:
    with_case = CaseStore(address)
    case_id = with_case.keep(small, with_case.matter("Agency"), application="cli", who="Ann")
    with_case.close()
    changed(address, f"drop table {WEIGHTS.name}", "update alembic_version set version_num = '0004'")
    for _ in range(2):
        store = CaseStore(address)
        assert store.record(case_id) == small
        assert store.verify(case_id) == []
        store.close()
    assert changed(address, f"select * from {WEIGHTS.name}") == VERSION


def test_versions_that_were_never_released_are_refused_and_unchanged(address: str) -> None:
    changed(address, "update alembic_version set version_num = '0001'")
    with pytest.raises(InputError, match="alembic_version: 0001"):
        CaseStore(address)
    assert changed(address) == "0001"

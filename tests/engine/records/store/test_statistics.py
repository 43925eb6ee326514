"""The views in the database say what the program says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, text

from engine.records.store import EVERYBODY, Owner
from engine.records.store.opening import SCHEMA
from engine.records.store.store import CaseStore
from engine.records.store.tables import AVERAGED

CASES = (
    *(("Harbour", "", "01", 0.2, "supported"), ("Harbour", "", "01", 0.6, None)),
    *(("Taxes", "ann", "01", None, "supported"), ("Taxes", "ann", "02", 0.9, "refuted")),
    ("Taxes", "ben", "03", 0.1, None),
)


@pytest.fixture
def filled(store: CaseStore, small: dict[str, Any]) -> CaseStore:
    for number, (matter, owner, day, coverage, verdict) in enumerate(CASES):
        metrics = {**small["metrics"], "coverage": coverage, "similarity": number / 7}
        said = {**small, "metrics": metrics, "started": f"2026-03-{day}T10:00:00+00:00"}
        case_id = store.keep(said, store.matter(matter, owner), application="page", who="Ann")
        if verdict:
            store.judge(case_id, verdict, who="Ann", owner=owner)
    return store


@pytest.fixture
def connection(filled: CaseStore, address: str) -> Iterator[Connection]:
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as found:
        if engine.dialect.name == "postgresql":
            found.execute(text(f"set search_path to {SCHEMA}"))
        yield found
    engine.dispose()


def rows(connection: Connection, wanted: str, **values: Any) -> list[dict[str, Any]]:
    found = connection.execute(text(wanted), values).mappings()
    return [
        {name: float(one) if name in AVERAGED and one is not None else one for name, one in row.items()}
        for row in found
    ]


def test_low_coverage(filled: CaseStore, connection: Connection) -> None:
    found = rows(connection, "select * from low_coverage order by coverage_score, id")
    assert [one["id"] for one in found] == [one.id for one in filled.low_coverage(owner=EVERYBODY)]
    assert [(one["owner"], one["matter"], one["coverage_score"]) for one in found] == [
        ("ben", "Taxes", 0.1), ("", "Harbour", 0.2), ("", "Harbour", 0.6),
    ]  # fmt: skip
    assert len(filled.low_coverage(owner=EVERYBODY, limit=2)) == 2


@pytest.mark.parametrize(("name", "column"), [("by_verdict", "verdict"), ("over_time", "day")])
def test_means(filled: CaseStore, connection: Connection, name: str, column: str) -> None:
    order = f"order by {column} is null, {column}"
    ask = getattr(filled, name)

    def said(matter: Any, owner: Owner) -> list[dict[str, Any]]:
        return sorted(ask(matter, owner), key=lambda row: (row[column] is None, row[column] or ""))

    found = rows(connection, f"select * from {name} {order}")
    assert found == as_approximate(said(None, EVERYBODY))
    for matter in filled.matters(EVERYBODY):
        mine = rows(
            connection,
            f"select * from matter_{name} where owner = :owner and matter = :matter {order}",
            owner=matter.owner,
            matter=matter.name,
        )
        for row in mine:
            del row["owner"], row["matter"]
        assert mine == as_approximate(said(matter, matter.owner))


def as_approximate(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: pytest.approx(one) if type(one) is float else one for name, one in row.items()}
        for row in found
    ]

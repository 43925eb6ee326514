"""Figures over many cases. Ready views in the database say the same to whoever asks in SQL: ``low_coverage``,
``by_verdict``, ``over_time``, and per matter ``matter_by_verdict`` and ``matter_over_time``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, func, select

from engine.records.store import Owner
from engine.records.store.listing import AVERAGED, COLUMNS, Matter, Wanted, matching
from engine.records.store.tables import CASES

# A case whose coverage is below is one of low coverage, unless somebody says otherwise.
LOW = 0.7
# The day on which a case was asked.
DAY = func.substr(CASES.c.started, 1, len("2026-01-31"))


def least_covered(below: float, matter: Matter | None, owner: Owner, limit: int | None) -> Select[Any]:
    """Cases of which less is covered, the least first."""
    found = matching(select(*COLUMNS), Wanted(coverage_below=below), matter, owner)
    return found.order_by(CASES.c.coverage_score, CASES.c.id).limit(limit)


def averages(by: ColumnElement[Any], name: str, matter: Matter | None, owner: Owner) -> Select[Any]:
    """For each value of ``by``, which is called ``name``, how many cases have it, and their means."""
    column = by.label(name)
    means = [func.avg(CASES.c[figure]).label(figure) for figure in AVERAGED]
    found = select(column, func.count().label("cases"), *means)
    return matching(found, Wanted(), matter, owner).group_by(column).order_by(column)


def as_plain(rows: Iterable[RowMapping]) -> list[dict[str, Any]]:
    """Rows of ``averages`` with means that are numbers in every database."""
    return [
        {key: float(value) if key in AVERAGED and value is not None else value for key, value in row.items()}
        for row in rows
    ]

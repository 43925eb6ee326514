"""What is deleted: cases by id, matters, all of a person's, and what nobody looked at for long."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, delete, or_, select

from engine.records.store import Owner
from engine.records.store.database import CaseDatabase
from engine.records.store.listing import Matter, matters_of
from engine.records.store.sealing import in_utc
from engine.records.store.tables import CASES, MATTERS

# Whoever sits at the machine owns the matters of this owner.
MACHINE = ""
# Milliseconds that readers are waited for before the log of what was written is left for later.
_PATIENCE = 2000


class CaseDeletion(CaseDatabase):
    """Deletes cases. In SQLite their bytes are overwritten; PostgreSQL does so when it next clears up."""

    def delete(self, case_ids: Iterable[str], owner: Owner = "") -> int:
        """Delete cases with all that belongs to them; returns how many there were. In SQLite their bytes are
        overwritten."""
        with self._writing() as connection:
            count = _delete_cases(connection, case_ids, owner)
        clear_log(self._engine)
        return count

    def delete_matter(self, matter: Matter) -> list[str]:
        """Delete a matter with all its cases; returns their ids."""
        with self._writing() as connection:
            gone = _delete_matters(connection, MATTERS.c.id == matter.id)
        clear_log(self._engine)
        return gone

    def delete_owner(self, owner: str) -> list[str]:
        """Delete all matters of somebody with their cases; returns the ids of the cases."""
        with self._writing() as connection:
            gone = _delete_matters(connection, MATTERS.c.owner == owner)
        clear_log(self._engine)
        return gone

    def idle(self, days: float, *, of_machine: bool = False) -> list[dict[str, str]]:
        """The cases of visitors, or the machine's, that nobody has opened or changed for so many days: id,
        owner, matter, changed."""
        return [dict(row) for row in self._read(_idle_cases(days, of_machine=of_machine))]

    def delete_idle(self, days: float, *, of_machine: bool = False) -> list[str]:
        """Delete them; returns their ids. Matters of visitors that are as old and empty go, too."""
        with self._writing() as connection:
            gone = _delete_idle(connection, days, of_machine=of_machine)
        clear_log(self._engine)
        return gone


def _delete_cases(connection: Connection, case_ids: Iterable[str], owner: Owner) -> int:
    """Delete cases of somebody; returns how many there were."""
    wanted = delete(CASES).where(CASES.c.id.in_(list(case_ids)), CASES.c.matter.in_(matters_of(owner)))
    return int(connection.execute(wanted).rowcount)


def _delete_matters(connection: Connection, which: ColumnElement[bool]) -> list[str]:
    """Delete matters with their cases; returns the ids of the cases."""
    matters = select(MATTERS.c.id).where(which)
    gone = connection.execute(delete(CASES).where(CASES.c.matter.in_(matters)).returning(CASES.c.id))
    ids = list(gone.scalars())
    connection.execute(delete(MATTERS).where(which))
    return ids


def _idle(days: float, *, of_machine: bool) -> ColumnElement[bool]:
    """The cases that nobody has opened or changed for so many days: those of visitors, or the machine's."""
    before = _before(days)
    unseen = or_(CASES.c.opened.is_(None), CASES.c.opened < before)
    return and_(CASES.c.matter.in_(_matters(of_machine)), CASES.c.changed < before, unseen)


def _idle_cases(days: float, *, of_machine: bool) -> Select[Any]:
    """Their ids with the owner, the name of the matter and when they were changed, the oldest first."""
    columns = (CASES.c.id, MATTERS.c.owner, MATTERS.c.name.label("matter"), CASES.c.changed)
    joined = select(*columns).join(MATTERS, MATTERS.c.id == CASES.c.matter)
    return joined.where(_idle(days, of_machine=of_machine)).order_by(CASES.c.changed, CASES.c.id)


def _delete_idle(connection: Connection, days: float, *, of_machine: bool) -> list[str]:
    """Delete them, and visitors' matters of that age that have none left; returns the cases' ids."""
    wanted = delete(CASES).where(_idle(days, of_machine=of_machine)).returning(CASES.c.id)
    ids = list(connection.execute(wanted).scalars())
    if not of_machine:
        left = MATTERS.c.id.not_in(select(CASES.c.matter))
        old = MATTERS.c.created < _before(days)
        connection.execute(delete(MATTERS).where(MATTERS.c.owner != MACHINE, old, left))
    return ids


def clear_log(engine: Engine) -> None:
    """Empty the log of an SQLite file, which holds pages as they were before; where somebody reads for long,
    it is emptied by whoever closes the file last."""
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        (patience,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout={_PATIENCE}")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        cursor.execute(f"PRAGMA busy_timeout={patience}")
        cursor.close()
    finally:
        connection.close()


def _matters(of_machine: bool) -> Select[Any]:
    own = MATTERS.c.owner == MACHINE
    return select(MATTERS.c.id).where(own if of_machine else ~own)


def _before(days: float) -> str:
    return in_utc(datetime.now(UTC) - timedelta(days=days))

"""Databases are opened, brought up to date, or refused in a sentence."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.schema import SchemaItem

from engine.errors import InputError, ResourceError, SettingsError
from engine.records.store.opening import ASSESSMENTS, open_database
from engine.records.store.store import CaseStore
from engine.records.store.tables import METADATA


def test_migrations_make_the_tables_that_the_program_uses(empty: str) -> None:
    engine = open_database(empty)

    def is_compared(thing: SchemaItem, name: str | None, *_: object) -> bool:
        # On a server a trigger does what these do.
        by_trigger = name in {"fk_hops_case_number", "fk_hits_case_number"}
        return engine.dialect.name == "sqlite" or not by_trigger

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": is_compared})
        assert compare_metadata(context, METADATA) == []
    assert ASSESSMENTS.metadata is METADATA
    engine.dispose()


def test_opened_again_nothing_is_made_anew(empty: str) -> None:
    for _ in range(2):
        open_database(empty).dispose()


def test_nobody_else_on_the_computer_reads_it(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path / 'own' / 'cases.sqlite'}").dispose()
    for path in (tmp_path / "own", tmp_path / "own" / "cases.sqlite"):
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def test_what_is_written_after_another_program_has_looked_is_kept(tmp_path: Path) -> None:
    """A server opens its file several times; whoever opens and closes it meanwhile takes nothing away."""
    path = tmp_path / "cases.sqlite"
    look = (
        f"import sqlite3; c = sqlite3.connect({str(path)!r}); "
        "print(c.execute('select name from matters').fetchall()); c.close()"
    )

    def seen() -> str:
        return subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout

    with closing(CaseStore(f"sqlite:///{path}")) as store, closing(CaseStore(f"sqlite:///{path}")):
        store.matter("One")
        assert "One" in seen()
        store.matter("Two")
        assert "Two" in seen()


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://h/d", "sqlite://", "/var/cases", "http://h/d"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"sqlite:///FILE or postgresql://HOST/DATABASE"):
        open_database(url)


def test_another_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("These are my notes. " * 100)
    with pytest.raises(InputError, match="not a database of cases"):
        open_database(f"sqlite:///{tmp_path / 'notes.txt'}")
    assert (tmp_path / "notes.txt").read_text() == "These are my notes. " * 100


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    open_database(f"sqlite:///{path}").dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()
    with pytest.raises(InputError, match="later version of Redstring"):
        open_database(f"sqlite:///{path}")


def test_a_server_that_does_not_answer_is_told_without_the_password() -> None:
    with pytest.raises(ResourceError) as told:
        open_database("postgresql://ann:secret@127.0.0.1:1/cases")
    assert "secret" not in str(told.value)
    assert "127.0.0.1" in str(told.value)

"""Where cases are kept: an SQLite file or a PostgreSQL database, whose tables are brought up to date."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from engine.errors import InputError, RedstringError, ResourceError, SettingsError

MIGRATIONS = Path(__file__).parent / "migrations"
# The version that this program reads and writes: the last of ``migrations/versions``.
VERSION = "0005"
# Where the tables are on a server, apart from those of corpora and of others.
SCHEMA = "redstring_cases"
# Seconds for which one writer waits for another, or for a server.
PATIENCE = 30
# The option of a connection by which nothing is written.
READS = "redstring_reads"
_LOCK = 7_318_022_501
_SERVERS = ("postgresql", "postgresql+psycopg")


def opened(url: str) -> Engine:
    """The database of an address (``sqlite:///FILE`` or ``postgresql://HOST/DATABASE``), its tables as this
    program has them.

    Raises SettingsError for what is no such address, InputError for a database that a later version has
    written or that is none, ResourceError where it cannot be reached or written.
    """
    address = _address(url)
    engine = _engine(address)
    try:
        _bring_up_to_date(engine, address)
    except SQLAlchemyError as error:
        engine.dispose()
        raise told(error, address) from None
    return engine


def told(error: Exception, address: URL) -> RedstringError:
    """What to raise for an error of the database; neither a password nor what was to be written is in it."""
    original = getattr(error, "orig", None) or error
    words = str(original).strip().splitlines()[0] if str(original).strip() else type(original).__name__
    where = address.render_as_string(hide_password=True)
    if "not a database" in words or "malformed" in words:
        return InputError(f"{where}: this is no database of cases, or a damaged one ({words})")
    return ResourceError(f"{where}: cases cannot be read or kept ({words}); what was kept is not touched")


def _address(url: str) -> URL:
    wanted = "where cases are kept is sqlite:///FILE or postgresql://HOST/DATABASE"
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise SettingsError(f"cases: this is no address of a database; {wanted}") from None
    if address.drivername in _SERVERS:
        return address.set(drivername="postgresql+psycopg")
    if address.drivername != "sqlite" or not address.database:
        raise SettingsError(f"cases: {address.drivername} is not known here; {wanted}")
    return address


def _engine(address: URL) -> Engine:
    if address.drivername != "sqlite":
        options = f"-c search_path={SCHEMA} -c statement_timeout={PATIENCE * 1000} -c jit=off"
        try:
            return create_engine(
                address,
                hide_parameters=True,
                pool_pre_ping=True,
                connect_args={"connect_timeout": PATIENCE, "options": options},
            )
        except (ArgumentError, NoSuchModuleError) as error:
            raise told(error, address) from None
    path = Path(str(address.database))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What people ask is nobody else's on this computer. A file that is there is not opened here: to close
        # it would end the locks of all connections that this program has to it (fcntl(2)), and another
        # program would take away the log that they write to.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise ResourceError(f"{path}: cases cannot be kept there: {error.strerror}") from error
    engine = create_engine(address, hide_parameters=True, connect_args={"timeout": PATIENCE})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    """Who will write waits for other writers now, not in the middle."""
    reads = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _prepare(connection: Any, _: object) -> None:
    """Transactions are begun here, not by the driver; readers do not wait for writers; what is deleted is
    overwritten."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _bring_up_to_date(engine: Engine, address: URL) -> None:
    if _version(engine) == VERSION:
        return
    # It takes a while to load, and is needed once in the life of a database.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            # One program at a time; on SQLite the transaction itself sees to that.
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            connection.execute(text(f"create schema if not exists {SCHEMA}"))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            where = address.render_as_string(hide_password=True)
            raise InputError(
                f"{where}: these cases were kept by a later version of Redstring; use that one ({error})"
            ) from error


def _version(engine: Engine) -> str | None:
    """The version of the tables that are there, None where there are none."""
    with engine.connect().execution_options(**{READS: True}) as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.execute(text("select version_num from alembic_version")).scalar()
        return found

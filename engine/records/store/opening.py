"""Opening a store: connections, the tables of reviews, and migrations."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from engine.errors import InputError, RedstringError, ResourceError, SettingsError
from engine.files import make_private_folder
from engine.records.store.tables import (
    ID,
    METADATA,
    TIME,
    create_views,
    replace_keys_by_trigger,
    stored_table,
)

# The tables of reviews: criteria, queues with their items, leases, assessments, learned weights. Assessments
# are append-only, except for ``stands`` and ``settles``. Assessments are deleted with their case; queues,
# criteria and weights with their matter.

# The name of a reviewer.
REVIEWER = String(200)
KIND = String(20)
VERDICT = String(20)


def _matter() -> Column[str]:
    return Column("matter", ID, ForeignKey("matters.id", ondelete="CASCADE"), nullable=False)


def _case() -> Column[int]:
    return Column("case_number", Integer, ForeignKey("cases.number", ondelete="CASCADE"), nullable=False)


CRITERIA = stored_table(
    "criteria",
    Column("matter", ID, ForeignKey("matters.id", ondelete="CASCADE"), primary_key=True),
    # From 1.
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("at", TIME, nullable=False),
)

QUEUES = stored_table(
    "queues",
    Column("id", ID, primary_key=True),
    _matter(),
    Column("name", String(200), nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("created", TIME, nullable=False),
    # How it was sampled, and who may review it.
    Column("settings", JSON, nullable=False),
    Index(None, "matter"),
)

QUEUE_ITEMS = stored_table(
    "queue_items",
    Column("queue", ID, ForeignKey("queues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _case(),
    # Its key within its case.
    Column("key", Text, nullable=False),
    Column("kind", KIND, nullable=False),
    # As a reviewer sees it.
    Column("item", JSON, nullable=False),
    # The stratum it was drawn from, and the probability.
    Column("stratum", String(40), nullable=False),
    Column("chance", Float, nullable=False),
    # Items are reviewed in ascending order.
    Column("place", Float, nullable=False),
    # Names of reviewers, each between newlines; empty for any reviewer.
    Column("assigned", Text, nullable=False),
    # Number of reviewers planned, wanted after disagreements, and done.
    Column("overlap", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Index(None, "case_number", "key"),
)

LEASES = stored_table(
    "leases",
    Column("queue", ID, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", REVIEWER, primary_key=True),
    # A tab or a program of the reviewer.
    Column("session", String(64), nullable=False),
    Column("until", TIME, nullable=False),
    ForeignKeyConstraint(
        ["queue", "number"], ["queue_items.queue", "queue_items.number"], ondelete="CASCADE"
    ),
)

ASSESSMENTS = stored_table(
    "assessments",
    Column("number", Integer, primary_key=True),
    _case(),
    Column("key", Text, nullable=False),
    Column("kind", KIND, nullable=False),
    Column("item", JSON, nullable=False),
    Column("queue", ID),
    Column("verdict", VERDICT, nullable=False),
    Column("reason", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reviewer", REVIEWER, nullable=False),
    Column("source", String(10), nullable=False),
    Column("at", TIME, nullable=False),
    # Digest of the judged text, state of the corpus, version that made the case.
    Column("sha256", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("engine", String(40), nullable=False),
    Column("criteria", Integer, nullable=False),
    Column("seconds", Float),
    # The number of the assessment that this one withdraws.
    Column("withdraws", Integer),
    # Whether it resolves a disagreement.
    Column("settles", Boolean, nullable=False),
    # Whether it is the reviewer's latest on the item and not a withdrawal.
    Column("stands", Boolean, key="is_current", nullable=False),
    Index(None, "case_number", "key", "reviewer"),
)

# Weights learned in a matter, and which of them are in use: a log of acts, like the journal next to a corpus.
WEIGHTS = stored_table(
    "weights",
    Column("number", Integer, primary_key=True),
    _matter(),
    # The name of the corpus.
    Column("corpus", String(200), nullable=False),
    # Kept, adopted or shipped; at most one of the last two for each corpus.
    Column("act", String(10), nullable=False),
    Column("id", ID, nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("at", TIME, nullable=False),
    # Figures to show, and the packed weights.
    Column("figures", JSON, nullable=False),
    Column("learned", LargeBinary),
    Index(None, "matter"),
)
# All tables of a store by name, including those of cases.
TABLES = METADATA.tables


# Opening an SQLite file or a PostgreSQL database, and bringing its tables up to date.

# The schema version that this program reads and writes, in the table ``alembic_version``, and earlier ones.
# These lack only tables; still earlier ones were never released.
VERSION, FORMER = "0005", ("0003", "0004")
# The PostgreSQL schema, separate from those of corpora.
SCHEMA = "redstring_cases"
# Timeout of a writer that waits for another, and of a connection to a server, s.
PATIENCE = 30
# The execution option of a read-only connection.
READS = "redstring_reads"
_LOCK = 7_318_022_501
# Fragments of database errors that mean damage, or contents of another program.
_DAMAGED = (
    "not a database",
    "malformed",
    "no such table",
    "no such column",
    "does not exist",
    "decode to UTF-8",
)
# SQLite errors if the files next to the database (shared memory, log) cannot be written.
_UNWRITABLE = ("SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_READONLY")
_READ_ONLY = "redstring_only_read"
RESTORE = "restore a copy from a backup (docs/cases.md)"
_SERVERS = ("postgresql", "postgresql+psycopg")


def open_database(url: str) -> Engine:
    """Open the database of a URL (``sqlite:///FILE`` or ``postgresql://HOST/DATABASE``) and update its
    tables.

    Raises SettingsError for an invalid URL, InputError for a database of a later version or of another
    program, ResourceError if it cannot be reached or written.
    """
    address = _address(url)
    engine = _engine(address)
    try:
        _bring_up_to_date(engine, address)
    except SQLAlchemyError as error:
        engine.dispose()
        raise readable_error(error, address) from None
    except RedstringError:
        engine.dispose()
        raise
    return engine


def readable_error(error: Exception, address: URL) -> RedstringError:
    """Return the error to raise for a database error, without passwords or values."""
    words, where = error_line(error), address.render_as_string(hide_password=True)
    if any(one in words for one in _DAMAGED):
        return InputError(f"{where}: not a database of cases, or damaged ({words}): {RESTORE}")
    return ResourceError(f"{where}: cases cannot be read or written ({words}); stored cases are unchanged")


def error_line(error: Exception) -> str:
    """Return a database error as one line, without the contents of damaged columns."""
    original = getattr(error, "orig", None) or error
    lines = str(original).strip().splitlines() or [type(original).__name__]
    return lines[0].partition(" with text ")[0]


def _address(url: str) -> URL:
    expected = "use sqlite:///FILE or postgresql://HOST/DATABASE"
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise SettingsError(f"cases: not the URL of a database; {expected}") from None
    if address.drivername in _SERVERS:
        return address.set(drivername="postgresql+psycopg")
    if address.drivername != "sqlite" or not address.database:
        raise SettingsError(f"cases: {address.drivername} is not supported; {expected}")
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
            raise readable_error(error, address) from None
    path = Path(str(address.database))
    try:
        make_private_folder(path.parent)
        # Only the owner may read cases. An existing file is not opened here: closing it would release the
        # locks of all connections of this process (fcntl(2)), and another program would remove the log in
        # use.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise ResourceError(f"{path}: cannot store cases there: {error.strerror}") from error
    engine = create_engine(
        address, hide_parameters=True, connect_args={"timeout": PATIENCE}, json_deserializer=_parse_json
    )
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "checkin", _discard_read_only)
    event.listen(engine, "begin", _begin)
    return engine


def _parse_json(stored: Any) -> Any:
    """Parse a JSON column; invalid JSON gives an object that matches no column type."""
    try:
        return json.loads(stored)
    except (TypeError, ValueError, RecursionError):
        return object()


def _begin(connection: Connection) -> None:
    """Begin a transaction; writers wait for each other here, not in the middle."""
    reads = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _connect(dialect: Any, record: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
    """Connect to an SQLite file, read-only if SQLite cannot write the files next to it.

    The reason may be a full disk or a read-only folder. Raises ResourceError if those files contain cases
    that the database file does not.
    """
    path = Path(str(arguments[0]))
    try:
        return _configure(dialect.connect(*arguments, **named), "journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(_UNWRITABLE):
            raise
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise ResourceError(
            f"{path}: the last changes are in {log.name}, which cannot be read without write access: "
            "free some space, or copy the folder elsewhere"
        )
    record.info[_READ_ONLY] = True
    address = f"file:{quote(str(path))}?immutable=1"
    return _configure(dialect.connect(address, **named, uri=True))


def _configure(connection: Any, *pragmas: str) -> Any:
    """Configure a connection: transactions begun here, readers do not wait for writers, secure deletion."""
    try:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (*pragmas, "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _discard_read_only(_: object, record: Any) -> None:
    """Do not reuse a read-only connection: it would not see later writes of other processes."""
    if record.info.get(_READ_ONLY):
        record.invalidate()


def _bring_up_to_date(engine: Engine, address: URL) -> None:
    where = address.render_as_string(hide_password=True)
    version, tables = _version(engine)
    if version == VERSION:
        if missing := sorted(TABLES.keys() - tables):
            raise InputError(f"{where}: damaged, tables are missing ({', '.join(missing)}): {RESTORE}")
        return
    if version is not None and version not in FORMER:
        if version.isdigit() and version > VERSION:
            raise InputError(
                f"{where}: these cases were written by a later version of Redstring: use that version"
            )
        raise _not_of_version(where, version)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                # One program at a time; on SQLite the transaction ensures that.
                connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                connection.execute(text(f"create schema if not exists {SCHEMA}"))
            # Another program may have updated it meanwhile.
            if "alembic_version" in inspect(connection).get_table_names():
                _migrate(connection, where)
            else:
                _create(connection)
    except SQLAlchemyError as error:
        if "already exists" in str(error):
            raise _not_of_version(where, version, f"; {error_line(error)}") from error
        raise


def _create(connection: Connection) -> None:
    """Create the tables, views and triggers of an empty database."""
    METADATA.create_all(connection, checkfirst=False)
    create_views(connection)
    replace_keys_by_trigger(connection)
    connection.execute(text("create table alembic_version (version_num varchar(32) not null primary key)"))
    connection.execute(text("insert into alembic_version values (:version)"), {"version": VERSION})


def _migrate(connection: Connection, where: str) -> None:
    """Add the tables that a database of an earlier version lacks; stored data is unchanged."""
    version = connection.execute(text("select version_num from alembic_version")).scalar()
    if version not in (VERSION, *FORMER):
        raise _not_of_version(where, version)
    METADATA.create_all(connection)
    connection.execute(text("update alembic_version set version_num = :version"), {"version": VERSION})


def _not_of_version(where: str, version: str | None, why: str = "") -> InputError:
    return InputError(
        f"{where}: damaged, its tables are not those of the version that it names "
        f"(alembic_version: {version or 'none'}{why}): {RESTORE}"
    )


def _version(engine: Engine) -> tuple[str | None, set[str]]:
    """Return the version of the existing tables (None if unknown) and their names."""
    with engine.connect().execution_options(**{READS: True}) as connection:
        tables = set(inspect(connection).get_table_names())
        if "alembic_version" not in tables:
            return None, tables
        found = connection.execute(text("select version_num from alembic_version")).scalar()
        return None if found is None else str(found), tables

"""Opening of a store: its tables, those of reviews, and migrations."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from glob import escape
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

# The tables of reviews: criteria, queues and their items, who looks at what, what was said, and
# what was learned of it.
#
# What was said is only added to: ``stands`` alone changes, with what is said later. It goes with
# its case, queues, criteria and what was learned with their matter.

# Who reviews, as the store knows them.
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
    # What it is called within its case.
    Column("key", Text, nullable=False),
    Column("kind", KIND, nullable=False),
    # As a reviewer sees it.
    Column("item", JSON, nullable=False),
    # Where it was drawn from, with which chance.
    Column("stratum", String(40), nullable=False),
    Column("chance", Float, nullable=False),
    # Those with less come first.
    Column("place", Float, nullable=False),
    # By whom, each name between two ends of lines; nobody named: by anybody.
    Column("assigned", Text, nullable=False),
    # How many reviewers were to judge it, how many are now that some differ, and how many have.
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
    # The words that were judged, the state of the corpus, the engine that made the case.
    Column("sha256", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("engine", String(40), nullable=False),
    Column("criteria", Integer, nullable=False),
    Column("seconds", Float),
    # The number of what is taken back.
    Column("withdraws", Integer),
    # Whether it ends a disagreement.
    Column("settles", Boolean, nullable=False),
    # True unless withdrawn, postponed or followed by another of the same person.
    Column("stands", Boolean, key="is_current", nullable=False),
    Index(None, "case_number", "key", "reviewer"),
)

# What was learned of the verdicts of a matter, and by which of it its cases are ranked: acts, as in the
# journal beside a corpus.
WEIGHTS = stored_table(
    "weights",
    Column("number", Integer, primary_key=True),
    _matter(),
    # By its name, as cases have it.
    Column("corpus", String(200), nullable=False),
    # Kept, adopted or shipped; of the last two there is one for each corpus.
    Column("act", String(10), nullable=False),
    Column("id", ID, nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("at", TIME, nullable=False),
    # What it is shown with, and itself.
    Column("figures", JSON, nullable=False),
    Column("learned", LargeBinary),
    Index(None, "matter"),
)
# All tables of a store, by their names: those of cases, too.
TABLES = METADATA.tables


# Where cases are kept: an SQLite file or a PostgreSQL database, whose tables are brought up to
# date.

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
# What databases say of a file or a server whose contents are not those of this program, or not any more.
_DAMAGED = (
    "not a database",
    "malformed",
    "no such table",
    "no such column",
    "does not exist",
    "decode to UTF-8",
)
# What they say where tables are there that a migration is to make.
_THERE_ALREADY = ("already exists", "duplicate column")
# The errors of SQLite where the files next to its own cannot be written, in which readers and writers meet.
_UNWRITABLE = ("SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_READONLY")
_ONLY_READ = "redstring_only_read"
RESTORE = "restore a copy from a backup (docs/cases.md)"
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
    words, where = words_of(error), address.render_as_string(hide_password=True)
    if any(one in words for one in _DAMAGED):
        return InputError(f"{where}: this is no database of cases, or a damaged one ({words}): {RESTORE}")
    return ResourceError(f"{where}: cases cannot be read or kept ({words}); what was kept is not touched")


def words_of(error: Exception) -> str:
    """What a database says of an error, in one line, without what a damaged column contains."""
    original = getattr(error, "orig", None) or error
    lines = str(original).strip().splitlines() or [type(original).__name__]
    return lines[0].partition(" with text ")[0]


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
        make_private_folder(path.parent)
        # What people ask is nobody else's on this computer. A file that is there is not opened here: to close
        # it would end the locks of all connections that this program has to it (fcntl(2)), and another
        # program would take away the log that they write to.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise ResourceError(f"{path}: cases cannot be kept there: {error.strerror}") from error
    engine = create_engine(
        address, hide_parameters=True, connect_args={"timeout": PATIENCE}, json_deserializer=_parse_json
    )
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "checkin", _forget_only_read)
    event.listen(engine, "begin", _begin)
    return engine


def _parse_json(stored: Any) -> Any:
    """The value of a JSON column; for what is no JSON an object that no column contains."""
    try:
        return json.loads(stored)
    except (TypeError, ValueError, RecursionError):
        return object()


def _begin(connection: Connection) -> None:
    """Who will write waits for other writers now, not in the middle."""
    reads = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _connect(dialect: Any, record: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
    """A connection by which cases are read and written; where SQLite cannot write the files that it puts next
    to its own (a full disk, a folder that can only be read), one by which they are only read. Raises
    ResourceError where these files contain cases that the file itself does not."""
    path = Path(str(arguments[0]))
    try:
        return _prepared(dialect.connect(*arguments, **named), "journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(_UNWRITABLE):
            raise
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise ResourceError(
            f"{path}: the last changes are in {log.name}, which cannot be read where nothing can be written: "
            "make room, or copy the folder to where there is some"
        )
    record.info[_ONLY_READ] = True
    address = f"file:{quote(str(path))}?immutable=1"
    return _prepared(dialect.connect(address, **named, uri=True))


def _prepared(connection: Any, *pragmas: str) -> Any:
    """Transactions are begun here, not by the driver; readers do not wait for writers; what is deleted is
    overwritten."""
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


def _forget_only_read(_: object, record: Any) -> None:
    """A connection that only reads is not used again: others may write by then, which it does not notice."""
    if record.info.get(_ONLY_READ):
        record.invalidate()


def _bring_up_to_date(engine: Engine, address: URL) -> None:
    where = address.render_as_string(hide_password=True)
    version, tables = _version(engine)
    if version == VERSION:
        if missing := sorted(TABLES.keys() - tables):
            raise InputError(f"{where}: damaged, tables are missing ({', '.join(missing)}): {RESTORE}")
        return
    if version is not None and not any(MIGRATIONS.glob(f"versions/{escape(version)}_*.py")):
        if version.isdigit() and version > VERSION:
            raise InputError(f"{where}: these cases were kept by a later version of Redstring: use that one")
        raise _not_of_version(where, version)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                # One program at a time; on SQLite the transaction itself sees to that.
                connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                connection.execute(text(f"create schema if not exists {SCHEMA}"))
            if "alembic_version" in inspect(connection).get_table_names():
                _migrate(connection)
            else:
                _create(connection)
    except SQLAlchemyError as error:
        if any(one in str(error) for one in _THERE_ALREADY):
            raise _not_of_version(where, version, f"; {words_of(error)}") from error
        raise


def _create(connection: Connection) -> None:
    """Create the tables, views and triggers of an empty database."""
    METADATA.create_all(connection, checkfirst=False)
    create_views(connection)
    replace_keys_by_trigger(connection)
    connection.execute(text("create table alembic_version (version_num varchar(32) not null primary key)"))
    connection.execute(text("insert into alembic_version values (:version)"), {"version": VERSION})


def _migrate(connection: Connection) -> None:
    """Bring a database of an earlier version up to date."""
    # alembic takes a while to load.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _not_of_version(where: str, version: str | None, why: str = "") -> InputError:
    return InputError(
        f"{where}: damaged, its tables are not those of the version that it names "
        f"(alembic_version: {version or 'none'}{why}): {RESTORE}"
    )


def _version(engine: Engine) -> tuple[str | None, set[str]]:
    """The version of the tables that are there, None where none is named, and the names of the tables."""
    with engine.connect().execution_options(**{READS: True}) as connection:
        tables = set(inspect(connection).get_table_names())
        if "alembic_version" not in tables:
            return None, tables
        found = connection.execute(text("select version_num from alembic_version")).scalar()
        return None if found is None else str(found), tables

"""The tables of all corpora on a server, and the replacement of a corpus by a new generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray
from psycopg import Connection, sql
from psycopg.errors import LockNotAvailable
from xxhash import xxh3_64

from engine.corpus.embedded.generation import Manifest
from engine.errors import CorpusError, InputError
from engine.model import OUT_OF_FORCE, Document

# The tables of all corpora on a server.

SCHEMA = "redstring"
# Raised whenever the tables change.
FORMAT = 2


class Table(NamedTuple):
    """Columns after ``corpus`` and ``part``, in the order of COPY, and the indexes."""

    columns: str
    indexes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Return the names of all columns."""
        return ["corpus", "part", *(column.split()[0] for column in self.columns.split(", "))]


_CITATIONS = (
    "document int, number int, source int, source_id text, start int, stop int, text text, "
    "relation smallint, status smallint, kind smallint, target int, target_id text, head int, "
    "provision_kind smallint, provision int, provision_id text, provision_row int, confidence real, "
    "grammar text, candidates text"
)

# The tables of a corpus. Missing text is '', a missing number is -1, as in the embedded store.
#
# Data that is always read as a whole is packed (``binary.packed``): the passages that contain a word with
# their scores, and those that mention an entity. The list of a word has a row per part and per block of
# passages, stored with the document of its first passage; that of an entity has one row, stored with the
# document of ``get_entity_document``.
TABLES: Mapping[str, Table] = {
    "documents": Table(
        "document int, first int, reference int, record text, bare bytea", ("unique (document, part)",)
    ),
    "sections": Table(
        "document int, number int, id text, parent int, parent_id text, kind smallint, printed text, "
        "key text, title text, first int, stop int",
        ("unique (document, number, part)", "(id)", "(key)"),
    ),
    "passages": Table(
        "document int, row int, id text, section_id text, text text, language text, kind smallint, "
        "printed text, key text, paragraph text, label text, headings text, source_id text, status text, "
        "valid_from int, valid_to int, page int, overlap int, metadata text, entities int[]",
        ("unique (document, row, part)", "(id)", "(key)"),
    ),
    "stretches": Table(
        "document int, first int, section int, valid_from int, valid_to int, status smallint", ()
    ),
    "postings": Table(
        "document int, field smallint, term bigint, passages bytea, weights bytea", ("(term, field)",)
    ),
    "vectors": Table("document int, row int, embedding vector", ("unique (document, row, part)",)),
    # Per document: codes of its passages, two bits a dimension (``embedded.coded``), and a has-vector mask.
    "codes": Table("document int, codes bytea, present bytea", ("unique (document, part)",)),
    "edges": Table(
        "document int, inward boolean, near int, far int, relation smallint, weight real, evidence int",
        ("(document, near, inward)",),
    ),
    "citations": Table(_CITATIONS, ("unique (document, number, part)", "(document, source)")),
    # References with verdicts, as the texts state them.
    "stated": Table(_CITATIONS, ("(document, source)",)),
    "cited": Table("document int, head int, number int", ("(document, head)",)),
    "entities": Table(
        "document int, number int, rarity real, record text, passages bytea, defines bytea",
        ("unique (document, number, part)",),
    ),
    "names": Table("document int, place int, row int, language text, record text", ()),
    "sparse": Table("document int, row int, term int, weight real", ("(term, row)",)),
}
# Tables of earlier versions: not read, but dropped with a generation that has a partition there.
FORMER = ("tokens",)
# Columns of bytes that are read in pieces, or that compression does not shorten.
UNCOMPRESSED = {
    "postings": ("passages", "weights"),
    "entities": ("passages", "defines"),
    "codes": ("codes",),
}

# The numbers of all generations ever begun, and the published corpora by name.
CATALOGUE = (
    f"create schema if not exists {SCHEMA}",
    "create extension if not exists vector",
    f"create sequence if not exists {SCHEMA}.generations as int",
    f"create table if not exists {SCHEMA}.corpora (name text primary key, generation int not null, "
    "format int not null, manifest jsonb not null, published timestamptz not null default now())",
    # The journals of a corpus outlive its generations.
    f"create table if not exists {SCHEMA}.said (corpus text not null, journal text not null, "
    "number bigint generated always as identity, line text not null, primary key (corpus, journal, number))",
)


# The documents of a corpus can be partitioned: ``document-hash`` spreads them evenly over ``HASHED`` parts;
# ``validity`` separates documents in force from those that have ended; any other word is a field of documents
# or a key of their metadata ("language", "type") with one part per value.
HASH, VALIDITY = "document-hash", "validity"
HASHED = 8
# Values of a field beyond this number, the rarest, share a part.
MOST = 64


def assign_parts(documents: Sequence[Document], by: str | None) -> NDArray[np.int16]:
    """Return the part of each document, from 0, shape (documents,); all 0 if ``by`` is None.

    Raises InputError if no document has such a field.
    """
    if by is None:
        return np.zeros(len(documents), np.int16)
    if by == HASH:
        return np.array([xxh3_64(one.id.encode()).intdigest() % HASHED for one in documents], np.int16)
    if by == VALIDITY:
        return np.array([_has_ended(one) for one in documents], np.int16)
    values = [_value(one, by) for one in documents]
    if documents and not any(values):
        raise InputError(
            f"--partition-by {by!r}: no document has this field; take {HASH}, {VALIDITY}, a field of "
            "documents (language, type, issuer, status, year) or a key of their metadata"
        )
    common = [value for value, _ in sorted(Counter(values).items(), key=lambda one: (-one[1], one[0]))]
    numbers = {value: min(number, MOST - 1) for number, value in enumerate(common)}
    return np.array([numbers[value] for value in values], np.int16)


def _has_ended(document: Document) -> bool:
    status = (document.status or "").casefold()
    return document.valid_to is not None or status in {one.casefold() for one in OUT_OF_FORCE}


def _value(document: Document, field: str) -> str:
    value = document.metadata.get(field)
    if value is None and field in ("language", "type", "issuer", "status", "year"):
        value = getattr(document, field)
    return "" if value is None else str(value)


def get_entity_document(number: int, documents: int) -> int:
    """Return the document that stores an entity: entities are spread evenly over all documents."""
    return number % documents


def parents() -> list[str]:
    """Return the statements that create the partitioned tables."""
    made = []
    for name, table in TABLES.items():
        columns = ", ".join(f"{column} not null" for column in table.columns.split(", "))
        made.append(
            f"create table if not exists {SCHEMA}.{name} "
            f"(corpus int not null, part smallint not null, {columns}) partition by list (corpus)"
        )
    for name, columns_of_bytes in UNCOMPRESSED.items():
        for column in columns_of_bytes:
            made.append(f"alter table {SCHEMA}.{name} alter {column} set storage external")
    return made


# An advisory lock is a pair of numbers: the kind of object, and its number.
_GENERATION, _NAME, _SCHEMA = 0x5ED5, 0x5ED6, 0x5ED7
_OLDER = (
    f"select to_regclass('{SCHEMA}.documents') is not null and not exists (select 1 from pg_attribute "
    f"where attrelid = to_regclass('{SCHEMA}.documents') and attname = 'reference')"
)
# Milliseconds that the last step of a publication waits for running statements of readers.
_LOCK_WAIT = "20000"
# Milliseconds that a drop waits. Readers queue behind it, and the next writer can repeat it.
_DROP_WAIT = "2000"


def prepare(connection: Connection[Any]) -> None:
    """Create the tables shared by all corpora, if missing. Raises CorpusError if their format differs."""
    connection.execute("select pg_advisory_xact_lock(%s, 0)", (_SCHEMA,))
    if _fetch_value(connection, _OLDER, ()):
        raise CorpusError(
            f"the server holds corpora of an earlier format; drop schema {SCHEMA} there, and copy them again"
        )
    for statement in (*CATALOGUE, *parents()):
        connection.execute(statement.encode())
    connection.commit()


@contextmanager
def new_generation(connection: Connection[Any], name: str, parts: int = 1) -> Iterator[int]:
    """Yield the number of a new generation of a corpus, with empty tables next to the published ones.

    Each table has ``parts`` partitions if there are several parts. A second process that writes the same
    corpus is refused. Tables left by killed writers are dropped, and so are the new ones if the block raises.
    Raises CorpusError.
    """
    if not _fetch_value(connection, "select pg_try_advisory_lock(%s, hashtext(%s))", (_NAME, name)):
        raise CorpusError(f"another process is writing the corpus {name!r}; wait until it is done")
    connection.commit()
    drop_unused(connection)
    generation = int(_fetch_value(connection, f"select nextval('{SCHEMA}.generations')", ()))
    connection.execute("select pg_advisory_lock(%s, %s)", (_GENERATION, generation))
    for table in TABLES:
        own = partition(table, generation)
        like = sql.SQL(
            "create table {} (like {} including storage, constraint its_corpus check (corpus = {}))"
        )
        by_part = sql.SQL(" partition by list (part)" if parts > 1 else "")
        connection.execute(like.format(own, parent(table), sql.Literal(generation)) + by_part)
        for number in range(parts if parts > 1 else 0):
            part = sql.Identifier(SCHEMA, f"{table}_{generation}_{number}")
            connection.execute(like.format(part, parent(table), sql.Literal(generation)))
            attach = sql.SQL("alter table {} attach partition {} for values in ({})")
            connection.execute(attach.format(own, part, sql.Literal(number)))
    connection.commit()
    try:
        yield generation
    except BaseException:
        if not connection.closed:
            connection.rollback()
            _drop(connection, generation)
        raise
    finally:
        if not connection.closed:
            connection.execute("select pg_advisory_unlock(%s, %s)", (_GENERATION, generation))
            connection.commit()
            drop_unused(connection)


def publish(connection: Connection[Any], name: str, generation: int, manifest: Manifest) -> None:
    """Publish a complete generation in one step. Raises CorpusError if readers do not finish in time."""
    content = orjson.dumps(manifest.model_dump(mode="json")).decode()
    try:
        connection.execute("select set_config('lock_timeout', %s, true)", (_LOCK_WAIT,))
        for table in TABLES:
            connection.execute(
                sql.SQL("alter table {} attach partition {} for values in ({})").format(
                    parent(table), partition(table, generation), sql.Literal(generation)
                )
            )
        connection.execute(
            f"insert into {SCHEMA}.corpora (name, generation, format, manifest) values (%s, %s, %s, %s) "
            "on conflict (name) do update set generation = excluded.generation, format = excluded.format, "
            "manifest = excluded.manifest, published = now()",
            (name, generation, FORMAT, content),
        )
        connection.commit()
    except LockNotAvailable:
        raise CorpusError(
            f"the corpus {name!r} cannot be published now: tables are locked; try again"
        ) from None


def find_published(connection: Connection[Any], name: str) -> tuple[int, Manifest] | None:
    """Return the published generation of a corpus, None if there is none of this name.

    The connection keeps it from being dropped. Raises CorpusError if its format differs.
    """
    there = _fetch_value(connection, "select to_regclass(%s) is not null", (f"{SCHEMA}.corpora",))
    while there:
        found = connection.execute(
            f"select generation, format, manifest from {SCHEMA}.corpora where name = %s", (name,)
        ).fetchone()
        if found is None:
            return None
        generation, written, content = found
        manifest = parse_manifest(name, written, content)
        if hold_generation(connection, generation):
            return generation, manifest
    return None


def parse_manifest(name: str, written: int, content: Mapping[str, Any]) -> Manifest:
    """Return the manifest of a published generation. Raises CorpusError if its format differs."""
    if written != FORMAT:
        raise CorpusError(f"{name!r} has format {written} on the server, not {FORMAT}; copy it again")
    return Manifest.model_validate(content)


def hold_generation(connection: Connection[Any], generation: int) -> bool:
    """Keep a generation from being dropped while the connection is open; False if it was removed."""
    connection.execute("select pg_advisory_lock_shared(%s, %s)", (_GENERATION, generation))
    # It may have been removed before the lock.
    return bool(
        _fetch_value(
            connection,
            "select to_regclass(%s) is not null",
            (f"{SCHEMA}.passages_{generation}",),
        )
    )


def drop_unused(connection: Connection[Any]) -> None:
    """Drop the generations that are not published, being written or being read."""
    tables = connection.execute(
        "select substring(c.relname from '[0-9]+$')::int from pg_class c join pg_namespace n "
        f"on n.oid = c.relnamespace where n.nspname = '{SCHEMA}' and c.relname ~ '^passages_[0-9]+$' "
        f"and c.relkind in ('r', 'p') and substring(c.relname from '[0-9]+$')::int not in "
        f"(select generation from {SCHEMA}.corpora)"
    ).fetchall()
    connection.commit()
    for (generation,) in tables:
        if _fetch_value(connection, "select pg_try_advisory_xact_lock(%s, %s)", (_GENERATION, generation)):
            _drop(connection, generation)
        connection.commit()


def _drop(connection: Connection[Any], generation: int) -> None:
    try:
        connection.execute("select set_config('lock_timeout', %s, true)", (_DROP_WAIT,))
        for table in (*TABLES, *FORMER):
            connection.execute(sql.SQL("drop table if exists {}").format(partition(table, generation)))
        connection.commit()
    except LockNotAvailable:
        # The next writer tries again.
        connection.rollback()


def parent(table: str) -> sql.Identifier:
    """Return the name of a table."""
    return sql.Identifier(SCHEMA, table)


def partition(table: str, generation: int) -> sql.Identifier:
    """Return the name of a generation's partition of a table."""
    return sql.Identifier(SCHEMA, f"{table}_{generation}")


def _fetch_value(connection: Connection[Any], statement: str, parameters: tuple[Any, ...]) -> Any:
    row = connection.execute(statement.encode(), parameters).fetchone()
    return None if row is None else row[0]

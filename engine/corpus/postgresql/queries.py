"""Queries by rows, with arrays in PostgreSQL's binary format, and the caches of results."""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, sql

from engine.corpus.defaults import CorpusDefaults
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.documents import load_document
from engine.corpus.embedded.generation import Manifest
from engine.corpus.postgresql.catalogue import SCHEMA, TABLES
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.protocol import Mask, Rows
from engine.model import Document

# Convert arrays to PostgreSQL's binary format and back, without a Python loop.
#
# See https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format". A pgvector vector is
# two 16-bit numbers (its length, and 0) followed by its components.

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
AT_ONCE = 1 << 16

# PostgreSQL's names of column types.
_TYPES: Mapping[str, str] = {
    "smallint": ">i2",
    "int": ">i4",
    "bigint": ">i8",
    "real": ">f4",
    "boolean": "u1",
}


def parts(types: Sequence[str], values: Sequence[Array]) -> Iterator[tuple[int, bytes]]:
    """Yield rows in parts: the number of rows, and their bytes.

    ``values`` have shape (n,), or (n, d) for the type "vector". Header and trailer are not included.
    """
    layout = _layout(types, [column.shape[-1] for column in values])
    size = len(values[0])
    for start in range(0, size, AT_ONCE):
        stop = min(start + AT_ONCE, size)
        rows: NDArray[np.void] = np.zeros(stop - start, layout)
        rows["fields"] = len(values)
        for number, (kind, column) in enumerate(zip(types, values, strict=True)):
            part = column[start:stop]
            if kind == "vector":
                rows[f"length{number}"] = part.shape[1]
                rows[f"size{number}"] = 4 + 4 * part.shape[1]
            else:
                rows[f"size{number}"] = np.dtype(_TYPES[kind]).itemsize
            rows[f"{number}"] = part
        yield stop - start, rows.tobytes()


def parse_vector(sent: bytes) -> NDArray[np.float32]:
    """Return the components of a vector received in binary, shape (d,)."""
    return np.frombuffer(sent, ">f4", offset=4).astype(np.float32)


def format_vector(vector: NDArray[np.float32]) -> str:
    """Return a vector as text for pgvector; every float keeps its value."""
    return f"[{','.join(map(repr, vector.astype(float).tolist()))}]"


def parse_columns(types: Sequence[str], sent: bytes, length: int = 0) -> list[Array]:
    """Return the columns of consecutive rows, each value in the format of its type's send function.

    ``length`` is the number of components of a column of the type "vector".
    """
    rows = np.frombuffer(sent, _layout(types, [length] * len(types), is_copied=False))
    return [
        np.ascontiguousarray(rows[f"{number}"]).astype(rows[f"{number}"].dtype.newbyteorder("="))
        for number in range(len(types))
    ]


def _layout(types: Sequence[str], lengths: Sequence[int], *, is_copied: bool = True) -> np.dtype[np.void]:
    """Return the layout of a row. COPY adds the number of fields, and the size of each value."""
    fields: list[tuple[Any, ...]] = [("fields", ">i2")] if is_copied else []
    for number, (kind, length) in enumerate(zip(types, lengths, strict=True)):
        if is_copied:
            fields.append((f"size{number}", ">i4"))
        if kind == "vector":
            fields += [(f"length{number}", ">i2"), (f"zero{number}", ">i2"), (f"{number}", ">f4", (length,))]
        else:
            fields.append((f"{number}", _TYPES[kind]))
    return np.dtype(fields)


def packed(values: Array, kind: type[np.generic]) -> bytes:
    """Return numbers as the bytes of a column, little-endian."""
    return values.astype(np.dtype(kind).newbyteorder("<")).tobytes()


def unpacked(columns: Sequence[bytes], kind: type[np.generic]) -> Array:
    """Return the numbers of several such columns, concatenated."""
    return np.frombuffer(b"".join(columns), np.dtype(kind).newbyteorder("<")).astype(kind, copy=False)


# SQL functions that write a value of each type in binary.
_SEND: Mapping[str, str] = {
    "smallint": "int2send",
    "int": "int4send",
    "bigint": "int8send",
    "real": "float4send",
    "boolean": "boolsend",
    "vector": "vector_send",
}
# Values of the row column that are packed together: no PostgreSQL value may exceed a gigabyte.
TOGETHER = 1 << 16


def read_columns(
    connection: Connection[Any],
    table: str,
    generation: int,
    names: Sequence[str],
    *,
    by: str,
    condition: str = "",
    length: int = 0,
) -> list[Array]:
    """Return columns of a generation's table, in no particular order.

    ``by`` is a numeric column with few rows per value, ``condition`` is SQL that selects rows, and ``length``
    is the number of components of a vector column.
    """
    declared = dict(column.split() for column in TABLES[table].columns.split(", "))
    types = [declared[name] for name in names]
    packed = sql.SQL(" || ").join(
        sql.SQL("{}({})").format(sql.Identifier(_SEND[kind]), sql.Identifier(name))
        for kind, name in zip(types, names, strict=True)
    )
    statement = sql.SQL(
        "select string_agg({}, ''::bytea) from {} where corpus = {}{} group by {} / {}"
    ).format(
        packed,
        sql.Identifier(SCHEMA, table),
        sql.Literal(generation),
        sql.SQL(f" and {condition}" if condition else ""),
        sql.Identifier(by),
        sql.Literal(TOGETHER),
    )
    with connection.cursor(binary=True) as cursor:
        sent = b"".join(one for (one,) in cursor.execute(statement).fetchall())
    return parse_columns(types, sent, length)


# Queries of the store by rows, with their documents and partitions, and the caches of results.

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """An LRU cache that fetches all missing keys in one batch."""

    def __init__(
        self, fetch: Callable[[Sequence[K]], Mapping[K, V]], room: int, size: Callable[[V], int] | None = None
    ) -> None:
        """Create the cache. ``fetch`` returns the values of distinct keys.

        ``room`` is the maximum number of values, or the maximum sum of their ``size`` if that is given.
        """
        self._fetch, self._room, self._size = fetch, room, size
        self._held: OrderedDict[K, V] = OrderedDict()
        self._used = 0
        self._lock = Lock()

    def get(self, keys: Sequence[K]) -> list[V]:
        """Return the value of each key. Raises KeyError if it is missing, and as ``fetch``."""
        with self._lock:
            known = {key: self._held[key] for key in keys if key in self._held}
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        if missing:
            known |= self._fetch(missing)
        with self._lock:
            for key in keys:
                if key not in self._held:
                    self._held[key] = known[key]
                    self._used += self._of(known[key])
                self._held.move_to_end(key)
            while self._used > self._room:
                self._used -= self._of(self._held.popitem(last=False)[1])
        return [known[key] for key in keys]

    def _of(self, value: V) -> int:
        return 1 if self._size is None else self._size(value)


# The queried rows, with their documents and their positions in the query.
ASKED = "unnest(%(rows)s::int[], %(documents)s::int[]) with ordinality as a (row, document, place)"
# Restricts a table to the partitions of the rows' documents.
IN_PARTS = "x.corpus = %(corpus)s and x.part = any(%(parts)s::smallint[])"
OWN = f"{IN_PARTS} and x.document = a.document"

_RECORDS = (
    f"select part, first, reference, record from {SCHEMA}.documents "
    "where corpus = %(corpus)s order by document"
)


class PostgresQueries(CorpusDefaults):
    """One generation of a corpus on a server, with cached data of its documents."""

    _server: Server | Replicated
    _generation: int
    _manifest: Manifest

    @cached_property
    def _document_records(self) -> tuple[Rows, NDArray[np.int16], Rows, list[Document]]:
        """Return the columns of the document table, and the documents.

        The columns are first row (with the number of passages appended), part, and first reference.
        """
        found = self._read(_RECORDS)
        part, first, reference, records = columns_of(found, 4)
        return (
            np.array([*first, self._manifest.passages], np.int32),
            np.array(part, np.int16),
            np.array(reference, np.int32),
            [load_document(record) for record in records],
        )

    @property
    def stamp(self) -> int:
        """Return a number that is different for every version of the corpus."""
        return self._generation

    @abstractmethod
    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into ``documents()`` for each row."""

    def documents(self) -> list[Document]:
        """Return every document, in corpus order."""
        return self._document_records[3]

    def parts(self, documents: Array) -> list[int]:
        """Return the numbers of the parts that contain some documents."""
        found: list[int] = np.unique(self._document_records[1][np.asarray(documents, np.int64)]).tolist()
        return found

    def _read(self, statement: Any, **parameters: Any) -> Sequence[Any]:
        return self._server.read(statement, {"corpus": self._generation, **parameters})

    def _of(self, statement: Any, rows: Rows, **parameters: Any) -> Sequence[Any]:
        """Run a statement for some rows; no round trip if there are none."""
        if not len(rows):
            return []
        documents = self.document_numbers(rows)
        asked = {"rows": np.asarray(rows).tolist(), "documents": documents.tolist()}
        return self._read(statement, **asked, parts=self.parts(documents), **parameters)

    def _read_by_row(self, statement: Any, rows: Sequence[int]) -> dict[int, Any]:
        """Return the result of a statement by row; rows can be missing."""
        found = self._of(statement, np.array(rows, np.int32))
        return {rows[place - 1]: value for place, value in found}

    def _read_of_documents(
        self, statement: Any, numbers: Sequence[int], documents: Array, **parameters: Any
    ) -> Sequence[Any]:
        """Run a statement for numbered items of some documents; no round trip if there are none."""
        if not len(numbers):
            return []
        distinct = np.unique(np.asarray(documents, np.int64))
        return self._read(
            statement,
            numbers=sorted({int(number) for number in numbers}),
            documents=distinct.tolist(),
            parts=self.parts(distinct),
            **parameters,
        )

    def _unpack_bits(self, packed: Sequence[bytes]) -> Mask:
        """Return the bits of all passages, concatenated from those of each document."""
        counts = np.diff(self._document_records[0]).tolist()
        parts = [
            np.unpackbits(np.frombuffer(own, np.uint8), count=count)
            for own, count in zip(packed, counts, strict=True)
        ]
        return np.concatenate([np.zeros(0, np.uint8), *parts]).astype(np.bool_)

    def _bulk(self, table: str, names: Sequence[str], by: str, condition: str = "") -> list[Array]:
        """Return columns of a whole table, in no particular order; see ``read_columns``."""
        return self._server.use(
            lambda connection: read_columns(
                connection, table, self._generation, names, by=by, condition=condition
            )
        )


def columns_of(rows: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return rows as columns; empty columns if there are no rows."""
    return [*zip(*rows, strict=True)] if rows else [()] * count


def codes(names: Sequence[Any] | None, numbers: Any) -> list[int] | None:
    """Return the codes of names in the tables; None for any."""
    return None if names is None else [numbers[name] for name in names]

"""Convert arrays to PostgreSQL's binary format and back, without a Python loop.

See https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format". A pgvector vector is two 16-bit
numbers (its length, and 0) followed by its components.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, sql

from engine.corpus.embedded.arrays import Array
from engine.corpus.postgresql.catalogue import SCHEMA, TABLES

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

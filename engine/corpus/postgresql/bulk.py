"""Columns of numbers of a whole table: packed by the server, so that no row becomes an object on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import Connection, sql

from engine.corpus.embedded.arrays import Array
from engine.corpus.postgresql.binary import fields_of
from engine.corpus.postgresql.schema import SCHEMA, TABLES

# What writes a value of each type in binary.
_SEND: Mapping[str, str] = {
    "smallint": "int2send",
    "int": "int4send",
    "bigint": "int8send",
    "real": "float4send",
    "boolean": "boolsend",
    "vector": "vector_send",
}
# So many values of the column that says where a row stands are packed together: no value of PostgreSQL is
# longer than a gigabyte.
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
    """Some columns of a generation's table, in no order. ``by`` is a column of numbers that few rows share,
    ``condition`` SQL that chooses rows, ``length`` the number of components of a column of vectors."""
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
    return fields_of(types, sent, length)

"""Copy the corpus of a folder to a server, by COPY.

The copy includes the current ontology and the effects of all verdicts; its journals are merged with those of
the server. Readers keep the generation that they opened; the new one is published in one transaction.

The documents of a corpus can be partitioned: ``document-hash`` spreads them evenly over ``HASHED`` parts;
``validity`` separates documents in force from those that have ended; any other word is a field of documents
or a key of their metadata ("language", "type") with one part per value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, Error, sql
from xxhash import xxh3_64

from engine.corpus.address import Address
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.generation import Manifest, read_published
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.extracted.readings import Validation, current_verdicts
from engine.corpus.journal import FolderJournals
from engine.corpus.postgresql import binary
from engine.corpus.postgresql import source as rows
from engine.corpus.postgresql.catalogue import TABLES, new_generation, partition, prepare, publish
from engine.corpus.postgresql.journals import merge, read_lines
from engine.corpus.postgresql.server import Server
from engine.corpus.postgresql.source import Source
from engine.errors import InputError
from engine.model import OUT_OF_FORCE, Direction, Document

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


# Reports progress: table, rows copied, rows in total.
Progress = Callable[[str, int, int], None]


def copy_to_server(
    folder: Path, address: Address, progress: Progress | None = None, *, by: str | None = None
) -> Manifest:
    """Copy the corpus in a folder to a server, replacing the one of the same name.

    ``by`` selects the partitioning of documents (``assign_parts``). Returns the published manifest. Raises
    CorpusError, InputError, ResourceError.
    """
    server = Server(address)
    try:
        connection = server.connection()
        try:
            # Building an index takes longer than the statement timeout of queries.
            connection.execute("select set_config('statement_timeout', '0', false)")
            connection.commit()
            prepare(connection)
            source = read_published(folder, Source)
            parts = assign_parts(source.documents.all, by)
            journals = FolderJournals(folder)
            with new_generation(connection, address.corpus, int(parts.max(initial=0)) + 1) as generation:
                merge(connection, address.corpus, journals)
                lines = read_lines(connection, address.corpus, VALIDATIONS_NAME)
                source.judge(
                    current_verdicts([Validation.model_validate_json(line) for line in lines]).values()
                )
                loader = _Loader(connection, generation, parts, progress or _silent)
                loader.load(source)
                publish(connection, address.corpus, generation, source.manifest)
            return source.manifest
        finally:
            connection.close()
    except Error as error:
        raise server.convert(error) from None
    finally:
        server.close()


class _Loader:
    """Fills the tables of one generation."""

    def __init__(
        self,
        connection: Connection[Any],
        generation: int,
        parts: NDArray[np.int16],
        progress: Progress,
    ) -> None:
        """``parts`` of the documents, shape (documents,)."""
        self._connection, self._generation, self._progress = connection, generation, progress
        self._parts = parts

    def load(self, source: Source) -> None:
        """Copy all tables and create their indexes."""
        state, document = source.state, source.passages.document
        self._rows("documents", len(source.documents), rows.documents(source))
        self._rows("sections", len(source.sections), rows.sections(source))
        self._rows("passages", len(source.passages), rows.passages(source))
        self._rows("stretches", None, rows.stretches(source))
        self._rows("postings", None, rows.postings(source, self._parts))
        if "vectors" in state.arrays:
            held = np.flatnonzero(state["vectors.present"])
            self._columns("vectors", [document[held], held, state["vectors"][held]])
        self._rows("codes", None, rows.codes(source))
        for direction in Direction:
            edges, inward = source.links.edges(), direction is Direction.IN
            near, far = (edges.targets, edges.sources) if inward else (edges.sources, edges.targets)
            ends: list[Array] = [document[near], np.full(len(near), inward), near, far]
            self._columns("edges", [*ends, edges.relations, edges.weights, edges.evidence])
        self._rows("citations", len(source.references), rows.citations(source))
        self._rows("stated", len(source.changed), rows.stated(source))
        self._columns("cited", rows.cited(source))
        self._rows("entities", len(state["entities.rarity"]), rows.entities(source))
        self._rows("names", None, rows.names(source))
        if source.sparse is not None:
            holding, sizes = source.sparse["rows"], np.diff(source.sparse["pointers"])
            terms = np.repeat(np.arange(len(sizes)), sizes)
            self._columns("sparse", [document[holding], holding, terms, source.sparse["weights"]])
        self._finish()

    def _finish(self) -> None:
        for name, table in TABLES.items():
            own = partition(name, self._generation)
            for index in table.indexes:
                unique, columns = index.startswith("unique "), index.removeprefix("unique ")
                form = "create unique index on {} " if unique else "create index on {} "
                self._connection.execute(sql.SQL(form).format(own) + sql.SQL(columns))
            self._connection.execute(sql.SQL("analyze {}").format(own))

    def _statement(self, name: str, options: str = "") -> sql.Composed:
        columns = sql.SQL(", ").join(map(sql.Identifier, TABLES[name].names))
        copy = sql.SQL("copy {} ({}) from stdin").format(partition(name, self._generation), columns)
        return copy + sql.SQL(options)

    def _rows(self, name: str, size: int | None, each: Iterable[Sequence[Any]]) -> None:
        done, parts = 0, self._parts.tolist()
        with self._connection.cursor() as cursor, cursor.copy(self._statement(name)) as copy:
            for row in each:
                copy.write_row((self._generation, parts[row[0]], *row))
                done += 1
                if done % binary.AT_ONCE == 0:
                    self._progress(name, done, size or done)
        self._progress(name, done, size or done)

    def _columns(self, name: str, columns: Sequence[Array]) -> None:
        table, size = TABLES[name], len(columns[0])
        types = ["int", "smallint", *(column.split()[1] for column in table.columns.split(", "))]
        done, parts = 0, self._parts[columns[0]]
        statement = self._statement(name, " (format binary)")
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(binary.HEADER)
            for count, part in binary.parts(types, [np.full(size, self._generation), parts, *columns]):
                copy.write(part)
                done += count
                self._progress(name, done, size)
            copy.write(binary.TRAILER)


def _silent(_table: str, _done: int, _size: int) -> None:
    """Ignore progress."""

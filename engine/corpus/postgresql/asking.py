"""How the parts of the store ask the server: of rows, with their documents and the parts that hold them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from engine.corpus.defaults import CorpusDefaults
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.documents import load_document
from engine.corpus.embedded.manifest import Manifest
from engine.corpus.postgresql.bulk import read_columns
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.protocol import Rows
from engine.model import Document

# Rows that are asked, with their documents and their places among those asked.
ASKED = "unnest(cast(:rows as int[]), cast(:documents as int[])) with ordinality as a (row, document, place)"
# Of the rows' own documents, in the partitions that hold them.
IN_PARTS = "x.corpus = :corpus and x.part = any(cast(:parts as smallint[]))"
OWN = f"{IN_PARTS} and x.document = a.document"

_RECORDS = text(
    f"select part, first, reference, record from {SCHEMA}.documents where corpus = :corpus order by document"
)


class Asking(CorpusDefaults):
    """One generation of a corpus on a server, and what is held of its documents."""

    _server: Server | Replicated
    _generation: int
    _manifest: Manifest

    @cached_property
    def _document_records(self) -> tuple[Rows, NDArray[np.int16], Rows, list[Document]]:
        """First row, part and first reference of each document, the first rows with the number of passages
        behind them; and the documents."""
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
        """Another number whenever the corpus is another."""
        return self._generation

    @abstractmethod
    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into ``documents()`` for each row."""

    def documents(self) -> list[Document]:
        """Every document, in corpus order."""
        return self._document_records[3]

    def parts(self, documents: Array) -> list[int]:
        """The parts of the tables that hold some documents, by number."""
        found: list[int] = np.unique(self._document_records[1][np.asarray(documents, np.int64)]).tolist()
        return found

    def _read(self, statement: Any, **parameters: Any) -> Sequence[Any]:
        return self._server.read(statement, {"corpus": self._generation, **parameters})

    def _of(self, statement: Any, rows: Rows, **parameters: Any) -> Sequence[Any]:
        """What is asked of some rows; nothing is asked of none."""
        if not len(rows):
            return []
        documents = self.document_numbers(rows)
        asked = {"rows": np.asarray(rows).tolist(), "documents": documents.tolist()}
        return self._read(statement, **asked, parts=self.parts(documents), **parameters)

    def _by_row(self, statement: Any, rows: Sequence[int]) -> dict[int, Any]:
        """What is asked of some rows, by row; a row may have none."""
        found = self._of(statement, np.array(rows, np.int32))
        return {rows[place - 1]: value for place, value in found}

    def _of_documents(
        self, statement: Any, numbers: Sequence[int], documents: Array, **parameters: Any
    ) -> Sequence[Any]:
        """What is asked by numbers of things in some documents; nothing is asked of none."""
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

    def _bulk(self, table: str, names: Sequence[str], by: str, condition: str = "") -> list[Array]:
        """Some columns of a whole table, in no order; see ``read_columns``."""
        return self._server.whole(
            lambda connection: read_columns(
                connection, table, self._generation, names, by=by, condition=condition
            )
        )


def columns_of(rows: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """The columns of some rows; empty ones where there are none."""
    return [*zip(*rows, strict=True)] if rows else [()] * count


def codes(names: Sequence[Any] | None, numbers: Any) -> list[int] | None:
    """What stands for some names in the tables; None for any."""
    return None if names is None else [numbers[name] for name in names]

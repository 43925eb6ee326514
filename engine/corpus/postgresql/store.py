"""The server store: a corpus in the tables of a PostgreSQL database.

In memory are the documents, the sections as columns and the ranges of passages with the same dates. Passages,
word lists, vectors, links and mentions are queried in sets, one round trip per call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, Error

from engine.corpus import Address
from engine.corpus.contents import pack
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, Block, postings_of
from engine.corpus.embedded.documents import GivenNames
from engine.corpus.embedded.generation import NO_MODEL, SPARSE_NAME, Manifest
from engine.corpus.embedded.links import Targets, columns_of
from engine.corpus.embedded.passages import definers_of
from engine.corpus.embedded.publication import VALIDATIONS_NAME, new_generation, publish
from engine.corpus.embedded.store import info_of
from engine.corpus.embedded.writing import Parts, write_generation
from engine.corpus.extracted import Validation, current_verdicts
from engine.corpus.journal import FolderJournals
from engine.corpus.ontology import ontology_from
from engine.corpus.postgresql import queries
from engine.corpus.postgresql.catalogue import SCHEMA, find_published, hold_generation, parse_manifest
from engine.corpus.postgresql.journals import PostgresJournals, apply_verdicts, copy_lines_back
from engine.corpus.postgresql.links import PostgresLinks, PostgresNames
from engine.corpus.postgresql.queries import read_columns
from engine.corpus.postgresql.searches import PostgresSearches
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.postgresql.texts import PostgresTexts
from engine.corpus.protocol import CorpusInfo, Ontology
from engine.errors import CorpusError
from engine.model import Passage, Reference

MISSING = "{}: no such corpus on the server; `copy` brings one there"
# Servers that stay connected to check which generation is published.
SERVERS = 16


class _Opened:
    """The opened generation, which each connection keeps from being dropped."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._found: tuple[int, Manifest] | None = None

    def welcome(self, connection: Connection[Any]) -> None:
        """Hold the generation for a new connection; the first connection opens the published one.

        Raises CorpusError if it does not exist.
        """
        if self._found is None:
            self._found = find_published(connection, self._address.corpus)
            if self._found is None:
                raise CorpusError(MISSING.format(self._address))
        elif not hold_generation(connection, self._found[0]):
            raise CorpusError(f"{self._address}: the corpus was replaced after it was opened; open it again")

    def published(self) -> tuple[int, Manifest]:
        """Return the generation and its manifest; set by the first connection."""
        assert self._found is not None
        return self._found


def generation_at(address: Address) -> int:
    """Return the number of the published generation, which is different for every version of the corpus.

    One round trip. Raises CorpusError if there is none, ResourceError if the server does not answer.
    """
    return int(_find(address, "generation")[0])


def manifest_at(address: Address) -> Manifest:
    """Return the manifest of the published corpus. Raises as ``generation_at``."""
    return parse_manifest(address.corpus, *_find(address, "format, manifest"))


def _find(address: Address, columns: str) -> Sequence[Any]:
    statement = f"select {columns} from {SCHEMA}.corpora where name = %(name)s"
    if not (found := _server(address).read(statement, {"name": address.corpus})):
        raise CorpusError(MISSING.format(address))
    row: Sequence[Any] = found[0]
    return row


@lru_cache(SERVERS)
def _server(address: Address) -> Server:
    return Server(address)


class PostgresCorpus(PostgresTexts, PostgresSearches, PostgresLinks, PostgresNames):
    """A corpus on a server. See ``engine.corpus.protocol.Corpus`` for the methods.

    Every method that queries the server raises ResourceError if it does not answer.
    """

    def __init__(self, address: Address) -> None:
        """Raise CorpusError if the server has no such corpus, ResourceError if it does not answer."""
        self.address, self._opened = address, _Opened(address)
        self.primary = Server(address, self._opened.welcome)
        # A corpus is never closed explicitly: its connections end with it.
        finalize(self, self.primary.close)
        self.primary.read("select 1", {})
        self._generation, self._manifest = self._opened.published()
        self._server: Server | Replicated = self.primary
        if address.replica:
            replica = Server(address, self._opened.welcome, url=address.replica)
            finalize(self, replica.close)
            self._server = Replicated(self.primary, replica)

    def close(self) -> None:
        """Close the connections; later calls open new ones."""
        self._server.close()
        self.primary.close()

    @property
    def manifest(self) -> Manifest:
        """Return the published manifest, without files."""
        return self._manifest

    @property
    def name(self) -> str:
        """Return the corpus's name."""
        return self._manifest.name

    @cached_property
    def ontology(self) -> Ontology | None:
        """Return the ontology that questions to this corpus are checked against."""
        content = self._manifest.ontology
        return None if content is None else ontology_from(content)

    @cached_property
    def journals(self) -> PostgresJournals:
        """Return the journals of the corpus, in a table of the server."""
        return PostgresJournals(self.address, self.primary, self._generation, self._apply_verdict)

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """Return the version of the applied verdicts on links."""
        return self.journals.stamp(VALIDATIONS_NAME)

    def apply_verdicts(self) -> None:
        """Read the current verdicts; their effects are in the tables already. Raises ResourceError."""
        self.journals.refresh()

    def _apply_verdict(self, connection: Connection[Any], lines: Sequence[bytes], new: bytes) -> None:
        said = Validation.model_validate_json(new)
        standing = current_verdicts([Validation.model_validate_json(line) for line in lines])
        apply_verdicts(connection, self, said.proposal.source_id, standing.values())

    def info(self) -> CorpusInfo:
        """Return counts, languages and notes of the ingestion."""
        return info_of(self._manifest)


# Copy a corpus from a server to a folder: the reverse of ``loading``.
#
# The folder gives the same answers as the server. It contains no blocks, so the next ingestion
# into it reads all sources again.

# Passages read at once.
AT_ONCE = 4096


def copy_to_folder(
    address: Address, folder: Path, progress: Callable[[str, int, int], None] | None = None
) -> Manifest:
    """Copy a corpus to a folder, replacing its content in one step; returns the manifest.

    Raises CorpusError, ResourceError.
    """
    corpus = PostgresCorpus(address)
    try:
        with corpus.primary.connection() as connection, new_generation(folder) as generation:
            connection.execute("select set_config('statement_timeout', '0', false)")
            table = _Unloader(corpus, connection, progress or (lambda *_: None))
            parts = table.parts()
            table.write_sparse(generation)
            manifest, _ = write_generation(folder, generation, parts)
            publish(folder, manifest)
            copy_lines_back(connection, address.corpus, FolderJournals(folder))
        return manifest
    except Error as error:
        raise corpus.primary.convert(error) from None
    finally:
        corpus.close()


class _Unloader:
    """Reads a whole generation."""

    def __init__(
        self,
        corpus: PostgresCorpus,
        connection: Connection[Any],
        progress: Callable[[str, int, int], None],
    ) -> None:
        self._corpus, self._connection, self._progress = corpus, connection, progress
        self._passages = len(corpus)

    def parts(self) -> Parts:
        """Return the parts of a generation in a folder."""
        corpus = self._corpus
        documents, size = corpus.documents(), corpus.info()
        sections = corpus.sections(range(int(size.metadata["sections"])))
        passages: list[Passage] = []
        for start in range(0, self._passages, AT_ONCE):
            rows = np.arange(start, min(start + AT_ONCE, self._passages), dtype=np.int32)
            passages += corpus.passages(rows)
            self._progress("passages", len(passages), self._passages)
        no_terms = {field: postings_of([()] * len(passages)) for field in FIELDS}
        block = pack(documents, sections, passages, no_terms)
        GivenNames.pack(block, ((row, name) for row, _, name in corpus.defined_names()))
        targets = Targets(
            {passage.id: row for row, passage in enumerate(passages)},
            {section.id: number for number, section in enumerate(sections)},
            {document.id: number for number, document in enumerate(documents)},
        )
        entities, mentions = corpus.entities(range(size.entities)), corpus.mentions()
        manifest = corpus.manifest
        return Parts(
            manifest.name,
            [("contents", block)],
            columns_of(self._stated(), targets),
            entities,
            (mentions.rows, mentions.entities),
            definers_of(entities, targets.passages),
            self._vectors() if manifest.embedding != NO_MODEL else None,
            manifest.embedding,
            manifest.ontology,
            manifest.metadata,
            sparse=manifest.sparse,
            lexical=lambda: Block(self._lexical()),
        )

    def _stated(self) -> list[Reference]:
        """Return the references as the texts state them; the verdicts are copied as journals."""
        references = list(self._corpus.all_references())
        for number, reference in self._corpus.stated_references():
            references[number] = reference
        return references

    def write_sparse(self, generation: Path) -> None:
        """Write the learned sparse vectors, if there are any."""
        if self._corpus.manifest.sparse != NO_MODEL:
            self._corpus.sparse_block().save(generation / SPARSE_NAME)

    def _lexical(self) -> dict[str, Array]:
        """Return the word lists of each field, merged from their parts."""
        found = self._connection.execute(
            f"select field, term, passages, weights from {SCHEMA}.postings where corpus = %s",
            (self._corpus.stamp,),
            binary=True,
        ).fetchall()
        field, terms, lists, weights = zip(*found, strict=True) if found else ((), (), (), ())
        fields, keys = np.array(field, np.int8), np.array(terms, np.int64).view(np.uint64)
        arrays: dict[str, Array] = {}
        for number, name in enumerate(FIELDS):
            own = np.flatnonzero(fields == number).tolist()
            every = queries.unpacked([lists[one] for one in own], np.int32)
            held = np.repeat(keys[own], [len(lists[one]) // 4 for one in own])
            order = np.lexsort((every, held))
            hashes, first = np.unique(held[order], return_index=True)
            arrays |= {
                f"lexical.{name}.hashes": hashes,
                f"lexical.{name}.pointers": np.append(first, len(every)).astype(np.int64),
                f"lexical.{name}.rows": every[order],
                f"lexical.{name}.weights": queries.unpacked([weights[one] for one in own], np.float32)[order],
                f"lexical.{name}.size": np.asarray([self._passages], np.int64),
            }
        self._progress("postings", len(found), len(found))
        return arrays

    def _vectors(self) -> NDArray[np.float32]:
        length = self._corpus.manifest.dimensions
        rows, held = self._columns("vectors", ["row", "embedding"], length)
        vectors = np.zeros((self._passages, length), np.float32)
        vectors[rows] = held
        return vectors

    def _columns(self, table: str, names: Sequence[str], length: int = 0) -> list[Array]:
        """Return columns of a numeric table, in no particular order."""
        found = read_columns(self._connection, table, self._corpus.stamp, names, by="row", length=length)
        self._progress(table, len(found[0]), len(found[0]))
        return found

"""The server store: a corpus in the tables of a PostgreSQL database.

In memory are the documents, the sections as columns and the ranges of passages with the same dates. Passages,
word lists, vectors, links and mentions are queried in sets, one round trip per call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any
from weakref import finalize

from psycopg import Connection

from engine.corpus.address import Address
from engine.corpus.embedded.generation import Manifest
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.embedded.store import info_of
from engine.corpus.extracted import Validation, current_verdicts
from engine.corpus.ontology import ontology_from
from engine.corpus.postgresql.catalogue import SCHEMA, find_published, hold_generation, parse_manifest
from engine.corpus.postgresql.journals import PostgresJournals, apply_verdicts
from engine.corpus.postgresql.links import PostgresLinks, PostgresNames
from engine.corpus.postgresql.searches import PostgresSearches
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.postgresql.texts import PostgresTexts
from engine.corpus.protocol import CorpusInfo, Ontology
from engine.errors import CorpusError

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

"""The server store: a corpus in the tables of a PostgreSQL database.

Held in memory are the documents, the sections as columns and the stretches of passages with the same dates;
passages, word lists, vectors, links and mentions are asked for in sets, one round trip a call.
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
from engine.corpus.extracted.readings import Validation, current_verdicts
from engine.corpus.ontology import ontology_from
from engine.corpus.postgresql.catalogue import find_published, hold_generation, parse_manifest
from engine.corpus.postgresql.journals import PostgresJournals, apply_verdicts
from engine.corpus.postgresql.links import PostgresLinks, PostgresNames
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.searches import PostgresSearches
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.postgresql.texts import PostgresTexts
from engine.corpus.protocol import CorpusInfo, Ontology
from engine.errors import CorpusError

MISSING = "{}: no such corpus on the server; `copy` brings one there"
# Servers that stay connected to see what they have published.
SERVERS = 16


class _Opened:
    """The generation that was opened: each connection keeps it from being dropped."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._found: tuple[int, Manifest] | None = None

    def welcome(self, connection: Connection[Any]) -> None:
        """Hold the generation for a new connection, the published one for the first of them. Raises
        CorpusError where it is not there."""
        if self._found is None:
            self._found = find_published(connection, self._address.corpus)
            if self._found is None:
                raise CorpusError(MISSING.format(self._address))
        elif not hold_generation(connection, self._found[0]):
            raise CorpusError(f"{self._address}: the corpus was replaced meanwhile; open it again")

    def published(self) -> tuple[int, Manifest]:
        """The generation and its manifest, once there was a connection."""
        assert self._found is not None
        return self._found


def generation_at(address: Address) -> int:
    """Return the number of the published generation; another one whenever the corpus is another. One round
    trip. Raises CorpusError if there is none, ResourceError if the server does not answer."""
    return int(_find(address, "generation")[0])


def manifest_at(address: Address) -> Manifest:
    """Return what is published of a corpus. Raises as ``generation_at``."""
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
    """A corpus on a server. See ``engine.corpus.protocol.Corpus`` for the methods; each of them that asks the
    server raises ResourceError where it does not answer."""

    def __init__(self, address: Address) -> None:
        """Raises CorpusError where the server holds no such corpus, ResourceError where none answers."""
        self.address, self._opened = address, _Opened(address)
        self.primary = Server(address, self._opened.welcome)
        # Nobody closes a corpus: its connections end with it.
        finalize(self, self.primary.close)
        self.primary.read("select 1", {})
        self._generation, self._manifest = self._opened.published()
        self._server: Server | Replicated = self.primary
        if address.replica:
            replica = Server(address, self._opened.welcome, url=address.replica)
            finalize(self, replica.close)
            self._server = Replicated(self.primary, replica)

    def close(self) -> None:
        """Close the connections; the corpus can still be asked, through new ones."""
        self._server.close()
        self.primary.close()

    @property
    def manifest(self) -> Manifest:
        """What is published of the corpus, without its files."""
        return self._manifest

    @property
    def name(self) -> str:
        """The corpus's name."""
        return self._manifest.name

    @cached_property
    def ontology(self) -> Ontology | None:
        """The areas that questions to this corpus are checked against."""
        content = self._manifest.ontology
        return None if content is None else ontology_from(content)

    @cached_property
    def journals(self) -> PostgresJournals:
        """What people and models say of the corpus, in a table of the server."""
        return PostgresJournals(self.address, self.primary, self._generation, self._apply_verdict)

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """Which verdicts on links are in force."""
        return self.journals.stamp(VALIDATIONS_NAME)

    def apply_verdicts(self) -> None:
        """See what people have said since: what follows from it is in the tables already. Raises
        ResourceError."""
        self.journals.refresh()

    def _apply_verdict(self, connection: Connection[Any], lines: Sequence[bytes], new: bytes) -> None:
        said = Validation.model_validate_json(new)
        standing = current_verdicts([Validation.model_validate_json(line) for line in lines])
        apply_verdicts(connection, self, said.proposal.source_id, standing.values())

    def info(self) -> CorpusInfo:
        """Counts, languages and what the ingestion noted."""
        return info_of(self._manifest)

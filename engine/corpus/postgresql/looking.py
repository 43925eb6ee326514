"""What a server has published, without opening it."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import text

from engine.corpus.address import Address
from engine.corpus.embedded.manifest import Manifest
from engine.corpus.postgresql.catalogue import readable
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.server import Server
from engine.errors import CorpusError

# Servers that stay connected.
SERVERS = 16

_GENERATION = text(f"select generation from {SCHEMA}.corpora where name = :name")
_MANIFEST = text(f"select format, manifest from {SCHEMA}.corpora where name = :name")


def generation_at(address: Address) -> int:
    """The number of the generation that is published; another one whenever the corpus is another. One round
    trip. Raises CorpusError where there is none, ResourceError where the server does not answer."""
    found = _server(address).read(_GENERATION, {"name": address.corpus})
    if not found:
        raise CorpusError(f"{address}: no such corpus on the server; `copy` brings one there")
    return int(found[0][0])


def manifest_at(address: Address) -> Manifest:
    """What is published of a corpus. Raises as ``generation_at``."""
    found = _server(address).read(_MANIFEST, {"name": address.corpus})
    if not found:
        raise CorpusError(f"{address}: no such corpus on the server; `copy` brings one there")
    return readable(address.corpus, *found[0])


@lru_cache(SERVERS)
def _server(address: Address) -> Server:
    return Server(address)

"""Open a corpus in a folder or on a server."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.address import Address, place_of
from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.protocol import Corpus


def open_corpus(place: Path | str | Address) -> Corpus:
    """Open the corpus in a folder, or at an address ``postgresql://HOST/DATABASE?corpus=NAME``.

    Raises CorpusError if it is missing, damaged or of another format, ResourceError if memory or another
    resource is exhausted, or a server does not respond.
    """
    where = place_of(place)
    if isinstance(where, Address):
        # The database driver is imported only if needed.
        from engine.corpus.postgresql.store import PostgresCorpus

        return PostgresCorpus(where)
    return EmbeddedCorpus(where)

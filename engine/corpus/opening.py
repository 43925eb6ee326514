"""Open a corpus wherever it lives."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.address import Address, place_of
from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.protocol import Corpus


def open_corpus(place: Path | str | Address) -> Corpus:
    """The corpus in a folder, or at an address: ``postgresql://HOST/DATABASE?corpus=NAME``.

    Raises CorpusError where it is missing, damaged or of another format, ResourceError where memory or the
    like does not suffice to open it now, or a server does not answer.
    """
    where = place_of(place)
    if isinstance(where, Address):
        # The driver is imported for those corpora alone that need it.
        from engine.corpus.postgresql.store import PostgresCorpus

        return PostgresCorpus(where)
    return EmbeddedCorpus(where)

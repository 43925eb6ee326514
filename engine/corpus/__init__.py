"""Corpora: documents, passages, indexes and graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from engine.corpus.address import Address
    from engine.corpus.protocol import Corpus

__all__ = ["open_corpus"]


def open_corpus(place: Path | str | Address) -> Corpus:
    """Open the corpus in a folder, or at an address: ``postgresql://HOST/DATABASE?corpus=NAME``.

    Raises CorpusError if it is missing, damaged or of another format, ResourceError if memory is too small
    or a server does not answer.
    """
    # Imported for those alone who open one: the command line starts without.
    from engine.corpus.address import Address, place_of
    from engine.corpus.embedded.store import EmbeddedCorpus

    where = place_of(place)
    if isinstance(where, Address):
        from engine.corpus.postgresql.store import PostgresCorpus

        return PostgresCorpus(where)
    return EmbeddedCorpus(where)

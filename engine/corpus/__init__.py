"""Corpora: documents, passages, indexes and graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.corpus.address import Address
    from engine.corpus.protocol import Corpus, Rows
    from engine.model import Document, Passage

__all__ = ["find_passages", "open_corpus", "with_documents"]


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


def find_passages(corpus: Corpus, ids: Sequence[str]) -> dict[str, tuple[Passage, Document]]:
    """Return passages with their documents by id, in the order of ``ids``; unknown ids are left out."""
    rows = corpus.rows(ids)
    return {passage.id: (passage, document) for passage, document in with_documents(corpus, rows[rows >= 0])}


def with_documents(corpus: Corpus, rows: Rows) -> list[tuple[Passage, Document]]:
    """Return the passages at ``rows``, each with its document."""
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    return [(one, documents[number]) for one, number in zip(corpus.passages(rows), numbers, strict=True)]

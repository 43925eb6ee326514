"""Passages of a corpus with their documents, by id."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus.protocol import Corpus, Rows
from engine.model import Document, Passage


def find_passages(corpus: Corpus, ids: Sequence[str]) -> dict[str, tuple[Passage, Document]]:
    """Return passages with their documents by id, in the order of ``ids``; unknown ids are left out."""
    rows = corpus.rows(ids)
    return {passage.id: (passage, document) for passage, document in with_documents(corpus, rows[rows >= 0])}


def with_documents(corpus: Corpus, rows: Rows) -> list[tuple[Passage, Document]]:
    """Return the passages at ``rows``, each with its document."""
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    return [(one, documents[number]) for one, number in zip(corpus.passages(rows), numbers, strict=True)]

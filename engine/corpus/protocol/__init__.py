"""The interface of an open corpus. Methods work on batches: arrays in, arrays out.

``Rows`` are int32 indexes of passages. Passages of a document are consecutive rows in reading order, so a
section is a range of rows.

``Corpus`` combines small protocols. Each has a contract kit in ``engine.corpus.contract``;
``engine.corpus.defaults`` implements all methods that can be derived from others.
"""

from __future__ import annotations

from typing import Protocol

from engine.corpus.protocol.protocols import Browsing, Dense, Lexical, Linked, Names, Sparse, Texts, Validity
from engine.corpus.protocol.values import (
    Area,
    Cited,
    Concept,
    CorpusInfo,
    Hits,
    Links,
    Mask,
    Mentions,
    Ontology,
    Quoted,
    Rows,
    Scores,
    Wording,
)

__all__ = [
    "Area",
    "Browsing",
    "Cited",
    "Concept",
    "Corpus",
    "CorpusInfo",
    "Dense",
    "Hits",
    "Lexical",
    "Linked",
    "Links",
    "Mask",
    "Mentions",
    "Names",
    "Ontology",
    "Quoted",
    "Rows",
    "Scores",
    "Sparse",
    "Texts",
    "Validity",
    "Wording",
]


class Corpus(Texts, Lexical, Dense, Sparse, Linked, Names, Validity, Browsing, Protocol):
    """The interface between the engine and a corpus store."""

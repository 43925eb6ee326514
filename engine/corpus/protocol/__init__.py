"""What an open corpus can be asked. Batched: arrays in, arrays out.

``Rows`` are int32 positions of passages in the corpus. Passages of one document are consecutive
rows in reading order, so a section is a range of rows.

``Corpus`` is the whole seam, put together from small protocols. Each has its contract in
``engine.corpus.contract``; ``engine.corpus.defaults`` derives what can be derived from the rest.
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
    """The seam between the engine and where a corpus lives."""

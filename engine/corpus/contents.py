"""The contents of a corpus before it is stored, and bare headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import Document, Entity, Passage, Reference, Section

# Passages that contain only a heading: they lead to evidence but are not evidence.

LONGEST_HEADING = 120
# Marks of a sentence: final punctuation, several lines, or an English modal or auxiliary verb at the end.
_SENTENCE = re.compile(
    r"[.;:,!?؛؟،。；：，—–-]\s*\Z|\n|\b(?:and|or|shall|must|may not|means|is|are|has|have)\b\s*\Z"
    r"|\b(?:shall|must|may not|means|is|are|has|have)\b|\A(?:\(\w{1,5}\))?\W*[a-zà-ÿ]"
)


def is_bare_heading(text: str) -> bool:
    """Return whether a text is short and contains no sentence."""
    stripped = text.strip()
    return len(stripped) <= LONGEST_HEADING and not _SENTENCE.search(stripped)


# Input of a corpus store.

NO_EMBEDDING = "none"


@dataclass(frozen=True, slots=True)
class Contents:
    """The complete contents of a corpus.

    ``passages`` are in the order of ``documents`` and, within one, of their positions; ``terms`` are the
    index terms of their texts, ``contexts`` those of the surrounding text, ``titles`` those of their
    provisions' headings, empty for none. ``mentions``: arrays (rows, entity numbers) of shape (m,).
    ``vectors``: shape (passages, d), zero rows for passages without an embedding, or None. ``defined_names``:
    names that passages give to documents, by row. ``sparse``: learned sparse vectors by passage, or None;
    ``sparse_model`` names their model, ``vocabulary`` is the number of terms.
    """

    name: str
    documents: Sequence[Document]
    sections: Sequence[Section]
    passages: Sequence[Passage]
    terms: Iterable[Sequence[str]]
    contexts: Iterable[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    references: Sequence[Reference] = ()
    entities: Sequence[Entity] = ()
    mentions: tuple[NDArray[Any], NDArray[Any]] = field(
        default_factory=lambda: (np.zeros(0, np.int32), np.zeros(0, np.int32))
    )
    vectors: NDArray[np.float32] | None = None
    embedding: str = NO_EMBEDDING
    ontology: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    defined_names: Sequence[tuple[int, DefinedName]] = ()
    sparse: SparseVectors | None = None
    vocabulary: int = 0
    sparse_model: str = NO_EMBEDDING

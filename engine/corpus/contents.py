"""The contents of a corpus in numbers, and its headings."""

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

# Passages that are nothing but a heading: they lead to evidence and are none.

LONGEST_HEADING = 120
# A sentence ends, obliges, goes on below a line, or begins in the middle of another one. Verbs are
# looked for in English only: elsewhere the full stop has to tell.
_SENTENCE = re.compile(
    r"[.;:,!?؛؟،。；：，—–-]\s*\Z|\n|\b(?:and|or|shall|must|may not|means|is|are|has|have)\b\s*\Z"
    r"|\b(?:shall|must|may not|means|is|are|has|have)\b|\A(?:\(\w{1,5}\))?\W*[a-zà-ÿ]"
)


def is_bare_heading(text: str) -> bool:
    """Whether a text is short and holds no sentence."""
    stripped = text.strip()
    return len(stripped) <= LONGEST_HEADING and not _SENTENCE.search(stripped)


# What a corpus consists of, before a store has taken it in.

NO_EMBEDDING = "none"


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything a corpus consists of.

    ``passages`` stand in the order of ``documents`` and, within one, of their positions; ``terms``
    are the index terms of their texts, ``contexts`` of what stands around them, ``titles`` of the headings
    of their own provisions, empty for none. ``mentions``: arrays
    (rows, entity numbers) of shape (m,). ``vectors``: shape (passages, d), zero rows for what is not
    embedded, or None. ``given_names``: names that passages give to documents, by row. ``sparse``: the
    learned sparse vectors, a row for each passage, or None; ``sparse_model`` names their model, and
    ``vocabulary`` is the number of terms.
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
    given_names: Sequence[tuple[int, DefinedName]] = ()
    sparse: SparseVectors | None = None
    vocabulary: int = 0
    sparse_model: str = NO_EMBEDDING

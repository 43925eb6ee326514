"""What a document is, as far as a ranking may learn from it: its latest edition, and of what weight its kind.

No gold set that the shipped weights were learned from has several editions of a text or says of what kind its
documents are, so that these weigh nothing until they are learned on a collection that does.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.grades import Grades
from engine.corpus.protocol import Corpus
from engine.model import EDITION, Document, Grade

# From the weightiest kind to none that is known.
_WEIGHT = {grade: 1.0 - place / len(Grade) for place, grade in enumerate(Grade)}


@dataclass(frozen=True, slots=True)
class DocumentSigns:
    """By the number of a document, shapes (documents,). ``latest``: 1 unless the corpus has a later edition
    or version of it. ``authority``: 1 for a kind of grade A, a fifth less with each grade, 0 for none."""

    latest: NDArray[np.float32]
    authority: NDArray[np.float32]


_KNOWN: WeakKeyDictionary[Corpus, DocumentSigns] = WeakKeyDictionary()


def document_signs(corpus: Corpus) -> DocumentSigns:
    """The signs of a corpus's documents, made once and kept as long as it is open."""
    known = _KNOWN.get(corpus)
    if known is None:
        usual, documents = Grades(), corpus.documents()
        grades = [usual.of(document) for document in documents]
        known = _KNOWN[corpus] = DocumentSigns(
            np.array([is_latest(document) for document in documents], np.float32),
            np.array([0.0 if grade is None else _WEIGHT[grade] for grade in grades], np.float32),
        )
    return known


def is_latest(document: Document) -> bool:
    """Whether a document is the latest of its editions or versions, or the only one."""
    place, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    return place == count or not count

"""Index terms and vectors of passages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.ingestion.gathering import Collection
from engine.ingestion.progress import Progress
from engine.language.analyzer import analyzer
from engine.language.embedders import Embedder
from engine.language.embedders.base import reads, unit
from engine.model import Document, Passage

EMBEDDING_BATCH = 256
# How far a passage's vector leans towards its headings' vector. Measured on the gold sets: more
# questions complete than with none, and no set loses (benchmarks/RESULTS.md).
HEADING_SHARE = 0.2
HEADING_JOINT = " > "


def context_of(passage: Passage, document: Document) -> tuple[str, ...]:
    """What stands around a passage: the names of its document, its label, the headings above it."""
    short = min(document.aliases, key=len, default=document.title)
    return (*dict.fromkeys((document.title, short)), passage.label, *passage.headings)


def lexical_terms(
    collection: Collection, progress: Progress, *, headings: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """The terms of each passage's text and of its context (none where ``headings`` is off)."""
    documents = {document.id: document for document in collection.documents}
    texts: list[list[str]] = []
    contexts: list[list[str]] = []
    total = len(collection.passages)
    for row, passage in enumerate(collection.passages):
        if row % 1024 == 0:
            progress("index", row, total)
        texts.append(analyzer(passage.language).terms(passage.text))
        around = context_of(passage, documents[passage.document_id]) if headings else ()
        contexts.append([term for piece in around for term in _heading_terms(piece, passage.language)])
    progress("index", total, total)
    return texts, contexts


@lru_cache(maxsize=65536)
def _heading_terms(heading: str, language: str) -> list[str]:
    """Headings and names come again with every passage below them."""
    return analyzer(language).terms(heading)


def passage_vectors(
    passages: Sequence[Passage], model: Embedder, progress: Progress, *, headings: bool
) -> tuple[NDArray[np.float32], int]:
    """Unit vectors, shape (passages, d), and how many passages have none.

    With ``headings`` a passage's vector leans towards that of its path of headings. A passage in a
    language that the model does not read has a zero row. Raises ModelError.
    """
    vectors = np.zeros((len(passages), model.dimensions), np.float32)
    rows = [row for row, passage in enumerate(passages) if reads(model, passage.language)]
    vectors[rows] = _encoded([passages[row].text for row in rows], model, progress, "embed")
    if headings:
        paths = [HEADING_JOINT.join(passages[row].headings) for row in rows]
        known = {path: number for number, path in enumerate(dict.fromkeys(filter(None, paths)))}
        below = [(row, known[path]) for row, path in zip(rows, paths, strict=True) if path]
        if below:
            of_paths = _encoded(list(known), model, progress, "embed headings")
            passage_rows, path_rows = (list(column) for column in zip(*below, strict=True))
            leaning = vectors[passage_rows] + HEADING_SHARE * of_paths[path_rows]
            vectors[passage_rows] = unit(leaning)
    return vectors, len(passages) - len(rows)


def _encoded(texts: Sequence[str], model: Embedder, progress: Progress, step: str) -> NDArray[np.float32]:
    """Unit vectors of passages' texts, in batches of like length: a batch takes as long as its longest."""
    vectors = np.zeros((len(texts), model.dimensions), np.float32)
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for start in range(0, len(order), EMBEDDING_BATCH):
        progress(step, start, len(order))
        batch = order[start : start + EMBEDDING_BATCH]
        vectors[batch] = model.encode([texts[number] for number in batch], kind="passage")
    progress(step, len(order), len(order))
    return vectors

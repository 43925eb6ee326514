"""Which documents of a corpus are one text, or at least one source.

Translations and versions of each other are one text. A document and what amends, repeals or supersedes it are
one source, for neither confirms the other, but two texts: their provisions of one number differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.protocol import Corpus
from engine.language.aliases import name_key
from engine.model import Relation, TargetKind

_TIES = (Relation.AMENDS, Relation.SUPERSEDES, Relation.REPEALS)
_SAME_TEXT = ("translation_of", "version_of")
_STATED = (*_SAME_TEXT, "amends", "supersedes", "repeals")
_MADE: WeakKeyDictionary[Corpus, Families] = WeakKeyDictionary()


class Families(NamedTuple):
    """For each document, by its number, the first document of the same ``text``, and ``source``."""

    text: tuple[int, ...]
    source: tuple[int, ...]


def families(corpus: Corpus) -> Families:
    """Return the families of a corpus's documents."""
    known = _MADE.get(corpus)
    if known is None:
        known = _MADE[corpus] = Families(_tied(corpus, _SAME_TEXT, ()), _tied(corpus, _STATED, _TIES))
    return known


def _tied(corpus: Corpus, fields: Sequence[str], relations: Sequence[Relation]) -> tuple[int, ...]:
    documents = corpus.documents()
    parent = list(range(len(documents)))
    numbers = {document.id: number for number, document in enumerate(documents)}

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def tie(one: int, other: int) -> None:
        first, second = sorted((root(one), root(other)))
        parent[second] = first

    titles: dict[object, int] = {}
    for number, document in enumerate(documents):
        tie(titles.setdefault((name_key(document.title), document.language), number), number)
        for key in fields:
            stated = document.metadata.get(key) or ()
            for name in (stated,) if isinstance(stated, str) else stated:
                if str(name) in numbers:
                    tie(number, numbers[str(name)])
    for number, other in _by_reference(corpus, numbers, relations) if relations else ():
        tie(number, other)
    return tuple(root(number) for number in range(len(documents)))


def _by_reference(
    corpus: Corpus, numbers: dict[str, int], relations: Sequence[Relation]
) -> list[tuple[int, int]]:
    found = []
    for reference in corpus.references(corpus.reference_numbers(relations=relations).tolist()):
        if reference.target_id is None or reference.target_kind is None:
            continue
        whole = reference.target_kind is TargetKind.DOCUMENT
        target = numbers.get(reference.target_id) if whole else _document_of(corpus, reference.target_id)
        source = _document_of(corpus, reference.source_id)
        if source is not None and target is not None:
            found.append((source, target))
    return found


def _document_of(corpus: Corpus, passage_id: str) -> int | None:
    rows = corpus.rows([passage_id])
    if rows[0] < 0:
        return None
    return int(corpus.document_numbers(np.asarray(rows, np.int32))[0])

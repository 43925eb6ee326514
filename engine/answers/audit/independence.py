"""Which documents of a corpus are one source: translations, versions and amendments of each other."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.protocol import Corpus
from engine.language.aliases import name_key
from engine.model import Relation, TargetKind

_TIES = (Relation.AMENDS, Relation.SUPERSEDES, Relation.REPEALS)
_STATED = ("translation_of", "amends", "version_of", "supersedes", "repeals")
_MADE: WeakKeyDictionary[Corpus, tuple[int, ...]] = WeakKeyDictionary()


def families(corpus: Corpus) -> tuple[int, ...]:
    """For each document, by its number, the first document of the family it belongs to."""
    known = _MADE.get(corpus)
    if known is None:
        known = _MADE[corpus] = _families(corpus)
    return known


def _families(corpus: Corpus) -> tuple[int, ...]:
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
        for key in _STATED:
            stated = document.metadata.get(key) or ()
            for name in (stated,) if isinstance(stated, str) else stated:
                if str(name) in numbers:
                    tie(number, numbers[str(name)])
    for number, other in _by_reference(corpus, numbers):
        tie(number, other)
    return tuple(root(number) for number in range(len(documents)))


def _by_reference(corpus: Corpus, numbers: dict[str, int]) -> list[tuple[int, int]]:
    found = []
    for reference in corpus.references(corpus.reference_numbers(relations=_TIES).tolist()):
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

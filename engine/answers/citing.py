"""Numbered citations of an answer: each quote once, located to the character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from engine.answers.quotes import Located
from engine.answers.record import Citation
from engine.corpus.grades import grades_of
from engine.corpus.protocol import Corpus
from engine.investigation.reading import Reading
from engine.investigation.record import Investigation
from engine.model import Document, Passage
from engine.records.citation import full_citation, short_citation
from engine.records.validity import badge


class Citations:
    """Gives out the citations of one answer in the order in which they are asked for."""

    def __init__(self, investigation: Investigation, corpus: Corpus) -> None:
        self.day = investigation.day or date.today()
        self.reading = Reading(corpus)
        self._corpus = corpus
        self._documents = corpus.documents()
        self._grades = grades_of(corpus)
        self._keys = _keys(investigation)
        self._made: dict[tuple[object, ...], Citation] = {}

    @property
    def made(self) -> tuple[Citation, ...]:
        """All citations so far, by number."""
        return tuple(self._made.values())

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Passages by id."""
        return self.reading.passages(self._corpus.rows(list(ids)))

    def document(self, passage: Passage) -> Document:
        """The document of a passage."""
        return self._documents[int(self._corpus.document_numbers(self._corpus.rows([passage.id]))[0])]

    def of(self, located: Located) -> Citation:
        """The citation of a quote; the same quote has one number."""
        known = self._made.get(located.places)
        if known is not None:
            return known
        passage_id = located.places[0][0]
        [passage] = self.passages([passage_id])
        document = self.document(passage)
        seal = badge(passage, document, self.day)
        keys = (self._keys.get(place) for place, _ in located.places)
        made = Citation(
            number=len(self._made) + 1,
            key=next((key for key in keys if key is not None), None),
            passage_id=passage_id,
            quote=located.words,
            places=located.places,
            cited=" ".join(full_citation(passage, document).split()),
            short=" ".join(short_citation(passage, document).split()),
            language=passage.language,
            validity=seal.words if seal else "",
            old=seal.old if seal else False,
            grade=self._grades.of(document),
        )
        self._made[located.places] = made
        return made

    def rows(self) -> dict[int, Citation]:
        """The first citation of each passage that is cited, by row."""
        first: dict[str, Citation] = {}
        for citation in self._made.values():
            for place, _ in citation.places:
                first.setdefault(place, citation)
        rows = self._corpus.rows(list(first)) if first else np.empty(0, np.int32)
        return dict(zip(rows.tolist(), first.values(), strict=True))


def _keys(investigation: Investigation) -> Mapping[str, int]:
    """The rank under which each passage of the ranking is shown."""
    keys: dict[str, int] = {}
    for found in reversed(investigation.passages):
        keys.update(dict.fromkeys(found.assembled_ids, found.rank))
    keys.update({found.passage.id: found.rank for found in investigation.passages})
    return keys

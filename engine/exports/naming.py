"""Citations of a record's passages: from the record if ranked, else from the corpus if open, else the id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.model import Document, Passage
from engine.records.phrases import full_citation, short_citation, trail_sentence
from engine.records.record import CaseRecord, HopPart, PassagePart

Found = tuple[Passage, Document]


@dataclass(frozen=True, slots=True)
class Names:
    """Citations of passages by id."""

    found: Mapping[str, Found]

    def passage(self, passage_id: str) -> Passage | None:
        """Return a passage, None if only its id is known."""
        known = self.found.get(passage_id)
        return None if known is None else known[0]

    def document(self, passage_id: str) -> Document | None:
        """Return the document of a passage, None if unknown."""
        known = self.found.get(passage_id)
        return None if known is None else known[1]

    def short(self, passage_id: str) -> str:
        """Return the short citation of a passage for trails."""
        known = self.found.get(passage_id)
        return passage_id if known is None else short_citation(*known)

    def full(self, passage_id: str) -> str:
        """Return the full citation of a passage for memos."""
        known = self.found.get(passage_id)
        return passage_id if known is None else full_citation(*known)

    def sentence(self, trail: Sequence[HopPart]) -> str:
        """Return a trail as a sentence, from the passage back to the question."""
        return trail_sentence([step.hop() for step in trail], self.short)


def names_of(record: CaseRecord, corpus: Corpus | None = None) -> Names:
    """Return the citations of all passages of a record."""
    found = {} if corpus is None else find_passages(corpus, [node.id for node in record.pool.nodes])
    return Names({**found, **{one.id: _of_record(one, found.get(one.id)) for one in record.passages}})


def _of_record(ranked: PassagePart, known: Found | None) -> Found:
    """Return a passage of the record, with the document's short names from the corpus."""
    passage = Passage(
        ranked.id,
        ranked.document,
        None,
        0,
        ranked.text,
        language=ranked.language,
        label=ranked.label,
        page=ranked.page,
    )
    if known is not None and known[1].id == ranked.document:
        return passage, known[1]
    return passage, Document(ranked.document, ranked.title)

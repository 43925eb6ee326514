"""What a person who reads through a corpus asks: its trees, its references by status, what is cited most."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.corpus.embedded.arrays import Array, Index, ranges, row_pointers
from engine.corpus.embedded.documents import DocumentTable, SectionTable
from engine.corpus.embedded.links import ReferenceTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.references import RELATION_NUMBERS, STATUSES, TARGET_KINDS
from engine.corpus.protocol import Cited, Quoted, Rows
from engine.model import Relation, Status, TargetKind

_PASSAGE, _SECTION, _DOCUMENT = (
    TARGET_KINDS.index(kind) for kind in (TargetKind.PASSAGE, TargetKind.SECTION, TargetKind.DOCUMENT)
)


class Browsing:
    """Answers from the reference table and the structure; what is computed is computed once, when asked."""

    def __init__(
        self,
        references: ReferenceTable,
        passages: PassageTable,
        sections: SectionTable,
        documents: DocumentTable,
    ) -> None:
        self._references, self._passages = references, passages
        self._sections, self._documents = sections, documents

    def numbers(
        self, statuses: Sequence[Status] | None, relations: Sequence[Relation] | None, document: int | None
    ) -> Rows:
        """Numbers of the references of these statuses and relations that a document's passages make."""
        chosen = np.ones(len(self._references), np.bool_)
        if statuses is not None:
            codes = [STATUSES.index(status) for status in statuses]
            chosen &= np.isin(self._references.column("status"), codes)
        if relations is not None:
            kinds = [RELATION_NUMBERS[relation] for relation in relations]
            chosen &= np.isin(self._references.column("relation"), kinds)
        if document is not None:
            chosen &= self._passages.document[self._references.column("source")] == document
        return np.flatnonzero(chosen).astype(np.int32)

    def made_by(self, rows: Rows) -> Quoted:
        """The references that passages make, in the order of their texts."""
        asked = np.asarray(rows, np.int64)
        return _quoted(*ranges(self._by_source[asked], self._by_source[asked + 1]))

    def made_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages."""
        asked = np.asarray(rows, np.int64)
        pointers, numbers = self._by_target
        origins, places = ranges(pointers[asked], pointers[asked + 1])
        return _quoted(origins, numbers[places])

    def counts(self) -> Rows:
        """How many references lead to each passage, shape (passages,)."""
        return np.diff(self._by_target[0]).astype(np.int32)

    def most_cited(self, limit: int, relations: Sequence[Relation] | None) -> list[Cited]:
        """The provisions that the most references point at."""
        numbers, kind, target = self.provisions(relations)
        keys = target * len(TARGET_KINDS) + kind
        found, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
        heads, is_in_section = found // len(TARGET_KINDS), found % len(TARGET_KINDS) == _SECTION
        heads[is_in_section] = self._sections.first[heads[is_in_section]]
        best = np.lexsort((heads, -counts))[: max(limit, 0)]
        source = self._references.column("source")[numbers]
        cited = []
        for group in best.tolist():
            number, code = divmod(int(found[group]), len(TARGET_KINDS))
            is_section = code == _SECTION
            cited.append(
                Cited(
                    kind=TARGET_KINDS[code],
                    target_id=self._sections.id(number) if is_section else self._passages.ids([number])[0],
                    row=int(heads[group]),
                    references=int(counts[group]),
                    passages=len(np.unique(source[groups == group])),
                )
            )
        return cited

    def provisions(self, relations: Sequence[Relation] | None = None) -> tuple[Index, Array, Index]:
        """The resolved references of some relations (None: of all) that do not lead to whole documents, and
        the kind and the number of the provision that each counts for; shape (n,) each."""
        numbers = self.numbers([Status.RESOLVED], relations, None).astype(np.int64)
        kind = self._references.column("kind")[numbers]
        numbers, kind = numbers[kind != _DOCUMENT], kind[kind != _DOCUMENT]
        target = self._references.column("target")[numbers].astype(np.int64)
        return numbers, *self._provisions(kind, target)

    def _provisions(self, kind: Array, target: Index) -> tuple[Array, Index]:
        """A paragraph that is cited counts for the provision it is part of: the section of its number."""
        kind, target = kind.copy(), target.copy()
        rows = np.unique(target[kind == _PASSAGE])
        section = self._passages.section[rows].astype(np.int64)
        for row, own in zip(rows.tolist(), section.tolist(), strict=True):
            number = self._passages.number(row) if own >= 0 else ""
            if number and number == self._sections.number(own):
                moved = (kind == _PASSAGE) & (target == row)
                kind[moved], target[moved] = _SECTION, own
        return kind, target

    @cached_property
    def _by_source(self) -> Index:
        # The table stands in the order of its sources.
        return row_pointers(self._references.column("source"), len(self._passages))

    @cached_property
    def _by_target(self) -> tuple[Index, Index]:
        heads = self.heads()
        numbers = np.flatnonzero(heads >= 0)
        order = np.lexsort((numbers, heads[numbers]))
        numbers = numbers[order]
        return row_pointers(heads[numbers], len(self._passages)), numbers

    def heads(self) -> Index:
        """The passage that each reference leads to, itself or as the first of a section; -1 for none and for
        whole documents. Shape (references,)."""
        target, kind = self._references.column("target"), self._references.column("kind")
        heads = np.where(kind == _DOCUMENT, -1, target).astype(np.int64)
        to_section = (heads >= 0) & (kind == _SECTION)
        heads[to_section] = self._sections.first[heads[to_section]]
        return heads


def _quoted(origins: Index, numbers: Index) -> Quoted:
    return Quoted(origins.astype(np.int32), numbers.astype(np.int32))

"""References and links of the server store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson
from sqlalchemy import text

from engine.corpus.embedded.references import (
    RELATION_NUMBERS,
    RELATIONS,
    STATUS_NUMBERS,
    STATUSES,
    TARGET_KINDS,
)
from engine.corpus.postgresql.asking import ASKED, IN_PARTS, OWN, Asking, codes, columns_of
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.protocol import Cited, Links, Quoted, Rows
from engine.model import Direction, Reference, Relation, Span, Status

_NEIGHBOURS = text(
    f"select a.place, x.far, x.relation, x.weight, x.evidence from {ASKED} "
    f"join {SCHEMA}.edges x on {OWN} and x.near = a.row and x.inward = :inward "
    "where cast(:relations as int[]) is null or x.relation = any(cast(:relations as int[])) "
    "order by a.place, x.far, x.relation"
)
_OF_REFERENCE = (
    "number, source_id, start, stop, text, relation, status, kind, target_id, candidates, confidence, grammar"
)
_STATED = text(f"select {_OF_REFERENCE} from {SCHEMA}.stated where corpus = :corpus")
_REFERENCES = text(
    f"select {_OF_REFERENCE} from {SCHEMA}.citations x where {IN_PARTS} "
    "and x.document = any(cast(:documents as int[])) and x.number = any(cast(:numbers as int[]))"
)
_REFERENCE_NUMBERS = (
    f"select number from {SCHEMA}.citations x where {{of}} "
    "and (cast(:statuses as int[]) is null or status = any(cast(:statuses as int[]))) "
    "and (cast(:relations as int[]) is null or relation = any(cast(:relations as int[]))) order by number"
)
_ALL_NUMBERS = text(_REFERENCE_NUMBERS.format(of="corpus = :corpus"))
_OWN_NUMBERS = text(_REFERENCE_NUMBERS.format(of=f"{IN_PARTS} and document = :document"))
_MADE_BY = text(
    f"select a.place, x.number from {ASKED} join {SCHEMA}.citations x on {OWN} and x.source = a.row "
    "order by a.place, x.number"
)
_MADE_TO = text(
    f"select a.place, x.number from {ASKED} join {SCHEMA}.cited x on {OWN} and x.head = a.row "
    "order by a.place, x.number"
)
_MOST_CITED = text(
    "select provision_kind, provision_id, provision_row, count(*), count(distinct source) "
    f"from {SCHEMA}.citations where corpus = :corpus and provision >= 0 "
    "and (cast(:relations as int[]) is null or relation = any(cast(:relations as int[]))) "
    "group by provision_kind, provision_id, provision_row, provision "
    "order by count(*) desc, provision_row, provision, provision_kind limit :limit"
)


class ServedLinks(Asking):
    """See ``engine.corpus.protocol.Linked`` and ``Browsing``."""

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Passages linked to ``rows`` by resolved references."""
        inward = direction is Direction.IN
        if relations is None and len(rows) == len(self) and (np.diff(rows) == 1).all():
            return self._every_link(inward)
        found = self._of(_NEIGHBOURS, rows, relations=codes(relations, RELATION_NUMBERS), inward=inward)
        places, far, kinds, weights, evidence = columns_of(found, 5)
        return Links(
            np.array(places, np.int32) - 1,
            np.array(far, np.int32),
            np.array(kinds, np.int8),
            np.array(weights, np.float32),
            np.array(evidence, np.int32),
        )

    def _every_link(self, inward: bool) -> Links:
        """The links of all passages, for the graph of the corpus."""
        names = ["near", "far", "relation", "weight", "evidence"]
        near, far, kinds, weights, evidence = self._bulk(
            "edges", names, "near", "inward" if inward else "not inward"
        )
        order = np.lexsort((kinds, far, near))
        return Links(near[order], far[order], kinds[order].astype(np.int8), weights[order], evidence[order])

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""
        first = self._document_records[2]
        documents = np.searchsorted(first, np.asarray(numbers, np.int64), "right") - 1
        made = dict(map(_reference, self._of_documents(_REFERENCES, numbers, documents)))
        return [made[int(number)] for number in numbers]

    def stated_references(self) -> list[tuple[int, Reference]]:
        """The references that people have judged, by number, as the texts say them."""
        return [_reference(one) for one in self._read(_STATED)]

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Rows of the reference table of these statuses and relations, of one document or of all."""
        asked = {
            "statuses": codes(statuses, STATUS_NUMBERS),
            "relations": codes(relations, RELATION_NUMBERS),
        }
        if document is None:
            found = self._read(_ALL_NUMBERS, **asked)
        else:
            parts = self.parts(np.array([document]))
            found = self._read(_OWN_NUMBERS, **asked, document=document, parts=parts)
        return np.array([number for (number,) in found], np.int32)

    def references_from(self, rows: Rows) -> Quoted:
        """The references that passages make, of every status."""
        return _quoted(self._of(_MADE_BY, rows))

    def references_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages, or to sections that begin with them."""
        return _quoted(self._of(_MADE_TO, rows))

    def citation_counts(self) -> Rows:
        """How many references lead to each passage."""
        (heads,) = self._bulk("cited", ["head"], "head")
        return np.bincount(heads, minlength=len(self)).astype(np.int32)

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """The provisions that the most references point at."""
        numbers = codes(relations, RELATION_NUMBERS)
        return [
            Cited(TARGET_KINDS[kind], provision_id, row, references, passages)
            for kind, provision_id, row, references, passages in self._read(
                _MOST_CITED, relations=numbers, limit=max(limit, 0)
            )
        ]


def _reference(row: Any) -> tuple[int, Reference]:
    """A row of the reference table, with its number."""
    return row.number, Reference(
        source_id=row.source_id,
        span=Span(row.start, row.stop),
        text=row.text,
        relation=RELATIONS[row.relation],
        status=STATUSES[row.status],
        target_kind=None if row.kind < 0 else TARGET_KINDS[row.kind],
        target_id=row.target_id or None,
        candidates=tuple(orjson.loads(row.candidates)) if row.candidates else (),
        confidence=round(row.confidence, 6),
        grammar=row.grammar,
    )


def _quoted(rows: Sequence[object]) -> Quoted:
    places, numbers = columns_of(rows, 2)
    return Quoted(np.array(places, np.int32) - 1, np.array(numbers, np.int32))

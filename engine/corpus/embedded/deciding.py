"""Users' decisions on references, and verdicts on links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.documents import RELATION_NUMBERS, DocumentTable, SectionTable
from engine.corpus.embedded.links import (
    KIND_NUMBERS,
    STATUS_NUMBERS,
    Documents,
    Edges,
    LinkIndex,
    Passages,
    ReferenceColumns,
    ReferenceTable,
    Sections,
    Tables,
)
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.extracted import Judgement, Proposal, Validation, locate
from engine.corpus.judgements import Decision, Place, locate_reference
from engine.model import Span, Status, TargetKind

# Application of decisions to the references that the texts contain, in a separate table.

# The grammar of references decided by a user.
DECIDED_GRAMMAR = "person"


class IneffectiveDecisions(NamedTuple):
    """Decisions without effect: their passage, their words or their target no longer exist."""

    decisions: tuple[tuple[Decision, str], ...]


def decided(
    found: ReferenceColumns,
    decisions: Mapping[Place, Decision],
    passages: PassageTable,
    sections: SectionTable,
    documents: DocumentTable,
) -> tuple[ReferenceColumns, IneffectiveDecisions]:
    """Return the references after the decisions, and the decisions without effect.

    If several targets share a span (each member of "Articles 4 to 6"), a decision keeps the one it names; a
    decision that the words are no reference keeps none.
    """
    if not decisions:
        return found, IneffectiveDecisions(())
    columns = {name: values.copy() for name, values in found.columns.items()}
    grammars = (*(g for g in found.grammars if g != DECIDED_GRAMMAR), DECIDED_GRAMMAR)
    codes = np.asarray([grammars.index(grammar) for grammar in found.grammars] or [0], np.int16)
    columns["grammar"] = codes[columns["grammar"]] if len(found) else columns["grammar"]
    candidates, kept = list(found.candidates.all()), np.ones(len(found), np.bool_)
    lost: list[tuple[Decision, str]] = []
    at_place = _numbers_by_place(found, decisions, passages)
    for place, decision in decisions.items():
        numbers = at_place.get(place, [])
        if not numbers:
            lost.append((decision, "its passage, or the words in it, no longer exist"))
            continue
        if decision.target_id is None:
            kept[numbers] = False
            continue
        target = target_of(decision.target_id, passages, sections, documents)
        if target is None:
            lost.append((decision, f"its target {decision.target_id} is not in the corpus"))
            continue
        first, *others = numbers
        kept[others] = False
        columns["kind"][first], columns["target"][first] = KIND_NUMBERS[target[0]], target[1]
        columns["status"][first] = STATUS_NUMBERS[Status.RESOLVED]
        columns["confidence"][first] = 1.0
        columns["grammar"][first] = grammars.index(DECIDED_GRAMMAR)
        candidates[first] = ""
    left = {name: values[kept] for name, values in columns.items()}
    remaining = [text for text, stays in zip(candidates, kept.tolist(), strict=True) if stays]
    return ReferenceColumns(left, Strings.of(remaining), grammars), IneffectiveDecisions(tuple(lost))


def _numbers_by_place(
    found: ReferenceColumns, decisions: Mapping[Place, Decision], passages: PassageTable
) -> dict[Place, list[int]]:
    """Return the numbers of the references at the locations of decisions."""
    ids = sorted({place.source_id for place in decisions})
    rows = passages.rows(ids)
    texts = dict(
        zip(ids, passages.texts(np.maximum(rows, 0).tolist()) if len(passages) else [], strict=False)
    )
    by_place: dict[Place, list[int]] = {}
    source: Array = found.columns["source"]
    for passage_id, row in zip(ids, rows.tolist(), strict=True):
        start, stop = np.searchsorted(source, (row, row + 1)).tolist() if row >= 0 else (0, 0)
        for number in range(start, stop):
            span = Span(int(found.columns["start"][number]), int(found.columns["end"][number]))
            by_place.setdefault(locate_reference(passage_id, texts[passage_id], span), []).append(number)
    return by_place


def target_of(
    target_id: str, passages: Passages, sections: Sections, documents: Documents
) -> tuple[TargetKind, int] | None:
    """Return the target with an id: a passage, else a section, else a document."""
    row = int(passages.rows([target_id])[0])
    if row >= 0:
        return TargetKind.PASSAGE, row
    section = sections.find(target_id)
    if section is not None:
        return TargetKind.SECTION, section
    document = documents.numbers.get(target_id)
    return None if document is None else (TargetKind.DOCUMENT, document)


def described(lost: IneffectiveDecisions) -> list[tuple[str, str]]:
    """Return each decision without effect as (location, reason)."""
    return [
        (decision.source_id, f"a decision on {decision.text!r} has no effect: {why}")
        for decision, why in lost.decisions
    ]


# Application of verdicts on links: a rejected link is removed, a corrected one has the user's target.
# Verdicts are stored next to the corpus and apply while the passage contains the same words.

Stamp = tuple[int, ...]


def with_verdicts(
    verdicts: Iterable[Validation], references: ReferenceTable, links: LinkIndex, tables: Tables
) -> tuple[ReferenceTable, LinkIndex]:
    """Return references and links after users' verdicts; unchanged without any."""
    changed = dict(changes(verdicts, references, tables))
    if not changed:
        return references, links
    table = with_changes(references, changed)
    sources = np.unique(references.column("source")[np.array(list(changed), np.int64)])
    return table, _relinked(links, table, sources, tables)


def with_changes(references: ReferenceTable, changed: Mapping[int, Values]) -> ReferenceTable:
    """Return the references with other values in ``CHANGED``, by number."""
    columns = {name: np.array(references.column(name)) for name in CHANGED}
    for number, after in changed.items():
        for name, value in zip(CHANGED, after, strict=True):
            columns[name][number] = value
    return references.changed(columns)


CHANGED = ("relation", "status", "kind", "target", "confidence")
_NO_LINK = (STATUS_NUMBERS[Status.UNRESOLVED], KIND_NUMBERS[None], -1, 0.0)
Values = tuple[float, ...]


def changes(
    verdicts: Iterable[Validation], references: ReferenceTable, tables: Tables
) -> Iterable[tuple[int, Values]]:
    """Return the references that verdicts change, by number, with their new values."""
    wanted = [one for one in verdicts if one.judgement is not Judgement.ACCEPTED and one.proposal.target_id]
    ids = sorted({one.proposal.source_id for one in wanted})
    rows = dict(zip(ids, tables.passages.rows(ids).tolist(), strict=True))
    there = sorted({row for row in rows.values() if row >= 0})
    texts = dict(zip(there, tables.passages.texts(there), strict=True))
    for one in wanted:
        row = rows[one.proposal.source_id]
        if row < 0 or locate(one.proposal, texts[row]) is None:
            continue
        relation = RELATION_NUMBERS[one.proposal.relation]
        for number in _same_link(one.proposal, row, relation, references, tables):
            if one.correction is None:
                yield number, (relation, *_NO_LINK)
            else:
                corrected = _corrected(one.correction, tables)
                yield number, corrected or (relation, *_NO_LINK)


def _same_link(
    proposal: Proposal, row: int, relation: int, references: ReferenceTable, tables: Tables
) -> list[int]:
    """Return all references of a passage that form a link; it may name its target more than once."""
    target = target_of(str(proposal.target_id), tables.passages, tables.sections, tables.documents)
    if target is None:
        return []
    start, stop = np.searchsorted(references.column("source"), (row, row + 1)).tolist()
    same = references.column("relation")[start:stop] == relation
    same &= references.column("kind")[start:stop] == KIND_NUMBERS[target[0]]
    same &= references.column("target")[start:stop] == target[1]
    found: list[int] = (start + np.flatnonzero(same)).tolist()
    return found


def _corrected(correction: Proposal, tables: Tables) -> Values | None:
    """Return the values of a corrected link; None if it leads to a concept or an unknown target."""
    if correction.target_id is None:
        return None
    target = target_of(correction.target_id, tables.passages, tables.sections, tables.documents)
    if target is None:
        return None
    relation = RELATION_NUMBERS[correction.relation]
    return relation, STATUS_NUMBERS[Status.RESOLVED], KIND_NUMBERS[target[0]], target[1], 1.0


def _relinked(links: LinkIndex, table: ReferenceTable, sources: Array, tables: Tables) -> LinkIndex:
    """Return the links with those of some sources computed again."""
    kept = links.edges()
    stays = ~np.isin(kept.sources, sources)
    recomputed = table.edges(
        tables.sections, tables.documents, np.flatnonzero(np.isin(table.column("source"), sources))
    )
    columns = [
        np.concatenate(
            [getattr(kept, name)[stays], getattr(recomputed, name).astype(getattr(kept, name).dtype)]
        )
        for name in Edges._fields
    ]
    edges = Edges(*columns)
    block = Block({})
    LinkIndex.put(block, edges, links.size)
    return LinkIndex(block)

"""Puts people's decisions in force: over what the texts alone give, in a table of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from engine.corpus.decisions import Decision, Place, place_of
from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.documents import DocumentTable, SectionTable
from engine.corpus.embedded.ends import Documents, Passages, Sections
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.references import (
    KIND_NUMBERS,
    STATUS_NUMBERS,
    ReferenceColumns,
)
from engine.model import Span, Status, TargetKind

# Who made a reference that a person decided.
DECIDED_GRAMMAR = "person"


class Undecided(NamedTuple):
    """Decisions that changed nothing: their passage, or their words in it, or their target is gone."""

    decisions: tuple[tuple[Decision, str], ...]


def decided(
    found: ReferenceColumns,
    decisions: Mapping[Place, Decision],
    passages: PassageTable,
    sections: SectionTable,
    documents: DocumentTable,
) -> tuple[ReferenceColumns, Undecided]:
    """The references as the decisions have them, and the decisions that found nothing to decide.

    Of the targets that one stretch of words has (each member of "Articles 4 to 6"), a decision leaves the
    one that it names; a decision that the words are no reference leaves none.
    """
    if not decisions:
        return found, Undecided(())
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
            lost.append((decision, "its passage, or the words in it, are gone"))
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
    return ReferenceColumns(left, Strings.of(remaining), grammars), Undecided(tuple(lost))


def _numbers_by_place(
    found: ReferenceColumns, decisions: Mapping[Place, Decision], passages: PassageTable
) -> dict[Place, list[int]]:
    """The references that stand at the places of decisions."""
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
            by_place.setdefault(place_of(passage_id, texts[passage_id], span), []).append(number)
    return by_place


def target_of(
    target_id: str, passages: Passages, sections: Sections, documents: Documents
) -> tuple[TargetKind, int] | None:
    """What an id names: a passage, else a section, else a document."""
    row = int(passages.rows([target_id])[0])
    if row >= 0:
        return TargetKind.PASSAGE, row
    section = sections.find(target_id)
    if section is not None:
        return TargetKind.SECTION, section
    document = documents.numbers.get(target_id)
    return None if document is None else (TargetKind.DOCUMENT, document)


def described(lost: Undecided) -> list[tuple[str, str]]:
    """Each decision that found nothing to decide, as (where, why)."""
    return [
        (decision.source_id, f"a decision on {decision.text!r} has no effect: {why}")
        for decision, why in lost.decisions
    ]

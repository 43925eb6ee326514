"""References as columns: how they are kept, put together from parts, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import orjson

from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.block import Block
from engine.model import Reference, Relation, Status, TargetKind

RELATIONS = tuple(Relation)
STATUSES = tuple(Status)
TARGET_KINDS = tuple(TargetKind)
RELATION_NUMBERS: Mapping[Relation, int] = {relation: number for number, relation in enumerate(RELATIONS)}
STATUS_NUMBERS: Mapping[Status, int] = {status: number for number, status in enumerate(STATUSES)}
KIND_NUMBERS: Mapping[TargetKind | None, int] = {
    None: -1,
    **{kind: number for number, kind in enumerate(TARGET_KINDS)},
}

COLUMNS: Mapping[str, type[np.generic]] = {
    "source": np.int32,
    "start": np.int32,
    "end": np.int32,
    "relation": np.int8,
    "status": np.int8,
    "kind": np.int8,
    "target": np.int32,
    "confidence": np.float32,
    "grammar": np.int16,
}


class Targets(NamedTuple):
    """Numbers of what references can point at, by id."""

    passages: Mapping[str, int]
    sections: Mapping[str, int]
    documents: Mapping[str, int]

    def number(self, kind: TargetKind | None, target_id: str | None) -> int:
        """The number of a target, -1 for none. Raises KeyError where it is not in the corpus."""
        if kind is None or target_id is None:
            return -1
        if kind is TargetKind.PASSAGE:
            return self.passages[target_id]
        return self.sections[target_id] if kind is TargetKind.SECTION else self.documents[target_id]


@dataclass(slots=True)
class ReferenceColumns:
    """References in the order of their sources. ``columns`` have shape (n,); ``target`` is a row, or the
    number of a section or document, by ``kind``; -1 for none. ``candidates`` are JSON lists of ids."""

    columns: dict[str, Array]
    candidates: Strings
    grammars: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.candidates)

    def sorted(self) -> ReferenceColumns:
        """By source passage, and within one by the place in its text."""
        # As one number: what is nearly in order already is sorted in one pass.
        places = self.columns["source"].astype(np.int64) << 32 | self.columns["start"]
        if (places[1:] >= places[:-1]).all():
            return self
        order = np.argsort(places, kind="stable")
        columns = {name: values[order] for name, values in self.columns.items()}
        return ReferenceColumns(columns, self.candidates.picked(order), self.grammars)

    def block(self) -> Block:
        """The columns as a block."""
        block = Block(self.columns)
        block.put_column("candidates", self.candidates)
        return block

    def by_relation(self) -> dict[str, int]:
        """How many references of each relation."""
        return _counted(self.columns["relation"], RELATIONS)

    def by_status(self) -> dict[str, int]:
        """How many references of each status."""
        return _counted(self.columns["status"], STATUSES)


def _counted(codes: Array, names: Sequence[object]) -> dict[str, int]:
    """How often there is each code that there is, by name, in the order in which they are met."""
    found, first, counts = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(first)
    return {str(names[found[place]]): int(counts[place]) for place in order.tolist()}


def columns_in(block: Block, grammars: tuple[str, ...]) -> ReferenceColumns:
    """The inverse of ``ReferenceColumns.block``."""
    return ReferenceColumns({name: block[name] for name in COLUMNS}, block.strings("candidates"), grammars)


def columns_of(references: Sequence[Reference], targets: Targets) -> ReferenceColumns:
    """The columns of references. Raises KeyError where a source or a resolved target is unknown."""
    grammars = tuple(sorted({reference.grammar for reference in references}))
    codes = {grammar: code for code, grammar in enumerate(grammars)}
    values: dict[str, list[int] | list[float]] = {
        "source": [targets.passages[r.source_id] for r in references],
        "start": [r.span.start for r in references],
        "end": [r.span.end for r in references],
        "relation": [RELATION_NUMBERS[r.relation] for r in references],
        "status": [STATUS_NUMBERS[r.status] for r in references],
        "kind": [KIND_NUMBERS[r.target_kind] for r in references],
        "target": [targets.number(r.target_kind, r.target_id) for r in references],
        "confidence": [r.confidence for r in references],
        "grammar": [codes[r.grammar] for r in references],
    }
    columns = {name: np.asarray(values[name], dtype) for name, dtype in COLUMNS.items()}
    candidates = [orjson.dumps(r.candidates).decode() if r.candidates else "" for r in references]
    return ReferenceColumns(columns, Strings.of(candidates), grammars)

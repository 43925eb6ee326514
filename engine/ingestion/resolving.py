"""References of a whole corpus: what its texts and its sources say, resolved among its documents.

The references of a block are kept in a file beside it, together with a key of everything they were
resolved by: the block itself, the names of all documents, and the structure of each document that was
looked into. While the key is the same, so are they, and they are not resolved again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import orjson

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block, block_name, digest
from engine.corpus.embedded.documents import dump_document
from engine.corpus.embedded.references import (
    COLUMNS,
    KIND_NUMBERS,
    RELATION_NUMBERS,
    STATUS_NUMBERS,
    ReferenceColumns,
)
from engine.ingestion.ledger import Previous
from engine.ingestion.linking import VERSIONS_GRAMMAR, Stated
from engine.ingestion.stated import StatedTargets, merged
from engine.ingestion.view import BlockReadings, CorpusView
from engine.language.references import Resolver
from engine.model import Reference, Relation, Status, TargetKind

LINKS_SUFFIX = ".links"
# So many blocks are resolved with a look into those documents alone that they cite; for more of them, all
# documents are looked through at once.
MOST_ALONE = 4
_PASSAGE, _SECTION, _DOCUMENT = (
    KIND_NUMBERS[kind] for kind in (TargetKind.PASSAGE, TargetKind.SECTION, TargetKind.DOCUMENT)
)


def links_name(key: str) -> str:
    """Where in a generation the references of a block stand."""
    return block_name(key, LINKS_SUFFIX)


class Resolving:
    """Resolves the references of the blocks of a corpus, each on its own."""

    def __init__(self, view: CorpusView, names: Sequence[str], generation: Path, version: str) -> None:
        self._view, self._names, self._generation = view, names, generation
        self._version = version

    def __call__(self, number: int) -> Iterator[str]:
        """The work of a child: writes the references of a block."""
        self.resolved(number).save(self._generation / links_name(self._names[number]))
        yield self._names[number]

    def is_current(self, number: int, links: Block) -> bool:
        """Whether references that were kept are those that would be found now."""
        asked: dict[str, str] = links.about["documents"]
        structures = self._structures
        return links.about["key"] == self._key(number) and all(
            structures.get(name) == structure for name, structure in asked.items()
        )

    def kept(self, number: int, before: Previous) -> Block | None:
        """The references of a block as the generation before has them, where they still hold."""
        links = before.block(links_name(self._names[number]))
        return links if links is not None and self.is_current(number, links) else None

    def resolved(self, number: int) -> Block:
        """The references of a block. Targets are told by document and place in it, so that they hold
        wherever the documents stand in a corpus."""
        view, resolver = self._view, self._resolver
        resolver.asked.clear()
        found: list[Reference] = []
        first = int(view.first_row[number])
        for place, passage in enumerate(view.passages.focus(number)):
            found.extend(resolver.resolve(self._readings.mentions(first + place), passage))
        stated = view.stated(number)
        if stated:
            owners = {link.source_id: self._owner(link.source_id) for link in stated}
            found = merged(found, list(self._targets.references(stated, owners)))
        links, targets = self._packed(found, number)
        asked = {view.documents[document].id for document in resolver.asked} | targets
        links.about |= {
            "key": self._key(number),
            "documents": {name: self._structures[name] for name in sorted(asked)},
        }
        return links

    def nothing(self) -> Block:
        """No references, for a block that could not be worked on."""
        return self._packed([], 0)[0]

    def columns(self, parts: Sequence[Block], stated: Sequence[Stated]) -> ReferenceColumns:
        """The references of all blocks and those that sources state beside their texts, in order."""
        grammars: dict[str, int] = {}
        columns: dict[str, list[Array]] = {name: [np.zeros(0, dtype)] for name, dtype in COLUMNS.items()}
        candidates: list[str] = []
        for number, part in enumerate(parts):
            for name in ("start", "end", "relation", "status", "kind", "confidence"):
                columns[name].append(part[name])
            columns["source"].append(part["source"] + np.int32(self._view.first_row[number]))
            columns["target"].append(self._targets_of(part))
            own = part.strings("grammars").all()
            codes = [grammars.setdefault(grammar, len(grammars)) for grammar in own]
            columns["grammar"].append(np.asarray([*codes, -1], np.int16)[part["grammar"]])
            candidates.extend(part.strings("candidates").all())
        for link in (*self._versions(), *stated):
            row = (link.row, 0, 0, RELATION_NUMBERS[link.relation], STATUS_NUMBERS[Status.RESOLVED])
            code = grammars.setdefault(link.grammar, len(grammars))
            values = (*row, KIND_NUMBERS[link.kind], link.target, 1.0, code)
            for (name, dtype), value in zip(COLUMNS.items(), values, strict=True):
                columns[name].append(np.asarray([value], dtype))
            candidates.append("")
        order = sorted(grammars)
        renamed = np.asarray([*(order.index(grammar) for grammar in grammars), -1], np.int16)
        whole = {name: np.concatenate(values) for name, values in columns.items()}
        whole["grammar"] = renamed[whole["grammar"]]
        return ReferenceColumns(whole, candidates, tuple(order)).sorted()

    def _versions(self) -> Iterator[Stated]:
        for number, block in enumerate(self._view.blocks):
            rows = (block["versions.passage"] + self._view.first_row[number]).tolist()
            for row, record in zip(rows, block.strings("versions").all(), strict=True):
                (earlier,) = orjson.loads(record)
                target = self._view.section_numbers[earlier]
                yield Stated(row, Relation.SUPERSEDES, TargetKind.SECTION, target, VERSIONS_GRAMMAR)

    def _packed(self, found: Sequence[Reference], number: int) -> tuple[Block, set[str]]:
        view, first = self._view, int(self._view.first_row[number])
        grammars = {name: code for code, name in enumerate(sorted({r.grammar for r in found}))}
        documents: dict[int, int] = {}
        owners, places = [], []
        for reference in found:
            owner, place = self._place(reference)
            owners.append(-1 if owner < 0 else documents.setdefault(owner, len(documents)))
            places.append(place)
        values: dict[str, list[int] | list[float]] = {
            "source": [view.rows[r.source_id] - first for r in found],
            "start": [r.span.start for r in found],
            "end": [r.span.end for r in found],
            "relation": [RELATION_NUMBERS[r.relation] for r in found],
            "status": [STATUS_NUMBERS[r.status] for r in found],
            "kind": [KIND_NUMBERS[r.target_kind] for r in found],
            "target": places,
            "confidence": [r.confidence for r in found],
            "grammar": [grammars[r.grammar] for r in found],
        }
        block = Block({name: np.asarray(values[name], dtype) for name, dtype in COLUMNS.items()})
        block.arrays["document"] = np.asarray(owners, np.int32)
        names = [view.documents[owner].id for owner in documents]
        block.put_strings("documents", names)
        block.put_strings("grammars", grammars)
        block.put_strings(
            "candidates", [orjson.dumps(r.candidates).decode() if r.candidates else "" for r in found]
        )
        return block, set(names)

    def _place(self, reference: Reference) -> tuple[int, int]:
        """The document of a target and the target's place in it; -1 for none."""
        view, target, kind = self._view, reference.target_id, reference.target_kind
        if target is None or kind is None:
            return -1, -1
        if kind is TargetKind.DOCUMENT:
            return view.document_numbers[target], 0
        if kind is TargetKind.PASSAGE:
            row = view.rows[target]
            owner = view.document_of(row)
            return owner, row - int(view.document_rows[owner])
        number = view.section_numbers[target]
        owner = int(np.searchsorted(self._view.document_sections, number, side="right")) - 1
        return owner, number - int(self._view.document_sections[owner])

    def _targets_of(self, part: Block) -> Array:
        """Rows and numbers of the corpus for the targets of a block's references."""
        numbers = [self._view.document_numbers[name] for name in part.strings("documents").all()]
        owner = np.asarray([*numbers, -1], np.int64)[part["document"]]
        kind, place = part["kind"], part["target"].astype(np.int64)
        target = np.where(kind == _PASSAGE, self._view.document_rows[owner] + place, owner)
        target = np.where(kind == _SECTION, self._view.document_sections[owner] + place, target)
        return np.where(owner < 0, -1, target).astype(np.int32)

    def _owner(self, passage_id: str) -> str:
        return self._view.documents[self._view.document_of(self._view.rows[passage_id])].id

    def _key(self, number: int) -> str:
        return digest(self._version.encode(), self._names[number].encode(), self._identities)

    @cached_property
    def _identities(self) -> bytes:
        """A key of the names of all documents: their own, and those that texts give them."""
        parts = []
        for block in self._view.blocks:
            parts.append(bytes(block["documents.utf8"]))
            parts.append(bytes(block["names.utf8"]))
        # Their blocks do not know of which day they are.
        dated = (dump_document(self._view.documents[number]) for number in sorted(self._view.versions))
        parts.extend(record.encode() for record in dated)
        return digest(*parts).encode()

    @cached_property
    def _structures(self) -> dict[str, str]:
        """A key of the structure of each document, by its id."""
        keys = [bytes(key).hex() for block in self._view.blocks for key in block["documents.structure"]]
        return {document.id: key for document, key in zip(self._view.documents, keys, strict=True)}

    @cached_property
    def _readings(self) -> BlockReadings:
        return BlockReadings(self._view)

    @cached_property
    def _targets(self) -> StatedTargets:
        return StatedTargets(self._view.documents, self._view.sections, self._view.passages)

    @cached_property
    def _resolver(self) -> Resolver:
        view = self._view
        return Resolver(view.documents, view.sections, view.passages, self._readings, view.layout)

    def prepare(self, missing: int) -> None:
        """Build what the work on ``missing`` blocks needs, before the children are forked that do it."""
        _ = self._resolver, self._structures, self._identities, self._view.document_sections
        if missing > MOST_ALONE:
            self._resolver.look_through()
        if any(len(block["stated.passage"]) for block in self._view.blocks):
            _ = self._targets

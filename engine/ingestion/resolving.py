"""Resolve the references of a corpus, stated and recognised, among its documents.

The references of a block are stored with everything they depend on: the block, the look-ups among all
documents with their answers, and the structure of each consulted document. While these are unchanged, the
references are reused.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.block import Block, block_name, digest, hashed
from engine.corpus.embedded.documents import RELATION_NUMBERS, dump_document
from engine.corpus.embedded.links import COLUMNS, KIND_NUMBERS, STATUS_NUMBERS, ReferenceColumns
from engine.ingestion.ledger import Previous
from engine.ingestion.linking import VERSIONS_GRAMMAR, Stated, StatedTargets, merge_references
from engine.ingestion.view import BlockReadings, CorpusView
from engine.language.references import Resolver
from engine.language.references.names import Use
from engine.model import Passage, Reference, Relation, Section, SectionKind, Status, TargetKind

LINKS_SUFFIX = ".links"
# Maximum number of loaded passages and sections of consulted documents, in each child; each takes about 1 kB.
MOST_HELD = 1 << 16
_PASSAGE, _SECTION, _DOCUMENT = (
    KIND_NUMBERS[kind] for kind in (TargetKind.PASSAGE, TargetKind.SECTION, TargetKind.DOCUMENT)
)


class Answers:
    """The answers to all look-ups of references in the corpus, by 64-bit keys."""

    def __init__(self, known: Iterable[tuple[Use, str]]) -> None:
        found = {_key_of(use): hashed(answer) for use, answer in known}
        keys = np.fromiter(found.keys(), np.uint64, len(found))
        order = np.argsort(keys)
        self._keys, self._answers = keys[order], np.fromiter(found.values(), np.uint64, len(found))[order]

    def to(self, uses: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the keys of the answers to some look-ups, shape (uses,); 0 if there is none."""
        if not len(self._keys):
            return np.zeros(len(uses), np.uint64)
        places = np.minimum(np.searchsorted(self._keys, uses), len(self._keys) - 1)
        return np.where(self._keys[places] == uses, self._answers[places], np.uint64(0))


def make_keys(uses: Iterable[Use]) -> NDArray[np.uint64]:
    """Return the keys of look-ups in ascending order."""
    return np.sort(np.fromiter(map(_key_of, uses), np.uint64))


def _key_of(use: Use) -> int:
    return hashed("\0".join(use))


def links_name(key: str) -> str:
    """Return the file name of a block's references in a generation."""
    return block_name(key, LINKS_SUFFIX)


class CorpusReferences:
    """Resolves the references of the blocks of a corpus one by one."""

    def __init__(self, view: CorpusView, names: Sequence[str], generation: Path, version: str) -> None:
        self._view, self._names, self._generation = view, names, generation
        self._version = version

    def __call__(self, number: int) -> Iterator[str]:
        """Write the references of a block and yield its name. Runs in a child."""
        # Creates many objects and no cycles; garbage collection took a tenth of the time.
        gc.disable()
        try:
            links = self.resolve(number)
        finally:
            gc.enable()
        links.save(self._generation / links_name(self._names[number]))
        yield self._names[number]

    def is_current(self, number: int, links: Block) -> bool:
        """Return True if stored references are up to date."""
        structures_used: dict[str, str] = links.about["documents"]
        structures = self._structures
        return (
            links.about["key"] == self._key(number)
            and all(structures.get(name) == structure for name, structure in structures_used.items())
            and np.array_equal(self._answers.to(links["uses"]), links["answers"])
        )

    def get_stored(self, number: int, before: Previous) -> Block | None:
        """Return the references of a block from the previous generation, or None if they are outdated."""
        links = before.block(links_name(self._names[number]))
        return links if links is not None and self.is_current(number, links) else None

    def resolve(self, number: int) -> Block:
        """Resolve the references of a block.

        Targets are stored as document and position in it, independent of the document's position in the
        corpus.
        """
        view, resolver = self._view, self._resolver
        if view.passages.made + view.sections.made > MOST_HELD:
            resolver.clear()
            view.clear()
        resolver.consulted.clear()
        resolver.uses.clear()
        found: list[Reference] = []
        first = int(view.first_row[number])
        for offset, passage in enumerate(view.passages.focus(number)):
            found.extend(resolver.resolve(self._readings.mentions(first + offset), passage))
        documents_used, uses = (
            {view.documents[document].id for document in resolver.consulted},
            set(resolver.uses),
        )
        stated = view.stated(number)
        if stated:
            targets = self._targets
            targets.consulted.clear()
            targets.uses.clear()
            owners = {link.source_id: self._owner(link.source_id) for link in stated}
            found = merge_references(found, list(targets.references(stated, owners)))
            documents_used, uses = documents_used | targets.consulted, uses | targets.uses
        links, reached = self._packed(found, number)
        documents_used |= reached
        links.arrays["uses"] = make_keys(uses)
        links.arrays["answers"] = self._answers.to(links["uses"])
        links.about |= {
            "key": self._key(number),
            "documents": {name: self._structures[name] for name in sorted(documents_used)},
        }
        return links

    def empty(self) -> Block:
        """Return an empty block of references, for a block that failed."""
        return self._packed([], 0)[0]

    def columns(self, parts: Sequence[Block], stated: Sequence[Stated]) -> ReferenceColumns:
        """Combine the references of all blocks and those stated outside texts, in order."""
        grammars: dict[str, int] = {}
        columns: dict[str, list[Array]] = {name: [np.zeros(0, dtype)] for name, dtype in COLUMNS.items()}
        candidates: list[Strings] = []
        for number, part in enumerate(parts):
            for name in ("start", "end", "relation", "status", "kind", "confidence"):
                columns[name].append(part[name])
            columns["source"].append(part["source"] + np.int32(self._view.first_row[number]))
            columns["target"].append(self._targets_of(part))
            own = part.strings("grammars").all()
            codes = [grammars.setdefault(grammar, len(grammars)) for grammar in own]
            columns["grammar"].append(np.asarray([*codes, -1], np.int16)[part["grammar"]])
            candidates.append(part.strings("candidates"))
        further = [*self._versions(), *stated]
        for link in further:
            row = (link.row, 0, 0, RELATION_NUMBERS[link.relation], STATUS_NUMBERS[Status.RESOLVED])
            code = grammars.setdefault(link.grammar, len(grammars))
            values = (*row, KIND_NUMBERS[link.kind], link.target, 1.0, code)
            for (name, dtype), value in zip(COLUMNS.items(), values, strict=True):
                columns[name].append(np.asarray([value], dtype))
        candidates.append(Strings.of([""] * len(further)))
        order = sorted(grammars)
        renamed = np.asarray([*(order.index(grammar) for grammar in grammars), -1], np.int16)
        joined = {name: np.concatenate(values) for name, values in columns.items()}
        joined["grammar"] = renamed[joined["grammar"]]
        return ReferenceColumns(joined, Strings.joined(candidates), tuple(order)).sorted()

    def _versions(self) -> Iterator[Stated]:
        for number, block in enumerate(self._view.blocks):
            rows = (block["versions.passage"] + self._view.first_row[number]).tolist()
            for row, record in zip(rows, block.strings("versions").all(), strict=True):
                (earlier,) = orjson.loads(record)
                target = self._view.section_numbers[earlier]
                explains = self._view.passages[row].kind is SectionKind.GUIDANCE
                relation = Relation.INTERPRETS if explains else Relation.SUPERSEDES
                yield Stated(row, relation, TargetKind.SECTION, target, VERSIONS_GRAMMAR)

    def _packed(self, found: Sequence[Reference], number: int) -> tuple[Block, set[str]]:
        view, first = self._view, int(self._view.first_row[number])
        grammars = {name: code for code, name in enumerate(sorted({r.grammar for r in found}))}
        owners, places = self._places(found)
        documents = {owner: code for code, owner in enumerate(dict.fromkeys(o for o in owners if o >= 0))}
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
        block.arrays["document"] = np.asarray([documents.get(one, -1) for one in owners], np.int32)
        names = [view.documents[owner].id for owner in documents]
        block.put_strings("documents", names)
        block.put_strings("grammars", grammars)
        block.put_strings(
            "candidates", [orjson.dumps(r.candidates).decode() if r.candidates else "" for r in found]
        )
        return block, set(names)

    def _places(self, found: Sequence[Reference]) -> tuple[list[int], list[int]]:
        """Return the document of each target and the target's position in it; -1 for no target."""
        view, numbers = self._view, []
        for reference in found:
            target, kind = reference.target_id, reference.target_kind
            if target is None or kind is None:
                numbers.append(-1)
            elif kind is TargetKind.PASSAGE:
                numbers.append(view.rows[target])
            elif kind is TargetKind.SECTION:
                numbers.append(view.section_numbers[target])
            else:
                numbers.append(view.document_numbers[target])
        kinds = [None if number < 0 else one.target_kind for number, one in zip(numbers, found, strict=True)]
        owner, place = np.asarray(numbers, np.int64), np.where(np.asarray(numbers, np.int64) < 0, -1, 0)
        for kind, first in (
            (TargetKind.PASSAGE, view.document_rows),
            (TargetKind.SECTION, view.document_sections),
        ):
            own = np.flatnonzero([one is kind for one in kinds])
            number = owner[own]
            owner[own] = np.searchsorted(first, number, side="right") - 1
            place[own] = number - first[owner[own]]
        return owner.tolist(), place.tolist()

    def _targets_of(self, part: Block) -> Array:
        """Return corpus rows and numbers for the targets of a block's references."""
        numbers = [self._view.document_numbers[name] for name in part.strings("documents").all()]
        owner = np.asarray([*numbers, -1], np.int64)[part["document"]]
        kind, place = part["kind"], part["target"].astype(np.int64)
        target = np.where(kind == _PASSAGE, self._view.document_rows[owner] + place, owner)
        target = np.where(kind == _SECTION, self._view.document_sections[owner] + place, target)
        return np.where(owner < 0, -1, target).astype(np.int32)

    def _owner(self, passage_id: str) -> str:
        return self._view.documents[self._view.document_of(self._view.rows[passage_id])].id

    def _key(self, number: int) -> str:
        view = self._view
        own = range(int(view.first_document[number]), int(view.first_document[number + 1]))
        # The block itself contains neither the dates from versions nor documents with ambiguous names.
        dated = [dump_document(view.documents[one]) for one in own if one in view.versions]
        names = [self._resolver.own_names(one) for one in own]
        return digest(*(part.encode() for part in (self._version, self._names[number], *dated, *names)))

    @cached_property
    def _answers(self) -> Answers:
        return Answers(chain(self._resolver.answers(), self._targets.answers() if self._is_stated else ()))

    @cached_property
    def _is_stated(self) -> bool:
        return any(len(block["stated.passage"]) for block in self._view.blocks)

    @cached_property
    def _structures(self) -> dict[str, str]:
        """A key of each document's structure, by the document's id."""
        keys = [bytes(key).hex() for block in self._view.blocks for key in block["documents.structure"]]
        return {document.id: key for document, key in zip(self._view.documents, keys, strict=True)}

    @cached_property
    def _readings(self) -> BlockReadings:
        return BlockReadings(self._view)

    @cached_property
    def _targets(self) -> StatedTargets:
        view = self._view

        def sections(document: int) -> Iterator[Section]:
            first, stop = view.document_sections[document : document + 2].tolist()
            return (view.sections[place] for place in range(first, stop))

        def passages(document: int) -> Iterator[Passage]:
            first, stop = view.document_rows[document : document + 2].tolist()
            return (view.passages[row] for row in range(first, stop))

        return StatedTargets(view.documents, sections, passages)

    @cached_property
    def _resolver(self) -> Resolver:
        view = self._view
        return Resolver(view.documents, view.sections, view.passages, self._readings, view.layout)

    def prepare(self) -> None:
        """Build the shared data before children are forked."""
        _ = self._answers, self._structures, self._view.document_sections

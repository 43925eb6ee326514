"""Which documents of the files of a corpus are in it: none twice, and none that was taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, block_name, digest, selected
from engine.corpus.embedded.stored import ordered, stored_block
from engine.ingestion.ledger import Entry, Previous
from engine.ingestion.readers.base import Problem

_IDS = (("document", "documents"), ("section", "sections"), ("passage", "passages"))


@dataclass(slots=True)
class Placed:
    """The blocks of a corpus in order; ``owners``: the entry that each comes from."""

    names: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def place(entries: Sequence[Entry], generation: Path, before: Previous | None) -> Placed:
    """Choose the documents of all entries. Where an id stands twice, the document that comes first is taken
    and the other one is a problem. A block that loses documents is written anew without them."""
    placed = Placed()
    taken: set[str] = set()
    for owner, entry in enumerate(entries):
        for name in entry.blocks:
            # The same documents in two files: the second is told below, document by document.
            placed.names.append(name)
            placed.blocks.append(stored_block(generation / block_name(name)))
            placed.owners.append(owner)
    masks = [
        _not_removed(block, entries[owner]) for block, owner in zip(placed.blocks, placed.owners, strict=True)
    ]
    _leave_out_repeated(placed, masks, entries)
    result = Placed(problems=placed.problems)
    for name, block, owner, mask in zip(placed.names, placed.blocks, placed.owners, masks, strict=True):
        if not mask.any():
            continue
        if not mask.all():
            name, block = _reduced(name, block, mask, generation, before)
        if name not in taken:
            taken.add(name)
            result.names.append(name)
            result.blocks.append(block)
            result.owners.append(owner)
    return result


def document_ids(block: Block) -> list[str]:
    """The ids of a block's documents."""
    return [orjson.loads(record)["id"] for record in block.strings("documents").all()]


def _not_removed(block: Block, entry: Entry) -> NDArray[np.bool_]:
    if not entry.removed:
        return np.ones(block.documents, np.bool_)
    removed = set(entry.removed)
    return np.asarray([name not in removed for name in document_ids(block)], np.bool_)


def _reduced(
    name: str, block: Block, mask: NDArray[np.bool_], generation: Path, before: Previous | None
) -> tuple[str, Block]:
    reduced = digest(name.encode(), np.packbits(mask).tobytes())
    file = block_name(reduced)
    if before is not None and before.has(file):
        before.keep(file, generation)
    else:
        ordered(selected(block, mask)).save(generation / file)
    return reduced, stored_block(generation / file)


def _leave_out_repeated(placed: Placed, masks: list[NDArray[np.bool_]], entries: Sequence[Entry]) -> None:
    """Take documents out whose id, or the id of a section or passage of which, an earlier one has."""
    suspects = [_repeated(placed.blocks, masks, owner) for _, owner in _IDS]
    if not any(len(keys) for keys in suspects):
        return
    taken: list[set[int]] = [set() for _ in _IDS]
    for number, block in enumerate(placed.blocks):
        for document in np.flatnonzero(masks[number]).tolist():
            keys = [_keys_of(block, document, owner, suspects[kind]) for kind, (_, owner) in enumerate(_IDS)]
            again = next((kind for kind, own in enumerate(keys) if taken[kind] & own), None)
            if again is None:
                for kind, own in enumerate(keys):
                    taken[kind] |= own
                continue
            masks[number][document] = False
            key = min(taken[again] & keys[again])
            name = _name_of(block, _IDS[again][1], key)
            reason = f"left out: {_IDS[again][0]} {name} is already in the corpus"
            file = entries[placed.owners[number]].name
            placed.problems.append(Problem(file, reason, id=document_ids(block)[document]))


def _repeated(blocks: Sequence[Block], masks: Sequence[NDArray[np.bool_]], owner: str) -> NDArray[np.uint64]:
    """Keys of ids that stand more than once, in ascending order."""
    alive = [
        block[f"{owner}.id_hash"][mask if owner == "documents" else mask[block[f"{owner}.document"]]]
        for block, mask in zip(blocks, masks, strict=True)
    ]
    keys = np.sort(np.concatenate([np.zeros(0, np.uint64), *alive]))
    return np.unique(keys[1:][keys[1:] == keys[:-1]])


def _keys_of(block: Block, document: int, owner: str, suspects: NDArray[np.uint64]) -> set[int]:
    keys = block[f"{owner}.id_hash"]
    own = (
        keys[document : document + 1]
        if owner == "documents"
        else keys[block[f"{owner}.document"] == document]
    )
    return set(own[np.isin(own, suspects)].tolist())


def _name_of(block: Block, owner: str, key: int) -> str:
    place = int(np.flatnonzero(block[f"{owner}.id_hash"] == np.uint64(key))[0])
    return document_ids(block)[place] if owner == "documents" else block.strings(f"{owner}.id")[place]

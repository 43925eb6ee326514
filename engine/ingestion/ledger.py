"""The ledger of a corpus: its files, their blocks, which documents are in it, merged postings."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

import engine
from engine.corpus.embedded.block import FIELDS, Block, block_name, digest, select_documents
from engine.corpus.embedded.generation import Generation, keep_file, read_manifest
from engine.corpus.embedded.lexical import FieldPostings, concat_postings, narrow, replace_postings
from engine.corpus.embedded.stored import ordered, stored_block
from engine.errors import CorpusError
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.operator_settings import operator_settings

# The files of a corpus with their blocks and problems

LEDGER_NAME = "sources.json"
# Option of a generation whose vectors were postponed.
LATER = "later"
# Code and data that determine the content of blocks; library versions follow.
_CODE = ("model.py", "ingestion", "language", "languages", "corpus/headings.py", "corpus/embedded")
LIBRARIES = (
    "lxml",
    "orjson",
    "pypdfium2",
    "PyStemmer",
    "python-docx",
    "RapidFuzz",
    "sentencex",
    "eyecite",
    "simplemma",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a corpus.

    ``key`` is made from its content and all that reading it depends on. ``blocks`` hold its documents,
    in order. ``removed``: ids of documents that were taken out by hand, or replaced from another file.
    ``failure``: why nothing more could be read, or None.
    """

    name: str
    key: str
    blocks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    passages: int = 0
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()
    failure: str | None = None
    removed: tuple[str, ...] = ()

    def without(self, ids: Iterable[str]) -> Entry:
        """Return the entry with more documents removed."""
        own = set(self.documents)
        return replace(self, removed=tuple(dict.fromkeys((*self.removed, *(i for i in ids if i in own)))))


@dataclass(frozen=True, slots=True)
class Ledger:
    """The files of a corpus in order, and how they were ingested."""

    entries: tuple[Entry, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def save(self, generation: Path) -> None:
        """Write it into a generation."""
        record = {"entries": self.entries, "options": dict(self.options)}
        (generation / LEDGER_NAME).write_bytes(orjson.dumps(record))


def load_ledger(generation: Generation) -> Ledger:
    """Load the ledger of a generation; empty if the generation has none. Raises CorpusError."""
    if LEDGER_NAME not in generation.manifest.files:
        return Ledger()
    try:
        record = orjson.loads(generation.bytes(LEDGER_NAME).tobytes())
        entries = [
            Entry(
                **{
                    **entry,
                    **{name: tuple(entry[name]) for name in ("blocks", "documents", "removed")},
                    "problems": tuple(Problem(**problem) for problem in entry["problems"]),
                }
            )
            for entry in record["entries"]
        ]
        return Ledger(tuple(entries), record["options"])
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"damaged corpus: {LEDGER_NAME} cannot be read ({error}); ingest again") from error


class Previous:
    """The state of a corpus before an ingestion; damaged files count as missing."""

    def __init__(self, generation: Generation) -> None:
        self.manifest = generation.manifest
        self.ledger = load_ledger(generation)
        self._generation = generation
        self._sound: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Return True if a file is present and unchanged since its publication."""
        found = self._sound.get(name)
        if found is None:
            found = self._sound[name] = self._generation.has(name)
        return found

    def keep(self, name: str, new: Path) -> None:
        """Link a file into the generation in a folder. Raises CorpusError if it is damaged."""
        if not self.has(name):
            self._generation.check(name)
        keep_file(self._generation.data / name, new / name)

    def block(self, name: str) -> Block | None:
        """Return the arrays of a file, or None if it is missing or damaged."""
        if name not in self.manifest.files:
            return None
        try:
            found = self._generation.block(name)
        except CorpusError:
            return None
        self._sound[name] = True
        return found


def load_previous(folder: Path) -> Previous:
    """Load the state of the corpus in a folder. Raises CorpusError if there is none or it is damaged."""
    return Previous(Generation(folder, read_manifest(folder)))


def file_key(source: SourceFile, reader: Reader, *options: str) -> str:
    """Return the key of a file: a digest of its content, name, reader, options and the code that reads it.

    Raises OSError or FileRefusedError.
    """
    with source.opened() as file:
        content = hashlib.file_digest(file, hashlib.sha256).digest()
    how = orjson.dumps(
        [
            *(source.name, source.stem, source.shares_id, source.passwords, source.mapping),
            *(reader.name, options),
        ],
        default=dict,
    )
    return digest(content, how, code_digest().encode())


@cache
def code_digest() -> str:
    """Return a digest of the code, data and library versions that determine blocks; a new digest rebuilds
    them."""
    root = Path(engine.__file__ or __file__).resolve().parent
    own = operator_settings().grammars
    paths: list[Path] = []
    for name in _CODE:
        path = root / name
        paths.extend([path] if path.is_file() else _program_files(path))
    paths.extend(_program_files(own) if own else [])
    parts = [f"{name} {library_version(name)}".encode() for name in (*LIBRARIES,)]
    parts.append(sys.version.encode())
    parts.extend(path.read_bytes() for path in sorted(paths))
    return digest(*parts)


def _program_files(folder: Path) -> Sequence[Path]:
    return [path for path in folder.rglob("*") if path.suffix in (".py", ".yaml", ".yml") and path.is_file()]


def library_version(library: str) -> str:
    """Return the installed version of a library, or "none"."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


# Selection of documents: unique ids, without removed documents

_IDS = (("document", "documents"), ("section", "sections"), ("passage", "passages"))


@dataclass(slots=True)
class SelectedBlocks:
    """The blocks of a corpus in order; ``owners``: the number of each block's entry."""

    names: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def select_blocks(entries: Sequence[Entry], generation: Path, before: Previous | None) -> SelectedBlocks:
    """Select the documents of all entries.

    If two documents have one id, the first is selected and the second reported. A block that loses documents
    is written again without them.
    """
    placed = SelectedBlocks()
    taken: set[str] = set()
    for owner, entry in enumerate(entries):
        for name in entry.blocks:
            # Two files with the same documents: the second is reported below, document by document.
            placed.names.append(name)
            placed.blocks.append(stored_block(generation / block_name(name)))
            placed.owners.append(owner)
    masks = [
        _not_removed(block, entries[owner]) for block, owner in zip(placed.blocks, placed.owners, strict=True)
    ]
    _leave_out_repeated(placed, masks, entries)
    result = SelectedBlocks(problems=placed.problems)
    for name, block, owner, mask in zip(placed.names, placed.blocks, placed.owners, masks, strict=True):
        if not mask.any():
            continue
        if not mask.all():
            name, block = _reduce_block(name, block, mask, generation, before)
        if name not in taken:
            taken.add(name)
            result.names.append(name)
            result.blocks.append(block)
            result.owners.append(owner)
    return result


def document_ids(block: Block) -> list[str]:
    """Return the ids of a block's documents."""
    return [orjson.loads(record)["id"] for record in block.strings("documents").all()]


def _not_removed(block: Block, entry: Entry) -> NDArray[np.bool_]:
    if not entry.removed:
        return np.ones(block.documents, np.bool_)
    removed = set(entry.removed)
    return np.asarray([name not in removed for name in document_ids(block)], np.bool_)


def _reduce_block(
    name: str, block: Block, mask: NDArray[np.bool_], generation: Path, before: Previous | None
) -> tuple[str, Block]:
    reduced = digest(name.encode(), np.packbits(mask).tobytes())
    file = block_name(reduced)
    if before is not None and before.has(file):
        before.keep(file, generation)
    else:
        ordered(select_documents(block, mask)).save(generation / file)
    return reduced, stored_block(generation / file)


def _leave_out_repeated(
    placed: SelectedBlocks, masks: list[NDArray[np.bool_]], entries: Sequence[Entry]
) -> None:
    """Deselect documents if an earlier one has their id, or the id of one of their sections or passages."""
    suspects = [_find_repeated_keys(placed.blocks, masks, owner) for _, owner in _IDS]
    if not any(len(keys) for keys in suspects):
        return
    taken: list[set[int]] = [set() for _ in _IDS]
    for number, block in enumerate(placed.blocks):
        for document in np.flatnonzero(masks[number]).tolist():
            keys = [_keys_of(block, document, owner, suspects[kind]) for kind, (_, owner) in enumerate(_IDS)]
            duplicate = next((kind for kind, own in enumerate(keys) if taken[kind] & own), None)
            if duplicate is None:
                for kind, own in enumerate(keys):
                    taken[kind] |= own
                continue
            masks[number][document] = False
            key = min(taken[duplicate] & keys[duplicate])
            name = _name_of(block, _IDS[duplicate][1], key)
            reason = f"left out: {_IDS[duplicate][0]} {name} is already in the corpus"
            file = entries[placed.owners[number]].name
            placed.problems.append(Problem(file, reason, id=document_ids(block)[document]))


def _find_repeated_keys(
    blocks: Sequence[Block], masks: Sequence[NDArray[np.bool_]], owner: str
) -> NDArray[np.uint64]:
    """Return the keys of ids that occur more than once, in ascending order."""
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
    index = int(np.flatnonzero(block[f"{owner}.id_hash"] == np.uint64(key))[0])
    return document_ids(block)[index] if owner == "documents" else block.strings(f"{owner}.id")[index]


# Postings of a corpus: an update merges only the range from the first to the last changed block

POSTINGS_NAME = "postings.arrays"


def merge_postings(names: Sequence[str], blocks: Sequence[Block], before: Previous | None) -> Block:
    """Merge the postings of all blocks, and store the names of the blocks and their numbers of passages."""
    old_postings = None if before is None else before.block(POSTINGS_NAME)
    made = Block({"passages": np.asarray([block.passages for block in blocks], np.int32)})
    made.put_strings("blocks", names)
    prefix, suffix = (
        _common_ends(old_postings.strings("blocks").all(), names) if old_postings is not None else (0, 0)
    )
    changed = blocks[prefix : len(blocks) - suffix]
    for indexed in FIELDS:
        if old_postings is None or 2 * len(changed) > len(blocks):
            found = concat_postings(FieldPostings(blocks, indexed))
        else:
            sizes, old = old_postings["passages"], old_postings.postings(indexed)
            first, stop = (
                int(sizes[:prefix].sum()),
                len(old.lengths) - int(sizes[len(sizes) - suffix :].sum()),
            )
            parts = FieldPostings(changed, indexed)
            found = (
                replace_postings(old, first, stop, concat_postings(parts)) if parts or first < stop else old
            )
        made.put_postings(indexed, found._replace(counts=narrow(found.counts)))
    return made


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the length of the common prefix of two lists, and of the common suffix of the rest."""
    shortest = min(len(old), len(new))
    prefix = next((index for index in range(shortest) if old[index] != new[index]), shortest)
    most = shortest - prefix
    suffix = next((index for index in range(most) if old[-1 - index] != new[-1 - index]), most)
    return prefix, suffix

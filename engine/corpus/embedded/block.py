"""A block: named arrays in one immutable file.

Each block of a corpus contains some documents with all data that depend on them alone. At publication the
data for queries are built from all blocks and written as a block of their own. Unchanged documents keep their
blocks, so that their data are never computed again.

The file consists of a magic number, the length of a JSON header, the header (type, shape and offset of each
array, and ``about``, plain values), and the arrays, each aligned to 64 bytes.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Index, Strings, bytes_of, encoded, ranges
from engine.errors import CorpusError, system_error

# The folder of a generation's blocks.
BLOCKS, BLOCK_SUFFIX = "blocks", ".block"
_MAGIC = b"RSBLOCK2"
_ALIGNED = 64

# Prefixes of the columns of documents, sections and passages.
DOCUMENTS, SECTIONS, PASSAGES = "documents", "sections", "passages"
TEXT_FIELD, CONTEXT_FIELD, TITLE_FIELD = "text", "context", "title"
FIELDS = (TEXT_FIELD, CONTEXT_FIELD, TITLE_FIELD)
# The words of all passages in sequence; passages.tokens contains their numbers.
_TOKENS = "tokens.word"


class Postings(NamedTuple):
    """The terms of an indexed field.

    Term k, with the key ``hashes[k]`` (ascending), occurs in the passages ``rows[pointers[k]:pointers[k +
    1]]``, ``counts`` times; ``lengths`` are the total numbers of terms of the passages.
    """

    hashes: NDArray[np.uint64]
    pointers: Index
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.int32]


class Later(NamedTuple):
    """A column built while it is written, so that it need not fit into memory.

    ``parts`` yields its parts in order, ``shape`` is the total; its empty array gives the type.
    """

    shape: tuple[int, ...]
    parts: Callable[[], Iterable[Array]]


class Block:
    """Named arrays, and plain values ``about`` them. Strings are two arrays, ``.offsets`` and ``.utf8``."""

    def __init__(self, arrays: Mapping[str, Array], about: Mapping[str, Any] | None = None) -> None:
        self.arrays = dict(arrays)
        self.about = dict(about or {})
        # Columns that are built when the block is written; their arrays are empty until then.
        self.later: dict[str, Later] = {}

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def strings(self, name: str) -> Strings:
        """Return a column of strings."""
        return Strings(self.arrays[f"{name}.offsets"], self.arrays[f"{name}.utf8"])

    def put_strings(self, name: str, values: Iterable[str]) -> None:
        """Set a column of strings."""
        self.arrays[f"{name}.offsets"], self.arrays[f"{name}.utf8"] = encoded(values)

    def put_joined(self, name: str, parts: Sequence[Strings]) -> None:
        """Set a column of strings to the concatenation of columns."""
        self.put_column(name, Strings.joined(parts))

    def put_joined_later(self, name: str, blocks: Sequence[Block]) -> None:
        """Set a column of strings to those of blocks, which are read when this block is written."""
        own = f"{name}.offsets", f"{name}.utf8"
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(block[own[0]]) for block in blocks)])
        self.arrays |= {own[0]: np.cumsum(sizes), own[1]: np.zeros(0, np.uint8)}
        self.later[own[1]] = Later((int(sizes.sum()),), lambda: (block[own[1]] for block in blocks))

    def put_column(self, name: str, strings: Strings) -> None:
        """Set a column of strings."""
        self.arrays[f"{name}.offsets"] = strings.offsets
        self.arrays[f"{name}.utf8"] = np.frombuffer(strings.bytes, np.uint8)

    def postings(self, field: str) -> Postings:
        """Return the terms of a field."""
        return Postings(*(self.arrays[f"{field}.{name}"] for name in Postings._fields))

    def put_postings(self, field: str, postings: Postings) -> None:
        """Set the terms of a field."""
        self.arrays |= {f"{field}.{name}": values for name, values in postings._asdict().items()}

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.arrays["documents.passages"])

    @property
    def sections(self) -> int:
        """Number of sections."""
        return len(self.arrays["sections.document"])

    @property
    def passages(self) -> int:
        """Number of passages."""
        return len(self.arrays["passages.document"])

    def save(self, path: Path) -> None:
        """Write the file atomically.

        Raises ResourceError if the disk is full, CorpusError if it cannot be written.
        """
        arrays = {name: np.ascontiguousarray(values) for name, values in self.arrays.items()}
        places, position = {}, 0
        for name, values in arrays.items():
            later = self.later.get(name)
            places[name] = [values.dtype.str, list(values.shape if later is None else later.shape), position]
            size = values.nbytes if later is None else prod(later.shape) * values.itemsize
            position += -(-size // _ALIGNED) * _ALIGNED
        header = json.dumps({"arrays": places, "about": self.about}, ensure_ascii=True).encode()
        header += b" " * (-(len(header) + 16) % _ALIGNED)
        waiting = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with open(waiting, "wb") as file:
                file.write(_MAGIC + struct.pack("<Q", len(header)) + header)
                for name, values in arrays.items():
                    later = self.later.get(name)
                    size = 0
                    for part in (values,) if later is None else later.parts():
                        size += file.write(bytes_of(part))
                    file.write(b"\0" * (-size % _ALIGNED))
            waiting.replace(path)
        except OSError as error:
            raise system_error(f"write {path}", error) from error


def bytes_in(path: Path) -> NDArray[np.uint8]:
    """Return the bytes of a file, shape (size,), read-only. Raises OSError, MemoryError."""
    with open(path, "rb", buffering=0) as file:
        data = np.empty(os.fstat(file.fileno()).st_size, np.uint8)
        room = data.data
        while read := file.readinto(room) if room else 0:
            room = room[read:]
    data.flags.writeable = False
    return data[: len(data) - len(room)]


def parse_start(beginning: bytes, name: str) -> tuple[int, int]:
    """Return the length of a block's header and the offset of its arrays, from its first 16 bytes.

    Raises CorpusError.
    """
    if len(beginning) < 16 or beginning[:8] != _MAGIC:
        raise _damaged(name, "not a block")
    (length,) = struct.unpack("<Q", beginning[8:])
    return length, 16 + length


def header_of(header: bytes, name: str) -> tuple[dict[str, tuple[str, list[int], int]], dict[str, Any]]:
    """Return type, shape and offset of each array, and the plain values. Raises CorpusError."""
    try:
        header_values = orjson.loads(header)
        return header_values["arrays"], header_values["about"]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(name, error) from error


def _damaged(name: str, error: object) -> CorpusError:
    return CorpusError(f"damaged corpus: {name} cannot be read ({error}); ingest again")


def block_from(data: NDArray[np.uint8], name: str) -> Block:
    """Return the block in the bytes of a file, with arrays as views. Raises CorpusError."""
    _, start = parse_start(bytes(data[:16]), name)
    places, about = header_of(data[16:start].tobytes(), name)
    content, arrays = data[start:], {}
    try:
        for column, (dtype, shape, position) in places.items():
            size = prod(shape) * np.dtype(dtype).itemsize
            arrays[column] = content[position : position + size].view(dtype).reshape(shape)
        return Block(arrays, about)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(name, error) from error


def open_block(path: Path) -> Block:
    """Open the block in a file written by this process or its child. Raises CorpusError, OSError."""
    return block_from(bytes_in(path), path.name)


def block_name(key: str, suffix: str = BLOCK_SUFFIX) -> str:
    """Return the path of a block, or of a file next to it, in a generation."""
    return f"{BLOCKS}/{key}{suffix}"


# Words recur in every block; the limit bounds the memory.
@lru_cache(maxsize=1 << 17)
def hashed(value: str) -> int:
    """Return a 64-bit key of a string, the same in every process."""
    return int.from_bytes(blake2b(value.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def digest(*parts: bytes) -> str:
    """Return a 128-bit key of some bytes in hexadecimal."""
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "little") + part)
    return state.hexdigest()


def postings_of(terms: Iterable[Sequence[str]]) -> Postings:
    """Return the postings of passages, given by their terms in order."""
    numbers: dict[str, int] = {}
    lengths: list[int] = []
    flat: list[int] = []
    for passage in terms:
        lengths.append(len(passage))
        flat.extend([numbers.setdefault(term, len(numbers)) for term in passage])
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return postings_from(list(numbers), np.asarray(flat, np.int64), rows, len(lengths))


def postings_from(terms: Sequence[str], numbers: Index, rows: Index, passages: int) -> Postings:
    """Return the postings of passages.

    Occurrence i is of ``terms[numbers[i]]`` in ``rows[i]``, in any order.
    """
    size = max(passages, 1)
    hashes = np.asarray([hashed(term) for term in terms], np.uint64)
    order = np.argsort(hashes, kind="stable")
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    keys, counts = np.unique(ranks[numbers] * size + rows, return_counts=True)
    used, of_keys = np.divmod(keys, size)
    # Terms without occurrences are dropped.
    present, firsts = np.unique(used, return_index=True)
    return Postings(
        hashes[order][present],
        np.append(firsts, len(keys)).astype(np.int64),
        of_keys.astype(np.int32),
        counts.astype(np.float32),
        np.bincount(rows, minlength=passages).astype(np.int32),
    )


def select_documents(block: Block, documents: NDArray[np.bool_]) -> Block:
    """Return the block reduced to some documents; ``documents`` is a mask, shape (documents,).

    A column ``T.passage`` assigns the rows of a table T to passages.
    """
    in_sections = documents[block["sections.document"]]
    in_passages = documents[block["passages.document"]]
    masks = {DOCUMENTS: documents, SECTIONS: in_sections, PASSAGES: in_passages}
    tables = [name.removesuffix(".passage") for name in block.arrays if name.endswith(".passage")]
    masks |= {table: in_passages[block[f"{table}.passage"]] for table in tables}
    if _TOKENS in block.arrays:
        masks["tokens"] = np.repeat(in_passages, block["passages.tokens"])
    new = {owner: np.cumsum(mask) - 1 for owner, mask in masks.items()}
    # The end of a section may be one after the last row.
    bounds = np.concatenate([[0], np.cumsum(in_passages)])
    kept = Block({}, block.about)
    for name, values in block.arrays.items():
        owner = name.partition(".")[0]
        column = name.removesuffix(".offsets")
        if name.endswith(".utf8"):
            continue
        if name.endswith(".offsets"):
            mask = masks.get(owner)
            chosen = np.arange(len(values) - 1) if mask is None else np.flatnonzero(mask)
            _take_strings(kept, block, column, chosen)
        elif owner in masks:
            kept.arrays[name] = values[masks[owner]]
        elif owner not in FIELDS:
            kept.arrays[name] = values
    for name in ("sections.document", "passages.document"):
        kept.arrays[name] = new[DOCUMENTS][kept[name]].astype(np.int32)
    for name in ("sections.parent", "passages.section"):
        old = kept[name]
        kept.arrays[name] = np.where(old < 0, -1, new[SECTIONS][old]).astype(np.int32)
    for name in ("sections.first", "sections.stop"):
        kept.arrays[name] = bounds[kept[name]].astype(np.int32)
    for table in tables:
        kept.arrays[f"{table}.passage"] = new[PASSAGES][kept[f"{table}.passage"]].astype(np.int32)
    for field in FIELDS:
        kept.put_postings(field, _selected_postings(block.postings(field), in_passages))
    return kept


def _take_strings(kept: Block, block: Block, name: str, chosen: Index) -> None:
    offsets, data = block[f"{name}.offsets"], block[f"{name}.utf8"]
    _, places = ranges(offsets[chosen], offsets[chosen + 1])
    kept.arrays[f"{name}.utf8"] = data[places]
    kept.arrays[f"{name}.offsets"] = np.concatenate([[0], np.cumsum(np.diff(offsets)[chosen])])


def _selected_postings(postings: Postings, passages: NDArray[np.bool_]) -> Postings:
    alive = passages[postings.rows]
    terms = np.repeat(np.arange(len(postings.hashes)), np.diff(postings.pointers))[alive]
    used, counts = np.unique(terms, return_counts=True)
    rows = (np.cumsum(passages) - 1)[postings.rows[alive]]
    return Postings(
        postings.hashes[used],
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        rows.astype(np.int32),
        postings.counts[alive],
        postings.lengths[passages],
    )

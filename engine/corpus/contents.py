"""The contents of a corpus before it is stored: its values, and its columns in a block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.block import FIELDS, Block, Postings, hashed
from engine.corpus.embedded.documents import (
    BEGINNING,
    END_OF_TIME,
    KIND_NUMBERS,
    day_number,
    dump_document,
    dump_metadata,
)
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.language.references.provisions import ITEM_LENGTH, counts_paragraphs
from engine.model import Document, Entity, Passage, Reference, Section

# Passages that contain only a heading: they lead to evidence but are not evidence.

LONGEST_HEADING = 120
# Marks of a sentence: final punctuation, several lines, or an English modal or auxiliary verb at the end.
_SENTENCE = re.compile(
    r"[.;:,!?؛؟،。；：，—–-]\s*\Z|\n|\b(?:and|or|shall|must|may not|means|is|are|has|have)\b\s*\Z"
    r"|\b(?:shall|must|may not|means|is|are|has|have)\b|\A(?:\(\w{1,5}\))?\W*[a-zà-ÿ]"
)


def is_bare_heading(text: str) -> bool:
    """Return whether a text is short and contains no sentence."""
    stripped = text.strip()
    return len(stripped) <= LONGEST_HEADING and not _SENTENCE.search(stripped)


# Input of a corpus store.

NO_EMBEDDING = "none"


@dataclass(frozen=True, slots=True)
class Contents:
    """The complete contents of a corpus.

    ``passages`` are in the order of ``documents`` and, within one, of their positions; ``terms`` are the
    index terms of their texts, ``contexts`` those of the surrounding text, ``titles`` those of their
    provisions' headings, empty for none. ``mentions``: arrays (rows, entity numbers) of shape (m,).
    ``vectors``: shape (passages, d), zero rows for passages without an embedding, or None. ``defined_names``:
    names that passages give to documents, by row. ``sparse``: learned sparse vectors by passage, or None;
    ``sparse_model`` names their model, ``vocabulary`` is the number of terms.
    """

    name: str
    documents: Sequence[Document]
    sections: Sequence[Section]
    passages: Sequence[Passage]
    terms: Iterable[Sequence[str]]
    contexts: Iterable[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    references: Sequence[Reference] = ()
    entities: Sequence[Entity] = ()
    mentions: tuple[NDArray[Any], NDArray[Any]] = field(
        default_factory=lambda: (np.zeros(0, np.int32), np.zeros(0, np.int32))
    )
    vectors: NDArray[np.float32] | None = None
    embedding: str = NO_EMBEDDING
    ontology: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    defined_names: Sequence[tuple[int, DefinedName]] = ()
    sparse: SparseVectors | None = None
    vocabulary: int = 0
    sparse_model: str = NO_EMBEDDING


# Documents, sections and passages as the columns of a block.

# A separator in keys of headings and text; it never occurs in texts.
_BORDER = b"\0"


def pack(
    documents: Sequence[Document],
    sections: Sequence[Section],
    passages: Sequence[Passage],
    terms: Mapping[str, Postings],
) -> Block:
    """Return the block of some documents in the order of ``Contents``; ``terms`` are index terms by field.

    Raises ValueError if an id is repeated or the passages are out of order.
    """
    numbers = {document.id: number for number, document in enumerate(documents)}
    section_numbers = {section.id: number for number, section in enumerate(sections)}
    _check(documents, sections, passages, numbers, section_numbers)
    owner = np.asarray([numbers[passage.document_id] for passage in passages], np.int32)
    first = np.searchsorted(owner, np.arange(len(documents) + 1)).astype(np.int32)
    statuses = _codes(
        status
        for status in (*(d.status for d in documents), *(p.status for p in passages))
        if status is not None
    )
    block = Block({})
    block.put_strings("statuses", statuses)
    _pack_documents(block, documents, first, statuses)
    _pack_sections(block, sections, numbers, section_numbers, first)
    _pack_passages(block, passages, owner, section_numbers, statuses)
    structure = [
        _structure_digest(document, block, number, first) for number, document in enumerate(documents)
    ]
    block.arrays["documents.structure"] = np.frombuffer(b"".join(structure), np.uint64).reshape(-1, 2)
    for name in FIELDS:
        if len(terms[name].lengths) != len(passages):
            raise ValueError(f"{name}: terms of {len(terms[name].lengths)} passages")
        block.put_postings(name, terms[name])
    return block


def _codes(values: Iterable[str]) -> dict[str, int]:
    return {value: code for code, value in enumerate(sorted(set(values)))}


def _pack_documents(
    block: Block, documents: Sequence[Document], first: NDArray[np.int32], statuses: dict[str, int]
) -> None:
    block.put_strings("documents", [dump_document(document) for document in documents])
    starts = [day_number(document.valid_from, BEGINNING) for document in documents]
    ends = [day_number(document.valid_to, END_OF_TIME) for document in documents]
    codes = [-1 if document.status is None else statuses[document.status] for document in documents]
    block.arrays |= {
        "documents.passages": np.diff(first).astype(np.int32),
        "documents.valid_from": np.asarray(starts, np.int32),
        "documents.valid_to": np.asarray(ends, np.int32),
        "documents.status": np.asarray(codes, np.int16),
        "documents.id_hash": _hashes(document.id for document in documents),
    }


def _pack_sections(
    block: Block,
    sections: Sequence[Section],
    documents: dict[str, int],
    numbers: dict[str, int],
    first: NDArray[np.int32],
) -> None:
    document = np.asarray([documents[section.document_id] for section in sections], np.int32)
    start = first[document] if sections else np.zeros(0, np.int32)
    parents = [-1 if section.parent_id is None else numbers[section.parent_id] for section in sections]
    block.put_strings("sections.id", [section.id for section in sections])
    block.put_strings("sections.number", [section.number or "" for section in sections])
    block.put_strings("sections.title", [section.title for section in sections])
    block.arrays |= {
        "sections.document": document,
        "sections.parent": np.asarray(parents, np.int32),
        "sections.kind": np.asarray([KIND_NUMBERS[section.kind] for section in sections], np.int8),
        "sections.first": start + np.asarray([section.first for section in sections], np.int32),
        "sections.stop": start + np.asarray([section.stop for section in sections], np.int32),
        "sections.id_hash": _hashes(section.id for section in sections),
    }


def _pack_passages(
    block: Block,
    passages: Sequence[Passage],
    owner: NDArray[np.int32],
    sections: dict[str, int],
    statuses: dict[str, int],
) -> None:
    languages = _codes(passage.language for passage in passages)
    headings: dict[tuple[str, ...], int] = {}
    heading = [headings.setdefault(passage.headings, len(headings)) for passage in passages]
    paths = [orjson.dumps(titles) for titles in headings]
    block.put_strings("languages", languages)
    block.put_strings("headings", [path.decode() for path in paths])
    block.put_strings("passages.id", [p.id for p in passages])
    block.put_strings("passages.text", [p.text for p in passages])
    # Empty if equal to the id, as it is unless a long line was divided.
    block.put_strings("passages.source_id", ["" if p.source_id == p.id else p.source_id for p in passages])
    block.put_strings("passages.number", [p.number or "" for p in passages])
    block.put_strings("passages.paragraph", [p.paragraph or "" for p in passages])
    block.put_strings("passages.label", [p.label for p in passages])
    metadata = [dump_metadata(p.metadata).decode() if p.metadata else "" for p in passages]
    block.put_strings("passages.metadata", metadata)
    section = [-1 if p.section_id is None else sections[p.section_id] for p in passages]
    columns: dict[str, tuple[list[int], type[np.integer] | type[np.bool_]]] = {
        "heading": (heading, np.int32),
        "language": ([languages[p.language] for p in passages], np.int16),
        "kind": ([KIND_NUMBERS[p.kind] for p in passages], np.int8),
        "page": ([-1 if p.page is None else p.page for p in passages], np.int32),
        "overlap": ([p.overlap for p in passages], np.int32),
        "status": ([-1 if p.status is None else statuses[p.status] for p in passages], np.int16),
        "section": (section, np.int32),
        "valid_from": ([day_number(p.valid_from, BEGINNING) for p in passages], np.int32),
        "valid_to": ([day_number(p.valid_to, END_OF_TIME) for p in passages], np.int32),
        "bare": ([is_bare_heading(p.text) for p in passages], np.bool_),
    }
    for name, (values, dtype) in columns.items():
        block.arrays[f"passages.{name}"] = np.asarray(values, dtype)
    block.arrays["passages.document"] = owner
    block.arrays["passages.id_hash"] = _hashes(p.id for p in passages)
    keys = [content_key(p.text, paths[number]) for p, number in zip(passages, heading, strict=True)]
    block.arrays["passages.content"] = np.frombuffer(b"".join(keys), np.uint64).reshape(-1, 2)


def content_key(text: str, headings: bytes) -> bytes:
    """Return a 128-bit key of the inputs of a passage's vector: its text and its headings."""
    return blake2b(text.encode("utf-8", "replace") + _BORDER + headings, digest_size=16).digest()


def _hashes(ids: Iterable[str]) -> NDArray[np.uint64]:
    return np.asarray([hashed(name) for name in ids], np.uint64)


def _structure_digest(document: Document, block: Block, number: int, first: NDArray[np.int32]) -> bytes:
    """Return a 16-byte key of all that the resolution of references to a document needs, except texts."""
    state = blake2b(digest_size=16)
    identity = (document.id, document.title, document.language, document.aliases, document.number)
    dates = (document.valid_from, document.valid_to, document.metadata.get("translation_of"))
    state.update(repr((identity, document.year, document.type, dates)).encode("utf-8", "replace"))
    rows = slice(int(first[number]), int(first[number + 1]))
    start, stop = np.searchsorted(block["sections.document"], (number, number + 1)).tolist()
    for name in ("kind", "valid_from", "valid_to"):
        state.update(block[f"passages.{name}"][rows].tobytes())
    # The beginning of a text decides whether a passage is an item of a list.
    languages, codes = block.strings("languages").all(), block["passages.language"]
    texts = block.strings("passages.text")
    for row in range(rows.start, rows.stop):
        if counts_paragraphs(languages[codes[row]]):
            state.update(texts[row][:ITEM_LENGTH].encode() + _BORDER)
    for name in ("id", "number", "paragraph", "metadata"):
        state.update(_bytes_of(block, f"passages.{name}", rows.start, rows.stop))
    state.update((block["passages.section"][rows] - start).tobytes())
    state.update(block["sections.kind"][start:stop].tobytes())
    state.update((block["sections.parent"][start:stop] - start).tobytes())
    for name in ("id", "number"):
        state.update(_bytes_of(block, f"sections.{name}", start, stop))
    for name in ("first", "stop"):
        state.update((block[f"sections.{name}"][start:stop] - rows.start).tobytes())
    return state.digest()


def _bytes_of(block: Block, name: str, start: int, stop: int) -> bytes:
    offsets = block[f"{name}.offsets"][start : stop + 1]
    sizes: bytes = np.diff(offsets).tobytes()
    return sizes + bytes(block[f"{name}.utf8"][offsets[0] : offsets[-1]])


def _check(
    documents: Sequence[Document],
    sections: Sequence[Section],
    passages: Sequence[Passage],
    numbers: dict[str, int],
    section_numbers: dict[str, int],
) -> None:
    """Raise ValueError for inconsistent input."""
    ids = {passage.id for passage in passages}
    counts = {"document": (numbers, documents), "section": (section_numbers, sections)}
    for noun, (distinct, values) in {**counts, "passage": (ids, passages)}.items():
        if len(distinct) != len(values):
            raise ValueError(f"{len(values) - len(distinct)} repeated {noun} ids")
    places = [(numbers[passage.document_id], passage.position) for passage in passages]
    for (document, position), (following, after) in pairwise([(-1, 0), *places]):
        if (following, after) != ((document, position + 1) if following == document else (following, 0)):
            raise ValueError("passages are not in the order of their documents and positions")
        if following < document:
            raise ValueError("passages are not in the order of their documents and positions")
    owners = [numbers[section.document_id] for section in sections]
    if owners != sorted(owners):
        raise ValueError("sections are not in the order of their documents")

"""A corpus as workers have to know it to resolve references, and the work of their children.

A worker is told once what can be asked of any document: about a sixteenth of the bytes of all blocks. The
columns that only the references of a block itself are found by come with the request for that block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.stored import is_large
from engine.ingestion.cluster.messages import Resolve
from engine.ingestion.resolving import Resolving, links_name
from engine.ingestion.view import CorpusView, beginnings
from engine.model import Document

# What is asked of no other block than the one whose references are resolved.
_OWN = ("passages.text", "passages.metadata", "passages.mentions", "headings")


@dataclass(frozen=True, slots=True)
class Corpus:
    """``blocks`` without the columns that are their own, under their ``names``; ``versions``: the documents
    that the corpus has dated, by number. ``version`` is that of Resolving."""

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    versions: Mapping[int, Document]
    version: str


def corpus_of(view: CorpusView, names: Sequence[str], version: str) -> Corpus:
    """What a worker has to know of a corpus."""
    versions = {number: view.documents[number] for number in sorted(view.versions)}
    return Corpus(tuple(names), tuple(map(_without_own, view.blocks)), versions, version)


def _without_own(block: Block) -> Block:
    known = Block({name: block[name] for name in block.arrays if not is_large(name)})
    known.put_strings("passages.text", beginnings(block))
    return known


def request_for(view: CorpusView, names: Sequence[str], number: int) -> Resolve:
    """The request to resolve the references of a block."""
    block = view.blocks[number]
    own = {column: block[column] for name in _OWN for column in (f"{name}.offsets", f"{name}.utf8")}
    return Resolve(number, links_name(names[number]), own)


class BlockResolver:
    """The work of a child that resolves: it writes the references of each block it is given."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._view = view = CorpusView(corpus.blocks)
        for number, document in corpus.versions.items():
            view.documents[number] = document
        view.versions = set(corpus.versions)
        self._resolving = Resolving(view, corpus.names, folder, corpus.version)
        self._resolving.prepare()

    def __call__(self, task: Resolve) -> Iterator[str]:
        """Writes the references of a block; brings its name."""
        known = self._view.blocks
        before, behind = known[: task.number], known[task.number + 1 :]
        self._view.blocks = (*before, _with_own(known[task.number], task.own), *behind)
        yield from self._resolving(task.number)
        self._view.blocks = known


def _with_own(block: Block, own: Mapping[str, Array]) -> Block:
    return Block(block.arrays | dict(own))

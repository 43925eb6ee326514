"""What a worker needs of a corpus to resolve references.

Every worker gets once what any reference may need: about a sixteenth of the bytes of all blocks. What only
the references of a block itself need comes with the request for it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.stored import is_large
from engine.ingestion.ledger import makers
from engine.ingestion.resolving import Resolving
from engine.ingestion.view import CorpusView, beginnings

_OWN = ("passages.text", "passages.metadata", "passages.mentions", "headings")
# The number of a block, and its columns that the shared part of the corpus lacks.
Unresolved = tuple[int, Mapping[str, Array]]


def pickle_shared(view: CorpusView, names: Sequence[str]) -> bytes:
    """Return what every worker needs of a corpus: names, blocks, and documents with days found there."""
    blocks = []
    for block in view.blocks:
        shared = Block({name: block[name] for name in block.arrays if not is_large(name)})
        shared.put_strings("passages.text", beginnings(block))
        blocks.append(shared)
    versions = {number: view.documents[number] for number in sorted(view.versions)}
    return pickle.dumps((tuple(names), blocks, versions), pickle.HIGHEST_PROTOCOL)


def get_unresolved(view: CorpusView, number: int) -> Unresolved:
    """Return what the references of a block need beyond that."""
    columns = (f"{name}.{part}" for name in _OWN for part in ("offsets", "utf8"))
    return number, {column: view.blocks[number][column] for column in columns}


class BlockResolver:
    """The work of a child that resolves: it writes the references of each block that it gets."""

    def __init__(self, shared: Path, folder: Path) -> None:
        self._shared, self._folder = shared, folder
        self._resolving: Resolving | None = None

    def __call__(self, task: Unresolved) -> Iterator[str]:
        """Write the references of a block and yield its name."""
        if self._resolving is None:
            names, blocks, versions = pickle.loads(self._shared.read_bytes())
            self._view = CorpusView(blocks)
            for number, document in versions.items():
                self._view.documents[number] = document
            self._view.versions = set(versions)
            self._resolving = Resolving(self._view, names, self._folder, makers())
            self._resolving.prepare()
        number, own = task
        shared = self._view.blocks
        block = Block(shared[number].arrays | dict(own))
        self._view.blocks = (*shared[:number], block, *shared[number + 1 :])
        yield from self._resolving(number)
        self._view.blocks = shared

"""The data that a worker needs to resolve references.

Every worker gets the shared part once: about a sixteenth of the bytes of all blocks. Data of a single block
come with the request for it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.stored import is_large
from engine.ingestion.ledger import code_digest
from engine.ingestion.resolving import CorpusReferences
from engine.ingestion.view import CorpusView, text_beginnings

_OWN = ("passages.text", "passages.metadata", "passages.mentions", "headings")
# The number of a block, and its columns that the shared part of the corpus lacks.
Unresolved = tuple[int, Mapping[str, Array]]


def pickle_shared(view: CorpusView, names: Sequence[str]) -> bytes:
    """Pickle the data that every worker needs: names, blocks, and dated documents."""
    blocks = []
    for block in view.blocks:
        shared = Block({name: block[name] for name in block.arrays if not is_large(name)})
        shared.put_strings("passages.text", text_beginnings(block))
        blocks.append(shared)
    versions = {number: view.documents[number] for number in sorted(view.versions)}
    return pickle.dumps((tuple(names), blocks, versions), pickle.HIGHEST_PROTOCOL)


def get_unresolved(view: CorpusView, number: int) -> Unresolved:
    """Return the additional data for the references of a block."""
    columns = (f"{name}.{part}" for name in _OWN for part in ("offsets", "utf8"))
    return number, {column: view.blocks[number][column] for column in columns}


class BlockResolver:
    """The task of a resolving child: writes the references of each block that it gets."""

    def __init__(self, shared: Path, folder: Path) -> None:
        self._shared, self._folder = shared, folder
        self._resolving: CorpusReferences | None = None

    def __call__(self, task: Unresolved) -> Iterator[str]:
        """Write the references of a block and yield its name."""
        if self._resolving is None:
            names, blocks, versions = pickle.loads(self._shared.read_bytes())
            self._view = CorpusView(blocks)
            for number, document in versions.items():
                self._view.documents[number] = document
            self._view.versions = set(versions)
            self._resolving = CorpusReferences(self._view, names, self._folder, code_digest())
            self._resolving.prepare()
        number, own = task
        shared = self._view.blocks
        block = Block(shared[number].arrays | dict(own))
        self._view.blocks = (*shared[:number], block, *shared[number + 1 :])
        yield from self._resolving(number)
        self._view.blocks = shared

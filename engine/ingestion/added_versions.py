"""A file that is added to a corpus and is another version of a text that is in it.

Both state one id, or have one file name. Where their days tell them apart the new one gets an id of its own
and joins the other one; it takes its place only where nothing says that it is another version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.corpus.embedded.block import Block, block_name, open_block
from engine.ingestion.headings import slug_of
from engine.ingestion.ledger import Entry, Previous
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.field_names import Told
from engine.ingestion.version_days import choose, days_told, kind_of, named_file
from engine.ingestion.view import CorpusView
from engine.model import Document


def versions_apart(
    sources: Sequence[SourceFile], new: Sequence[Entry], before: Previous, generation: Path
) -> Iterator[tuple[int, SourceFile]]:
    """The number of each new file that is another version of a document of the corpus, and the file with a
    stem of its own, by which it is to be read again."""
    names = {entry.name for entry in new}
    held = {
        document: entry
        for entry in before.ledger.entries
        if entry.name not in names
        for document in entry.documents
        if document not in entry.removed
    }
    taken = {*held, *(document for entry in new for document in entry.documents)}
    for number, (source, entry) in enumerate(zip(sources, new, strict=True)):
        old = held.get(entry.documents[0]) if len(entry.documents) == 1 else None
        # The same words again are no other version; their block is the one that is there.
        if old is None or len(old.documents) != 1 or old.blocks == entry.blocks:
            continue
        earlier = _document(before.block(block_name(old.blocks[0])))
        name = block_name(entry.blocks[0])
        path = generation / name
        later = _document(open_block(path) if path.is_file() else before.block(name))
        if earlier is None or later is None:
            continue
        chosen = choose([days_told(earlier, named_file(old.name)), days_told(later, named_file(entry.name))])
        if chosen.name is None or kind_of(chosen.name) > Told.FILE_NAME or None in chosen.days:
            continue
        stem = f"{later.id}-{chosen.days[1]}"
        again = 2
        while slug_of(stem) in taken:
            stem, again = f"{later.id}-{chosen.days[1]}-{again}", again + 1
        taken.add(slug_of(stem))
        yield number, replace(source, stem=stem, shares_id=True)


def _document(block: Block | None) -> Document | None:
    return None if block is None else next(iter(CorpusView([block]).documents), None)

"""Read all sources into one collection, in which no id stands twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.errors import SourceError
from engine.ingestion.progress import Progress
from engine.ingestion.readers.base import Problem, ReadDocument, Reader, SourceFile
from engine.model import Document, Passage, Section


@dataclass(slots=True)
class Collection:
    """Documents in order, with their sections and passages in the same order."""

    documents: list[Document] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)


def gather(
    files: Sequence[tuple[SourceFile, Reader]], problems: list[Problem], progress: Progress
) -> Collection:
    """Read every file; what cannot be read is added to ``problems``.

    Raises SourceError where nothing at all was usable.
    """
    collection = Collection()
    taken: dict[str, set[str]] = {"document": set(), "section": set(), "passage": set()}
    for number, (source, reader) in enumerate(files):
        progress("read", number, len(files))
        try:
            for item in reader.read(source):
                if isinstance(item, Problem):
                    problems.append(item)
                else:
                    _add(item, source.name, collection, taken, problems)
        except OSError as error:
            problems.append(Problem(source.name, f"cannot be read ({error})"))
    progress("read", len(files), len(files))
    if not collection.passages:
        first = f"; first problem: {problems[0]}" if problems else ""
        raise SourceError(f"nothing usable in the sources: no passage in {len(files)} files{first}")
    return collection


def _add(
    item: ReadDocument,
    path: str,
    collection: Collection,
    taken: dict[str, set[str]],
    problems: list[Problem],
) -> None:
    ids = {
        "document": [item.document.id],
        "section": [section.id for section in item.sections],
        "passage": [passage.id for passage in item.passages],
    }
    for noun, found in ids.items():
        repeated = next((name for name in found if name in taken[noun]), None)
        if repeated is not None:
            problems.append(
                Problem(path, f"left out: {noun} {repeated} is already in the corpus", id=item.document.id)
            )
            return
    if not item.passages:
        problems.append(Problem(path, "the document has no text", id=item.document.id))
        return
    for noun, found in ids.items():
        taken[noun].update(found)
    collection.documents.append(item.document)
    collection.sections.extend(item.sections)
    collection.passages.extend(item.passages)

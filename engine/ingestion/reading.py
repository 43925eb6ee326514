"""Reading a file in a child process: its documents come out in batches, the unit of all further work."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from engine.corpus.embedded.block import digest, hashed
from engine.errors import FileRefusedError
from engine.ingestion.explaining import with_explanations
from engine.ingestion.readers.base import Problem, ReadDocument, Reader, SourceFile
from engine.ingestion.readers.formats import BY_NAME
from engine.language.characters import hidden_marks
from engine.model import Passage, Section

# A batch ends behind the document that makes it as large as this, in passages; and behind every document
# whose id says so, so that a document that has grown moves the ends of few other batches.
BATCH_PASSAGES = 256
# A file whose every line is wrong is told as such; millions of reasons would fill the memory of the parent.
MOST_PROBLEMS = 1000
MISNAMED = "named {}, but its content is {}: read as that"
HIDDEN = "contains {:,} characters that nobody sees and that mislead; they are shown by their numbers"


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file, and what reads it. ``key`` is of its content and of all that its reading depends on."""

    number: int
    source: SourceFile
    reader: Reader
    key: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a file. ``key`` is made from all they hold; ``content`` is their pickle, None
    where a block with this key is known already. ``documents`` are their ids, ``counts`` the passages of
    each, ``languages`` those of all. ``only``: the number of the one that is meant, where it is not all that
    ``content`` holds."""

    key: str
    documents: tuple[str, ...]
    counts: tuple[int, ...]
    content: bytes | None
    languages: tuple[str, ...] = ()
    only: int | None = None


class BatchReader:
    """The work of a child that reads. ``known``: keys of blocks that need not be made again."""

    def __init__(self, known: Collection[str], version: str) -> None:
        self.known, self.version = known, version

    def __call__(self, task: FileToRead) -> Iterator[Batch | Problem]:
        """The documents of a file, and what could not be read of it."""
        waiting: list[ReadDocument] = []
        passages = problems = hidden = 0
        try:
            for item in task.reader.read(task.source):
                if isinstance(item, Problem):
                    problems += 1
                    if problems <= MOST_PROBLEMS:
                        yield item
                elif not item.passages:
                    yield Problem(task.source.name, "the document has no text", id=item.document.id)
                else:
                    waiting.append(with_explanations(item))
                    hidden += sum(len(hidden_marks(passage.text)) for passage in item.passages)
                    passages += len(item.passages)
                    if passages >= BATCH_PASSAGES or hashed(item.document.id) % BATCH_PASSAGES == 0:
                        yield self._batch(waiting)
                        waiting, passages = [], 0
        except (OSError, FileRefusedError) as error:
            yield Problem(task.source.name, f"cannot be read ({error})")
        if waiting:
            yield self._batch(waiting)
        if problems > MOST_PROBLEMS:
            yield Problem(task.source.name, f"{problems - MOST_PROBLEMS:,} further problems of the same file")
        suffix = Path(task.source.name).suffix.lower()
        if BY_NAME.get(suffix, task.reader.name) != task.reader.name:
            yield Problem(task.source.name, MISNAMED.format(suffix, task.reader.name), is_note=True)
        if hidden:
            yield Problem(task.source.name, HIDDEN.format(hidden), is_note=True)

    def _batch(self, documents: list[ReadDocument]) -> Batch:
        # By value, unlike the pickle, which also says which equal strings were one object.
        values = orjson.dumps(documents, default=_plain, option=orjson.OPT_NON_STR_KEYS)
        key = digest(values, self.version.encode())
        content = None if key in self.known else pickle.dumps(documents, pickle.HIGHEST_PROTOCOL)
        counts = tuple(len(item.passages) for item in documents)
        languages = {passage.language for item in documents for passage in item.passages}
        return Batch(
            key, tuple(item.document.id for item in documents), counts, content, tuple(sorted(languages))
        )


def _by_fields(kind: type[Any]) -> None:
    """Pickle a dataclass as the values of its fields, many times faster than by its state."""
    values = attrgetter(*(one.name for one in fields(kind)))
    copyreg.pickle(kind, lambda item: (kind, values(item)))


def _read_only(content: dict[str, object]) -> MappingProxyType[str, object]:
    return MappingProxyType(content)


def _reduced(mapping: MappingProxyType[str, object]) -> tuple[object, tuple[dict[str, object]]]:
    return _read_only, (dict(mapping),)


# Metadata are read-only mappings, which pickle does not know.
copyreg.pickle(MappingProxyType, _reduced)  # type: ignore[arg-type]
for _kind in (Passage, Section):
    _by_fields(_kind)


def _plain(value: object) -> object:
    """What JSON has no type for: read-only mappings, sets; anything else by its text."""
    if hasattr(value, "items"):
        return dict(value.items())
    return repr(value)

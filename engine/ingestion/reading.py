"""Read files in child processes as batches of documents, with explanations marked."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from engine.corpus.embedded.block import digest, hashed
from engine.errors import FileRefusedError, InputError, SourceError
from engine.files import read_named
from engine.ingestion.readers.base import Problem, ReadDocument, Reader, SourceFile
from engine.ingestion.readers.formats import BY_NAME
from engine.ingestion.structure.headings import EXPLANATION
from engine.language.addresses import CONTAINERS, PROVISIONS, number_key
from engine.language.characters import hidden_marks
from engine.model import Passage, Section, SectionKind

# Explanations of provisions (Penjelasan, Begründung, explanatory notes) repeat the numbers of provisions and
# become guidance.

# A longer heading of an explanation is shortened to its first word in labels.
LONGEST_NAME = 30


def mark_explanations(read: ReadDocument) -> ReadDocument:
    """Mark the explanations of a document as guidance; a title that names an explanation marks all of it."""
    is_whole = EXPLANATION.match(read.document.title) is not None
    ids = [None, *(one.id for one in read.sections)]
    names = dict.fromkeys(ids, "") if is_whole else _inside(read.sections)
    if not names:
        return read
    explained = {_key(one) for one in read.sections if one.id not in names}
    explained |= {_key(one) for one in read.passages if one.section_id not in names}

    def explains(one: Section | Passage, section_id: str | None) -> bool:
        numbered = bool(one.number) and one.kind in PROVISIONS | CONTAINERS
        return section_id in names and numbered and (is_whole or _key(one) in explained)

    sections = (
        replace(one, kind=SectionKind.GUIDANCE) if explains(one, one.id) else one for one in read.sections
    )
    passages = (
        replace(one, kind=SectionKind.GUIDANCE, label=f"{names[one.section_id]}, {one.label}".lstrip(", "))
        if explains(one, one.section_id)
        else one
        for one in read.passages
    )
    return replace(read, sections=tuple(sections), passages=tuple(passages))


def _key(one: Section | Passage) -> tuple[SectionKind | None, str]:
    """Return the key by which provisions of one number are equal; containers also compare their kind."""
    return one.kind if one.kind in CONTAINERS else None, number_key(one.number or "")


def _inside(sections: Sequence[Section]) -> dict[str | None, str]:
    """Return the names of explanations by the ids of their sections.

    Provisions may follow on the level of the explanation's heading, if their numbers have occurred before.
    """
    names: dict[str | None, str] = {}
    seen: dict[str | None, set[str]] = {}
    open_at: dict[str | None, str] = {}
    for section in sections:
        above, key = section.parent_id, number_key(section.number or "")
        is_title = section.kind in (SectionKind.HEADING, SectionKind.ANNEX) and section.number is None
        if is_title and EXPLANATION.match(section.title):
            short = len(section.title) <= LONGEST_NAME
            open_at[above] = names[section.id] = section.title if short else section.title.split()[0]
        elif above in names or (above in open_at and key in seen.get(above, ())):
            names[section.id] = names.get(above) or open_at[above]
        else:
            open_at.pop(above, None)
            seen.setdefault(above, set()).add(key)
    return names


# Batches of documents, the unit of all further work

# A batch ends at this number of passages, and after every document whose id has a certain hash, so that a
# document that has grown changes the ends of few other batches.
BATCH_PASSAGES = 256
# Limit of reported problems per file, to limit memory.
MOST_PROBLEMS = 1000
MISNAMED = "named {}, but its content is {}: read as that"
HIDDEN = "contains {:,} invisible characters that can mislead; they are shown by their code points"


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file and its reader. ``key``: digest of its content and of everything that its reading depends on."""

    number: int
    source: SourceFile
    reader: Reader
    key: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a file.

    ``key``: digest of their content. ``content``: their pickle, or None if a block with this key exists.
    ``documents``: their ids. ``counts``: passages of each. ``languages``: of all passages. ``only``: the
    number of the single document to use from ``content``, or None for all.
    """

    key: str
    documents: tuple[str, ...]
    counts: tuple[int, ...]
    content: bytes | None
    languages: tuple[str, ...] = ()
    only: int | None = None


class BatchReader:
    """The task of a reading child. ``known``: keys of existing blocks."""

    def __init__(self, known: Collection[str], version: str) -> None:
        self.known, self.version = known, version

    def __call__(self, task: FileToRead) -> Iterator[Batch | Problem]:
        """Yield the documents of a file in batches, and its problems."""
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
                    waiting.append(mark_explanations(item))
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
        # By value: a pickle also depends on which equal strings are one object.
        values = orjson.dumps(documents, default=_plain, option=orjson.OPT_NON_STR_KEYS)
        key = digest(values, self.version.encode())
        content = None if key in self.known else pickle.dumps(documents, pickle.HIGHEST_PROTOCOL)
        counts = tuple(len(item.passages) for item in documents)
        languages = {passage.language for item in documents for passage in item.passages}
        return Batch(
            key, tuple(item.document.id for item in documents), counts, content, tuple(sorted(languages))
        )


def _by_fields(kind: type[Any]) -> None:
    """Pickle a dataclass as its field values, which is many times faster than by state."""
    values = attrgetter(*(one.name for one in fields(kind)))
    copyreg.pickle(kind, lambda item: (kind, values(item)))


def _read_only(content: dict[str, object]) -> MappingProxyType[str, object]:
    return MappingProxyType(content)


def _reduced(mapping: MappingProxyType[str, object]) -> tuple[object, tuple[dict[str, object]]]:
    return _read_only, (dict(mapping),)


# Metadata are read-only mappings, which pickle does not support.
copyreg.pickle(MappingProxyType, _reduced)  # type: ignore[arg-type]
for _kind in (Passage, Section):
    _by_fields(_kind)


def _plain(value: object) -> object:
    """Convert values that JSON does not support: read-only mappings; others by their text."""
    if hasattr(value, "items"):
        return dict(value.items())
    return repr(value)


# The text of a file, by the same readers as corpora

# Formats that are returned unchanged, with their lines.
PLAIN = (".txt", ".md", ".markdown", ".text")
LARGEST = 20_000_000


def read_text(path: Path) -> str:
    """Return the text of a file. Raises SourceError or InputError if it cannot be read or has no text."""
    try:
        data = read_named(path, LARGEST)
    except FileRefusedError as error:
        raise InputError(f"{path.name}: {error}") from error
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror}") from error
    # Readers detect other encodings.
    with suppress(UnicodeDecodeError):
        if path.suffix.lower() in PLAIN:
            return data.decode("utf-8-sig")
    # Imported late: loading the readers of all formats takes a second.
    from engine.ingestion.readers.base import ReadDocument
    from engine.ingestion.sources import open_sources

    parts: list[str] = []
    problems: list[str] = []
    with open_sources([path]) as sources:
        problems += [problem.reason for problem in sources.problems]
        for source, reader in sources.documents:
            for item in reader.read(source):
                if isinstance(item, ReadDocument):
                    parts += [passage.text for passage in item.passages]
                else:
                    problems.append(item.reason)
    if not parts:
        raise SourceError(f"{path.name}: {problems[0] if problems else 'no text in it'}")
    return "\n\n".join(parts)

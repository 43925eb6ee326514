"""Reading of files in child processes: documents in batches, explanations attached to provisions."""

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

# Explanations of provisions: Penjelasan, Begründung, explanatory notes.
#
# They repeat the numbers of the provisions that they explain and are none themselves: they become
# guidance.

# A longer heading of an explanation names the whole act: the first word says enough in a label.
LONGEST_NAME = 30


def with_explanations(read: ReadDocument) -> ReadDocument:
    """The document with its explanations marked as guidance; all of it if its title says that it explains."""
    is_whole = EXPLANATION.match(read.document.title) is not None
    ids = [None, *(one.id for one in read.sections)]
    inside = dict.fromkeys(ids, "") if is_whole else _inside(read.sections)
    if not inside:
        return read
    explained = {_key(one) for one in read.sections if one.id not in inside}
    explained |= {_key(one) for one in read.passages if one.section_id not in inside}

    def explains(one: Section | Passage, section_id: str | None) -> bool:
        numbered = bool(one.number) and one.kind in PROVISIONS | CONTAINERS
        return section_id in inside and numbered and (is_whole or _key(one) in explained)

    sections = (
        replace(one, kind=SectionKind.GUIDANCE) if explains(one, one.id) else one for one in read.sections
    )
    passages = (
        replace(one, kind=SectionKind.GUIDANCE, label=f"{inside[one.section_id]}, {one.label}".lstrip(", "))
        if explains(one, one.section_id)
        else one
        for one in read.passages
    )
    return replace(read, sections=tuple(sections), passages=tuple(passages))


def _key(one: Section | Passage) -> tuple[SectionKind | None, str]:
    """What two provisions of one number have in common: containers their kind as well."""
    return one.kind if one.kind in CONTAINERS else None, number_key(one.number or "")


def _inside(sections: Sequence[Section]) -> dict[str | None, str]:
    """The sections of explanations by their ids, each with the name of its explanation.

    Provisions may follow on the level of the heading that explains them, if their numbers were there before.
    """
    inside: dict[str | None, str] = {}
    seen: dict[str | None, set[str]] = {}
    open_at: dict[str | None, str] = {}
    for section in sections:
        above, key = section.parent_id, number_key(section.number or "")
        if section.kind is SectionKind.HEADING and EXPLANATION.match(section.title):
            short = len(section.title) <= LONGEST_NAME
            open_at[above] = inside[section.id] = section.title if short else section.title.split()[0]
        elif above in inside or (above in open_at and key in seen.get(above, ())):
            inside[section.id] = inside.get(above) or open_at[above]
        else:
            open_at.pop(above, None)
            seen.setdefault(above, set()).add(key)
    return inside


# Reading a file in a child process: its documents come out in batches, the unit of all further
# work.

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


# The text of one file, by the readers that corpora are made with.

# What is read as it stands: a memorandum in plain text or Markdown keeps its lines.
PLAIN = (".txt", ".md", ".markdown", ".text")
LARGEST = 20_000_000


def text_of(path: Path) -> str:
    """The text of a file. Raises SourceError, InputError where it cannot be read or has no text."""
    try:
        data = read_named(path, LARGEST)
    except FileRefusedError as error:
        raise InputError(f"{path.name}: {error}") from error
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror}") from error
    # Text of another encoding is left to the readers, which find out which.
    with suppress(UnicodeDecodeError):
        if path.suffix.lower() in PLAIN:
            return data.decode("utf-8-sig")
    # The readers of all formats take a second to load.
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

"""What a corpus was made from: the files, what became of each, and the blocks that hold their documents."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

import engine
from engine.corpus.embedded.block import Block, digest
from engine.corpus.embedded.generation import Generation, keep_file
from engine.corpus.embedded.manifest import read_manifest
from engine.errors import CorpusError
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.operator_settings import operator_settings

LEDGER_NAME = "sources.json"
# The option of a state that waits for vectors, and for what else the embedding model says.
LATER = "later"
# What the content of a block is made by: the code and data of these, and the versions of the libraries.
_MAKERS = ("model.py", "ingestion", "language", "languages", "corpus/headings.py", "corpus/embedded")
LIBRARIES = (
    "lxml",
    "orjson",
    "pypdfium2",
    "PyStemmer",
    "python-docx",
    "RapidFuzz",
    "sentencex",
    "eyecite",
    "simplemma",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a corpus.

    ``key`` is made from its content and all that reading it depends on. ``blocks`` hold its documents,
    in order. ``removed``: ids of documents that were taken out by hand, or replaced from another file.
    ``failure``: why nothing more could be read, or None.
    """

    name: str
    key: str
    blocks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    passages: int = 0
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()
    failure: str | None = None
    removed: tuple[str, ...] = ()

    def without(self, ids: Iterable[str]) -> Entry:
        """The entry with more documents removed."""
        own = set(self.documents)
        return replace(self, removed=tuple(dict.fromkeys((*self.removed, *(i for i in ids if i in own)))))


@dataclass(frozen=True, slots=True)
class Ledger:
    """The files of a corpus in order, and how they were ingested."""

    entries: tuple[Entry, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def save(self, generation: Path) -> None:
        """Write it into a generation."""
        record = {"entries": self.entries, "options": dict(self.options)}
        (generation / LEDGER_NAME).write_bytes(orjson.dumps(record))


def load_ledger(generation: Generation) -> Ledger:
    """The ledger of a generation; an empty one where it was written without one. Raises CorpusError."""
    if LEDGER_NAME not in generation.manifest.files:
        return Ledger()
    try:
        record = orjson.loads(generation.bytes(LEDGER_NAME).tobytes())
        entries = [
            Entry(
                **{
                    **entry,
                    **{name: tuple(entry[name]) for name in ("blocks", "documents", "removed")},
                    "problems": tuple(Problem(**problem) for problem in entry["problems"]),
                }
            )
            for entry in record["entries"]
        ]
        return Ledger(tuple(entries), record["options"])
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"damaged corpus: {LEDGER_NAME} cannot be read ({error}); ingest again") from error


class Previous:
    """The state of a corpus before an ingestion, to build upon: what is damaged in it counts as not there."""

    def __init__(self, generation: Generation) -> None:
        self.manifest = generation.manifest
        self.ledger = load_ledger(generation)
        self._generation = generation
        self._sound: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether a file is there as it was published."""
        found = self._sound.get(name)
        if found is None:
            found = self._sound[name] = self._generation.has(name)
        return found

    def keep(self, name: str, new: Path) -> None:
        """Make a file part of the generation in a folder. Raises CorpusError where it is damaged."""
        if not self.has(name):
            self._generation.check(name)
        keep_file(self._generation.data / name, new / name)

    def block(self, name: str) -> Block | None:
        """The arrays of a file, None where they are not there."""
        if name not in self.manifest.files:
            return None
        try:
            found = self._generation.block(name)
        except CorpusError:
            return None
        self._sound[name] = True
        return found


def previous(folder: Path) -> Previous:
    """The state of the corpus in a folder. Raises CorpusError where there is none, or only a damaged one."""
    return Previous(Generation(folder, read_manifest(folder)))


def file_key(source: SourceFile, reader: Reader, *options: str) -> str:
    """The key of a file: of its content, its name, its reader, and the code that reads it. Raises OSError
    or FileRefusedError."""
    with source.opened() as file:
        content = hashlib.file_digest(file, hashlib.sha256).digest()
    how = orjson.dumps(
        [
            *(source.name, source.stem, source.shares_id, source.passwords, source.mapping),
            *(reader.name, options),
        ],
        default=dict,
    )
    return digest(content, how, makers().encode())


@cache
def makers() -> str:
    """A key of everything that makes blocks: a change of it makes them anew."""
    root = Path(engine.__file__ or __file__).resolve().parent
    own = operator_settings().grammars
    paths: list[Path] = []
    for name in _MAKERS:
        path = root / name
        paths.extend([path] if path.is_file() else _program_files(path))
    paths.extend(_program_files(own) if own else [])
    parts = [f"{name} {version_of(name)}".encode() for name in (*LIBRARIES,)]
    parts.append(sys.version.encode())
    parts.extend(path.read_bytes() for path in sorted(paths))
    return digest(*parts)


def _program_files(folder: Path) -> Sequence[Path]:
    return [path for path in folder.rglob("*") if path.suffix in (".py", ".yaml", ".yml") and path.is_file()]


def version_of(library: str) -> str:
    """The installed version of a library, "none" where it is not there."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"

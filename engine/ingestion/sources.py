"""Which files of a source are documents, and which stand beside them for other purposes."""

from __future__ import annotations

import fnmatch
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import SourceError
from engine.ingestion.readers import READERS
from engine.ingestion.readers.base import Problem, Reader

ONTOLOGY, EXAMPLES, EDGES, OTHER_CORPUS = "ontology.yaml", "examples.json", "edges.tsv", "corpus.ref"

# Files beside documents: about them, or gold to measure with.
BESIDE = (
    "readme*",
    "license*",
    "licence*",
    "notice*",
    "changelog*",
    "queries.*",
    "qrels*",
    "openie.*",
    "*.tsv",
    "*.ref",
    "*.yaml",
    "*.yml",
    "*.json",
    ".*",
)
# How much of a file is looked at to tell its format.
HEAD = 4096


@dataclass(slots=True)
class Found:
    """What the sources hold. ``documents``: files with the reader that takes each."""

    documents: list[tuple[Path, Reader]] = field(default_factory=list)
    edges: list[Path] = field(default_factory=list)
    ontology: Path | None = None
    examples: Path | None = None
    problems: list[Problem] = field(default_factory=list)


def find_sources(sources: Sequence[Path]) -> Found:
    """Look through files and folders, in the order given and then by name.

    A file named by the user is always taken for a document; in a folder, what stands beside documents
    is left out. Raises SourceError for a source that does not exist.
    """
    found = Found()
    for source in sources:
        if not source.exists():
            raise SourceError(f"no such file or folder: {source}")
        if source.is_dir():
            _look_through(source, found)
        else:
            _take(source, found)
    return found


def _look_through(folder: Path, found: Found) -> None:
    for path in _walk(folder):
        name = path.name.lower()
        if name == ONTOLOGY:
            found.ontology = found.ontology or path
        elif name == EXAMPLES:
            found.examples = found.examples or path
        elif name == EDGES:
            found.edges.append(path)
        elif name == OTHER_CORPUS:
            _follow(path, found)
        elif not any(fnmatch.fnmatch(name, pattern) for pattern in BESIDE):
            _take(path, found)


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name)):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def _follow(reference: Path, found: Found) -> None:
    """A set may use the corpus of another one, named in ``corpus.ref``."""
    named = Path(reference.read_text(encoding="utf-8", errors="replace").strip())
    for folder in (reference.parent / named, reference.parent.parent / named.name):
        if folder.is_dir() and folder != reference.parent:
            _look_through(folder, found)
            return
    found.problems.append(Problem(str(reference), f"names a corpus that is not there: {named}"))


def _take(path: Path, found: Found) -> None:
    try:
        head = _head(path)
    except (OSError, EOFError, zlib.error) as error:
        found.problems.append(Problem(str(path), f"cannot be opened ({error})"))
        return
    if not head.strip():
        found.problems.append(Problem(str(path), "the file is empty"))
        return
    reader = next((reader for reader in READERS if reader.accepts(path, head)), None)
    if reader is None:
        formats = ", ".join(known.name for known in READERS)
        found.problems.append(Problem(str(path), f"no reader for this format; known: {formats}"))
    else:
        found.documents.append((path, reader))


def _head(path: Path) -> bytes:
    if path.name.endswith(".gz"):
        with gzip.open(path, "rb") as packed:
            return packed.read(HEAD)
    with open(path, "rb") as file:
        return file.read(HEAD)

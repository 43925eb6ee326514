"""Which files of a source are documents, what reads each, and which stand beside them for other purposes.

Only what is named is read: a file, a folder with all below it, an archive with all in it. Archives are
unpacked into a temporary folder that is gone when the reading is done.
"""

from __future__ import annotations

import fnmatch
import gzip
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.errors import SourceError
from engine.ingestion.headings import slug_of
from engine.ingestion.readers.archive import DEEPEST, Unpacked, gunzipped, members, unzipped
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.readers.formats import GZIP, ZIP, packed_format, seen_in
from engine.ingestion.readers.registry import PACKED_READERS, READERS, reader_of

ONTOLOGY, EXAMPLES, EDGES, OTHER_CORPUS = "ontology.yaml", "examples.json", "edges.tsv", "corpus.ref"

# Files beside documents, and why they are no documents themselves.
BESIDE: tuple[tuple[str, str], ...] = (
    *((name, "about the documents") for name in ("readme*", "license*", "licence*", "notice*", "changelog*")),
    *((name, "a list of files") for name in ("manifest.*", "*.ref", "checksums*", "*.sha256", "*.md5")),
    *((name, "gold to measure with") for name in ("queries*", "qrels*", "*edges*.tsv", "edges.*")),
    ("openie.*", "made from the documents by a program"),
    *(
        (name, "settings")
        for name in ("*.yaml", "*.yml", "*.toml", "*.ini", "*.cfg", "*.lock", "package.json")
    ),
    *((name, "program text") for name in ("*.py", "*.js", "*.ts", "*.css", "*.sh", "*.java", "*.c", "*.h")),
    *((name, "a schema or style of documents") for name in ("*.xsd", "*.dtd", "*.xsl", "*.xslt", "*.rng")),
    ("thumbs.db", "made by an operating system"),
    (".*", "hidden"),
)
TOO_DEEP = "an archive in an archive in an archive: not read"
# How much of a file is looked at to tell its format.
HEAD = 8192


@dataclass(slots=True)
class Found:
    """What the sources hold. ``documents``: files with the reader that takes each.

    ``skipped`` are files that are no documents, with the reason; that is no fault of theirs.
    """

    documents: list[tuple[SourceFile, Reader]] = field(default_factory=list)
    edges: list[Path] = field(default_factory=list)
    ontology: Path | None = None
    examples: Path | None = None
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)


@contextmanager
def open_sources(
    sources: Sequence[Path], *, passwords: Sequence[str] = (), mapping: Mapping[str, Any] | None = None
) -> Iterator[Found]:
    """Look through files, folders and archives, in the order given and then by name.

    A file named by the user is always taken for a document; in a folder or an archive, what stands
    beside documents is left out. The files found exist until the context ends. Raises SourceError for a
    source that does not exist.
    """
    with TemporaryDirectory(prefix="redstring-") as folder:
        search = _Search(Found(), Unpacked(Path(folder)), tuple(passwords), mapping)
        for source in sources:
            if not source.exists():
                raise SourceError(f"no such file or folder: {source}")
            if source.is_dir():
                search.look_through(source)
            else:
                search.take(SourceFile(source, "", search.passwords, mapping))
        search.found.documents = _told_apart(search.found.documents)
        yield search.found


@dataclass(slots=True)
class _Search:
    found: Found
    unpacked: Unpacked
    passwords: tuple[str, ...]
    mapping: Mapping[str, Any] | None

    def look_through(self, folder: Path) -> None:
        for path in _walk(folder, set()):
            self.consider(SourceFile(path, "", self.passwords, self.mapping))

    def consider(self, source: SourceFile, depth: int = 0, inside: str = "") -> None:
        """Take a file that nobody named itself, for what its name says it is.

        ``inside`` is the path of a member in its archive, which is ``depth`` archives deep.
        """
        name, path = source.name.rpartition("/")[2].lower(), source.path
        if name == ONTOLOGY:
            self.found.ontology = self.found.ontology or path
        elif name == EXAMPLES:
            self.found.examples = self.found.examples or path
        elif name == EDGES and depth == 0:
            self.found.edges.append(path)
        elif name == OTHER_CORPUS and depth == 0:
            self._follow(path)
        elif (reason := _beside(name, inside)) is not None:
            self.found.skipped.append(Problem(source.name, f"skipped: {reason}"))
        else:
            self.take(source, depth)

    def take(self, source: SourceFile, depth: int = 0) -> None:
        """Find what reads a file; an archive is taken for its members."""
        head = self._head(source)
        if head is None:
            return
        if not head.strip():
            self.found.problems.append(Problem(source.name, "the file is empty"))
            return
        if head.startswith(GZIP):
            self._take_gzip(source, depth)
            return
        reader = reader_of(source.path, head, mapped=source.mapping is not None)
        if reader is not None:
            self.found.documents.append((source, reader))
        elif head.startswith(ZIP):
            self._take_zip(source, depth)
        else:
            self._refuse(source, *seen_in(head))

    def _head(self, source: SourceFile) -> bytes | None:
        """The first bytes of a file; None, and a problem, where it has none to give."""
        try:
            # A pipe or a device would keep the reader waiting, or never end.
            if not stat.S_ISREG(os.stat(source.path).st_mode):
                self.found.problems.append(Problem(source.name, "not a file of data (a pipe or a device)"))
                return None
            with open(source.path, "rb") as file:
                return file.read(HEAD)
        except OSError as error:
            self.found.problems.append(Problem(source.name, f"cannot be opened ({error})"))
            return None

    def _take_gzip(self, source: SourceFile, depth: int) -> None:
        try:
            with gzip.open(source.path, "rb") as packed:
                head = packed.read(HEAD)
        except (OSError, EOFError, zlib.error) as error:
            self.found.problems.append(Problem(source.name, f"cannot be opened ({error})"))
            return
        inner = Path(source.path.name.removesuffix(".gz"))
        reader = reader_of(inner, head, mapped=source.mapping is not None)
        if isinstance(reader, PACKED_READERS):
            self.found.documents.append((source, reader))
        elif depth >= DEEPEST:
            self.found.problems.append(Problem(source.name, TOO_DEEP))
        else:
            opened = gunzipped(source, self.unpacked)
            if isinstance(opened, Problem):
                self.found.problems.append(opened)
            else:
                self.take(opened, depth + 1)

    def _take_zip(self, source: SourceFile, depth: int) -> None:
        packed = packed_format(members(source.path))
        if packed is not None:
            self._refuse(source, *packed)
            return
        if depth >= DEEPEST:
            self.found.problems.append(Problem(source.name, TOO_DEEP))
            return
        before = len(self.found.documents) + len(self.found.problems) + len(self.found.skipped)
        for member in unzipped(source, self.unpacked):
            if isinstance(member, Problem):
                self.found.problems.append(member)
            else:
                self.consider(member, depth + 1, member.name.removeprefix(f"{source.name}/"))
        if len(self.found.documents) + len(self.found.problems) + len(self.found.skipped) == before:
            self.found.problems.append(Problem(source.name, "the archive holds no file"))

    def _refuse(self, source: SourceFile, seen: str, advice: str) -> None:
        known = ", ".join(reader.name for reader in READERS)
        hint = f"; {advice}" if advice else ""
        self.found.problems.append(Problem(source.name, f"no reader for {seen}{hint}; known: {known}, zip"))

    def _follow(self, reference: Path) -> None:
        """A set may use the corpus of another one, named in ``corpus.ref``."""
        named = Path(reference.read_text(encoding="utf-8", errors="replace").strip())
        for folder in (reference.parent / named, reference.parent.parent / named.name):
            if folder.is_dir() and folder != reference.parent:
                self.look_through(folder)
                return
        self.found.problems.append(Problem(str(reference), f"names a corpus that is not there: {named}"))


def _told_apart(documents: Sequence[tuple[SourceFile, Reader]]) -> list[tuple[SourceFile, Reader]]:
    """The files with stems that differ: "law.pdf" and "law.txt" are two documents."""
    taken: set[str] = set()
    apart: list[tuple[SourceFile, Reader]] = []
    for source, reader in documents:
        path = Path(source.name.removesuffix(".gz"))
        wanted = (source.stem, f"{source.stem}-{path.suffix[1:]}", f"{path.parent.name}-{source.stem}")
        stem = next((stem for stem in wanted if slug_of(stem) not in taken), None)
        again = 2
        while stem is None or slug_of(stem) in taken:
            stem, again = f"{source.stem}-{again}", again + 1
        taken.add(slug_of(stem))
        apart.append((replace(source, stem=stem), reader))
    return apart


def _walk(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """All files below a folder, none twice: a link may lead back to a folder above."""
    real = folder.resolve()
    if real in seen:
        return
    seen.add(real)
    for path in sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name)):
        if path.is_dir():
            if not path.name.startswith("."):
                yield from _walk(path, seen)
        else:
            yield path


def _beside(name: str, inside: str) -> str | None:
    """Why a file is no document, from its name and, in an archive, those of its folders."""
    if any(part.startswith(".") or part.casefold() == "__macosx" for part in inside.split("/")[:-1]):
        return "in a hidden folder"
    return next((reason for pattern, reason in BESIDE if fnmatch.fnmatchcase(name, pattern)), None)

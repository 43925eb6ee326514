"""Which files of a source are documents, what reads each, and which stand beside them for other purposes.

Only what is named is read: a file, a folder with all below it, an archive with all in it. Nothing that leads
elsewhere is followed, neither a link nor ``corpus.ref``: what is among the sources is read where it stands,
and what is not was never named. Archives are unpacked into a temporary folder that is gone when the reading
is done.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine import files
from engine.errors import FileRefusedError, SourceError, UnpackingError, in_words
from engine.ingestion.headings import slug_of
from engine.ingestion.readers.archive import DEEPEST, Unpacked, gunzipped, members, unzipped
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.readers.formats import ZIP, packed_format, seen_in
from engine.ingestion.readers.front_matter import stated_id
from engine.ingestion.readers.registry import PACKED_READERS, READERS, WITH_FRONT_MATTER, reader_of
from engine.unpacking import GZIP

ONTOLOGY, EXAMPLES, EDGES, OTHER_CORPUS = "ontology.yaml", "examples.json", "edges.tsv", "corpus.ref"

# Files beside documents, and why they are no documents themselves.
BESIDE: tuple[tuple[str, str], ...] = (
    *((name, "about the documents") for name in ("readme*", "license*", "licence*", "notice*", "changelog*")),
    *((name, "a list of files") for name in ("manifest.*", "*.ref", "checksums*", "*.sha256", "*.md5")),
    *(
        (name, "gold to measure with")
        for name in ("queries*", "qrels*", "areas.tsv", "*edges*.tsv", "edges.*")
    ),
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
AMONG = "its target is among the sources and is read there"
ELSEWHERE = "where it leads is none of the sources; name that too to have it read"
# How much of a file is looked at to tell its format.
HEAD = 8192
# A path is no longer.
_LONGEST_REFERENCE = 4096


@dataclass(slots=True)
class Found:
    """What the sources hold. ``documents``: files with the reader that takes each.

    ``skipped`` are files that are no documents, with the reason; that is no fault of theirs.
    """

    documents: list[tuple[SourceFile, Reader]] = field(default_factory=list)
    edges: list[SourceFile] = field(default_factory=list)
    ontology: SourceFile | None = None
    examples: SourceFile | None = None
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
        named = tuple(_named(source) for source in sources)
        unpacked = Unpacked(files.named(Path(folder)))
        search = _Search(Found(), unpacked, tuple(passwords), mapping, named)
        for source, real in zip(sources, named, strict=True):
            if real.is_dir():
                search.look_through(source, real)
            else:
                search.take(SourceFile(real, str(source), search.passwords, mapping))
        search.found.documents = _told_apart(search.found.documents, search.stated)
        yield search.found


def _named(source: Path) -> Path:
    try:
        return files.named(source)
    except FileNotFoundError:
        raise SourceError(f"no such file or folder: {source}") from None
    except OSError as error:
        raise SourceError(f"{source}: cannot be opened ({error.strerror})") from error


@dataclass(slots=True)
class _Search:
    found: Found
    unpacked: Unpacked
    passwords: tuple[str, ...]
    mapping: Mapping[str, Any] | None
    # What was named, free of links.
    roots: tuple[Path, ...]
    seen: set[Path] = field(default_factory=set)
    # The ids that files with days state, by the files' names.
    stated: dict[str, str] = field(default_factory=dict)

    def look_through(self, shown: Path, real: Path) -> None:
        """Consider all files below a folder, those beside its folders first. One named twice is read once."""
        waiting = [(shown, real)]
        while waiting:
            shown, real = waiting.pop()
            if real in self.seen:
                continue
            self.seen.add(real)
            below = []
            for name, kind in self._entries(shown, real):
                if stat.S_ISDIR(kind):
                    if not name.startswith("."):
                        below.append((shown / name, real / name))
                elif stat.S_ISLNK(kind):
                    self._not_followed(str(shown / name), "a link", files.target(real / name))
                else:
                    self.consider(SourceFile(real / name, str(shown / name), self.passwords, self.mapping))
            waiting.extend(reversed(below))

    def _entries(self, shown: Path, real: Path) -> list[tuple[str, int]]:
        try:
            return sorted(files.entries(real))
        except (OSError, FileRefusedError) as error:
            self.found.problems.append(Problem(str(shown), f"cannot be opened ({in_words(error)})"))
            return []

    def consider(self, source: SourceFile, depth: int = 0, inside: str = "") -> None:
        """Take a file that nobody named itself, for what its name says it is.

        ``inside`` is the path of a member in its archive, which is ``depth`` archives deep.
        """
        name = source.name.rpartition("/")[2].lower()
        if name == ONTOLOGY:
            self.found.ontology = self.found.ontology or source
        elif name == EXAMPLES:
            self.found.examples = self.found.examples or source
        elif name == EDGES and depth == 0:
            self.found.edges.append(source)
        elif name == OTHER_CORPUS and depth == 0:
            self._refer(source)
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
            if isinstance(reader, WITH_FRONT_MATTER) and (stated := stated_id(head, source.name)):
                self.stated[source.name] = stated
        elif head.startswith(ZIP):
            self._take_zip(source, depth)
        else:
            self._refuse(source, *seen_in(head))

    def _head(self, source: SourceFile) -> bytes | None:
        """The first bytes of a file; None, and a problem, where it has none to give."""
        try:
            with source.opened() as file:
                return file.read(HEAD)
        except (OSError, FileRefusedError) as error:
            self.found.problems.append(Problem(source.name, f"cannot be opened ({in_words(error)})"))
            return None

    def _take_gzip(self, source: SourceFile, depth: int) -> None:
        try:
            with source.unpacked() as packed:
                head = packed.read(HEAD)
        except (OSError, FileRefusedError, UnpackingError) as error:
            self.found.problems.append(Problem(source.name, f"cannot be opened ({in_words(error)})"))
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

    def _refer(self, reference: SourceFile) -> None:
        """A set may use the corpus of another one, which its ``corpus.ref`` names by path or by name."""
        try:
            content = files.read(reference.path, _LONGEST_REFERENCE).decode("utf-8", "replace")
        except (OSError, FileRefusedError) as error:
            self.found.problems.append(Problem(reference.name, f"cannot be opened ({in_words(error)})"))
            return
        words, folder = content.strip(), reference.path.parent
        beside = folder.parent / Path(words).name
        target = beside if self._is_among(beside) else Path(os.path.normpath(folder / words))
        shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in words[:200])
        self._not_followed(reference.name, f"names the corpus of another set ({shown})", target)

    def _not_followed(self, name: str, what: str, target: Path | None) -> None:
        """Tell of something that leads elsewhere: no fault where that is read anyway."""
        if target is not None and self._is_among(target):
            self.found.skipped.append(Problem(name, f"skipped: {what}: {AMONG}"))
        else:
            self.found.problems.append(Problem(name, f"{what}: not followed; {ELSEWHERE}"))

    def _is_among(self, path: Path) -> bool:
        """Whether a path leads to something that the search comes by on its own way."""
        root = next((root for root in self.roots if path.is_relative_to(root)), None)
        if root is None or any(part.startswith(".") for part in path.relative_to(root).parts):
            return False
        return files.is_there(path)


def _told_apart(
    documents: Sequence[tuple[SourceFile, Reader]], stated: Mapping[str, str]
) -> list[tuple[SourceFile, Reader]]:
    """The files with stems that differ: "law.pdf" and "law.txt" are two documents; told of each whether
    another one states its id."""
    times = Counter(stated.values())
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
        shares_id = times[stated.get(source.name, "")] > 1
        apart.append((replace(source, stem=stem, shares_id=shares_id), reader))
    return apart


def _beside(name: str, inside: str) -> str | None:
    """Why a file is no document, from its name and, in an archive, those of its folders."""
    if any(part.startswith(".") or part.casefold() == "__macosx" for part in inside.split("/")[:-1]):
        return "in a hidden folder"
    return next((reason for pattern, reason in BESIDE if fnmatch.fnmatchcase(name, pattern)), None)

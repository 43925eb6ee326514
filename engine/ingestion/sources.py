"""The files of a source: which are documents and what reads each; sources at URLs."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

from engine import files
from engine.errors import FileRefusedError, SourceError, UnpackingError, in_words
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.readers.formats import (
    DEEPEST,
    ZIP,
    Unpacked,
    gunzipped,
    members,
    packed_format,
    seen_in,
    unzipped,
)
from engine.ingestion.readers.registry import PACKED_READERS, READERS, WITH_FRONT_MATTER, reader_of
from engine.ingestion.readers.text import stated_id
from engine.ingestion.structure.headings import slug_of
from engine.unpacking import GZIP

# Which files of a source are documents, what reads each, and which stand beside them for other
# purposes.
#
# Only what is named is read: a file, a folder with all below it, an archive with all in it.
# Nothing that leads elsewhere is followed, neither a link nor ``corpus.ref``: what is among the
# sources is read where it stands, and what is not was never named. Archives are unpacked into a
# temporary folder that is gone when the reading is done.

ONTOLOGY, EXAMPLES, EDGES, OTHER_CORPUS = "ontology.yaml", "examples.json", "edges.tsv", "corpus.ref"

# Files beside documents, and why they are no documents themselves.
BESIDE: tuple[tuple[str, str], ...] = (
    # Only these names: a licence agreement, a notice of termination and the like are documents.
    *(
        (f"{name}{suffix}", "about the documents")
        for name in ("readme", "license", "licence", "notice", "changelog")
        for suffix in ("", ".md", ".rst", ".txt")
    ),
    *((name, "a list of files") for name in ("manifest.*", "*.ref", "checksums*", "*.sha256", "*.md5")),
    *(
        (name, "gold to measure with")
        for name in ("queries*.json*", "queries*.tsv", "qrels*", "areas.tsv", "*edges*.tsv", "edges.*")
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


# Sources that stand at a URL: every protocol that fsspec knows, of which the packages are
# installed.
#
# This machine needs the bytes of each file to tell its format and whether it has changed, so it
# fetches them into a folder that is gone once the reading is done. Reports and citations call a
# file by its URL.

Source = Path | str
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
# Files that are fetched at the same time.
_AT_ONCE = 8


def source_of(text: str) -> Source:
    """What somebody has named: a URL, or a path; ``file://`` names a path too."""
    if text.lower().startswith("file://"):
        return Path(unquote(urlsplit(text).path))
    return text if _URL.match(text) else Path(text)


def name_of(source: Source) -> str:
    """The last part of what names a source."""
    return source.name if isinstance(source, Path) else PurePosixPath(source.rstrip("/")).name


def check_sources(sources: Sequence[Source]) -> None:
    """Before anything is made, which might be what is named. Raises SourceError where a path is not there."""
    for source in sources:
        if isinstance(source, Path) and not source.exists():
            raise SourceError(f"no such file or folder: {source}")


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path there. Raises ValueError for an unknown protocol, ImportError
    where what speaks it is not installed."""
    # It is needed by few, and takes its time.
    from fsspec.core import url_to_fs

    found: tuple[Any, str] = url_to_fs(url)
    return found


@dataclass(slots=True)
class Fetched:
    """Sources as paths of this machine. ``roots``: the URL of each that was fetched, by its path as text."""

    paths: list[Path] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)
    urls: dict[Path, str] = field(default_factory=dict)

    def named(self, found: Found) -> None:
        """Call files by the URLs that they came from, and say where they stand for others."""
        if not self.roots:
            return
        found.documents = [(self._file(source), reader) for source, reader in found.documents]
        found.edges = [self._file(source) for source in found.edges]
        found.ontology = found.ontology and self._file(found.ontology)
        found.examples = found.examples and self._file(found.examples)
        found.problems = [self._problem(problem) for problem in found.problems]
        found.skipped = [self._problem(problem) for problem in found.skipped]

    def _file(self, source: SourceFile) -> SourceFile:
        return replace(source, name=self._name(source.name), url=self.urls.get(source.path))

    def _problem(self, problem: Problem) -> Problem:
        return replace(problem, path=self._name(problem.path))

    def _name(self, name: str) -> str:
        root = next((root for root in self.roots if name == root or name.startswith(f"{root}/")), None)
        return name if root is None else self.roots[root] + name.removeprefix(root)


@contextmanager
def fetched(sources: Sequence[Source]) -> Iterator[Fetched]:
    """The sources with those at URLs fetched. Raises SourceError for one that cannot be."""
    if not any(isinstance(source, str) for source in sources):
        yield Fetched([source for source in sources if isinstance(source, Path)])
        return
    with TemporaryDirectory(prefix="redstring-fetched-") as name:
        result, folder = Fetched(), files.named(Path(name))
        for number, source in enumerate(sources):
            if isinstance(source, Path):
                result.paths.append(source)
                continue
            try:
                result.paths.append(_fetch(source, folder / str(number), result))
            except SourceError:
                raise
            # Each file system raises what it likes.
            except Exception as error:
                said = " ".join(str(error).split())[:200]
                raise SourceError(f"{source}: cannot be fetched ({type(error).__name__}: {said})") from error
        yield result


def _fetch(url: str, folder: Path, result: Fetched) -> Path:
    filesystem, path = file_system(url)
    path = path.rstrip("/")
    # Two parts, because files with one name are told apart by the folders that they are in.
    root = folder.joinpath(*_parts(url, path)[-2:])
    wanted: Mapping[str, Path]
    if filesystem.isfile(path):
        wanted = {path: root}
    else:
        below = (found for found in filesystem.find(path) if found != path)
        wanted = {found: root.joinpath(*_parts(url, found.removeprefix(path))) for found in below}
        root.mkdir(parents=True)
    if not wanted:
        raise SourceError(f"no file at {url}")
    for local in wanted.values():
        local.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        # What one of them raises is raised here.
        list(threads.map(lambda one: filesystem.get_file(one[0], str(one[1])), wanted.items()))
    result.roots[str(root)] = url.rstrip("/")
    for remote, local in wanted.items():
        result.urls[local] = filesystem.unstrip_protocol(remote)
    return root


def _parts(url: str, path: str) -> list[str]:
    """The parts of a path that a server has told, none of which leads elsewhere. Raises SourceError."""
    parts = [part for part in path.split("/") if part]
    if any(part in (".", "..") or "\0" in part for part in parts):
        raise SourceError(f"{url}: a file there has a name that leads elsewhere: {path!r}")
    return parts

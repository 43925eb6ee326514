"""Find the documents of a source and their readers; fetch sources at URLs."""

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
from engine.bounded import GZIP
from engine.errors import FileRefusedError, SourceError, UnpackingError, in_words
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.readers.formats import (
    DEEPEST,
    ZIP,
    Unpacked,
    describe_bytes,
    gunzip,
    members,
    packed_format,
    unzip,
)
from engine.ingestion.readers.registry import PACKED_READERS, READERS, WITH_FRONT_MATTER, choose_reader
from engine.ingestion.readers.text import stated_id
from engine.ingestion.structure.headings import slug_of

# Files of sources
#
# Only named sources are read: a file, a folder with everything in it, an archive with everything in it. Links
# and ``corpus.ref`` are not followed: a target within the sources is read anyway, any other was not named.
# Archives are unpacked into a temporary folder that is deleted after reading.

ONTOLOGY, EXAMPLES, EDGES, OTHER_CORPUS = "ontology.yaml", "examples.json", "edges.tsv", "corpus.ref"

# Patterns of files that are not documents, with the reason.
NOT_DOCUMENTS: tuple[tuple[str, str], ...] = (
    # Only these names: a licence agreement or a notice of termination is a document.
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
# Number of bytes that are read to detect the format of a file.
HEAD = 8192
# Maximum length of a path in ``corpus.ref``.
_LONGEST_REFERENCE = 4096


@dataclass(slots=True)
class FoundFiles:
    """The files of the sources. ``documents``: files with their readers.

    ``skipped``: files that are not documents, with the reason; these are not errors.
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
) -> Iterator[FoundFiles]:
    """Search files, folders and archives, in the given order and then by name.

    A file named by the user is always a document; in folders and archives, auxiliary files are skipped. The
    files exist until the context ends. Raises SourceError for a missing source.
    """
    with TemporaryDirectory(prefix="redstring-") as folder:
        named = tuple(_named(source) for source in sources)
        unpacked = Unpacked(files.named(Path(folder)))
        search = _Search(FoundFiles(), unpacked, tuple(passwords), mapping, named)
        for source, real in zip(sources, named, strict=True):
            if real.is_dir():
                search.look_through(source, real)
            else:
                search.take(SourceFile(real, str(source), search.passwords, mapping))
        search.found.documents = _with_distinct_stems(search.found.documents, search.stated)
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
    found: FoundFiles
    unpacked: Unpacked
    passwords: tuple[str, ...]
    mapping: Mapping[str, Any] | None
    # The named sources without symbolic links.
    roots: tuple[Path, ...]
    seen: set[Path] = field(default_factory=set)
    # The ids in the front matter of files, by file name.
    stated: dict[str, str] = field(default_factory=dict)

    def look_through(self, shown: Path, real: Path) -> None:
        """Consider all files in a folder, before those in its subfolders. A repeated folder is read once."""
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
        """Sort a file that the user did not name by its file name.

        ``inside``: path of a member in its archive; ``depth``: number of enclosing archives.
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
        elif (reason := _skip_reason(name, inside)) is not None:
            self.found.skipped.append(Problem(source.name, f"skipped: {reason}"))
        else:
            self.take(source, depth)

    def take(self, source: SourceFile, depth: int = 0) -> None:
        """Choose a reader for a file; an archive is replaced by its members."""
        head = self._head(source)
        if head is None:
            return
        if not head.strip():
            self.found.problems.append(Problem(source.name, "the file is empty"))
            return
        if head.startswith(GZIP):
            self._take_gzip(source, depth)
            return
        reader = choose_reader(source.path, head, mapped=source.mapping is not None)
        if reader is not None:
            self.found.documents.append((source, reader))
            if isinstance(reader, WITH_FRONT_MATTER) and (stated := stated_id(head, source.name)):
                self.stated[source.name] = stated
        elif head.startswith(ZIP):
            self._take_zip(source, depth)
        else:
            self._refuse(source, *describe_bytes(head))

    def _head(self, source: SourceFile) -> bytes | None:
        """Return the first bytes of a file; None, with a problem added, if it cannot be read."""
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
        reader = choose_reader(inner, head, mapped=source.mapping is not None)
        if isinstance(reader, PACKED_READERS):
            self.found.documents.append((source, reader))
        elif depth >= DEEPEST:
            self.found.problems.append(Problem(source.name, TOO_DEEP))
        else:
            opened = gunzip(source, self.unpacked)
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
        for member in unzip(source, self.unpacked):
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
        """Report the target of a ``corpus.ref``, which names the corpus of another set by path or name."""
        try:
            content = files.read(reference.path, _LONGEST_REFERENCE).decode("utf-8", "replace")
        except (OSError, FileRefusedError) as error:
            self.found.problems.append(Problem(reference.name, f"cannot be opened ({in_words(error)})"))
            return
        words, folder = content.strip(), reference.path.parent
        sibling = folder.parent / Path(words).name
        target = sibling if self._is_among(sibling) else Path(os.path.normpath(folder / words))
        shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in words[:200])
        self._not_followed(reference.name, f"names the corpus of another set ({shown})", target)

    def _not_followed(self, name: str, what: str, target: Path | None) -> None:
        """Report a link or reference: a note if its target is read anyway, otherwise a problem."""
        if target is not None and self._is_among(target):
            self.found.skipped.append(Problem(name, f"skipped: {what}: {AMONG}"))
        else:
            self.found.problems.append(Problem(name, f"{what}: not followed; {ELSEWHERE}"))

    def _is_among(self, path: Path) -> bool:
        """Return True if the search reaches a path in any case."""
        root = next((root for root in self.roots if path.is_relative_to(root)), None)
        if root is None or any(part.startswith(".") for part in path.relative_to(root).parts):
            return False
        return files.is_there(path)


def _with_distinct_stems(
    documents: Sequence[tuple[SourceFile, Reader]], stated: Mapping[str, str]
) -> list[tuple[SourceFile, Reader]]:
    """Give files distinct stems ("law.pdf" and "law.txt" are two documents) and mark those with a common
    stated id."""
    times = Counter(stated.values())
    taken: set[str] = set()
    result: list[tuple[SourceFile, Reader]] = []
    for source, reader in documents:
        path = Path(source.name.removesuffix(".gz"))
        stems = (source.stem, f"{source.stem}-{path.suffix[1:]}", f"{path.parent.name}-{source.stem}")
        stem = next((stem for stem in stems if slug_of(stem) not in taken), None)
        suffix = 2
        while stem is None or slug_of(stem) in taken:
            stem, suffix = f"{source.stem}-{suffix}", suffix + 1
        taken.add(slug_of(stem))
        shares_id = times[stated.get(source.name, "")] > 1
        result.append((replace(source, stem=stem, shares_id=shares_id), reader))
    return result


def _skip_reason(name: str, inside: str) -> str | None:
    """Return why a file is not a document, from its name and its folders in an archive; None if it is one."""
    if any(part.startswith(".") or part.casefold() == "__macosx" for part in inside.split("/")[:-1]):
        return "in a hidden folder"
    return next((reason for pattern, reason in NOT_DOCUMENTS if fnmatch.fnmatchcase(name, pattern)), None)


# Sources at URLs, by any protocol of fsspec with the packages installed
#
# Files are fetched into a temporary folder, because the format and the digest need the bytes. Reports and
# citations use the URLs.

Source = Path | str
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
# Maximum number of parallel downloads.
_AT_ONCE = 8


def parse_source(text: str) -> Source:
    """Parse a source of the user: a URL or a path; ``file://`` URLs are paths."""
    if text.lower().startswith("file://"):
        return Path(unquote(urlsplit(text).path))
    return text if _URL.match(text) else Path(text)


def source_name(source: Source) -> str:
    """Return the last part of a source's path or URL."""
    return source.name if isinstance(source, Path) else PurePosixPath(source.rstrip("/")).name


def check_sources(sources: Sequence[Source]) -> None:
    """Raise SourceError if a path does not exist. Called before output folders are created."""
    for source in sources:
        if isinstance(source, Path) and not source.exists():
            raise SourceError(f"no such file or folder: {source}")


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it.

    Raises ValueError for an unknown protocol and ImportError if its package is not installed.
    """
    # Imported late: slow and rarely needed.
    from fsspec.core import url_to_fs

    found: tuple[Any, str] = url_to_fs(url)
    return found


@dataclass(slots=True)
class Fetched:
    """Sources as local paths. ``roots``: the URL of each fetched source, by its local path."""

    paths: list[Path] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)
    urls: dict[Path, str] = field(default_factory=dict)

    def named(self, found: FoundFiles) -> None:
        """Name files by the URLs that they were fetched from."""
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
def fetch_sources(sources: Sequence[Source]) -> Iterator[Fetched]:
    """Fetch the sources at URLs. Raises SourceError if one cannot be fetched."""
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
            # File systems raise arbitrary exceptions.
            except Exception as error:
                message = " ".join(str(error).split())[:200]
                raise SourceError(
                    f"{source}: cannot be fetched ({type(error).__name__}: {message})"
                ) from error
        yield result


def _fetch(url: str, folder: Path, result: Fetched) -> Path:
    filesystem, path = file_system(url)
    path = path.rstrip("/")
    # Two parts, because files with one name are distinguished by their folders.
    root = folder.joinpath(*_parts(url, path)[-2:])
    local_paths: Mapping[str, Path]
    if filesystem.isfile(path):
        local_paths = {path: root}
    else:
        below = (found for found in filesystem.find(path) if found != path)
        local_paths = {found: root.joinpath(*_parts(url, found.removeprefix(path))) for found in below}
        root.mkdir(parents=True)
    if not local_paths:
        raise SourceError(f"no file at {url}")
    for local in local_paths.values():
        local.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        # Exceptions of the downloads are raised here.
        list(threads.map(lambda one: filesystem.get_file(one[0], str(one[1])), local_paths.items()))
    result.roots[str(root)] = url.rstrip("/")
    for remote, local in local_paths.items():
        result.urls[local] = filesystem.unstrip_protocol(remote)
    return root


def _parts(url: str, path: str) -> list[str]:
    """Split a path from a server. Raises SourceError for parts such as ".." that leave the folder."""
    parts = [part for part in path.split("/") if part]
    if any(part in (".", "..") or "\0" in part for part in parts):
        raise SourceError(f"{url}: a file there has a name that leads elsewhere: {path!r}")
    return parts

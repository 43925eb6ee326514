"""Sources that stand at a URL: every protocol that fsspec knows, of which the packages are installed.

This machine needs the bytes of each file to tell its format and whether it has changed, so it fetches them
into a folder that is gone once the reading is done. Reports and citations call a file by its URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

from engine import files
from engine.errors import SourceError
from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.sources import Found

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

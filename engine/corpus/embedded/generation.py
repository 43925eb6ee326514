"""A generation of a corpus: its files, and its manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from xxhash import xxh3_128

from engine.corpus.embedded.block import Block, block_from, bytes_in
from engine.errors import CorpusError, ResourceError, system_error

# The manifest of a corpus folder lists its files with their checksums.

FORMAT_VERSION = 8
MANIFEST_NAME = "manifest.json"
NO_MODEL = "none"


# A relative path below the generation.
FileName = Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$")]


class FileSeal(NamedTuple):
    """Size in bytes and XXH3 digest (32 hexadecimal digits) of a file."""

    size: int
    digest: str


class Manifest(BaseModel):
    """The content of ``manifest.json``. ``generation`` is the subfolder of the data.

    ``sparse`` is the model of the learned sparse vectors. ``late`` is unused: in earlier versions it was the
    model of token vectors, whose files may be among ``files``. ``dense_recall`` is the recall of dense
    search, None if it compares all vectors. ``files`` has the seal of each data file. ``checksum`` is the
    SHA-256 of all other fields in canonical JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    name: str
    created: str
    generation: str = Field(pattern=r"^data-[0-9a-f]{16}$")
    documents: int
    sections: int
    passages: int
    references: int
    entities: int
    languages: dict[str, int]
    statuses: tuple[str, ...]
    grammars: tuple[str, ...]
    found_grammars: tuple[str, ...]
    references_by_relation: dict[str, int]
    references_by_status: dict[str, int]
    embedding: str
    dimensions: int
    similarity_floor: float
    ontology: dict[str, Any] | None
    metadata: dict[str, Any]
    files: dict[FileName, FileSeal]
    sparse: str = NO_MODEL
    late: str = NO_MODEL
    dense_recall: float | None = Field(default=None, exclude_if=lambda value: value is None)
    checksum: str = ""

    def sealed(self) -> Manifest:
        """Return a copy with its checksum."""
        return self.model_copy(update={"checksum": self._digest()})

    def is_sound(self) -> bool:
        """Return whether the checksum fits the content."""
        return self.checksum == self._digest()

    def most_frequent(self) -> dict[str, int]:
        """Return the number of passages of each language, most frequent first, ties in alphabetical order."""
        return dict(sorted(self.languages.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> str:
        """Return the text of the file."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def _digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"checksum"})
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a corpus folder.

    Raises CorpusError if the folder contains no corpus, a damaged one, or one of another format.
    """
    path = folder / MANIFEST_NAME
    if not folder.is_dir():
        raise CorpusError(f"no corpus at {folder}: there is no such folder; create one with `ingest`")
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError(
            f"no corpus at {folder}: it has no {MANIFEST_NAME}; create one with `ingest`"
        ) from None
    except OSError as error:
        raise system_error(f"read {MANIFEST_NAME} of the corpus at {folder}", error) from error
    damaged = f"damaged corpus at {folder}: {MANIFEST_NAME}"
    try:
        content = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{damaged} is not readable ({error}); ingest its sources again") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT_VERSION:
        raise CorpusError(
            f"corpus at {folder} has format {found!r}, not {FORMAT_VERSION}; ingest its sources again"
        )
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CorpusError(f"{damaged}, {where}: {first['msg']}; ingest its sources again") from error
    # Compared byte by byte, so that every change is noticed.
    if not manifest.is_sound() or manifest.to_json().encode() != written:
        raise CorpusError(f"{damaged} does not fit its checksum; ingest its sources again")
    return manifest


# Every file is checked before it is used. The manifest has its size and digest (XXH3, 128 bits, some ten
# gigabytes a second). A file is read completely, compared with its digest and kept in memory, so that neither
# a damaged disk nor a later change affects results, and no file descriptor stays open. A file larger than
# ``MOST_READ`` is mapped instead, so that processes share it and it can be paged out: it is compared when the
# corpus is opened, and must not be written afterwards (a publication writes new files).  This protects from
# flipped bits and from truncated or exchanged files. It does not protect from an attacker with write access,
# who can update the digests; for that there is the SHA-256 of ``engine.corpus.verifying``, to be stored
# elsewhere.

# Data for queries; references and links after users' decisions; references as in the texts alone.
STATE_NAME, CITED_NAME, FOUND_NAME = "state.arrays", "cited.arrays", "found.arrays"
SPARSE_NAME = "sparse.arrays"
# The adjacency of references, names and entities.
GRAPH_NAME = "graph.arrays"
T = TypeVar("T")
# Bytes read at once for a comparison: they fit into the second-level cache.
AT_ONCE = 1 << 18
# Files sealed concurrently.
SEALED_AT_ONCE = 2
# Files up to this size (bytes) are read into memory.
MOST_READ = 1 << 28
# Files up to this size (bytes) are read even if they may not be needed.
SMALL = 1 << 24


@dataclass(frozen=True, slots=True)
class Generation:
    """The generation described by the manifest of ``folder``."""

    folder: Path
    manifest: Manifest

    @property
    def data(self) -> Path:
        """The folder of the files."""
        return self.folder / self.manifest.generation

    @property
    def memory(self) -> int:
        """The number of bytes of an open corpus in memory, without mapped files."""
        read = (STATE_NAME, CITED_NAME, SPARSE_NAME)
        sizes = [seal.size for name, seal in self.manifest.files.items() if name in read]
        return sum(size for size in sizes if size <= MOST_READ)

    def check_sizes(self) -> None:
        """Check that every file exists with its size. Raises CorpusError for the first that does not."""
        for name in self.manifest.files:
            with self._reading(name):
                self._sized(name)

    def check(self, name: str) -> None:
        """Compare a file with its digest. Raises CorpusError for a missing or changed file, ResourceError."""
        with self._reading(name):
            found = seal_file(self._sized(name)).digest
        self._compare(name, found)

    def has(self, name: str) -> bool:
        """Return whether a file is as it was published. Raises ResourceError."""
        try:
            self.check(name)
        except CorpusError:
            return False
        return True

    def bytes(self, name: str) -> NDArray[np.uint8]:
        """Return the content of a file. Raises CorpusError if it is missing or damaged, ResourceError."""
        with self._reading(name):
            path = self._sized(name)
            data = _mapped(path) if self.manifest.files[name].size > MOST_READ else bytes_in(path)
        self._compare(name, xxh3_128(data.data).hexdigest())
        return data

    def block(self, name: str) -> Block:
        """Return the arrays of a file. Raises as ``bytes``."""
        return block_from(self.bytes(name), name)

    def mapped(self, name: str) -> Callable[[], NDArray[np.uint8]]:
        """Return a function that maps a file and compares it with its digest on the call.

        It raises as ``bytes``.
        """
        with self._reading(name):
            data = _mapped(self._sized(name))

        def compared() -> NDArray[np.uint8]:
            self._compare(name, xxh3_128(data.data).hexdigest())
            return data

        return compared

    def lazy(self, name: str) -> Callable[[], NDArray[np.uint8]]:
        """Return a function that gives a file that may not be needed: read if small, else mapped.

        A small file is read now, so that it needs no descriptor. Both raise as ``bytes``.
        """
        seal = self.manifest.files.get(name)
        if seal is None or seal.size > SMALL:
            return self.mapped(name)
        data = self.bytes(name)
        return lambda: data

    def _sized(self, name: str) -> Path:
        path, seal = self.data / name, self.manifest.files.get(name)
        if seal is None:
            raise self._damaged(f"{name} is missing")
        found = path.stat()
        if not S_ISREG(found.st_mode):
            raise self._damaged(f"{name} is not a file")
        if found.st_size != seal.size:
            raise self._damaged(f"{name} has {found.st_size} bytes, not {seal.size}")
        return path

    def _compare(self, name: str, digest: str) -> None:
        if digest != self.manifest.files[name].digest:
            raise self._damaged(f"{name} does not fit its checksum")

    def _damaged(self, what: str) -> CorpusError:
        return CorpusError(f"damaged corpus at {self.folder}: {what}; ingest its sources again")

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise self._damaged(f"{name} is missing") from None
        except MemoryError:
            raise ResourceError(
                f"not enough memory to read {name} of the corpus at {self.folder}; close other corpora"
            ) from None
        except OSError as error:
            raise system_error(f"read {name} of the corpus at {self.folder}", error) from error


def mapped_block(path: Path) -> Block:
    """Map the block in a file written by this process or its child, which is never written again.

    Raises CorpusError, OSError.
    """
    return block_from(_mapped(path), path.name)


def _mapped(path: Path) -> NDArray[np.uint8]:
    """Map the content of a file."""
    with open(path, "rb") as file:
        # An empty file cannot be mapped.
        empty = not os.fstat(file.fileno()).st_size
        return np.frombuffer(b"" if empty else mmap(file.fileno(), 0, access=ACCESS_READ), np.uint8)


def current_generation(folder: Path) -> Generation:
    """Return the current generation of a folder, with all files in size.

    Raises CorpusError, ResourceError.
    """

    def check(generation: Generation) -> Generation:
        generation.check_sizes()
        return generation

    return read_published(folder, check)


def read_published(folder: Path, read: Callable[[Generation], T]) -> T:
    """Return the result of ``read`` for the current generation of a folder.

    If the generation is replaced and deleted concurrently, the next one is read. Raises CorpusError,
    ResourceError and the errors of ``read``.
    """
    manifest = read_manifest(folder)
    while True:
        try:
            return read(Generation(folder, manifest))
        except CorpusError:
            now = read_manifest(folder)
            if now.generation == manifest.generation:
                raise
            manifest = now


def find_current_generation(folder: Path) -> Generation | None:
    """Return the current generation of a folder; None without a corpus, or for a damaged or foreign manifest.

    Raises ResourceError.
    """
    try:
        return Generation(folder, read_manifest(folder))
    except CorpusError:
        return None


def seal_file(path: Path) -> FileSeal:
    """Return size and digest of a file. Raises OSError."""
    state, room, size = xxh3_128(), memoryview(bytearray(AT_ONCE)), 0
    with open(path, "rb", buffering=0) as file:
        while read := file.readinto(room):
            state.update(room[:read])
            size += read
    return FileSeal(size, state.hexdigest())


def files_in(data: Path) -> dict[str, Path]:
    """Return every file below a folder by relative name, sorted. Raises OSError."""
    return {name: data / name for name in sorted(_names_in(str(data), ""))}


def _names_in(folder: str, beginning: str) -> Iterator[str]:
    with os.scandir(folder) as listed:
        for entry in listed:
            name = f"{beginning}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _names_in(entry.path, f"{name}/")
            elif not entry.is_dir():
                yield name


def seals_of(data: Path, before: Generation | None) -> dict[str, FileSeal]:
    """Return the seal of each file of a new generation.

    A file shared with the generation before keeps its published seal, so that later damage is noticed. Raises
    OSError.
    """
    known = {} if before is None else before.manifest.files
    old = "" if before is None else str(before.data)
    names = sorted(_names_in(str(data), ""))
    shared = {name for name in names if name in known and _is_same(f"{data}/{name}", f"{old}/{name}")}
    new = [name for name in names if name not in shared]
    # Hashing releases the interpreter lock.
    with ThreadPoolExecutor(SEALED_AT_ONCE, "redstring-sealing") as threads:
        made = dict(zip(new, threads.map(lambda name: seal_file(data / name), new), strict=True))
    return {name: known[name] if name in shared else made[name] for name in names}


def _is_same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except FileNotFoundError:
        # The other file is missing.
        return False


def keep_file(old: Path, new: Path) -> None:
    """Add a file of an old generation to a new one, in an existing folder, by a hard link if possible."""
    try:
        os.link(old, new)
    except FileExistsError:
        return
    except OSError:
        shutil.copyfile(old, new)

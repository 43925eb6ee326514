"""A generation of a corpus: its files, and the manifest that names them."""

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

# The manifest of a corpus folder: what is in it, and how to tell that it is whole.

FORMAT_VERSION = 8
MANIFEST_NAME = "manifest.json"
NO_MODEL = "none"


# Of a file below the generation, and of nothing outside it.
FileName = Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$")]


class FileSeal(NamedTuple):
    """What a file is told by: its size in bytes and the XXH3 digest of its content, 32 hexadecimal digits."""

    size: int
    digest: str


class Manifest(BaseModel):
    """What ``manifest.json`` says. ``generation`` is the subfolder with the data it describes.

    ``sparse`` is the model of the learned sparse vectors. ``late`` is not used: earlier versions named the
    model of token vectors there, whose files may be among ``files``. ``dense_recall`` is the share of the
    nearest passages that dense search finds, None if it compares all.
    ``files`` has the seal of each data file. ``checksum`` is the SHA-256 of all other fields in canonical
    JSON.
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
        """A copy with its checksum filled in."""
        return self.model_copy(update={"checksum": self._digest()})

    def is_sound(self) -> bool:
        """Whether the checksum fits the content."""
        return self.checksum == self._digest()

    def most_frequent(self) -> dict[str, int]:
        """The passages of each language, most first; languages with as many by the alphabet."""
        return dict(sorted(self.languages.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def _digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"checksum"})
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a corpus folder.

    Raises CorpusError where the folder holds no corpus, a damaged one, or one of another format.
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
    # To the byte, so that no change of it goes unnoticed.
    if not manifest.is_sound() or manifest.to_json().encode() != written:
        raise CorpusError(f"{damaged} does not fit its checksum; ingest its sources again")
    return manifest


# The published data of a corpus folder, every file of which is checked before anything in it is
# used.
#
# The manifest has the size and the digest of each file (XXH3, 128 bits: some ten gigabytes a
# second). A file is read as a whole, compared with its digest and kept in memory, so that neither
# a damaged disk nor a later change of the file reaches an answer, and an open corpus holds no
# descriptor of it. A file of more than ``MOST_READ`` bytes is mapped instead, so that all
# processes share it and the system may put it away: it is compared when the corpus is opened, and
# nobody may write into it afterwards (a publication writes new files).
#
# This defends against what happens to files: flipped bits, files that are cut or swapped. It does
# not defend against somebody who may write here and knows the format, who can make the digests
# anew; for that there is the SHA-256 that ``engine.corpus.verifying`` gives, to be kept
# elsewhere.

# What a corpus answers from; the references and links, which decisions of people change; the references as
# the texts alone have them, before anybody decided anything; learned sparse vectors.
STATE_NAME, CITED_NAME, FOUND_NAME = "state.arrays", "cited.arrays", "found.arrays"
SPARSE_NAME = "sparse.arrays"
# The graph of references, names and entities, put together.
GRAPH_NAME = "graph.arrays"
T = TypeVar("T")
# Read at once where a file is only compared: it stays in the second-level cache.
AT_ONCE = 1 << 18
# Files that are sealed at once.
SEALED_AT_ONCE = 2
# Files up to so many bytes are read into memory.
MOST_READ = 1 << 28
# Files up to so many bytes are read whether they are wanted or not.
SMALL = 1 << 24


@dataclass(frozen=True, slots=True)
class Generation:
    """What the manifest of ``folder`` describes."""

    folder: Path
    manifest: Manifest

    @property
    def data(self) -> Path:
        """The folder of the files."""
        return self.folder / self.manifest.generation

    @property
    def memory(self) -> int:
        """How many bytes an open corpus holds in memory, beside what is mapped."""
        read = (STATE_NAME, CITED_NAME, SPARSE_NAME)
        sizes = [seal.size for name, seal in self.manifest.files.items() if name in read]
        return sum(size for size in sizes if size <= MOST_READ)

    def check_sizes(self) -> None:
        """Look whether every file is there in its size. Raises CorpusError for the first that is not."""
        for name in self.manifest.files:
            with self._reading(name):
                self._sized(name)

    def check(self, name: str) -> None:
        """Compare a file with its digest. Raises CorpusError for another or none, ResourceError."""
        with self._reading(name):
            found = sealed(self._sized(name)).digest
        self._compare(name, found)

    def has(self, name: str) -> bool:
        """Whether a file is there as it was published. Raises ResourceError."""
        try:
            self.check(name)
        except CorpusError:
            return False
        return True

    def bytes(self, name: str) -> NDArray[np.uint8]:
        """The content of a file. Raises CorpusError where it is missing or damaged, ResourceError."""
        with self._reading(name):
            path = self._sized(name)
            data = _mapped(path) if self.manifest.files[name].size > MOST_READ else bytes_in(path)
        self._compare(name, xxh3_128(data.data).hexdigest())
        return data

    def block(self, name: str) -> Block:
        """The arrays of a file. Raises as ``bytes``."""
        return block_from(self.bytes(name), name)

    def mapped(self, name: str) -> Callable[[], NDArray[np.uint8]]:
        """What gives the content of a file that stays on disk: compared with its digest when it is asked for,
        not afterwards. Raises as ``bytes``, the comparison too."""
        with self._reading(name):
            data = _mapped(self._sized(name))

        def compared() -> NDArray[np.uint8]:
            self._compare(name, xxh3_128(data.data).hexdigest())
            return data

        return compared

    def kept(self, name: str) -> Callable[[], NDArray[np.uint8]]:
        """What gives the content of a file that may not be wanted: as ``bytes`` where it is small, which
        holds no descriptor, else as ``mapped``. Raises as these."""
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
            raise self._damaged(f"{name} is no file")
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
    """The block in a file that this process or a child of it has written, and nobody writes into again; it
    stays on disk. Raises CorpusError, OSError."""
    return block_from(_mapped(path), path.name)


def _mapped(path: Path) -> NDArray[np.uint8]:
    """The content of a file that stays on disk."""
    with open(path, "rb") as file:
        # An empty file cannot be mapped.
        empty = not os.fstat(file.fileno()).st_size
        return np.frombuffer(b"" if empty else mmap(file.fileno(), 0, access=ACCESS_READ), np.uint8)


def published(folder: Path) -> Generation:
    """The generation that counts in a folder, every file in its size. Raises CorpusError, ResourceError."""

    def whole(generation: Generation) -> Generation:
        generation.check_sizes()
        return generation

    return read_published(folder, whole)


def read_published(folder: Path, read: Callable[[Generation], T]) -> T:
    """What ``read`` makes of the generation that counts in a folder.

    The files of one that is replaced meanwhile go: that is no damage, the next one is read. Raises
    CorpusError, ResourceError and what ``read`` raises.
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


def standing_in(folder: Path) -> Generation | None:
    """The generation that counts in a folder; None where it holds no corpus, a damaged manifest, or one of
    another format. Raises ResourceError."""
    try:
        return Generation(folder, read_manifest(folder))
    except CorpusError:
        return None


def sealed(path: Path) -> FileSeal:
    """Size and digest of a file as it stands. Raises OSError."""
    state, room, size = xxh3_128(), memoryview(bytearray(AT_ONCE)), 0
    with open(path, "rb", buffering=0) as file:
        while read := file.readinto(room):
            state.update(room[:read])
            size += read
    return FileSeal(size, state.hexdigest())


def files_in(data: Path) -> dict[str, Path]:
    """Every file below a folder, by its name in it, in the order of the names. Raises OSError."""
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
    """The seal of each file of a new generation. One that it shares with the generation before keeps the seal
    that it was published with, whatever has happened to it since. Raises OSError."""
    known = {} if before is None else before.manifest.files
    old = "" if before is None else str(before.data)
    names = sorted(_names_in(str(data), ""))
    shared = {name for name in names if name in known and _is_same(f"{data}/{name}", f"{old}/{name}")}
    new = [name for name in names if name not in shared]
    # To seal a file is to compute without the lock of the interpreter.
    with ThreadPoolExecutor(SEALED_AT_ONCE, "redstring-sealing") as threads:
        made = dict(zip(new, threads.map(lambda name: sealed(data / name), new), strict=True))
    return {name: known[name] if name in shared else made[name] for name in names}


def _is_same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except FileNotFoundError:
        # Lost: this one was made anew.
        return False


def keep_file(old: Path, new: Path) -> None:
    """Make a file of an old generation part of a new one, in a folder that is there; without a copy where the
    disk can do that."""
    try:
        os.link(old, new)
    except FileExistsError:
        return
    except OSError:
        shutil.copyfile(old, new)

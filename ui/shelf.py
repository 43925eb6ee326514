"""The corpora that the page offers, and the cache of open corpora."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import NamedTuple
from weakref import ref

from engine.access.audit_log import CorpusFolder, corpora_of_user, delete, half_deleted, log_name
from engine.access.users import visitors_folder
from engine.corpus import Address, Place, open_corpus
from engine.corpus.embedded.generation import MANIFEST_NAME, Manifest, current_generation
from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.embedded.store import info_of
from engine.corpus.journal import check_name
from engine.corpus.protocol import Corpus, CorpusInfo
from engine.errors import CorpusError, InputError, ResourceError, for_visitors
from engine.operator_settings import MEGABYTE, OperatorSettings, operator_settings
from ui.server.pool import Workers

# The cache of open corpora: each once; the least recently used are closed.

# Memory of an open corpus in addition to its arrays: cached scores, bytes.
CACHE_BYTES = 32 << 20
Stamp = tuple[int, ...]


class _Open(NamedTuple):
    stamp: Stamp
    corpus: ref[Corpus]
    size: int


class OpenCorpora:
    """Open corpora by place. A corpus that has changed is opened again. Thread-safe.

    The most recently used corpora are cached, as many as fit into ``memory`` bytes, and always the last one.
    A corpus outside the cache stays alive, and is returned, while a case uses it.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: OrderedDict[Place, tuple[Corpus, int]] = OrderedDict()
        self._alive: dict[Place, _Open] = {}
        self._lock = Lock()

    def get(self, place: Place) -> Corpus:
        """Return the current state of the corpus of a place. Raises CorpusError, ResourceError."""
        stamp = stamp_of(place)
        corpus = self._lookup(place, stamp)
        if corpus is not None:
            # New verdicts on its links do not require opening it again.
            corpus.apply_verdicts()
            return corpus
        # If the corpus changes while it is opened, the stamp differs, and the next call opens the new state.
        opened, size = open_corpus(place), _memory_of(place) + CACHE_BYTES
        faster = self._lookup(place, stamp)
        if faster is not None:
            return faster
        with self._lock:
            self._alive = {one: held for one, held in self._alive.items() if held.corpus() is not None}
            self._alive[place] = _Open(stamp, ref(opened), size)
            self._keep(place, opened, size)
        return opened

    def forget(self, folder: Path) -> None:
        """Drop the corpus of a deleted folder."""
        with self._lock:
            self._kept.pop(folder, None)
            self._alive.pop(folder, None)

    def __len__(self) -> int:
        return len(self._kept)

    def _lookup(self, place: Place, stamp: Stamp) -> Corpus | None:
        """Return the corpus of a place if it is open in this state."""
        with self._lock:
            held = self._alive.get(place)
            corpus = held.corpus() if held is not None and held.stamp == stamp else None
            if held is not None and corpus is not None:
                self._keep(place, corpus, held.size)
            return corpus

    def _keep(self, place: Place, corpus: Corpus, size: int) -> None:
        self._kept[place] = corpus, size
        self._kept.move_to_end(place)
        while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self._memory:
            self._kept.popitem(last=False)


def stamp_of(place: Place) -> Stamp:
    """Return a stamp that differs whenever a corpus, or the edits of its ontology, have changed.

    Empty if the corpus is unknown, or its server does not answer.
    """
    if isinstance(place, Address):
        from engine.corpus.postgresql.store import generation_at

        try:
            return (generation_at(place),)
        except (CorpusError, ResourceError):
            return ()
    folder = place
    return (*_file_stamp(folder / MANIFEST_NAME), *ontology_stamp(folder))


def ontology_stamp(folder: Path) -> Stamp:
    """Return a stamp that differs whenever the edits of a corpus's ontology have changed."""
    return _file_stamp(folder / ONTOLOGY_NAME)


def manifest_of(place: Place) -> Manifest:
    """Return the manifest of a corpus. Raises CorpusError, ResourceError."""
    if isinstance(place, Address):
        from engine.corpus.postgresql.store import manifest_at

        return manifest_at(place)
    return current_generation(place).manifest


def _memory_of(place: Place) -> int:
    """Return the memory of an open corpus, in bytes.

    For one on a server it is that of the cached word lists and vectors.
    """
    return 7 * CACHE_BYTES if isinstance(place, Address) else current_generation(place).memory


def _file_stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


# The corpora that the page offers: shared ones, and those of a single visitor.

LONGEST_NAME = 60
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069/\\]")
# The sample is stored among the corpora under its fingerprint; callers that want it pass its folder.
SAMPLE_PREFIX = "meridia-"
# The prefix for corpora on a server, which have no folder.
SERVED = "postgresql:"
# Limit of cached descriptions of corpora: many more than a page shows.
DESCRIBED = 1024


@dataclass(frozen=True, slots=True)
class Example:
    """An example question: the label of its chip, and the question."""

    title: str
    text: str
    language: str = "und"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A corpus of the library. ``info`` is None if it cannot be opened; ``problem`` is the reason.

    ``place`` is its location; for a corpus on a server, ``folder`` is a name that no folder has, and nothing
    is written there. ``state`` differs whenever the corpus has changed. ``private``: only this visitor sees
    it. ``writable``: this visitor may change it. ``made_here``: it is in the folder of corpora made on the
    page, so that it can be deleted here.
    """

    name: str
    folder: Path
    info: CorpusInfo | None
    state: str
    private: bool
    writable: bool
    made_here: bool
    problem: str = ""
    server: Address | None = None

    @property
    def place(self) -> Place:
        """The location of the corpus."""
        return self.server or self.folder

    @property
    def logged_as(self) -> str:
        """The name of the corpus in the audit log."""
        return log_name(self.folder, is_own=self.private)


class Library:
    """Corpora by name: given ones, those of the home folder, and those of a visitor. Thread-safe.

    A corpus that has changed on disk is opened again at its next use.
    """

    def __init__(
        self, given: Sequence[Place], home: Path | None = None, settings: OperatorSettings | None = None
    ) -> None:
        self.settings = settings or operator_settings()
        self.home = home
        self._given = tuple(given)
        self._open = OpenCorpora(self.settings.open_mb * MEGABYTE)
        self.workers = Workers()
        self._described = lru_cache(DESCRIBED)(_described)

    def shelf(self, visitor: str = "") -> list[Shelved]:
        """Return the corpora that a visitor sees, the default first, each under a unique name."""
        found: dict[str, Shelved] = {}
        for place, private, made_here in self._places(visitor):
            stamp = stamp_of(place)
            info, problem = self._described(place, stamp)
            server = place if isinstance(place, Address) else None
            folder = Path(f"{SERVED}{place.corpus}") if isinstance(place, Address) else place
            name = info.name if info is not None else folder.name
            name = name if name not in found else f"{name} ({folder.name})"
            # With logins, roles determine the rights on shared corpora.
            open_to_all = self.settings.shared or self.settings.access != "off"
            writable = server is None and self.settings.uploads and (private or open_to_all)
            state = "-".join(f"{part:x}" for part in stamp)
            given = (name, folder, info, state, private, writable, made_here, problem, server)
            found[name] = Shelved(*given)
        return list(found.values())

    def names(self, visitor: str = "") -> list[str]:
        """Return the names of the corpora that accept questions, the default first."""
        return [shelved.name for shelved in self.shelf(visitor) if shelved.info is not None]

    def find(self, name: str | None, visitor: str = "") -> Shelved:
        """Return the corpus of a name; the first one without a name. Raises InputError for an unknown one."""
        shelf = self.shelf(visitor)
        for shelved in shelf:
            if shelved.name == name or (not name and shelved.info is not None):
                return shelved
        known = ", ".join(shelved.name for shelved in shelf) or "none yet"
        raise InputError(f"unknown corpus {name!r}; known corpora: {known}")

    def corpus(self, name: str | None, visitor: str = "") -> Corpus:
        """Return an open corpus.

        Raises InputError for an unknown name, CorpusError for a damaged corpus, ResourceError if it cannot be
        opened at the moment.
        """
        return self.open(self.find(name, visitor))

    def open(self, shelved: Shelved) -> Corpus:
        """Open a corpus of the library. Raises CorpusError, ResourceError."""
        return self.opened(shelved.place)

    def opened(self, place: Place) -> Corpus:
        """Open the corpus at a place in its current state. Raises CorpusError, ResourceError."""
        try:
            return self._open.get(place)
        except (CorpusError, ResourceError) as error:
            raise type(error)(for_visitors(error)) from error

    def start_workers(self) -> Thread | None:
        """Start as many workers as the settings say, on a thread, which is returned; None for no workers."""
        # Cases on a corpus on a server run in this process, which waits for it.
        folders = [place for place in self._given if isinstance(place, Path)]
        return self.workers.start(self.settings.worker_count, folders, self.home, self.settings)

    def info(self, name: str | None, visitor: str = "") -> CorpusInfo:
        """Return the description of a corpus without opening it. Raises InputError, CorpusError."""
        shelved = self.find(name, visitor)
        if shelved.info is None:
            raise CorpusError(shelved.problem)
        return shelved.info

    def facts(self, name: str | None, visitor: str = "") -> str:
        """Return one line about a corpus: its name, its size, its languages."""
        info = self.info(name, visitor)
        languages = ", ".join(info.languages)
        return f"{info.name} · {info.documents:,} documents · {info.passages:,} passages · {languages}"

    def examples(self, name: str | None, visitor: str = "") -> tuple[Example, ...]:
        """Return the example questions in the manifest of a corpus."""
        rows = self.info(name, visitor).metadata.get("examples", ())
        return tuple(
            Example(row.get("title") or row["text"], row["text"], row.get("language", "und"))
            for row in rows
            if row.get("text")
        )

    def belongs(self, shelved: Shelved) -> bool:
        """Return whether the user owns a corpus: it is private, or shared with logins off."""
        return shelved.private or (self.settings.shared and self.settings.access == "off")

    @property
    def new_belong(self) -> bool:
        """Return whether the user will own a new corpus."""
        return not self.settings.shared or self.settings.access == "off"

    def of(self, visitor: str) -> list[CorpusFolder]:
        """Return all corpus folders of a visitor, including those that cannot be opened."""
        folder = None if self.home is None else visitors_folder(self.home, visitor)
        return [] if self.home is None or folder is None else corpora_of_user(self.home, folder)

    def place_for(self, name: str, visitor: str) -> Path:
        """Return the folder for a new corpus. Raises InputError if the name or the visitor is not allowed."""
        cleaned = checked_name(name)
        shelf = self.shelf(visitor)
        if any(cleaned.casefold() == shelved.name.casefold() for shelved in shelf):
            raise InputError(f"there is already a corpus {cleaned!r}: choose another name")
        home = self._home_of(visitor)
        if home is None or not self.settings.uploads:
            raise InputError("corpora cannot be created here: uploads are switched off")
        if sum(shelved.folder.parent == home for shelved in shelf) >= self.settings.corpora:
            raise InputError(f"{self.settings.corpora} corpora are the most kept here: delete one first")
        words = "-".join(re.findall(r"\w+", cleaned.casefold()))[:40] or "corpus"
        return home / f"{words}-{secrets.token_hex(4)}"

    def remove(self, name: str, visitor: str) -> None:
        """Delete a corpus from disk. Raises InputError if the visitor is not allowed to."""
        shelved = self.find(name, visitor)
        if not (shelved.writable and shelved.made_here):
            raise InputError(f"{name!r} cannot be deleted here")
        owner = shelved.folder.parent.name if shelved.private else ""
        delete([CorpusFolder(shelved.folder, owner, 0.0)])
        self._open.forget(shelved.folder)

    def _places(self, visitor: str) -> Iterator[tuple[Place, bool, bool]]:
        seen: set[Path] = set()
        for place in self._given:
            if isinstance(place, Path):
                seen.add(place.resolve())
            yield place, False, False
        if self.home is None:
            return
        everybodys = self.home / "corpora"
        for folder in _corpora_in(everybodys):
            if folder.resolve() not in seen and not folder.name.startswith(SAMPLE_PREFIX):
                yield folder, False, True
        own = visitors_folder(self.home, visitor)
        if own is not None:
            for folder in _corpora_in(own):
                yield folder, True, True

    def _home_of(self, visitor: str) -> Path | None:
        if self.home is None:
            return None
        return self.home / "corpora" if self.settings.shared else visitors_folder(self.home, visitor)


def checked_name(name: str) -> str:
    """Return the name of a corpus without surrounding spaces. Raises InputError for an invalid one."""
    cleaned = check_name(name, "a corpus", LONGEST_NAME)
    if _UNPRINTABLE.search(cleaned) or not re.search(r"\w", cleaned):
        raise InputError("a name is made of letters, digits and spaces, without slashes")
    return cleaned


def open_library(
    places: Sequence[Place], home: Path | None = None, settings: OperatorSettings | None = None
) -> Library:
    """Open a library of corpora and the content of ``home``. Raises CorpusError for the first damaged one.

    Deletions that were interrupted by the end of a server are completed; InputError if that fails.
    """
    for place in places:
        open_corpus(place)
    if home is not None:
        delete(half_deleted(home))
    return Library(places, home, settings)


def _corpora_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith(".") and (path / MANIFEST_NAME).is_file()
    )


def _described(place: Place, stamp: Stamp) -> tuple[CorpusInfo | None, str]:
    """Return the description of a corpus, or why it cannot be opened; ``stamp`` is of the described state."""
    try:
        return info_of(manifest_of(place)), ""
    except CorpusError as error:
        return None, for_visitors(error)
    except ResourceError as error:
        if isinstance(place, Path):
            raise
        return None, for_visitors(error)

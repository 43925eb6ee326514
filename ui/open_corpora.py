"""The corpora that are open: each once, and the least recently asked are let go."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import ref

from engine.corpus import open_corpus
from engine.corpus.address import Address, Place
from engine.corpus.embedded.generation import published
from engine.corpus.embedded.manifest import MANIFEST_NAME, Manifest
from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, ResourceError

# What an open corpus takes beside its arrays: scores that it remembers.
BESIDE = 32 << 20
Stamp = tuple[int, ...]


class _Open(NamedTuple):
    stamp: Stamp
    corpus: ref[Corpus]
    size: int


class OpenCorpora:
    """Open corpora by their places, for several threads. A corpus that has changed there is opened anew.

    Those asked last are kept, as many as fit into ``memory`` bytes and always the very last. One that is let
    go lives on as long as a case is at work on it, and whoever asks for it meanwhile gets the same.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: OrderedDict[Place, tuple[Corpus, int]] = OrderedDict()
        self._alive: dict[Place, _Open] = {}
        self._lock = Lock()

    def get(self, place: Place) -> Corpus:
        """The corpus of a place as it stands now. Raises CorpusError, ResourceError."""
        stamp = stamp_of(place)
        corpus = self._again(place, stamp)
        if corpus is not None:
            # What people have said of its links since takes no opening.
            corpus.judge()
            return corpus
        # Where the corpus changes meanwhile, its stamp is another and the next who asks sees the new one.
        opened, size = open_corpus(place), _memory_of(place) + BESIDE
        faster = self._again(place, stamp)
        if faster is not None:
            return faster
        with self._lock:
            self._alive = {one: held for one, held in self._alive.items() if held.corpus() is not None}
            self._alive[place] = _Open(stamp, ref(opened), size)
            self._keep(place, opened, size)
        return opened

    def forget(self, folder: Path) -> None:
        """Let the corpus of a folder go, which is there no more."""
        with self._lock:
            self._kept.pop(folder, None)
            self._alive.pop(folder, None)

    def __len__(self) -> int:
        return len(self._kept)

    def _again(self, place: Place, stamp: Stamp) -> Corpus | None:
        """The corpus of a place, where it is open in this state."""
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
    """Changes whenever a corpus, or what people have made of its ontology, has changed; empty where nothing
    is known of it, or its server does not answer."""
    if isinstance(place, Address):
        from engine.corpus.postgresql.store import generation_at

        try:
            return (generation_at(place),)
        except (CorpusError, ResourceError):
            return ()
    folder = place
    return (*_file_stamp(folder / MANIFEST_NAME), *ontology_stamp(folder))


def ontology_stamp(folder: Path) -> Stamp:
    """Changes whenever what people have made of the ontology of a corpus has changed."""
    return _file_stamp(folder / ONTOLOGY_NAME)


def manifest_of(place: Place) -> Manifest:
    """What is published of a corpus. Raises CorpusError, ResourceError."""
    if isinstance(place, Address):
        from engine.corpus.postgresql.store import manifest_at

        return manifest_at(place)
    return published(place).manifest


def _memory_of(place: Place) -> int:
    """The bytes that an open corpus holds; of one on a server what it remembers of word lists and vectors."""
    return 7 * BESIDE if isinstance(place, Address) else published(place).memory


def _file_stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino

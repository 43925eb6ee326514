"""The corpora that are open: each once, and the least recently asked are let go."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import ref

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import published
from engine.corpus.embedded.manifest import MANIFEST_NAME
from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.protocol import Corpus

# What an open corpus takes beside its arrays: scores that it remembers.
BESIDE = 32 << 20
Stamp = tuple[int, ...]


class _Open(NamedTuple):
    stamp: Stamp
    corpus: ref[Corpus]
    size: int


class OpenCorpora:
    """Open corpora by folder, for several threads. A corpus that has changed on disk is opened anew.

    Those asked last are kept, as many as fit into ``memory`` bytes and always the very last. One that is let
    go lives on as long as a case is at work on it, and whoever asks for it meanwhile gets the same.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: OrderedDict[Path, tuple[Corpus, int]] = OrderedDict()
        self._alive: dict[Path, _Open] = {}
        self._lock = Lock()

    def get(self, folder: Path) -> Corpus:
        """The corpus of a folder as it stands now. Raises CorpusError, ResourceError."""
        stamp = stamp_of(folder)
        corpus = self._again(folder, stamp)
        if corpus is not None:
            # What people have said of its links since takes no opening.
            corpus.judge()
            return corpus
        # Where the corpus changes meanwhile, its stamp is another and the next who asks sees the new one.
        opened, size = open_corpus(folder), published(folder).memory + BESIDE
        faster = self._again(folder, stamp)
        if faster is not None:
            return faster
        with self._lock:
            self._alive = {place: held for place, held in self._alive.items() if held.corpus() is not None}
            self._alive[folder] = _Open(stamp, ref(opened), size)
            self._keep(folder, opened, size)
        return opened

    def forget(self, folder: Path) -> None:
        """Let the corpus of a folder go, which is there no more."""
        with self._lock:
            self._kept.pop(folder, None)
            self._alive.pop(folder, None)

    def __len__(self) -> int:
        return len(self._kept)

    def _again(self, folder: Path, stamp: Stamp) -> Corpus | None:
        """The corpus of a folder, where it is open in this state."""
        with self._lock:
            held = self._alive.get(folder)
            corpus = held.corpus() if held is not None and held.stamp == stamp else None
            if held is not None and corpus is not None:
                self._keep(folder, corpus, held.size)
            return corpus

    def _keep(self, folder: Path, corpus: Corpus, size: int) -> None:
        self._kept[folder] = corpus, size
        self._kept.move_to_end(folder)
        while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self._memory:
            self._kept.popitem(last=False)


def stamp_of(folder: Path) -> Stamp:
    """Changes whenever a corpus, or what people have made of its ontology, has changed."""
    return (*_file_stamp(folder / MANIFEST_NAME), *_file_stamp(folder / ONTOLOGY_NAME))


def _file_stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino

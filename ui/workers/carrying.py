"""Cases on their way from one process to another.

What a case has found goes along; the corpus and its model do not: both processes have them, and the corpus
must stand in the same state in both.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import CorpusError
from engine.language.embedders import NO_EMBEDDING, embedder


class StateChangedError(CorpusError):
    """The corpus stands in another state than where the value was packed."""


def packed(value: object, corpus: Corpus) -> bytes:
    """A value in which a corpus and its model may stand, as bytes for ``unpacked``."""
    table: dict[type, Callable[[Any], Any]] = {
        **copyreg.dispatch_table,
        MappingProxyType: lambda view: (_view, (dict(view),)),
        threading.Event: lambda event: (threading.Event, ()),
        type(threading.Lock()): lambda lock: (threading.Lock, ()),
        type(corpus): lambda found: (_opened, state_of(found)),
    }
    # The model itself is not loaded for this.
    model = embedder(corpus.embedding) if corpus.embedding != NO_EMBEDDING else None
    if model is not None:
        table[type(model)] = lambda found: (embedder, (found.spec,))
    written = io.BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = table
    pickler.dump(value)
    return written.getvalue()


def unpacked(data: bytes, opened: Callable[[Path], Corpus]) -> Any:
    """The value; ``opened`` gives the corpus of a folder. Raises StateChangedError where that stands in
    another state than where the value was packed, and what ``opened`` raises."""
    return _Unpickler(data, opened).load()


def state_of(corpus: Corpus) -> tuple[Path | None, str]:
    """Where a corpus lies, and when it was made: rows mean the same as long as both are the same."""
    return corpus.folder, str(corpus.info().metadata["created"])


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, opened: Callable[[Path], Corpus]) -> None:
        super().__init__(io.BytesIO(data))
        self._open = opened

    def find_class(self, module: str, name: str) -> Any:
        if name == _opened.__name__ and module == __name__:
            return self._opened
        return super().find_class(module, name)

    def _opened(self, folder: Path, created: str) -> Corpus:
        corpus = self._open(folder)
        if state_of(corpus) != (folder, created):
            raise StateChangedError("the corpus has just been changed: ask again")
        return corpus


def _view(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _opened(folder: Path, created: str) -> Corpus:
    raise CorpusError(f"{folder}: a corpus is only unpacked where one is open")

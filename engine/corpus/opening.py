"""Open a corpus wherever it lives."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.embedded.manifest import MANIFEST_NAME
from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError


def open_corpus(folder: Path | str) -> Corpus:
    """The corpus in a folder. Raises CorpusError where it is missing, damaged or of another format,
    ResourceError where memory or the like does not suffice to open it now."""
    folder = Path(folder)
    while True:
        stamp = _stamp(folder)
        try:
            return EmbeddedCorpus(folder)
        except CorpusError:
            # Another state may have taken over while this one was being opened, and have swept it away.
            if _stamp(folder) == stamp:
                raise


def _stamp(folder: Path) -> tuple[int, int]:
    """Changes whenever another state takes over."""
    try:
        found = (folder / MANIFEST_NAME).stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns

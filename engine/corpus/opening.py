"""Open a corpus wherever it lives."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.protocol import Corpus


def open_corpus(folder: Path | str) -> Corpus:
    """The corpus in a folder. Raises CorpusError where it is missing, damaged or of another format,
    ResourceError where memory or the like does not suffice to open it now."""
    return EmbeddedCorpus(Path(folder))

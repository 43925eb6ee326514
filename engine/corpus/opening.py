"""Open a corpus wherever it lives."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.embedded.publication import current_generation
from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError


def open_corpus(folder: Path | str) -> Corpus:
    """The corpus in a folder. Raises CorpusError where it is missing, damaged or of another format."""
    folder = Path(folder)
    while True:
        generation = current_generation(folder)
        try:
            return EmbeddedCorpus(folder)
        except CorpusError:
            # Another state may have taken over while this one was being opened, and have swept it away.
            if current_generation(folder) == generation:
                raise

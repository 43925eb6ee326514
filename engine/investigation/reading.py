"""Passages of a corpus as a case reads them: each is fetched once."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.model import Passage


class Reading:
    """Remembers the passages that a case has looked at, by row."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[int, Passage] = {}

    def passages(self, rows: Rows) -> list[Passage]:
        """The passages at these rows, in order; those not yet read are fetched in one batch."""
        wanted = rows.tolist()
        missing = sorted({row for row in wanted if row not in self._read})
        if missing:
            fetched = self._corpus.passages(np.array(missing, np.int32))
            self._read.update(zip(missing, fetched, strict=True))
        return [self._read[row] for row in wanted]

    def ids(self, rows: Rows) -> list[str]:
        """Their ids."""
        return [passage.id for passage in self.passages(rows)]

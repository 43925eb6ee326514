"""Passages of a corpus as a case reads them: each is fetched once."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.model import Passage


class Reading:
    """Remembers the passages that a case has looked at, and ids, by row."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[int, Passage] = {}
        self._ids: dict[int, str] = {}

    def passages(self, rows: Rows) -> list[Passage]:
        """The passages at these rows, in order; those not yet read are fetched in one batch."""
        wanted = rows.tolist()
        missing = sorted({row for row in wanted if row not in self._read})
        if missing:
            fetched = self._corpus.passages(np.array(missing, np.int32))
            self._read.update(zip(missing, fetched, strict=True))
            self._ids.update(zip(missing, (passage.id for passage in fetched), strict=True))
        return [self._read[row] for row in wanted]

    def ids(self, rows: Rows) -> list[str]:
        """Their ids."""
        wanted, known = rows.tolist(), self._ids
        missing = [row for row in dict.fromkeys(wanted) if row not in known]
        if missing:
            known.update(zip(missing, self._corpus.ids(np.array(missing, np.int32)), strict=True))
        return [known[row] for row in wanted]

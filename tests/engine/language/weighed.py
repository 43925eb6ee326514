"""Words weighed by counts that a test gives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.corpus.embedded.block import hashed
from engine.ingestion.words import RecordedComparisons, WordCounts
from engine.language.names import Weigh, Word


def by_counts(counts: Mapping[Word, int]) -> Weigh:
    """Comparisons in a corpus that has the words so often."""
    told = sorted((hashed(" ".join(word)), times) for word, times in counts.items())
    keys, times = zip(*told, strict=True) if told else ((), ())
    return RecordedComparisons(WordCounts(np.asarray(keys, np.uint64), np.asarray(times, np.int64)))

"""From a text that is no longer in force to the one that took its place."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.model import Direction, Relation

# A chain of more versions than this is followed no further.
LONGEST_CHAIN = 32


def newest(corpus: Corpus, rows: Rows, allowed: Mask) -> Rows:
    """For each row that is not allowed the one that supersedes it, over as many versions as there are;
    shape as ``rows``. A row without an allowed successor stays as it is; a circle ends the search."""
    found = rows.copy()
    for place in np.flatnonzero(~allowed[rows]).tolist():
        row, seen = int(rows[place]), {int(rows[place])}
        for _ in range(LONGEST_CHAIN):
            later = corpus.neighbours(np.array([row], np.int32), [Relation.SUPERSEDES], Direction.IN).rows
            fresh = [int(other) for other in later.tolist() if int(other) not in seen]
            if not fresh:
                break
            row = max(fresh, key=lambda other: (bool(allowed[other]), other))
            seen.add(row)
            if allowed[row]:
                found[place] = row
                break
    return found

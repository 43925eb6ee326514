"""The postings of a corpus from those of the ingestion before: only what lies between the first and the last
block that changed is put together anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.corpus.embedded.block import FIELDS, Block
from engine.corpus.embedded.postings import FieldPostings, merged, narrow, replaced
from engine.ingestion.ledger import Previous

POSTINGS_NAME = "postings.arrays"


def merged_postings(names: Sequence[str], blocks: Sequence[Block], before: Previous | None) -> Block:
    """The postings of all blocks, with the names of these and how many passages each has."""
    held = None if before is None else before.block(POSTINGS_NAME)
    made = Block({"passages": np.asarray([block.passages for block in blocks], np.int32)})
    made.put_strings("blocks", names)
    ahead, behind = _shared(held.strings("blocks").all(), names) if held is not None else (0, 0)
    changed = blocks[ahead : len(blocks) - behind]
    for field in FIELDS:
        if held is None or 2 * len(changed) > len(blocks):
            found = merged(FieldPostings(blocks, field))
        else:
            sizes, old = held["passages"], held.postings(field)
            first, stop = int(sizes[:ahead].sum()), len(old.lengths) - int(sizes[len(sizes) - behind :].sum())
            parts = FieldPostings(changed, field)
            found = replaced(old, first, stop, merged(parts)) if parts or first < stop else old
        made.put_postings(field, found._replace(counts=narrow(found.counts)))
    return made


def _shared(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many names two lists share at their beginnings, and of the rest at their ends."""
    least = min(len(old), len(new))
    ahead = next((place for place in range(least) if old[place] != new[place]), least)
    most = least - ahead
    behind = next((place for place in range(most) if old[-1 - place] != new[-1 - place]), most)
    return ahead, behind

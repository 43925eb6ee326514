"""What of a pool is gold, or one relation away from it."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus
from engine.evaluation.metrics import pool_precision
from engine.model import Direction


def test_gold_its_references_and_its_neighbours(bare: Corpus) -> None:
    every = np.arange(len(bare), dtype=np.int32)
    links = bare.neighbours(every, None, Direction.OUT)
    gold = int(links.origins[0])
    linked = int(links.rows[0])
    name = bare.passages(np.array([gold], np.int32))[0].id
    related = {gold, linked, gold - 1, gold + 1}
    for direction in Direction:
        related |= set(bare.neighbours(np.array([gold], np.int32), None, direction).rows.tolist())
    far = [row for row in every.tolist() if row not in related][:2]
    rows = np.array([gold, linked, *far], np.int32)
    found = pool_precision(bare, rows, rows == gold, {name})
    assert (found.gold, found.stated) == (0.25, 0.5)
    assert found.with_entities >= found.stated
    # Gold that was not found still vouches for what it cites.
    outside = pool_precision(bare, rows[1:], np.zeros(3, np.bool_), {name})
    assert outside.gold == 0.0
    assert abs(outside.stated - 1 / 3) < 1e-9


def test_an_empty_pool_and_gold_of_elsewhere(bare: Corpus) -> None:
    nothing = pool_precision(bare, np.empty(0, np.int32), np.empty(0, np.bool_), {"x"})
    assert nothing.stated == 0.0
    one = pool_precision(bare, np.array([0], np.int32), np.array([False]), {"x"})
    assert (one.gold, one.stated, one.with_entities) == (0.0, 0.0, 0.0)

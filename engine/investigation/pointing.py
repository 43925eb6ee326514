"""Passages that a person points at: they enter the pool whatever its limit and their score."""

from __future__ import annotations

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.pool import Pool
from engine.investigation.turn import PERSON
from engine.model import Direction, Hop, Relation


def row_of(corpus: Corpus, passage_id: str) -> Rows:
    """The row of a passage, shape (1,). Raises InputError for one that is not in the corpus."""
    row = corpus.rows([passage_id])
    if row[0] < 0:
        raise InputError(f"no passage {passage_id!r} in the corpus {corpus.name!r}")
    return row


def point_at(pool: Pool, passage_id: str, row: int, score: float, round_number: int) -> None:
    """Admit a passage as brought by a person; nothing happens to one that the pool holds."""
    if passage_id in pool:
        return
    pool.limit = max(pool.limit, len(pool) + 1)
    pool.admit(Hop(passage_id, None, PERSON, Relation.MATCHES, Direction.OUT, round_number, 1.0), row, score)

"""The ranking as a run of TREC, with ir_metadata in front: for trec_eval and what reads its files.

A line is ``question Q0 passage rank score tag``. trec_eval orders by the score: where that would give another
order than the ranks, the score is the rank counted from the end, and the metadata says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.errors import InputError
from engine.evaluation.questions import Run, run_lines, topic_of
from engine.exports.ir_metadata import metadata_lines
from engine.exports.reading import record_in
from engine.exports.registry import Export, HandedOver
from engine.records.record import PassagePart

DIGITS = 6


def write(case: HandedOver) -> bytes:
    """The run. Raises InputError where nothing was found, or for an id with a space in it."""
    record = record_in(case)
    if not record.passages:
        raise InputError("nothing was found in this case: a run of it would have no line")
    ranked = sorted(record.passages, key=lambda one: one.rank)
    own = falls(ranked)
    scores = [one.score for one in ranked] if own else [float(n) for n in range(len(ranked), 0, -1)]
    run = Run()
    run.add(topic_of(record.question), [one.id for one in ranked], scores)
    return "".join([*metadata_lines(case, record, own_scores=own), *run_lines(run)]).encode()


def falls(ranked: Sequence[PassagePart]) -> bool:
    """Whether each score, as it is written, is below the one before."""
    scores = [round(one.score, DIGITS) for one in ranked]
    return all(first > second for first, second in pairwise(scores))


EXPORT = Export(
    "trec",
    "Run (TREC)",
    "trec_eval and other programs that measure rankings",
    ".trec",
    "text/plain",
    write,
)

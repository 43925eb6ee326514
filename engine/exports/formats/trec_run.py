"""The ranking as a TREC run with ir_metadata, for trec_eval and similar programs.

A line is ``question Q0 passage rank score tag``. trec_eval sorts by score: if that would not reproduce the
ranks, the score is the rank counted from the end, and the metadata states it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.errors import InputError
from engine.evaluation.questions import Run, run_lines, topic_of
from engine.exports.ir_metadata import metadata_lines
from engine.exports.reading import record_in
from engine.exports.registry import Export, ExportableCase
from engine.records.record import PassagePart

DIGITS = 6


def write(case: ExportableCase) -> bytes:
    """Write the run. Raises InputError if nothing was found, or for an id that contains a space."""
    record = record_in(case)
    if not record.passages:
        raise InputError("nothing was found in this case: its run would be empty")
    ranked = sorted(record.passages, key=lambda one: one.rank)
    own = falls(ranked)
    scores = [one.score for one in ranked] if own else [float(n) for n in range(len(ranked), 0, -1)]
    run = Run()
    run.add(topic_of(record.question), [one.id for one in ranked], scores)
    return "".join([*metadata_lines(case, record, own_scores=own), *run_lines(run)]).encode()


def falls(ranked: Sequence[PassagePart]) -> bool:
    """Return whether each score, as written, is below the one before."""
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

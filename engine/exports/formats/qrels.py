"""What people judged, as relevance judgements of TREC: a passage that was pinned is relevant (1), one that
was dismissed is not (0). With the run of another case of the same question it measures that case."""

from __future__ import annotations

from engine.errors import InputError
from engine.evaluation.runs import one_word
from engine.exports.reading import record_in
from engine.exports.registry import Export, HandedOver

RELEVANT, NOT_RELEVANT = 1, 0


def write(case: HandedOver) -> bytes:
    """Lines ``question 0 passage gain``. Raises InputError where nobody has pinned or dismissed anything, or
    for an id with a space in it."""
    record = record_in(case)
    judged = dict.fromkeys(sorted(record.pool.pinned), RELEVANT)
    judged |= dict.fromkeys(sorted(record.pool.dismissed), NOT_RELEVANT)
    if not judged:
        raise InputError(
            "nobody has judged a passage of this case: pin what is relevant, dismiss what is not"
        )
    lines = (f"{record.topic} 0 {one_word(passage)} {gain}\n" for passage, gain in judged.items())
    return "".join(lines).encode()


EXPORT = Export(
    "qrels",
    "Judgements (TREC qrels)",
    "trec_eval and other programs that measure rankings: what was pinned and dismissed",
    ".qrels",
    "text/plain",
    write,
)

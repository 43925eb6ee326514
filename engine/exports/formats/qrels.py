"""What people judged, as relevance judgements of TREC. Where reviewers have judged a passage, it has their
gains (2, 1, 0), and one that only was pinned is relevant (2); else a passage that was pinned is relevant (1),
one that was dismissed is not (0). With the run of another case of the same question it measures that case."""

from __future__ import annotations

from engine.errors import InputError
from engine.evaluation.questions import one_word, topic_of
from engine.exports.reading import record_in
from engine.exports.registry import Export, HandedOver
from engine.review.exchange.qrels import GAINS
from engine.review.model import Verdict

RELEVANT, NOT_RELEVANT = 1, 0
GRADED = GAINS[Verdict.RELEVANT]


def write(case: HandedOver) -> bytes:
    """Lines ``question 0 passage gain``. Raises InputError where nobody has judged, pinned or dismissed
    anything, or for an id with a space in it."""
    record = record_in(case)
    relevant = GRADED if case.judgements else RELEVANT
    judged = dict.fromkeys(sorted(record.pool.pinned), relevant)
    judged |= dict.fromkeys(sorted(record.pool.dismissed), NOT_RELEVANT)
    judged |= dict(sorted(case.judgements.items()))
    if not judged:
        raise InputError(
            "nobody has judged a passage of this case, or a queue still waits for verdicts on it: pin what "
            "is relevant, dismiss what is not, or review it"
        )
    topic = topic_of(record.question)
    lines = (f"{topic} 0 {one_word(passage)} {gain}\n" for passage, gain in judged.items())
    return "".join(lines).encode()


EXPORT = Export(
    "qrels",
    "Judgements (TREC qrels)",
    "trec_eval and other programs that measure rankings: what was reviewed, pinned and dismissed",
    ".qrels",
    "text/plain",
    write,
)

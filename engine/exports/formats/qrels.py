"""Users' judgements as TREC relevance judgements, to measure the run of another case of the same question.

If reviewers judged passages, these have their gains (2, 1, 0), and a passage that was only pinned has 2.
Otherwise a pinned passage has 1 and a dismissed one 0.
"""

from __future__ import annotations

from engine.errors import InputError
from engine.evaluation.questions import one_word, topic_of
from engine.exports.reading import record_in
from engine.exports.registry import Export, ExportableCase
from engine.review.exchange.qrels import GAINS
from engine.review.model import Verdict

RELEVANT, NOT_RELEVANT = 1, 0
GRADED = GAINS[Verdict.RELEVANT]


def write(case: ExportableCase) -> bytes:
    """Write lines ``question 0 passage gain``.

    Raises InputError without judgements, pins and dismissals, or for an id that contains a space.
    """
    record = record_in(case)
    relevant = GRADED if case.judgements else RELEVANT
    judged = dict.fromkeys(sorted(record.pool.pinned), relevant)
    judged |= dict.fromkeys(sorted(record.pool.dismissed), NOT_RELEVANT)
    judged |= dict(sorted(case.judgements.items()))
    if not judged:
        raise InputError(
            "no passage of this case has been judged, or a queue still waits for verdicts on it: pin what "
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

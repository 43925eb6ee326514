"""The ranking as a TREC run with ir_metadata, and judgements as qrels, for trec_eval and similar programs.

A line of a run is ``question Q0 passage rank score tag``. trec_eval sorts by score: if that would not
reproduce the ranks, the score is the rank counted from the end, and the metadata states it. In qrels,
passages that reviewers judged have their gains (2, 1, 0), and one that was only pinned has 2; without
verdicts a pinned passage has 1 and a dismissed one 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import yaml

from engine.errors import InputError
from engine.evaluation.questions import RUN_TAG, Run, one_word, run_lines, topic_of
from engine.exports.cases import Export, ExportableCase, events_in, model_name, record_in, state_of
from engine.records.record import CaseRecord, PassagePart
from engine.records.replaying import STEPS, standing
from engine.records.store.store import engine_version
from engine.review.exchange import GAINS
from engine.review.model import Verdict

# The ranking as a TREC run with ir_metadata, for trec_eval and similar programs.
#
# A line is ``question Q0 passage rank score tag``. trec_eval sorts by score: if that would not
# reproduce the ranks, the score is the rank counted from the end, and the metadata states it.

# The ir_metadata header of a run: YAML in comment lines, ordered by the PRIMAD model.

START, END = "ir_metadata.start", "ir_metadata.end"
# No line folding: readers treat comments line by line.
_WIDE = 1_000_000
OWN_SCORES = "the ranking score of the engine"
RANK_SCORES = "the rank counted from the end, as the engine's scores do not decrease with rank"


def metadata_lines(case: ExportableCase, record: CaseRecord, *, own_scores: bool) -> list[str]:
    """Return the header as comment lines."""
    written = yaml.safe_dump(
        metadata(case, record, own_scores=own_scores), sort_keys=False, allow_unicode=True, width=_WIDE
    )
    return [f"# {line}\n" for line in (START, *written.rstrip("\n").split("\n"), END)]


def metadata(case: ExportableCase, record: CaseRecord, *, own_scores: bool) -> dict[str, Any]:
    """Return the values of the schema that the record contains."""
    version = engine_version() if case.summary is None else case.summary.engine
    return {
        "tag": RUN_TAG,
        "platform": {"software": {"retrieval toolkit": [f"redstring=={version}"]}},
        "research goal": {
            "description": "passages that support an answer to a question, and how each was found"
        },
        "implementation": {
            "executable": {"cmd": "python -m engine investigate"},
            "source": {"lang": "python"},
        },
        "method": {
            "automatic": is_automatic(case, record),
            "score": OWN_SCORES if own_scores else RANK_SCORES,
            "retrieval": [{"name": name, "method": method} for name, method in _methods(record)],
        },
        "actor": {"role": "experimenter"},
        "data": {
            "test collection": {"name": _line(record.corpus)},
            "other": {
                "topic": {"id": topic_of(record.question), "title": _line(record.question)},
                "case": "" if case.summary is None else case.summary.id,
                "corpus fingerprint": "" if case.summary is None else case.summary.fingerprint,
                "started": record.begun.isoformat(),
                "as of": record.day or "",
                "record sha256": state_of(case),
            },
        },
    }


def is_automatic(case: ExportableCase, record: CaseRecord) -> bool:
    """Return whether no user influenced the ranking (TREC: an automatic run)."""
    if record.plan.edited or record.pool.pinned or record.pool.dismissed:
        return False
    return not any(event.kind in STEPS for event in standing(events_in(case)))


def _methods(record: CaseRecord) -> list[tuple[str, str]]:
    """Return retrievers with hits, strategies with admitted passages, and the model used."""
    found = [
        (one.retriever, "retriever") for round_ in record.rounds for one in round_.retrievers if one.found
    ]
    brought = dict.fromkeys(node.strategy for node in record.pool.nodes)
    found += [(name, "strategy") for name in brought]
    name = model_name(record.model)
    found += [(name, "language model")] if name and record.usage else []
    return [(_line(name), method) for name, method in dict.fromkeys(found)]


def _line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


DIGITS = 6


def write_run(case: ExportableCase) -> bytes:
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


RUN = Export(
    "trec",
    "Run (TREC)",
    "trec_eval and other programs that measure rankings",
    ".trec",
    "text/plain",
    write_run,
)


# Users' judgements as TREC relevance judgements, to measure the run of another case of the same
# question.
#
# If reviewers judged passages, these have their gains (2, 1, 0), and a passage that was only
# pinned has 2. Otherwise a pinned passage has 1 and a dismissed one 0.

RELEVANT, NOT_RELEVANT = 1, 0
GRADED = GAINS[Verdict.RELEVANT]


def write_qrels(case: ExportableCase) -> bytes:
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


QRELS = Export(
    "qrels",
    "Judgements (TREC qrels)",
    "trec_eval and other programs that measure rankings: what was reviewed, pinned and dismissed",
    ".qrels",
    "text/plain",
    write_qrels,
)

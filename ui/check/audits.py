"""An audit as a job of the Check view, its limits, and its results as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.answers.audit import Audit, Auditor, Checked
from engine.answers.audit.export import checked_to_json, pieces, review_words, source_to_json
from engine.answers.audit.log import WORDS, Log, Tally, verdict_words
from engine.answers.audit.record import Source, key_of, remarks
from engine.corpus.protocol import Corpus
from engine.language.characters import marked
from ui.jobs.jobs import Job, Rules

# Audits of all visitors at the same time, those that wait for their turn, and the longest of one, s.
RUNNING, WAITING, LONGEST = 3, 12, 900.0
# Finished audits are kept this long, s, so that a page that comes back still finds them.
REMEMBERED = 1800.0
# What the language model of one audit may use, where it is somebody else's.
MOST_CALLS = 200


# An audit as a job: what it is about, and the claims checked so far.

RULES = Rules("check", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Checking:
    """An audit of a text against the ``corpus`` that the library has as ``name``. What is cancelled keeps the
    claims checked."""

    text: str
    name: str
    corpus: Corpus
    claims: list[Checked] = field(default_factory=list)
    audit: Audit | None = None


def check(job: Job[Checking], auditor: Auditor) -> None:
    """The work of the job. Raises CancelledError, and what the auditor raises."""
    for step in auditor.steps(job.payload.text):
        if isinstance(step, Audit):
            job.payload.audit = step
            continue
        if step.checked is not None:
            job.payload.claims.append(step.checked)
        job.tell(step.doing, step.done, step.total)


# A claim and its quotes as the page draws them: nothing is hidden in a text of others.

Shown = dict[str, Any]


def shown_claim(one: Checked) -> Shown:
    """What the page shows of a claim; the files that it offers hold the texts as they are."""
    return checked_to_json(one) | {
        "text": marked(one.claim.text),
        "reason": marked(one.reason),
        "remarks": [marked(remark) for remark in remarks(one)],
        "sources": [_source(source) for source in one.sources],
        "successor": None if one.successor is None else _source(one.successor),
    }


def shown_log(log: Log) -> list[Shown]:
    """What people said of each claim, and the citations outside of the claims, as the page shows them."""
    return [
        {
            "number": one.number,
            "finding": one.finding,
            "word": WORDS[one.finding],
            "words": marked(one.words),
            "reason": marked(one.reason),
            "said": marked(review_words(one)),
            "review": "" if one.review is None else one.review.review.value,
            "before": one.before is not None,
            "passage": "" if one.compared is None else one.compared.passage_id,
            "citation": "" if one.compared is None else marked(one.compared.citation),
        }
        for one in log.entries
    ]


def shown_tally(counted: Tally) -> Shown:
    """What the text comes to: its axes in numbers and words, and by claim the verdicts that people gave
    instead, with how that is told."""
    words = verdict_words(counted)
    axes = (("Correct", counted.correct), ("Grounded", counted.grounded), ("To be read", counted.undecided))
    return {
        "axes": [
            {"name": name, "claims": one.claims, "of": one.of, "words": one.words} for name, one in axes
        ],
        "overruled": {
            str(one.claim.number): {"finding": key_of(one.finding), "words": words[one.claim.number]}
            for one in counted.overruled
        },
    }


def _source(source: Source) -> Shown:
    told = source_to_json(source)
    quote = [[marked(text), kind] for text, kind in pieces(source)]
    return told | {"quote": quote, "citation": marked(told["citation"])}

"""An audit as a job of the Check view, its limits, and its results in the form of the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.answers.audit import Audit, Auditor, Checked
from engine.answers.audit.export import checked_to_json, pieces, review_words, source_to_json
from engine.answers.audit.log import Log, Tally, verdict_words
from engine.answers.audit.record import Source, key_of, remarks
from engine.corpus.protocol import Corpus
from engine.language.characters import marked
from ui.jobs.jobs import Job, Rules

# Limits of audits: running at a time for all visitors, waiting, and timeout, s.
RUNNING, WAITING, LONGEST = 3, 12, 900.0
# Retention of finished audits, s, so that a page that is loaded again still finds them.
REMEMBERED = 1800.0
# Limit of language model calls for one audit, if the model is the operator's.
MOST_CALLS = 200


# An audit as a job: its subject, and the claims checked so far.

RULES = Rules("check", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Checking:
    """An audit of a text against the ``corpus`` that the library has as ``name``. A cancelled audit keeps the
    claims checked so far."""

    text: str
    name: str
    corpus: Corpus
    claims: list[Checked] = field(default_factory=list)
    audit: Audit | None = None


def check(job: Job[Checking], auditor: Auditor) -> None:
    """Do the work of the job. Raises CancelledError, and the errors of the auditor."""
    for step in auditor.steps(job.payload.text):
        if isinstance(step, Audit):
            job.payload.audit = step
            continue
        if step.checked is not None:
            job.payload.claims.append(step.checked)
        job.tell(step.doing, step.done, step.total)


# A claim and its quotes in the form of the page: invisible characters of untrusted texts are marked.

Shown = dict[str, Any]


def shown_claim(one: Checked) -> Shown:
    """Return a claim in the form of the page; the files for download have the unmarked texts."""
    return checked_to_json(one) | {
        "text": marked(one.claim.text),
        "reason": marked(one.reason),
        "remarks": [marked(remark) for remark in remarks(one)],
        "sources": [_source(source) for source in one.sources],
        "successor": None if one.successor is None else _source(one.successor),
    }


def shown_log(log: Log) -> list[Shown]:
    """Return people's verdicts on each claim, and the citations outside the claims, in the form of the
    page."""
    return [
        {
            "number": one.number,
            "finding": one.finding,
            "word": log.heading(one),
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
    """Return the totals of a text: its axes in numbers and words, and by claim the verdicts that people gave
    instead, with the wording for them."""
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
    values = source_to_json(source)
    quote = [[marked(text), kind] for text, kind in pieces(source)]
    return values | {"quote": quote, "citation": marked(values["citation"])}

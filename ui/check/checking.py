"""One request of the Check view: its limits, the audit, what is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import Field

from engine.access.users import Role
from engine.answers.audit import Audit, Auditor, Checked
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import checked_to_json, pieces, review_words, source_to_json
from engine.answers.audit.log import WORDS, Log, Tally, verdict_words
from engine.answers.audit.record import Source, key_of, remarks
from engine.corpus.journal import LONGEST_NAME, LONGEST_NOTE
from engine.corpus.protocol import Corpus
from engine.language.characters import marked
from engine.verbs.requests import CorpusName, Key, LowestGrade, Request, SentFile
from ui.jobs.jobs import Job, Owner, Rules

# How much a visitor may have checked: the command line has no limit but those of the audit
# itself.

# Audits of all visitors at the same time, those that wait for their turn, and the longest of one, s.
RUNNING, WAITING, LONGEST = 3, 12, 900.0
# Finished audits are kept this long, s, so that a page that comes back still finds them.
REMEMBERED = 1800.0
# What the language model of one audit may use, where it is somebody else's.
MOST_CALLS = 200


# One request of the Check view, checked.


class Ask(Request):
    """One request. ``day`` None is today, ``grade`` the lowest of sources, None for any; ``model``: use the
    language model if there is one."""

    do: Key
    visitor: Key = ""
    # Never what the request says: the server puts these in.
    address: Key = ""
    role: Role = Role.VISITOR
    reviewer: str = Field(default="", max_length=200)
    session: Key = Field(default="", repr=False)
    corpus: CorpusName = ""
    text: str = Field(default="", max_length=LONGEST_TEXT)
    file: SentFile | None = None
    day: date | None = None
    grade: LowestGrade = None
    model: bool = False
    job: Key = ""
    # What somebody says of a verdict: of which claim, what it is instead, a name where nobody is logged in.
    act: Literal["", "confirm", "overrule", "undo"] = ""
    claim: Key = ""
    instead: Key = ""
    note: str = Field(default="", max_length=LONGEST_NOTE)
    name: str = Field(default="", max_length=LONGEST_NAME)
    seen: int = Field(default=0, ge=0)

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)


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

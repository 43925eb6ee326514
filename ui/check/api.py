"""The tool ``audit``: the same audit as the command line gives, over HTTP and MCP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from threading import Event
from typing import Annotated, Any

import orjson
from pydantic import Field

from engine.answers.audit import Auditor, audit
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import audit_to_json
from engine.answers.audit.log import verification_log
from engine.llm import Meter
from engine.records.summaries import Slim
from engine.verbs.requests import Blank, Detail, LowestGrade, Request
from ui.case_views import may_judge
from ui.check.checking import LONGEST
from ui.shelf import Library
from ui.tools.caller import ServerCaller
from ui.tools.questions import OfCorpus
from ui.tools.tool import tool_verb


class Auditing(Request):
    """What ``/audit`` takes: the law of which day (None: of today), the lowest grade of a source."""

    text: str = Field(max_length=LONGEST_TEXT, description="The text, up to 60,000 characters.")
    corpus: OfCorpus = ""
    day: Annotated[date | None, Blank] = Field(
        default=None, description="The law of this day (2024-06-01); null for today."
    )
    grade: LowestGrade = Field(default=None, description="Lowest grade of a source, A to E; null for any.")
    detail: Detail = "slim"


class OfAnAudit(Slim):
    """What ``audit`` gives."""

    corpus: str
    day: str
    text: str = Field(description="the text that was checked")
    claims: list[dict[str, Any]] = Field(
        description="each claim with its finding, why, its citations, and the sources that were compared"
    )
    citations_outside_claims: list[dict[str, Any]]
    wrong_citations: list[dict[str, Any]] = Field(description="citations of what the corpus has not")
    below_minimum_grade: list[int] = Field(description="numbers of claims")
    notes: list[str]
    verification_log: dict[str, Any] | None = Field(description="every claim with its verdict, for a file")


@contextmanager
def waited_meter(asking: ServerCaller) -> Iterator[Meter]:
    """A meter that ends an audit when its caller hangs up, or after as long as one may take on the page."""
    hung_up, until = Event(), time.monotonic() + LONGEST
    with asking.waiting(hung_up.set):
        yield Meter(cancelled=lambda: hung_up.is_set() or time.monotonic() > until)


def audited(
    library: Library, asked: Auditing, *, reviews: bool = False, key: str = "", meter: Meter | None = None
) -> dict[str, Any]:
    """Audit a text without a language model; with ``reviews`` the log tells what people said of verdicts;
    ``key`` is whose own corpora may be asked, and ``meter`` ends the audit.

    Raises InputError for an empty text, CancelledError.
    """
    corpus = library.corpus(asked.corpus or None, key)
    found = audit(asked.text, Auditor(corpus, day=asked.day, minimum=asked.grade, meter=meter))
    log = verification_log(found, corpus, reviews=reviews)
    # Through JSON once, so that tuples are lists for every kind of caller.
    plain: dict[str, Any] = orjson.loads(orjson.dumps(audit_to_json(found, log)))
    return plain


def _audit(asking: ServerCaller, asked: Auditing) -> dict[str, Any]:
    asking.log("check", asked.corpus)
    reviews = may_judge(asking.library, asking.person, asked.corpus or None)
    with waited_meter(asking) as meter:
        return audited(asking.library, asked, reviews=reviews, key=asking.person.key, meter=meter)


TOOL = tool_verb(
    "audit",
    "Check a text",
    "Check the claims and citations of a text against a corpus: which are borne by it, word for word, which "
    "are contradicted, and which citations lead to nothing.",
    Auditing,
    _audit,
    OfAnAudit,
)

"""The endpoint ``/audit``: the same audit as the command line gives, over HTTP and as a tool (MCP)."""

from __future__ import annotations

from datetime import date
from typing import Any

import gradio as gr
import orjson
from gradio.events import api
from pydantic import Field

from engine.access.audit_log import record
from engine.answers.audit import Auditor, audit
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import audit_to_json
from engine.answers.audit.log import verification_log
from engine.errors import RedstringError, for_visitors
from ui.access.asking import person_of
from ui.asked import CorpusName, LowestGrade, Request, checked
from ui.judging import may_judge
from ui.session import CASES
from ui.shelf import Library


class Auditing(Request):
    """What ``/audit`` takes: the law of which day (None: of today), the lowest grade of a source."""

    text: str = Field(max_length=LONGEST_TEXT)
    corpus: CorpusName = ""
    day: date | None = None
    grade: LowestGrade = None


def audited(library: Library, asked: Auditing, *, reviews: bool = False) -> dict[str, Any]:
    """Audit a text without a language model; with ``reviews`` the log tells what people said of verdicts.

    Raises InputError for an empty text.
    """
    corpus = library.corpus(asked.corpus or None)
    found = audit(asked.text, Auditor(corpus, day=asked.day, minimum=asked.grade))
    log = verification_log(found, corpus, reviews=reviews)
    # Through JSON once, so that tuples are lists for every kind of caller.
    plain: dict[str, Any] = orjson.loads(orjson.dumps(audit_to_json(found, log)))
    return plain


def add_audit_api(library: Library) -> None:
    """Add the named endpoint ``/audit`` to the page that is being built."""

    def endpoint(
        request: gr.Request, text: str, corpus: str = "", day: str = "", grade: str | None = None
    ) -> dict[str, Any]:
        """Check the claims and citations of a text against a corpus and return all findings as JSON.

        text: the text, up to 60,000 characters. corpus: a name of a corpus, empty for the first. day: the law
        of this day (2024-06-01), empty for today. grade: lowest grade of a source, A to E, empty for any.
        """
        try:
            given = {"text": text, "corpus": corpus or "", "day": day or None, "grade": grade}
            asked = checked(Auditing, given)
            person = person_of(library.settings, request)
            record(person, "check", library.find(asked.corpus or None).folder.name, "done")
            reviews = may_judge(library, person, asked.corpus or None)
            return audited(library, asked, reviews=reviews)
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "audit"
    api(endpoint, api_name="audit", queue=False, concurrency_id=CASES)

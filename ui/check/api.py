"""The endpoint ``/audit``: the same audit as the command line gives, over HTTP and as a tool (MCP)."""

from __future__ import annotations

from datetime import date
from typing import Any

import gradio as gr
import orjson
from gradio.events import api

from engine.access.audit_log import record
from engine.answers.audit import Auditor, audit
from engine.answers.audit.export import audit_to_json
from engine.errors import InputError, RedstringError
from ui.access.asking import person_of
from ui.session import CASES
from ui.shelf import Library


def audited(library: Library, text: str, corpus: str, day: str, grade: float | None) -> dict[str, Any]:
    """Audit a text without a language model. Raises InputError for an empty text, a day that is none."""
    try:
        as_of = date.fromisoformat(day) if day else None
    except ValueError:
        raise InputError(f"day: {day!r} is no day: write 2024-06-01") from None
    auditor = Auditor(library.corpus(corpus or None), day=as_of, minimum=grade)
    # Through JSON once, so that tuples are lists for every kind of caller.
    plain: dict[str, Any] = orjson.loads(orjson.dumps(audit_to_json(audit(text, auditor))))
    return plain


def add_audit_api(library: Library) -> None:
    """Add the named endpoint ``/audit`` to the page that is being built."""

    def endpoint(
        request: gr.Request, text: str, corpus: str = "", day: str = "", grade: float | None = None
    ) -> dict[str, Any]:
        """Check the claims and citations of a text against a corpus and return all findings as JSON.

        text: the text, up to 60,000 characters. corpus: a name of a corpus, empty for the first. day: the law
        of this day (2024-06-01), empty for today. grade: lowest grade of a source, 0 to 1, null for any.
        """
        try:
            person = person_of(library.settings, request)
            record(person, "check", library.find(corpus or None).folder.name, "done")
            return audited(library, text, corpus, day, grade)
        except RedstringError as error:
            raise gr.Error(str(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "audit"
    api(endpoint, api_name="audit", queue=False, concurrency_id=CASES)

"""The endpoint ``/grades``: the grades of a corpus's documents over HTTP and as a tool (MCP), for whoever may
judge its links."""

from __future__ import annotations

from typing import Any, Literal

import gradio as gr
import orjson
from gradio.events import api
from pydantic import Field

from engine.access.audit_log import record
from engine.access.people import Person
from engine.access.roles import Action, may
from engine.corpus.grades import (
    LONGEST_DOCUMENT,
    LONGEST_KIND,
    Subject,
    grade_from,
    grades_of,
    grades_to_json,
    set_grade,
    unset_grade,
)
from engine.corpus.signing import LONGEST_NOTE
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from ui.access.asking import person_of
from ui.asked import CorpusName, Request, checked
from ui.session import CASES
from ui.shelf import Library


class Grading(Request):
    """What ``/grades`` takes: what to do, of which kind or document, and the grade."""

    act: Literal["list", "set", "unset"]
    kind: str | None = Field(default=None, max_length=LONGEST_KIND)
    document: str | None = Field(default=None, max_length=LONGEST_DOCUMENT)
    grade: str = Field(default="", max_length=20)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    corpus: CorpusName = ""

    @property
    def subject(self) -> tuple[Subject, str]:
        """What is graded. Raises InputError where that was not said."""
        if (self.kind is None) == (self.document is None):
            raise InputError(f"{self.act}: give a kind or a document")
        return ("kind", self.kind or "") if self.document is None else ("document", self.document)


def grading(library: Library, person: Person, asked: Grading) -> dict[str, Any]:
    """Do what is asked; the grades as they are then. Raises AccessError where the person may not, InputError
    for what is no grade, no kind and no document of the corpus."""
    shelved = library.find(asked.corpus or None, person.key)
    if not may(person.role, Action.JUDGE, own=library.belongs(shelved)):
        raise AccessError(f"documents of {shelved.name!r} are graded by its reviewers")
    corpus = library.open(shelved)
    if asked.act == "set":
        set_grade(corpus, *asked.subject, grade_from(asked.grade), note=asked.note, reviewer=person.name)
    elif asked.act == "unset":
        unset_grade(corpus, *asked.subject, note=asked.note, reviewer=person.name)
    # Through JSON once, so that grades are plain letters for every kind of caller.
    plain: dict[str, Any] = orjson.loads(orjson.dumps(grades_to_json(grades_of(corpus), corpus)))
    return plain | {"corpus": shelved.name}


def add_grading_api(library: Library) -> None:
    """Add the named endpoint ``/grades`` to the page that is being built."""

    def endpoint(
        request: gr.Request,
        act: str,
        kind: str | None = None,
        document: str | None = None,
        grade: str = "",
        note: str = "",
        corpus: str = "",
    ) -> dict[str, Any]:
        """List the grades A to E of a corpus's documents, give one to a kind or a document, or take it back.
        For reviewers, and for whoever sits at a server of this machine alone.

        act: list, set or unset. kind: a kind of document, empty for documents without one. document: the id
        of one document, instead of a kind. grade: A, B, C, D, E, or none. note: why. corpus: a name of a
        corpus, empty for the first.
        """
        try:
            given = {"act": act, "kind": kind, "document": document, "grade": grade, "note": note}
            asked = checked(Grading, given | {"corpus": corpus or ""})
            person = person_of(library.settings, request)
            told = grading(library, person, asked)
            if asked.act != "list":
                record(person, "grade", library.find(asked.corpus or None, person.key).folder.name, "done")
            return told
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "grades"
    api(endpoint, api_name="grades", queue=False, concurrency_id=CASES)

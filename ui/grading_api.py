"""The tool ``grades``: grades of a corpus's documents over HTTP and MCP, for whoever may judge its links."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from pydantic import Field

from engine.access.users import Action, Person, may
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
from engine.corpus.journal import LONGEST_NOTE
from engine.errors import AccessError, InputError
from engine.records.summaries import Slim
from engine.verbs.requests import Detail, Request
from ui.shelf import Library
from ui.tools.caller import ServerCaller
from ui.tools.questions import OfCorpus
from ui.tools.tool import tool_verb


class Grading(Request):
    """What ``/grades`` takes: what to do, of which kind or document, and the grade."""

    act: Literal["list", "set", "unset"] = Field(
        description="What to do: list the grades, set one, or unset it."
    )
    kind: str | None = Field(
        default=None, max_length=LONGEST_KIND,
        description="A kind of document; an empty text for documents without one, null to name a document.",
    )  # fmt: skip
    document: str | None = Field(
        default=None, max_length=LONGEST_DOCUMENT, description="Id of one document, instead of a kind."
    )
    grade: str = Field(default="", max_length=20, description="A, B, C, D, E, or none.")
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")
    corpus: OfCorpus = ""
    detail: Detail = "slim"

    @property
    def subject(self) -> tuple[Subject, str]:
        """What is graded. Raises InputError where that was not said."""
        if (self.kind is None) == (self.document is None):
            raise InputError(f"{self.act}: give a kind or a document")
        return ("kind", self.kind or "") if self.document is None else ("document", self.document)


class OfGrades(Slim):
    """What ``grades`` gives: the grades as they are then."""

    corpus: str
    kinds: list[dict[str, Any]] = Field(description="kinds of documents, each with its grade")
    documents: list[dict[str, Any]] = Field(description="documents that have a grade of their own")


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


def _grade(asking: ServerCaller, asked: Grading) -> dict[str, Any]:
    told = grading(asking.library, asking.person, asked)
    if asked.act != "list":
        asking.log("grade", asked.corpus)
    return told


TOOL = tool_verb(
    "grades",
    "Grade documents",
    "List the grades A to E of a corpus's documents, give one to a kind or a document, or take it back. For "
    "reviewers, and for whoever sits at a server of this machine alone.",
    Grading,
    _grade,
    OfGrades,
    reads=False,
)

"""The endpoint ``/review``: what people say of verdicts over HTTP and as a tool (MCP), for whoever may judge
the links of the corpus."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import gradio as gr
import orjson
from gradio.events import api
from pydantic import Field

from engine.access.audit_log import record
from engine.access.people import Person
from engine.access.roles import Action, may
from engine.answers.audit import Auditor, audit
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.log import verification_log
from engine.answers.audit.log_export import log_to_json
from engine.answers.audit.reviewing import Saying, say
from engine.corpus.confirmations import load_confirmations, standing_confirmations
from engine.corpus.signing import LONGEST_NAME, LONGEST_NOTE
from engine.errors import AccessError, CorpusError, InputError, RedstringError, for_visitors
from ui.access.asking import person_of
from ui.asked import CorpusName, Key, LowestGrade, Request, checked
from ui.session import CASES
from ui.shelf import Library

MOST_CLAIMS, MOST_LISTED = 200, 500


class Reviewing(Request):
    """What ``/review`` takes: what to do, the text that was checked and how (as ``/audit`` takes it), the
    numbers of its claims, and the right verdict; ``name`` counts where nobody is logged in."""

    act: Literal["confirm", "overrule", "undo", "list"]
    text: str = Field(default="", max_length=LONGEST_TEXT)
    claims: list[Key] = Field(default_factory=list, max_length=MOST_CLAIMS)
    instead: Key = ""
    note: str = Field(default="", max_length=LONGEST_NOTE)
    name: str = Field(default="", max_length=LONGEST_NAME)
    corpus: CorpusName = ""
    day: date | None = None
    grade: LowestGrade = None


def reviewing(library: Library, person: Person, asked: Reviewing) -> dict[str, Any]:
    """Check the text again, keep what is said of its verdicts, and tell the log as it is then; or list all
    that stands. Nothing is kept unless all of it can be.

    Raises AccessError where the person may not, InputError for a claim or a verdict that there is none of.
    """
    shelved = library.find(asked.corpus or None, person.key)
    if not may(person.role, Action.JUDGE, own=library.belongs(shelved)):
        raise AccessError(f"verdicts against {shelved.name!r} are confirmed by its reviewers")
    corpus = library.open(shelved)
    if corpus.folder is None:
        raise CorpusError(f"{corpus.name!r} lies in no folder: there is no place for confirmations")
    if asked.act == "list":
        standing = list(standing_confirmations(load_confirmations(corpus.folder)).values())
        told = [one.model_dump(mode="json") for one in standing[-MOST_LISTED:]]
        return {"corpus": shelved.name, "confirmations": told, "total": len(standing)}
    if not asked.claims:
        raise InputError(f"claims: which of them to {asked.act} was not said; /audit gives their numbers")
    if asked.instead and asked.act != "overrule":
        raise InputError(f"instead: the right verdict is said to overrule one, not to {asked.act} it")
    found = audit(asked.text, Auditor(corpus, day=asked.day, minimum=asked.grade))
    sayings = [Saying(asked.act, number, asked.instead) for number in dict.fromkeys(asked.claims)]
    log = verification_log(found, corpus)
    done = say(corpus, log, sayings, note=asked.note, reviewer=person.name or asked.name)
    # Through JSON once, so that grades are plain letters for every kind of caller.
    log_then: dict[str, Any] = orjson.loads(orjson.dumps(log_to_json(verification_log(found, corpus))))
    kept = [one.model_dump(mode="json") for one in done]
    return {"corpus": shelved.name, "confirmations": kept, "verification_log": log_then}


def add_review_api(library: Library) -> None:
    """Add the named endpoint ``/review`` to the page that is being built."""

    def endpoint(
        request: gr.Request,
        act: str,
        text: str = "",
        claims: list[str] | None = None,
        instead: str = "",
        note: str = "",
        name: str = "",
        corpus: str = "",
        day: str = "",
        grade: str | None = None,
    ) -> dict[str, Any]:
        """Confirm or overrule verdicts on the claims of a checked text, take that back, or list what stands.
        For reviewers, and for whoever sits at a server of this machine alone.

        Args:
            act: confirm, overrule, undo or list.
            text: The text that was checked, up to 60,000 characters.
            claims: Their numbers as audit gives them ("3", "c1"); it is said of all of them, or none.
            instead: The right verdict, to overrule one: supported, contradicted, related, not_in_corpus ...
            note: Why.
            name: Who says so, where nobody logs in.
            corpus: A name of a corpus; empty for the first.
            day: The law of this day (2024-06-01), as the text was checked; empty for today.
            grade: Lowest grade of a source, as the text was checked.
        """
        try:
            given = {"act": act, "text": text, "claims": claims or [], "instead": instead, "note": note}
            more = {"name": name, "corpus": corpus or "", "day": day or None, "grade": grade}
            asked = checked(Reviewing, given | more)
            person = person_of(library.settings, request)
            told = reviewing(library, person, asked)
            if asked.act != "list":
                corpus_id = library.find(asked.corpus or None, person.key).folder.name
                record(person, f"review: {asked.act}", corpus_id, "done")
            return told
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "review"
    api(endpoint, api_name="review", queue=False, concurrency_id=CASES)

"""The tool ``review``: what people say of verdicts over HTTP and MCP, for whoever may judge the links of the
corpus."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from engine.access.users import Action, Person, may
from engine.answers.audit import Auditor, audit
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import log_to_json
from engine.answers.audit.log import ReviewAction, record_reviews, verification_log
from engine.corpus.journal import LONGEST_NAME, LONGEST_NOTE
from engine.corpus.judgements import load_confirmations, standing_confirmations
from engine.errors import AccessError, CorpusError, InputError
from engine.llm import Meter
from engine.records.summaries import Slim
from engine.verbs.requests import Blank, Detail, Key, LowestGrade, Request
from ui.check.api import waited_meter
from ui.shelf import Library
from ui.tools.caller import ServerCaller
from ui.tools.questions import OfCorpus
from ui.tools.tool import tool_verb

MOST_CLAIMS, MOST_LISTED = 200, 500


class Reviewing(Request):
    """What ``/review`` takes: what to do, the text that was checked and how (as ``/audit`` takes it), the
    numbers of its claims, and the right verdict; ``name`` counts where nobody is logged in."""

    act: Literal["confirm", "overrule", "undo", "list"] = Field(
        description="What to do: confirm or overrule verdicts, undo that, or list what stands."
    )
    text: str = Field(
        default="", max_length=LONGEST_TEXT, description="The text that was checked, up to 60,000 characters."
    )
    claims: list[Key] = Field(
        default_factory=list, max_length=MOST_CLAIMS,
        description='Numbers of claims as audit gives them ("3", "c1"); it is said of all of them, or none.',
    )  # fmt: skip
    instead: Key = Field(
        default="",
        description="The right verdict, to overrule one: supported, contradicted, related, not_in_corpus ...",
    )
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")
    name: str = Field(default="", max_length=LONGEST_NAME, description="Who says so, where nobody logs in.")
    corpus: OfCorpus = ""
    day: Annotated[date | None, Blank] = Field(
        default=None, description="The law of this day (2024-06-01), as the text was checked; null for today."
    )
    grade: LowestGrade = Field(default=None, description="Lowest grade of a source, as the text was checked.")
    detail: Detail = "slim"


class OfAReview(Slim):
    """What ``review`` gives."""

    corpus: str
    confirmations: list[dict[str, Any]] = Field(description="given now, or standing (list)")
    total: int | None = Field(default=None, description="how many stand")
    verification_log: dict[str, Any] | None = Field(default=None, description="the log as it is then")


def reviewing(
    library: Library, person: Person, asked: Reviewing, meter: Meter | None = None
) -> dict[str, Any]:
    """Check the text again, keep what is said of its verdicts, and tell the log as it is then; or list all
    that stands. Nothing is kept unless all of it can be.

    Raises AccessError where the person may not, InputError for a claim or a verdict that there is none of.
    """
    shelved = library.find(asked.corpus or None, person.key)
    if not may(person.role, Action.JUDGE, own=library.belongs(shelved)):
        raise AccessError(f"verdicts against {shelved.name!r} are confirmed by its reviewers")
    corpus = library.open(shelved)
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for confirmations")
    if asked.act == "list":
        standing = list(standing_confirmations(load_confirmations(corpus.journals)).values())
        told = [one.model_dump(mode="json") for one in standing[-MOST_LISTED:]]
        return {"corpus": shelved.name, "confirmations": told, "total": len(standing)}
    if not asked.claims:
        raise InputError(f"claims: which of them to {asked.act} was not said; /audit gives their numbers")
    if asked.instead and asked.act != "overrule":
        raise InputError(f"instead: the right verdict is said to overrule one, not to {asked.act} it")
    found = audit(asked.text, Auditor(corpus, day=asked.day, minimum=asked.grade, meter=meter))
    sayings = [ReviewAction(asked.act, number, asked.instead) for number in dict.fromkeys(asked.claims)]
    log = verification_log(found, corpus)
    done = record_reviews(corpus, log, sayings, note=asked.note, reviewer=person.name or asked.name)
    # Through JSON once, so that grades are plain letters for every kind of caller.
    log_then: dict[str, Any] = orjson.loads(orjson.dumps(log_to_json(verification_log(found, corpus))))
    kept = [one.model_dump(mode="json") for one in done]
    return {"corpus": shelved.name, "confirmations": kept, "verification_log": log_then}


def _review(asking: ServerCaller, asked: Reviewing) -> dict[str, Any]:
    with waited_meter(asking) as meter:
        told = reviewing(asking.library, asking.person, asked, meter)
    if asked.act != "list":
        asking.log(f"review: {asked.act}", asked.corpus)
    return told


TOOL = tool_verb(
    "review",
    "Confirm or overrule verdicts",
    "Confirm or overrule verdicts on the claims of a checked text, take that back, or list what stands. For "
    "reviewers, and for whoever sits at a server of this machine alone.",
    Reviewing,
    _review,
    OfAReview,
    reads=False,
)

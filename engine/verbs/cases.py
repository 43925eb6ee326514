"""Verbs on the cases of a caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from engine.errors import InputError
from engine.language.characters import shortened
from engine.records.store import EVERYBODY
from engine.records.summaries import Slim
from engine.verbs.requests import CorpusName, Day, Key, Request, option
from engine.verbs.verb import Caller, Response, Tool, Verb

if TYPE_CHECKING:
    from engine.records.store.database import CaseSummary, Matter

MOST_LISTED = 50
LONGEST_MATTER = 200
# Characters of a question in a line.
_QUESTION = 72


class ListCases(Request):
    """Arguments of ``cases``."""

    words: str = Field(
        default="", max_length=500, description="Words that all stand in the question, the name or the notes."
    )
    corpus: CorpusName = option("", "Only cases of this corpus.", "NAME", flag="--of-corpus")
    evidence: Literal["", "found", "partial", "none"] = Field(
        default="", description="Only where the corpus bore the question so far: found, partial or none."
    )
    verdict: Key = option("", "Only with this verdict.", "V")
    since: Day = option(None, "Begun on this day (2026-01-31) or later.", "DAY")
    until: Day = option(None, "Begun on this day or before.", "DAY")
    matter: str = option("", "Only of this matter; empty for all.", "NAME", max_length=LONGEST_MATTER)
    limit: int = option(20, "At most so many.", "N", ge=1, le=MOST_LISTED)
    offset: int = option(0, "After so many.", "N", ge=0)


class ListCasesOptions(ListCases):
    """Options of ``cases list``: a terminal shows lists of any length."""

    limit: int = option(50, "At most so many.", "N", ge=1)


class SlimSummary(Slim):
    """A case in a list."""

    id: str = Field(description="case, follow and export take it")
    matter: str = Field(description="name of the matter that it belongs to")
    name: str
    question: str
    corpus: str
    started: str = Field(description="UTC, ISO 8601")
    evidence: str = Field(description="found, partial or none")
    coverage: float | None = Field(
        description="share of what it needs that is covered; null where not measured"
    )
    passages: int
    rounds: int
    stop_reason: str
    verdict: str | None
    application: str = Field(description="by what it was asked: page, cli, http, mcp ...")
    events: int = Field(description="how much has happened to it")


class CaseList(Slim):
    """Answer of ``cases``."""

    cases: list[SlimSummary] = Field(description="the newest first")
    total: int
    matters: list[str] = Field(description="names of all matters of the caller")


def list_cases(caller: Caller, request: ListCases) -> Response:
    """List cases, the newest first."""
    from engine.records.store.database import CaseFilter

    owner, store = caller.owner, caller.store()
    matters = store.matters(owner)
    found = store.listed(
        CaseFilter(
            words=request.words,
            corpus=request.corpus,
            evidence=request.evidence,
            verdict=request.verdict,
            since="" if request.since is None else request.since.isoformat(),
            until="" if request.until is None else request.until.isoformat(),
            limit=request.limit,
            offset=request.offset,
        ),
        find_matter(caller, matters, request.matter) if request.matter else None,
        owner,
    )
    return Response(
        {"total": found.total, "cases": [asdict(one) for one in found.cases]},
        [*map(case_line, found.cases), f"{len(found.cases):,} of {found.total:,}"],
        extra={"matters": {one.id: one.name for one in matters}},
    )


def find_matter(caller: Caller, matters: list[Matter], name: str) -> Matter:
    """Return a matter of the caller by its name; on the command line also any matter by its id.

    Raises InputError for an unknown one.
    """
    is_operator = caller.owner is EVERYBODY
    own = {one.name: one for one in matters if not (is_operator and one.owner)}
    found = own.get(name) or next((one for one in matters if is_operator and one.id == name), None)
    if found is not None:
        return found
    if is_operator:
        raise InputError(f"there is no matter {name!r}; known: {', '.join(own) or 'none'}")
    raise InputError(f"matter: you have none of the name {name!r}")


def case_line(one: CaseSummary) -> str:
    """Return a case in a line."""
    short = shortened(one.name or one.question, _QUESTION)
    coverage = "" if one.coverage_score is None else f", coverage {one.coverage_score:.2f}"
    verdict = "" if one.verdict is None else f", {one.verdict}"
    return f"{one.id}  {one.started[:16]}  {one.corpus}: {short} ({one.evidence}{coverage}{verdict})"


def _list_for_tools(response: Response) -> Mapping[str, Any]:
    # A matter may have been made since the list of them was read.
    matters = response.extra["matters"]
    cases = [
        {
            **{name: one[name] for name in SlimSummary.model_fields if name in one},
            "matter": matters.get(one["matter"], ""),
            "coverage": one["coverage_score"],
        }
        for one in response.values["cases"]
    ]
    return {"cases": cases, "total": response.values["total"], "matters": sorted(matters.values())}


LIST_CASES = Verb(
    "cases list",
    "cases, the newest first",
    ListCases,
    list_cases,
    Tool(
        "cases",
        "List cases",
        "List the caller's kept cases, the newest first, with what was found and how sure that is.",
        CaseList,
        full=_list_for_tools,
    ),
    options=ListCasesOptions,
)

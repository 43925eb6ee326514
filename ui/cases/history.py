"""The history: the caller's cases, the newest first, searched and filtered."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from engine.records.store.database import CaseFilter, Matter
from engine.verbs.requests import CorpusName
from ui.calls import Answer, Call
from ui.cases.access import EVIDENCE, LONGEST_VERDICT, CaseAccess, MatterForm, no_key, shown

PAGE_SIZE = 50
LONGEST_SEARCH = 200
# An empty field of a form is sent as an empty text.
Day = Annotated[date | None, BeforeValidator(lambda sent: None if sent == "" else sent)]


class HistoryForm(MatterForm):
    """The filters of the list, and the page of it. ``choices``: the answer has the values to filter by."""

    words: str = Field(default="", max_length=LONGEST_SEARCH)
    corpus: CorpusName = ""
    evidence: Literal["", "found", "partial", "none"] = ""
    verdict: str = Field(default="", max_length=LONGEST_VERDICT)
    since: Day = None
    until: Day = None
    choices: bool = False
    page: int = Field(default=0, ge=0, le=100_000)


def history(access: CaseAccess, form: HistoryForm) -> Answer:
    """Return a page of the list, and the values to filter it by if they are requested."""
    store, matter = access.store, access.matter(form.matter)
    wanted = CaseFilter(
        words=form.words,
        corpus=form.corpus,
        evidence=form.evidence,
        verdict=form.verdict,
        since="" if form.since is None else form.since.isoformat(),
        until="" if form.until is None else form.until.isoformat(),
        limit=PAGE_SIZE,
        offset=PAGE_SIZE * form.page,
    )
    found = store.listed(wanted, matter, access.owner)
    matters = store.matters(access.owner)
    filtered = matter is not None or wanted != CaseFilter(limit=wanted.limit, offset=wanted.offset)
    page = shown(
        "list",
        cases=found.cases,
        total=found.total,
        page=form.page,
        first=wanted.offset,
        last=-(-found.total // PAGE_SIZE) - 1,
        filtered=filtered,
        matters={one.id: one.name for one in matters},
        evidence=EVIDENCE,
    )
    return {"html": {"list": page, **(_filters(access, form, matters) if form.choices else {})}}


def _filters(access: CaseAccess, form: HistoryForm, matters: list[Matter]) -> dict[str, str]:
    choices = access.store.figures(None, access.owner).choices()
    every = {
        "matters": ("All matters", [(one.id, one.name) for one in matters], form.matter),
        "corpora": ("All corpora", [(name, name) for name in choices.corpora], form.corpus),
        "verdicts": ("Any verdict", [(name, name) for name in choices.verdicts], form.verdict),
    }
    return {
        slot: shown("options", all=words, options=options, chosen=chosen)
        for slot, (words, options, chosen) in every.items()
    }


CALLS = (Call("history", HistoryForm, history, keyless=lambda: no_key("list")),)

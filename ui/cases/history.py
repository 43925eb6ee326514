"""The history: cases of whoever asks, the newest first, searched and filtered."""

from __future__ import annotations

from engine.records.store.database import CaseFilter, Matter
from ui.cases.desk import EVIDENCE, Answer, Ask, Own, shown

A_PAGE = 50


def history(own: Own, ask: Ask) -> Answer:
    """A page of the list, and what it can be filtered by where that is asked."""
    store, matter = own.store, own.matter(ask.matter)
    wanted = CaseFilter(
        words=ask.words,
        corpus=ask.corpus,
        evidence=ask.evidence,
        verdict=ask.verdict,
        since="" if ask.since is None else ask.since.isoformat(),
        until="" if ask.until is None else ask.until.isoformat(),
        limit=A_PAGE,
        offset=A_PAGE * ask.page,
    )
    found = store.listed(wanted, matter, own.owner)
    matters = store.matters(own.owner)
    filtered = matter is not None or wanted != CaseFilter(limit=wanted.limit, offset=wanted.offset)
    page = shown(
        "list",
        cases=found.cases,
        total=found.total,
        page=ask.page,
        first=wanted.offset,
        last=-(-found.total // A_PAGE) - 1,
        filtered=filtered,
        matters={one.id: one.name for one in matters},
        evidence=EVIDENCE,
    )
    return {"html": {"list": page, **(_filters(own, ask, matters) if ask.choices else {})}}


def _filters(own: Own, ask: Ask, matters: list[Matter]) -> dict[str, str]:
    choices = own.store.figures(None, own.owner).choices()
    every = {
        "matters": ("All matters", [(one.id, one.name) for one in matters], ask.matter),
        "corpora": ("All corpora", [(name, name) for name in choices.corpora], ask.corpus),
        "verdicts": ("Any verdict", [(name, name) for name in choices.verdicts], ask.verdict),
    }
    return {
        slot: shown("options", all=words, options=options, chosen=chosen)
        for slot, (words, options, chosen) in every.items()
    }


def kept_for_nobody() -> Answer:
    """For somebody who has no key: why nothing is kept."""
    told = shown("nobody")
    return {"html": {"list": told, "records": told}}

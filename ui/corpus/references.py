"""Unresolved references, for a person to resolve; decisions can be undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from engine.access.users import Action
from engine.corpus.embedded.generation import MANIFEST_NAME
from engine.corpus.embedded.publication import DECISIONS_NAME
from engine.corpus.judgements import (
    Decision,
    Place,
    add_decision,
    current_decisions,
    load_decisions,
    locate_reference,
)
from engine.corpus.protocol import Rows
from engine.errors import InputError
from engine.model import Passage, Reference, Relation, Status
from engine.records.phrases import short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Name
from ui.corpus.browser import STATUS_WORDS, Browser, Spot, in_context
from ui.templating import rendered

CASES_SHOWN = 25
# Maximum of references read in one search for words.
MOST_READ = 5000
BLOCK = 250
SUGGESTIONS = 12
OPEN = (Status.AMBIGUOUS, Status.UNRESOLVED)
Decided = Mapping[Place, Decision]
# A reference with its number and its passage.
Found = tuple[int, Reference, Passage]


class ReferenceForm(CorpusForm):
    """The number of a reference."""

    refs: tuple[int, ...] = Field(default=(), max_length=500)


class ReferencesForm(ReferenceForm):
    """A filter of open references; ``kind`` is a status or "decided", ``source`` the number of a document,
    ``first`` a rank among those chosen. With ``refs`` that reference alone."""

    kind: str = Field(default="", max_length=200)
    relation: str = Field(default="", max_length=40)
    source: int | None = Field(default=None, ge=0)
    words: str = Field(default="", max_length=500)
    first: int = Field(default=0, ge=0)


class SuggestionForm(CorpusForm):
    """Words that may name a target."""

    words: str = Field(default="", max_length=500)


class DecisionForm(ReferenceForm):
    """The target of a reference, None if the words refer to nothing."""

    target: str | None = Field(default=None, max_length=1000)


class WithdrawalForm(ReferenceForm):
    """The position of the reference whose decision is to be withdrawn."""

    place: tuple[Name, Name, int] | None = None


def cases(access: CorpusAccess, form: ReferencesForm) -> Answer:
    """Return open references, or those that were decided; ``first`` is the rank of the first row."""
    shelved, browser = access.entry, access.browser()
    decided = current_decisions(load_decisions(shelved.folder))
    writable = access.may(shelved, Action.RESOLVE)
    choices = {
        "relations": _relations(browser),
        "sources": browser.open_sources,
        "waiting": writable and decisions_waiting(shelved.folder),
    }
    if form.kind == "decided":
        every = list(decided.values())
        chosen = every[form.first : form.first + CASES_SHOWN]
        lines, total = [_decided(browser, decision) for decision in chosen], len(every)
        following = form.first + len(lines)
    else:
        numbers = _chosen(browser, form)
        found = list(islice(_matching(browser, numbers, form), CASES_SHOWN))
        lines, total = [_case(browser, one, decided) for _, one in found], len(numbers)
        following = found[-1][0] + 1 if len(found) == CASES_SHOWN else min(total, form.first + MOST_READ)
    html = _html(lines, writable=writable, first=following, total=total)
    return {"html": html, "total": total, **choices}


def suggest(access: CorpusAccess, form: SuggestionForm) -> Answer:
    """Return targets that some words may name: an id, a document, a heading, a document with a number."""
    browser = access.browser()
    spots = _spots(browser, form.words.strip())
    found = [_candidate(browser, spot) for spot in spots[:SUGGESTIONS]]
    return {"html": rendered("corpus/candidates.html", found=found)}


def decide(access: CorpusAccess, form: DecisionForm) -> Answer:
    """Store a decision on a reference: the id of its target, or None if it is not a reference."""
    shelved, browser = access.entry, access.browser()
    if form.target is not None and browser.spot(form.target) is None:
        raise InputError(f"{form.target!r} is not in this corpus")
    found = _one(browser, form)
    _, reference, passage = found
    place = locate_reference(reference.source_id, passage.text, reference.span)
    decision = add_decision(shelved.folder, place, form.target)
    return {"html": _case_html(browser, found, {place: decision}), "waiting": True}


def undo(access: CorpusAccess, form: WithdrawalForm) -> Answer:
    """Withdraw a decision; the reference is open again."""
    shelved = access.entry
    if form.place is None:
        raise InputError("the request names no decision")
    place = Place(*form.place)
    if place not in current_decisions(load_decisions(shelved.folder)):
        raise InputError("this decision has been taken back already")
    add_decision(shelved.folder, place, None, withdrawn=True)
    if not form.refs:
        return {"html": "", "waiting": True}
    browser = access.browser()
    return {"html": _case_html(browser, _one(browser, form), {}), "waiting": True}


def decisions_waiting(folder: Path) -> bool:
    """Return whether there are decisions since the corpus was last written."""
    try:
        return (folder / DECISIONS_NAME).stat().st_mtime_ns > (folder / MANIFEST_NAME).stat().st_mtime_ns
    except OSError:
        return False


def _one(browser: Browser, form: ReferenceForm) -> Found:
    total = len(browser.corpus.reference_numbers())
    if len(form.refs) != 1 or not 0 <= form.refs[0] < total:
        raise InputError("there is no such reference (any more)")
    reference = browser.corpus.references([form.refs[0]])[0]
    passage = browser.corpus.passages(browser.corpus.rows([reference.source_id]))[0]
    return form.refs[0], reference, passage


def _chosen(browser: Browser, form: ReferencesForm) -> Rows:
    if form.refs:
        return browser.corpus.reference_numbers()[list(form.refs[:1])]
    statuses = [status for status in OPEN if not form.kind or status.value == form.kind]
    relations = [Relation(form.relation)] if form.relation in set(Relation) else None
    return browser.corpus.reference_numbers(statuses=statuses, relations=relations, document=form.source)


def _matching(browser: Browser, numbers: Rows, form: ReferencesForm) -> Iterator[tuple[int, Found]]:
    """Yield references that contain the words, with their rank among the chosen and their passage."""
    wanted = form.words.casefold().strip()
    for start in range(form.first, min(len(numbers), form.first + MOST_READ), BLOCK):
        block = numbers[start : start + BLOCK].tolist()
        references = browser.corpus.references(block)
        kept = [at for at, found in enumerate(references) if not wanted or wanted in found.text.casefold()]
        for at in kept:
            reference = references[at]
            passage = browser.corpus.passages(browser.corpus.rows([reference.source_id]))[0]
            yield start + at, (block[at], reference, passage)


def _case(browser: Browser, found: Found, decided: Decided) -> Mapping[str, Any]:
    number, reference, passage = found
    place = locate_reference(reference.source_id, passage.text, reference.span)
    decision = decided.get(place)
    spots = [spot for candidate in reference.candidates if (spot := browser.spot(candidate)) is not None]
    return {
        "number": number,
        "place": place,
        "is_decided": decision is not None,
        "verdict": "" if decision is None else _verdict(browser, decision),
        **_source(browser, passage),
        "relation": reference.relation,
        "status": "decided" if decision is not None else STATUS_WORDS[reference.status],
        "words": in_context(passage.text, reference.span.start, reference.span.end, 180),
        "candidates": [_candidate(browser, spot) for spot in spots] if decision is None else (),
    }


def _case_html(browser: Browser, found: Found, decided: Decided) -> str:
    return _html([_case(browser, found, decided)], writable=True)


def _html(cases: Sequence[Mapping[str, Any]], *, writable: bool, first: int = 0, total: int = 0) -> str:
    """Return cases as lines, and a button for those from ``first`` to ``total``."""
    return rendered("corpus/references.html", cases=cases, writable=writable, next=first, rest=total - first)


def _source(browser: Browser, passage: Passage) -> Mapping[str, Any]:
    number = browser.number(passage.document_id) or 0
    cited = short_citation(passage, browser.document(number))
    return {"document": number, "passage": passage, "cited": cited}


def _candidate(browser: Browser, spot: Spot) -> Mapping[str, str]:
    document = browser.document(spot.document)
    return {
        "id": spot.id,
        "name": browser.name(spot),
        "title": "" if spot.id == document.id else document.title or document.id,
        "beginning": " ".join(browser.passage(spot).text[:160].split()),
    }


def _verdict(browser: Browser, decision: Decision) -> str:
    if decision.target_id is None:
        return "No reference"
    spot = browser.spot(decision.target_id)
    if spot is None:
        return decision.target_id
    words, title = browser.name(spot), browser.document(spot.document).title
    return words if title in words else f"{words}, {title}"


def _decided(browser: Browser, decision: Decision) -> Mapping[str, Any]:
    row = int(browser.corpus.rows([decision.source_id])[0])
    passage = None if row < 0 else browser.corpus.passages(np.asarray([row], np.int32))[0]
    source = {"passage": None, "cited": decision.source_id} if passage is None else _source(browser, passage)
    return {
        "number": None,
        "place": decision.place,
        "is_decided": True,
        "verdict": _verdict(browser, decision),
        **source,
        "relation": None,
        "status": "decided",
        "words": ("", decision.text, ""),
    }


def _spots(browser: Browser, words: str) -> list[Spot]:
    if not words:
        return []
    exact = browser.spot(words)
    found = [exact] if exact is not None else []
    for number, place in browser.find(words, SUGGESTIONS):
        if place is None:
            found.append(Spot(number, 0, browser.document(number).id))
        else:
            section = browser.outline(number).sections[place]
            found.append(Spot(number, section.first, section.id))
    found += browser.numbered(words)
    return list(dict.fromkeys(found))


def _relations(browser: Browser) -> list[str]:
    return [name for name, count in browser.corpus.info().references_by_relation.items() if count]


CALLS = (
    Call("cases", ReferencesForm, cases),
    Call("suggest", SuggestionForm, suggest),
    Call("decide", DecisionForm, decide, audit="decide", needs=Action.RESOLVE),
    Call("undo", WithdrawalForm, undo, audit="undo", needs=Action.RESOLVE),
)

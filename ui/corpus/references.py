"""Unresolved references, for a person to resolve; decisions can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

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
from engine.language.characters import attribute, escape
from engine.model import RELATION_VERBS, Passage, Reference, Relation, Status
from engine.records.phrases import short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Name
from ui.corpus.browser import STATUS_WORDS, Browser, Spot, direction
from ui.corpus.text import around, place_name

CASES_SHOWN = 25
# Maximum of references read in one search for words.
MOST_READ = 5000
BLOCK = 250
SUGGESTIONS = 12
OPEN = (Status.AMBIGUOUS, Status.UNRESOLVED)


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
        lines = [_decided_html(browser, decision, writable=writable) for decision in decided.values()]
        shown = lines[form.first : form.first + CASES_SHOWN]
        following = form.first + len(shown)
        return {
            "html": "".join(shown) + _more(following, len(lines)),
            "total": len(lines),
            **choices,
        }
    numbers = _chosen(browser, form)
    found = list(islice(_matching(browser, numbers, form), CASES_SHOWN))
    lines = [
        _case_html(browser, number, reference, passage, decided, writable=writable)
        for _, number, reference, passage in found
    ]
    following = found[-1][0] + 1 if len(found) == CASES_SHOWN else min(len(numbers), form.first + MOST_READ)
    return {"html": "".join(lines) + _more(following, len(numbers)), "total": len(numbers), **choices}


def suggest(access: CorpusAccess, form: SuggestionForm) -> Answer:
    """Return targets that some words may name: an id, a document, a heading, a document with a number."""
    browser = access.browser()
    spots = _spots(browser, form.words.strip())
    html = "".join(_candidate(browser, spot) for spot in spots[:SUGGESTIONS])
    return {"html": html or '<p class="hint">No matches.</p>'}


def decide(access: CorpusAccess, form: DecisionForm) -> Answer:
    """Store a decision on a reference: the id of its target, or None if it is not a reference."""
    shelved, browser = access.entry, access.browser()
    if form.target is not None and browser.spot(form.target) is None:
        raise InputError(f"{form.target!r} is not in this corpus")
    number, reference, passage = _one(browser, form)
    place = locate_reference(reference.source_id, passage.text, reference.span)
    decision = add_decision(shelved.folder, place, form.target)
    decided: Mapping[Place, Decision] = {place: decision}
    return {"html": _case_html(browser, number, reference, passage, decided, writable=True), "waiting": True}


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
    number, reference, passage = _one(browser, form)
    return {"html": _case_html(browser, number, reference, passage, {}, writable=True), "waiting": True}


def decisions_waiting(folder: Path) -> bool:
    """Return whether there are decisions since the corpus was last written."""
    try:
        return (folder / DECISIONS_NAME).stat().st_mtime_ns > (folder / MANIFEST_NAME).stat().st_mtime_ns
    except OSError:
        return False


def _one(browser: Browser, form: ReferenceForm) -> tuple[int, Reference, Passage]:
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


def _matching(
    browser: Browser, numbers: Rows, form: ReferencesForm
) -> Iterator[tuple[int, int, Reference, Passage]]:
    """Yield references that contain the words, with their rank among the chosen and their passage."""
    wanted = form.words.casefold().strip()
    for start in range(form.first, min(len(numbers), form.first + MOST_READ), BLOCK):
        block = numbers[start : start + BLOCK].tolist()
        references = browser.corpus.references(block)
        kept = [at for at, found in enumerate(references) if not wanted or wanted in found.text.casefold()]
        for at in kept:
            reference = references[at]
            passage = browser.corpus.passages(browser.corpus.rows([reference.source_id]))[0]
            yield start + at, block[at], reference, passage


def _case_html(
    browser: Browser,
    number: int,
    reference: Reference,
    passage: Passage,
    decided: Mapping[Place, Decision],
    *,
    writable: bool,
) -> str:
    place = locate_reference(reference.source_id, passage.text, reference.span)
    decision = decided.get(place)
    spots = [spot for candidate in reference.candidates if (spot := browser.spot(candidate)) is not None]
    if decision is not None:
        below = _verdict(browser, decision, writable=writable)
    elif writable:
        below = _choices(browser, spots)
    else:
        below = "".join(f"<li>{escape(place_name(browser, spot))}</li>" for spot in spots)
        below = f'<ul class="candidates read-only" dir="auto">{below}</ul>' if below else ""
    status = "decided" if decision is not None else STATUS_WORDS[reference.status]
    return (
        f'<li class="case{" done" if decision is not None else ""}" data-ref="{number}" '
        f'data-place="{attribute(json.dumps(place, ensure_ascii=False))}">'
        f"{_source(browser, passage, reference.relation, status)}"
        f'<p class="context" dir="{direction(passage.language)}" lang="{escape(passage.language)}">'
        f"{around(passage.text, reference, 180)}</p>{below}</li>"
    )


def _source(browser: Browser, passage: Passage, relation: Relation | None, status: str) -> str:
    number = browser.number(passage.document_id) or 0
    cited = short_citation(passage, browser.document(number))
    words = (
        ""
        if relation is None
        else f'<span class="rel" data-relation="{relation.value}">{RELATION_VERBS[relation]}</span>'
    )
    return (
        f'<header><a class="go" href="#" data-document="{number}" data-at="{passage.position}" dir="auto">'
        f'{escape(cited)}</a>{words}<span class="state">{escape(status)}</span></header>'
    )


def _choices(browser: Browser, spots: Sequence[Spot]) -> str:
    candidates = "".join(_candidate(browser, spot) for spot in spots)
    return (
        f'<div class="candidates">{candidates}</div><div class="choose">'
        '<input type="search" placeholder="Search a target: act and number, heading or id" '
        'aria-label="Search a target" data-suggest>'
        '<button type="button" data-none>No reference</button></div><div class="suggested"></div>'
    )


def _candidate(browser: Browser, spot: Spot) -> str:
    document = browser.document(spot.document)
    title = "" if spot.id == document.id else document.title or document.id
    text = browser.passages(spot.document, spot.position, spot.position + 1)[0].text
    beginning = " ".join(text[:160].split())
    return (
        f'<button type="button" class="candidate" data-target="{attribute(spot.id)}" dir="auto">'
        f"<b>{escape(place_name(browser, spot))}</b> <small>{escape(title)}</small>"
        f"<span>{escape(beginning)}</span></button>"
    )


def _verdict(browser: Browser, decision: Decision, *, writable: bool) -> str:
    if decision.target_id is None:
        words = "No reference"
    else:
        spot = browser.spot(decision.target_id)
        words = decision.target_id if spot is None else place_name(browser, spot)
        if spot is not None:
            title = browser.document(spot.document).title
            words = words if title in words else f"{words}, {title}"
    undo_button = '<button type="button" data-undo>Undo</button>' if writable else ""
    return f'<p class="verdict"><b dir="auto">{escape(words)}</b>{undo_button}</p>'


def _decided_html(browser: Browser, decision: Decision, *, writable: bool) -> str:
    row = int(browser.corpus.rows([decision.source_id])[0])
    place = escape(json.dumps(decision.place, ensure_ascii=False))
    verdict = _verdict(browser, decision, writable=writable)
    if row < 0:
        state = '<span class="state">its passage was removed</span>'
        source = f"<header><b>{escape(decision.source_id)}</b>{state}</header>"
    else:
        passage = browser.corpus.passages(np.asarray([row], np.int32))[0]
        source = _source(browser, passage, None, "decided")
    quote = f'<p class="context" dir="auto"><mark>{escape(decision.text)}</mark></p>'
    return f'<li class="case done" data-place="{place}">{source}{quote}{verdict}</li>'


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


def _more(first: int, total: int) -> str:
    if first >= total:
        return ""
    return (
        f'<li class="more-cases"><button type="button" data-first="{first}">'
        f"{total - first:,} more</button></li>"
    )


CALLS = (
    Call("cases", ReferencesForm, cases),
    Call("suggest", SuggestionForm, suggest),
    Call("decide", DecisionForm, decide, audit="decide", needs=Action.RESOLVE),
    Call("undo", WithdrawalForm, undo, audit="undo", needs=Action.RESOLVE),
)

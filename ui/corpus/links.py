"""Links to check one after another: the calls, and their HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from engine.access.users import Action
from engine.corpus.extracted import (
    CONCEPT_RELATIONS,
    Judgement,
    Proposal,
    Validation,
    add_validation,
    occurrence_at,
)
from engine.errors import InputError
from engine.extraction.checklist import (
    TERMS,
    Checklist,
    Filter,
    Item,
    Order,
    State,
    by_sort,
    calibration,
    precision,
    sort_of,
)
from engine.language.characters import marked, shortened
from engine.language.quotes import locate
from engine.model import RELATION_VERBS, Passage, Relation
from engine.records.phrases import short_citation
from engine.verbs.verb import Request
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser
from ui.templating import direction, rendered

CONCEPT_WORDS: Mapping[Relation, str] = {
    Relation.DEFINES: "defines",
    Relation.MENTIONS: "turns on",
    Relation.APPLIES_TO: "applies to",
}
SORT_WORDS: Mapping[str, str] = {
    "concept defines": "defines a term",
    "concept mentions": "turns on a concept",
    "concept applies_to": "applies to a concept",
    **{
        relation.value: RELATION_VERBS[relation]
        for relation in (
            Relation.DEFINES,
            Relation.INTERPRETS,
            Relation.EXCEPTION_TO,
            Relation.SUBJECT_TO,
            Relation.WITHOUT_PREJUDICE_TO,
            Relation.EXTENDS,
            Relation.APPLIES_TO,
            Relation.AMENDS,
        )
    },
}
_PASSAGE_CHOICES = (
    Relation.DEFINES, Relation.INTERPRETS, Relation.EXCEPTION_TO, Relation.SUBJECT_TO,
    Relation.WITHOUT_PREJUDICE_TO, Relation.EXTENDS, Relation.APPLIES_TO, Relation.AMENDS,
    Relation.REPEALS, Relation.BASED_ON, Relation.CITES,
)  # fmt: skip
_VERDICTS = {Judgement.ACCEPTED: "Accepted", Judgement.CORRECTED: "Corrected", Judgement.REJECTED: "Rejected"}
LONGEST_TARGET = 1600


@dataclass(frozen=True, slots=True)
class End:
    """One end of a link: a passage with its address. ``quote`` are its marked words between ``before`` and
    ``after``; ``lost``: they are not in the passage."""

    role: str
    document: int
    position: int
    title: str
    name: str
    path: str
    language: str
    before: str
    quote: str = ""
    after: str = ""
    lost: bool = False

    @property
    def direction(self) -> str:
        """The direction of the text."""
        return direction(self.language)


def item_html(browser: Browser, item: Item, everything: Checklist, *, writable: bool) -> str:
    """Return a link with its ends, its verdict, and the form for corrections."""
    proposal, given = item.proposal, item.validation
    correction = "" if given is None or given.correction is None else _correction(browser, given.correction)
    return rendered(
        "corpus/link.html",
        item=item,
        proposal=proposal,
        words=CONCEPT_WORDS if proposal.concept else RELATION_VERBS,
        choices=CONCEPT_RELATIONS if proposal.concept else _PASSAGE_CHOICES,
        verdicts=_VERDICTS,
        found_by=finder_words(proposal, item.origin),
        source=None if item.row < 0 else _source(browser, item),
        target=_target(browser, item, everything),
        correction=correction,
        writable=writable and item.state is not State.STALE,
    )


def finder_words(proposal: Proposal, origin: str) -> str:
    """Return the model or grammar that found a link, without the address of a model's server."""
    if origin == "model":
        return proposal.said_by.removeprefix("openai:").partition("@http")[0] or "a model"
    if proposal.said_by == TERMS:
        return "the pattern for definitions"
    return f"the {proposal.said_by.capitalize()} grammar" if proposal.said_by else "a grammar"


def _source(browser: Browser, item: Item) -> End:
    passage = browser.corpus.passages(browser.corpus.rows([item.proposal.source_id]))[0]
    span, text = item.span, passage.text
    if span is None:
        return replace(_end(browser, passage, text, "from"), quote=item.proposal.quote, lost=True)
    end = _end(browser, passage, text[: span.start], "from")
    return replace(end, quote=text[span.start : span.end], after=text[span.end :])


def _target(browser: Browser, item: Item, everything: Checklist) -> End | None:
    """Return the passage that a link leads to, or the definition of its concept in another passage."""
    proposal = item.proposal
    if proposal.concept:
        definition = everything.defining.get((item.document, proposal.name))
        if definition is None or definition.source_id == proposal.source_id:
            return None
        passage = browser.corpus.passages(browser.corpus.rows([definition.source_id]))[0]
        return _end(browser, passage, shortened(passage.text, LONGEST_TARGET), "defined")
    spot = browser.spot(proposal.target_id or "")
    if spot is None:
        return None
    passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
    named = browser.name(spot) if spot.id != passage.id else ""
    return _end(browser, passage, shortened(passage.text, LONGEST_TARGET), "to", named)


def _end(browser: Browser, passage: Passage, text: str, role: str, named: str = "") -> End:
    number = browser.number(passage.document_id) or 0
    document = browser.document(number)
    return End(
        role,
        number,
        passage.position,
        document.title or document.id,
        named or short_citation(passage, document),
        " › ".join(passage.headings),
        passage.language,
        text,
    )


def _correction(browser: Browser, proposal: Proposal) -> str:
    words = (CONCEPT_WORDS if proposal.concept else RELATION_VERBS)[proposal.relation]
    spot = None if proposal.target_id is None else browser.spot(proposal.target_id)
    target = proposal.concept or (browser.name(spot) if spot else proposal.target_id or "")
    return f"{words} {target}, “{proposal.quote}”"


def figures_html(everything: Checklist) -> str:
    """Return the precision of links of each sort, and the calibration of a model's confidence."""
    verdicts = [item.validation for item in everything.items.values() if item.validation is not None]
    return rendered(
        "corpus/link_figures.html",
        words=SORT_WORDS,
        sorts=by_sort(verdicts),
        together=precision(verdicts),
        bins=calibration(verdicts),
    )


# The calls.

# Maximum of keys sent at once, more than a reviewer checks in one session.
MOST_KEYS = 2000


class LinkFilter(Request):
    """A filter of links, and their order."""

    origin: Literal["", "model", "grammar"] = ""
    sort: str = Field(default="", max_length=60)
    document: int | None = Field(default=None, ge=0)
    low: float = Field(default=0.0, ge=0.0, le=1.0)
    high: float = Field(default=1.0, ge=0.0, le=1.0)
    state: Literal["", "open", "judged", "stale"] = ""
    order: Order = Order.RANDOM

    @property
    def filter(self) -> Filter:
        """The filter in the form of the engine."""
        return Filter(self.origin, self.sort, self.document, self.low, self.high, self.state)


class LinkVerdict(Request):
    """A verdict on a link. Empty fields leave the link as it is; ``at`` is the offset of the quote."""

    key: str = Field(min_length=1, max_length=64)
    judgement: Literal["accepted", "corrected", "rejected"] = "accepted"
    relation: str = Field(default="", max_length=40)
    target: str = Field(default="", max_length=1000)
    concept: str = Field(default="", max_length=200)
    quote: str = Field(default="", max_length=4000)
    at: int | None = Field(default=None, ge=0)
    note: str = Field(default="", max_length=2000)
    reviewer: str = Field(default="", max_length=100)


class LinksForm(CorpusForm):
    """The links to list."""

    wanted: LinkFilter = LinkFilter()


class VerdictForm(CorpusForm):
    """A link by its key, with a verdict on it."""

    said: LinkVerdict


def links(access: CorpusAccess, form: LinksForm) -> Answer:
    """Return the keys of the chosen links in order, the first link as HTML, and the filters' choices."""
    shelved, browser = access.entry, access.browser()
    everything = access.desk.checklists.of(browser, shelved.folder)
    wanted = form.wanted
    writable = access.may(shelved, Action.JUDGE)
    chosen = everything.chosen(wanted.filter, wanted.order)
    states = [item.state for item in everything.items.values()]
    sorts = {sort_of(item.proposal) for item in everything.items.values()}
    documents = {item.document for item in everything.items.values() if item.document >= 0}
    return {
        "keys": [item.proposal.key for item in chosen[:MOST_KEYS]],
        "total": len(chosen),
        "html": item_html(browser, chosen[0], everything, writable=writable) if chosen else "",
        "figures": figures_html(everything),
        "sorts": [[name, words] for name, words in SORT_WORDS.items() if name in sorts],
        "documents": [[number, marked(browser.document(number).title)] for number in sorted(documents)],
        "open": states.count(State.OPEN),
        "judged": states.count(State.JUDGED),
        "stale": states.count(State.STALE),
        "read": any(item.origin == "model" for item in everything.items.values()),
    }


def link(access: CorpusAccess, form: VerdictForm) -> Answer:
    """Return one link."""
    shelved, browser = access.entry, access.browser()
    everything = access.desk.checklists.of(browser, shelved.folder)
    item = _item(everything, form)
    return {"html": item_html(browser, item, everything, writable=access.may(shelved, Action.JUDGE))}


def judge(access: CorpusAccess, form: VerdictForm) -> Answer:
    """Store a verdict on a link. Raises InputError for an invalid correction."""
    shelved, browser = access.entry, access.browser()
    item = _item(access.desk.checklists.of(browser, shelved.folder), form)
    judgement = Judgement(form.said.judgement)
    correction = _corrected(browser, item, form.said) if judgement is Judgement.CORRECTED else None
    add_validation(
        shelved.folder,
        Validation(
            proposal=item.proposal,
            origin=item.origin,
            judgement=judgement,
            correction=correction,
            note=form.said.note.strip(),
            reviewer=access.caller.person.name or " ".join(form.said.reviewer.split()),
        ),
    )
    return _after(access, browser, shelved.folder, item)


def unjudge(access: CorpusAccess, form: VerdictForm) -> Answer:
    """Withdraw a verdict. Raises InputError if there is none."""
    shelved, browser = access.entry, access.browser()
    item = _item(access.desk.checklists.of(browser, shelved.folder), form)
    if item.validation is None:
        raise InputError("this verdict has been taken back already")
    add_validation(shelved.folder, item.validation.model_copy(update={"withdrawn": True}))
    return _after(access, browser, shelved.folder, item)


def _after(access: CorpusAccess, browser: Browser, folder: Path, item: Item) -> Answer:
    """Return the link with its new verdict, and the figures."""
    everything = access.desk.checklists.of(browser, folder)
    now = everything.items.get(item.proposal.key, item)
    states = [one.state for one in everything.items.values()]
    return {
        "html": item_html(browser, now, everything, writable=True),
        "figures": figures_html(everything),
        "open": states.count(State.OPEN),
        "judged": states.count(State.JUDGED),
    }


def _item(everything: Checklist, form: VerdictForm) -> Item:
    found = everything.items.get(form.said.key)
    if found is None:
        raise InputError("there is no such link (any more)")
    return found


def _corrected(browser: Browser, item: Item, verdict: LinkVerdict) -> Proposal:
    """Return the corrected proposal. Raises InputError for a target or words that the corpus lacks."""
    before = item.proposal
    if item.row < 0:
        raise InputError("the passage of this link was removed; reject the link instead")
    passage = browser.corpus.passages(browser.corpus.rows([before.source_id]))[0]
    quote, occurrence = _words(passage, before, verdict)
    concept, target = before.concept, before.target_id
    if verdict.target:
        concept, target = "", _target_passage(browser, verdict.target)
    elif before.concept and verdict.concept.strip():
        concept = " ".join(verdict.concept.split())
    elif target is not None and int(browser.corpus.rows([target])[0]) < 0:
        # A link to a section or a document leads to its first passage.
        target = _target_passage(browser, target)
    try:
        after = Proposal(
            source_id=before.source_id,
            quote=quote,
            occurrence=occurrence,
            relation=Relation(verdict.relation) if verdict.relation else before.relation,
            target_id=target,
            concept=concept,
            confidence=before.confidence,
            said_by=before.said_by,
        )
    except (ValidationError, ValueError) as error:
        raise InputError(f"this is no correction: {str(error).splitlines()[0]}") from error
    if after.key == before.key:
        raise InputError("the correction changes nothing; accept the link instead")
    if after.concept and after.relation not in CONCEPT_RELATIONS:
        raise InputError("this relation leads to a passage: choose one")
    if after.target_id == after.source_id:
        raise InputError("a passage has no relation with itself")
    return after


def _words(passage: Passage, before: Proposal, verdict: LinkVerdict) -> tuple[str, int]:
    """Return the quote that states the link, and which of its occurrences in the passage is meant."""
    quote = verdict.quote.strip()
    if not quote or (verdict.at is None and quote == before.quote):
        return before.quote, before.occurrence
    text = passage.text
    if verdict.at is not None and text.startswith(verdict.quote, verdict.at):
        start = verdict.at + len(verdict.quote) - len(verdict.quote.lstrip())
        return quote, occurrence_at(text, quote, start)
    found = locate(quote, text, fewest_words=1)
    if found is None:
        raise InputError("these words are not in the passage word for word")
    words = text[found.start : found.end]
    return words, occurrence_at(text, words, found.start)


def _target_passage(browser: Browser, target_id: str) -> str:
    """Return the id of a passage, or of the first passage of a section or document."""
    spot = browser.spot(target_id)
    if spot is None:
        raise InputError(f"{target_id!r} is not in this corpus")
    return browser.passages(spot.document, spot.position, spot.position + 1)[0].id


CALLS = (
    Call("links", LinksForm, links),
    Call("link", VerdictForm, link),
    Call("judge", VerdictForm, judge, audit="judge", needs=Action.JUDGE),
    Call("unjudge", VerdictForm, unjudge, audit="unjudge", needs=Action.JUDGE),
)

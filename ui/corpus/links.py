"""Links to check one after another: the calls, and their HTML."""

from __future__ import annotations

from collections.abc import Mapping
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
    Precision,
    State,
    by_sort,
    calibration,
    precision,
    sort_of,
)
from engine.language.characters import attribute, escape, marked, shortened
from engine.language.quotes import locate
from engine.model import RELATION_VERBS, Passage, Relation, Span
from engine.records.phrases import short_citation
from engine.verbs.requests import Request
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser, direction
from ui.corpus.text import place_name

# The HTML of a link to check: both ends, the relation, and the precision of such links.

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


def item_html(browser: Browser, item: Item, everything: Checklist, *, writable: bool) -> str:
    """Return a link with its ends, its verdict, and the form for corrections."""
    proposal = item.proposal
    words = relation_words(proposal)
    acts = _ACTS if writable and item.state is not State.STALE else ""
    form = _form(item) if acts else ""
    return (
        f'<article class="link" data-key="{proposal.key}" data-state="{item.state}" '
        f'data-relation="{proposal.relation.value}">'
        f'<header class="link-head">{_who(item)}</header>'
        f'<div class="ends">{_source(browser, item)}'
        f'<p class="how"><span class="rel" data-relation="{proposal.relation.value}">{escape(words)}</span>'
        f"</p>{_target(browser, item, everything)}</div>{_stale(item)}{_verdict(browser, item.validation)}"
        f"{form}{acts}</article>"
    )


def relation_words(proposal: Proposal) -> str:
    """Return the relation in words, from the side of the passage that states it."""
    return (CONCEPT_WORDS if proposal.concept else RELATION_VERBS)[proposal.relation]


def finder_words(proposal: Proposal, origin: str) -> str:
    """Return the model or grammar that found a link, without the address of a model's server."""
    if origin == "model":
        return proposal.said_by.removeprefix("openai:").partition("@http")[0] or "a model"
    if proposal.said_by == TERMS:
        return "the pattern for definitions"
    return f"the {proposal.said_by.capitalize()} grammar" if proposal.said_by else "a grammar"


def _who(item: Item) -> str:
    proposal = item.proposal
    percent = f"{100 * proposal.confidence:.0f}%"
    sure = f'<span class="sure" title="its own confidence"><i style="--v:{percent}"></i>{percent} sure</span>'
    if item.origin == "grammar" and proposal.confidence == 1.0:
        sure = ""
    kind = "read by" if item.origin == "model" else "stated in the text, found by"
    who = escape(finder_words(proposal, item.origin))
    return f'<span class="said-by">{kind} <b dir="auto">{who}</b></span>{sure}'


def _source(browser: Browser, item: Item) -> str:
    if item.row < 0:
        return (
            '<section class="end gone"><h3>The passage was removed</h3>'
            f'<p class="passage" dir="auto"><mark>{escape(item.proposal.quote)}</mark></p></section>'
        )
    passage = browser.corpus.passages(browser.corpus.rows([item.proposal.source_id]))[0]
    if item.span is None:
        text = f"{escape(passage.text)}<br><mark>{escape(item.proposal.quote)}</mark>"
    else:
        text = marked_words(passage.text, item.span)
    return _end(browser, passage, text, "from")


def _target(browser: Browser, item: Item, everything: Checklist) -> str:
    proposal = item.proposal
    if proposal.concept:
        return _concept(browser, item, everything)
    spot = browser.spot(proposal.target_id or "")
    if spot is None:
        return (
            '<section class="end gone"><h3>The target was removed</h3>'
            f'<p dir="auto">{escape(proposal.target_id or "")}</p></section>'
        )
    passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
    named = place_name(browser, spot) if spot.id != passage.id else ""
    return _end(browser, passage, escape(shortened(passage.text, LONGEST_TARGET)), "to", named)


def _concept(browser: Browser, item: Item, everything: Checklist) -> str:
    """Return a concept, with its definition if another passage has it."""
    proposal = item.proposal
    name = (
        '<section class="end concept"><small>concept of this document</small>'
        f'<h3 dir="auto">{escape(proposal.concept)}</h3></section>'
    )
    definition = everything.defining.get((item.document, proposal.name))
    if definition is None or definition.source_id == proposal.source_id:
        return name
    passage = browser.corpus.passages(browser.corpus.rows([definition.source_id]))[0]
    text = escape(shortened(passage.text, LONGEST_TARGET))
    return f'<div class="to">{name}{_end(browser, passage, text, "defined")}</div>'


def _end(browser: Browser, passage: Passage, text: str, role: str, named: str = "") -> str:
    number = browser.number(passage.document_id) or 0
    document = browser.document(number)
    path = " › ".join(passage.headings)
    return (
        f'<section class="end {role}"><small dir="auto">{escape(document.title or document.id)}</small>'
        f'<h3 dir="auto"><a class="go" href="#" data-document="{number}" data-at="{passage.position}">'
        f"{escape(named or short_citation(passage, document))}</a></h3>"
        f'<small class="path" dir="auto" title="{escape(path)}">{escape(path)}</small>'
        f'<p class="passage" dir="{direction(passage.language)}" lang="{escape(passage.language)}" '
        f'tabindex="0">{text}</p></section>'
    )


def marked_words(text: str, span: Span) -> str:
    """Return a text with the quote marked; without tags it is the passage, character for character."""
    before, words, after = text[: span.start], text[span.start : span.end], text[span.end :]
    return f"{escape(before)}<mark>{escape(words)}</mark>{escape(after)}"


def _stale(item: Item) -> str:
    if item.state is not State.STALE:
        return ""
    return (
        '<p class="stale">The text has changed since: the quoted words are no longer in the passage, or '
        "the target was removed. This link is not used.</p>"
    )


def _verdict(browser: Browser, validation: Validation | None) -> str:
    if validation is None:
        return ""
    parts = [f"<b>{_VERDICTS[validation.judgement]}</b>"]
    if validation.correction is not None:
        parts.append(f'<span dir="auto">{_correction(browser, validation.correction)}</span>')
    if validation.note:
        parts.append(f'<q dir="auto">{escape(validation.note)}</q>')
    who = ", ".join(part for part in (validation.reviewer, validation.when[:10]) if part)
    parts.append(f'<small dir="auto">{escape(who)}</small>')
    return f'<p class="said {validation.judgement.value}">{"".join(parts)}</p>'


def _correction(browser: Browser, proposal: Proposal) -> str:
    spot = None if proposal.target_id is None else browser.spot(proposal.target_id)
    target = proposal.concept or (place_name(browser, spot) if spot else proposal.target_id or "")
    return f"{escape(relation_words(proposal))} {escape(target)}, “{escape(proposal.quote)}”"


def _form(item: Item) -> str:
    proposal = item.proposal
    words, choices = (
        (CONCEPT_WORDS, CONCEPT_RELATIONS) if proposal.concept else (RELATION_VERBS, _PASSAGE_CHOICES)
    )
    options = "".join(
        f'<option value="{relation.value}"{" selected" if relation is proposal.relation else ""}>'
        f"{escape(words[relation])}</option>"
        for relation in choices
    )
    target = (
        f'<label class="field"><span>Concept</span><input type="text" name="concept" maxlength="200" '
        f'dir="auto" value="{attribute(proposal.concept)}"></label>'
        if proposal.concept
        else '<label class="field"><span>Another target</span><input type="search" name="target" '
        'placeholder="Act and number, heading or id" autocomplete="off"></label>'
        '<div class="suggested"></div>'
    )
    return (
        '<form class="correct" hidden autocomplete="off"><div class="correct-fields">'
        '<label class="field"><span>Relation</span>'
        f'<select name="relation">{options}</select></label>{target}'
        '<label class="field wide"><span>Words that say so: select them above, or type them</span>'
        f'<textarea name="quote" rows="2" dir="auto">{escape(proposal.quote)}</textarea></label></div>'
        '<div class="form-acts"><button type="submit" class="primary">Save the correction</button>'
        '<button type="button" data-act="close">Cancel</button></div></form>'
    )


def figures_html(everything: Checklist) -> str:
    """Return the precision of links of each sort, and the calibration of a model's confidence."""
    verdicts = [item.validation for item in everything.items.values() if item.validation is not None]
    if not verdicts:
        return (
            '<p class="hint">Nothing has been judged yet. Here comes the share of correct links of each kind'
            ", with its 95% confidence interval: each verdict narrows it.</p>"
        )
    rows = "".join(
        _figure(SORT_WORDS.get(sort, sort), "model" if origin == "model" else "texts", figure)
        for (origin, sort), figure in by_sort(verdicts).items()
    )
    table = (
        '<table class="figures"><caption>Right as they were</caption><thead><tr><th>links</th>'
        '<th class="range-head">share, 95 % range</th><th>judged</th></tr></thead>'
        f"<tbody>{rows}{_figure('all', '', precision(verdicts))}</tbody></table>"
    )
    bins = calibration(verdicts)
    if not bins:
        return table
    lines = "".join(
        f"<tr><th>{100 * one.low:.0f}–{one.high:.0%}</th><td>{one.confidence:.0%}</td>"
        f"<td>{one.precision.share or 0.0:.0%}</td><td>{one.precision.judged:,}</td></tr>"
        for one in bins
    )
    return (
        f'{table}<table class="figures calibration"><caption>What the model’s confidence was worth</caption>'
        "<thead><tr><th>confidence</th><th>said</th><th>right</th><th>judged</th></tr></thead>"
        f"<tbody>{lines}</tbody></table>"
    )


def _figure(name: str, origin: str, figure: Precision) -> str:
    assert figure.share is not None
    assert figure.interval is not None
    low, high = figure.interval
    detail = f"{figure.accepted:,} accepted, {figure.corrected:,} corrected, {figure.rejected:,} rejected"
    return (
        f'<tr title="{detail}"><th>{escape(name)}<small>{escape(origin)}</small></th>'
        f'<td><span class="range" style="--low:{low:.3f};--high:{high:.3f};--at:{figure.share:.3f}" '
        f'role="img" aria-label="{figure.share:.0%}, between {low:.0%} and {high:.0%}"></span>'
        f"<b>{figure.share:.0%}</b></td><td>{figure.judged:,}</td></tr>"
    )


_ACTS = (
    '<div class="link-acts" role="group" aria-label="Verdict">'
    '<button type="button" class="yes" data-act="accepted">Accept<kbd>A</kbd></button>'
    '<button type="button" data-act="correct">Correct<kbd>C</kbd></button>'
    '<button type="button" class="no" data-act="rejected">Reject<kbd>R</kbd></button>'
    '<button type="button" data-act="skip">Skip<kbd>S</kbd></button>'
    '<button type="button" data-act="undo" class="undo">Undo<kbd>U</kbd></button></div>'
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

"""Links for a person to check, one after another: a model's, and a sample of those of the grammars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.access.users import Action
from engine.corpus.extracted import (
    Judgement,
    Proposal,
    Validation,
    add_validation,
)
from engine.corpus.extracted.proposal import CONCEPT_RELATIONS, occurrence_at
from engine.errors import InputError
from engine.extraction.checklist import Checklist, Item, State, sort_of
from engine.language.characters import marked
from engine.language.quotes import locate
from engine.model import Passage, Relation
from ui.corpus.browse import Browser
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.validating_ask import Said, Wanted
from ui.corpus.validating_html import SORT_WORDS, figures_html, item_html

Answer = dict[str, Any]
# Keys that are sent at once: nobody checks more in one sitting.
MOST_KEYS = 2000


def links(desk: CorpusDesk, ask: Ask) -> Answer:
    """The keys of what is wanted in its order, the first as HTML, and what the filters offer."""
    shelved, browser = desk.shelved(ask), desk.browser(ask)
    everything = desk.checklists.of(browser, shelved.folder)
    wanted = ask.wanted or Wanted()
    writable = desk.may(ask, shelved, Action.JUDGE)
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


def link(desk: CorpusDesk, ask: Ask) -> Answer:
    """One item."""
    shelved, browser = desk.shelved(ask), desk.browser(ask)
    everything = desk.checklists.of(browser, shelved.folder)
    item = _item(everything, ask)
    return {"html": item_html(browser, item, everything, writable=desk.may(ask, shelved, Action.JUDGE))}


def judge(desk: CorpusDesk, ask: Ask) -> Answer:
    """Keep what a person says of an item. Raises InputError where that is not possible."""
    shelved, browser = desk.writable(ask), desk.browser(ask)
    item = _item(desk.checklists.of(browser, shelved.folder), ask)
    assert ask.said is not None
    judgement = Judgement(ask.said.judgement)
    correction = _corrected(browser, item, ask.said) if judgement is Judgement.CORRECTED else None
    add_validation(
        shelved.folder,
        Validation(
            proposal=item.proposal,
            origin=item.origin,
            judgement=judgement,
            correction=correction,
            note=ask.said.note.strip(),
            reviewer=ask.reviewer or " ".join(ask.said.reviewer.split()),
        ),
    )
    return _after(desk, ask, browser, shelved.folder, item)


def unjudge(desk: CorpusDesk, ask: Ask) -> Answer:
    """Take a verdict back. Raises InputError where there is none."""
    shelved, browser = desk.writable(ask), desk.browser(ask)
    item = _item(desk.checklists.of(browser, shelved.folder), ask)
    if item.validation is None:
        raise InputError("this verdict has been taken back already")
    add_validation(shelved.folder, item.validation.model_copy(update={"withdrawn": True}))
    return _after(desk, ask, browser, shelved.folder, item)


def _after(desk: CorpusDesk, ask: Ask, browser: Browser, folder: Path, item: Item) -> Answer:
    """The item as it is now, and the figures."""
    everything = desk.checklists.of(browser, folder)
    now = everything.items.get(item.proposal.key, item)
    states = [one.state for one in everything.items.values()]
    return {
        "html": item_html(browser, now, everything, writable=True),
        "figures": figures_html(everything),
        "open": states.count(State.OPEN),
        "judged": states.count(State.JUDGED),
    }


def _item(everything: Checklist, ask: Ask) -> Item:
    if ask.said is None:
        raise InputError("which link is meant was not said")
    found = everything.items.get(ask.said.key)
    if found is None:
        raise InputError("there is no such link (any more)")
    return found


def _corrected(browser: Browser, item: Item, said: Said) -> Proposal:
    """The proposal as the person has it. Raises InputError for what is not in the corpus."""
    before = item.proposal
    if item.row < 0:
        raise InputError("the passage of this link is gone; reject it instead")
    passage = browser.corpus.passages(browser.corpus.rows([before.source_id]))[0]
    quote, occurrence = _words(passage, before, said)
    concept, target = before.concept, before.target_id
    if said.target:
        concept, target = "", _target(browser, said.target)
    elif before.concept and said.concept.strip():
        concept = " ".join(said.concept.split())
    elif target is not None and int(browser.corpus.rows([target])[0]) < 0:
        # A section or a document: what is followed leads to the passage that it begins with.
        target = _target(browser, target)
    try:
        after = Proposal(
            source_id=before.source_id,
            quote=quote,
            occurrence=occurrence,
            relation=Relation(said.relation) if said.relation else before.relation,
            target_id=target,
            concept=concept,
            confidence=before.confidence,
            said_by=before.said_by,
        )
    except (ValidationError, ValueError) as error:
        raise InputError(f"this is no correction: {str(error).splitlines()[0]}") from error
    if after.key == before.key:
        raise InputError("nothing was changed; accept it instead")
    if after.concept and after.relation not in CONCEPT_RELATIONS:
        raise InputError("this relation leads to a passage: choose one")
    if after.target_id == after.source_id:
        raise InputError("a passage has no relation with itself")
    return after


def _words(passage: Passage, before: Proposal, said: Said) -> tuple[str, int]:
    """The words that say so, and which occurrence of them is meant."""
    quote = said.quote.strip()
    if not quote or (said.at is None and quote == before.quote):
        return before.quote, before.occurrence
    text = passage.text
    if said.at is not None and text.startswith(said.quote, said.at):
        start = said.at + len(said.quote) - len(said.quote.lstrip())
        return quote, occurrence_at(text, quote, start)
    found = locate(quote, text, fewest_words=1)
    if found is None:
        raise InputError("these words are not in the passage word for word")
    words = text[found.start : found.end]
    return words, occurrence_at(text, words, found.start)


def _target(browser: Browser, target_id: str) -> str:
    """The passage that an id means: itself, or the first of a section or document."""
    spot = browser.spot(target_id)
    if spot is None:
        raise InputError(f"{target_id!r} is not in this corpus")
    return browser.passages(spot.document, spot.position, spot.position + 1)[0].id

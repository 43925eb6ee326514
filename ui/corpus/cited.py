"""Where references lead, told beside them, and which provisions cite a passage."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus.extracted.validations import Validation
from engine.language.characters import escape
from engine.model import RELATION_VERBS, Reference, Status
from engine.records.citation import short_citation
from ui.corpus.browse import Browser, Spot
from ui.corpus.reporting import rejected_among
from ui.corpus.wording import STATUS_WORDS, direction
from ui.reporting import report_button

MOST_TARGETS = 8
CITING_SHOWN = 40
EXCERPT, AROUND = 260, 110


def targets_html(browser: Browser, numbers: Sequence[int], *, resolvable: bool, judging: bool = False) -> str:
    """What some references of the same words lead to: a card for each target, or why there is none;
    ``judging``: whoever reads may report one as wrong."""
    shown = numbers[:MOST_TARGETS]
    references = browser.corpus.references(shown)
    rejected = rejected_among(browser, shown, references)
    cards = [
        _rejected(browser, rejected[number], judging=judging)
        if number in rejected
        else _target(browser, number, reference, resolvable=resolvable, judging=judging)
        for number, reference in zip(shown, references, strict=True)
    ]
    spare = len(numbers) - len(cards)
    return "".join(cards) + (f'<p class="spare">and {spare:,} more</p>' if spare > 0 else "")


def only_spot(browser: Browser, numbers: Sequence[int]) -> Spot | None:
    """Where references lead if they all lead to one place."""
    if len(numbers) > MOST_TARGETS:
        return None
    spots = [browser.target_spot(reference) for reference in browser.corpus.references(numbers)]
    first = spots[0] if spots else None
    return first if all(spot == first for spot in spots) else None


def citing_html(browser: Browser, number: int, position: int, first: int) -> str:
    """The provisions that cite a passage, with the words that do, from the ``first`` on."""
    found = browser.corpus.references_to(browser.rows(number, position, position + 1)).numbers
    shown = browser.corpus.references(found[first : first + CITING_SHOWN].tolist())
    rows = browser.corpus.rows([reference.source_id for reference in shown])
    passages = browser.corpus.passages(rows)
    documents = browser.corpus.document_numbers(rows).tolist()
    lines = []
    for reference, passage, own in zip(shown, passages, documents, strict=True):
        document = browser.document(own)
        lines.append(
            f'<li><a class="go" href="#" data-document="{own}" data-at="{passage.position}" dir="auto">'
            f"{escape(short_citation(passage, document))}</a> "
            f'<span class="rel" data-relation="{reference.relation.value}">'
            f"{RELATION_VERBS[reference.relation]}</span>"
            f'<q dir="{direction(passage.language)}">{around(passage.text, reference)}</q></li>'
        )
    rest = len(found) - first - len(shown)
    more = (
        f'<li><button type="button" class="more-citing" data-first="{first + len(shown)}">'
        f"{rest:,} more</button></li>"
        if rest > 0
        else ""
    )
    return "".join(lines) + more


def around(text: str, reference: Reference, reach: int = AROUND) -> str:
    """The words of a reference marked, with those around them, as HTML."""
    start, end = reference.span.start, reference.span.end
    left, right = max(0, start - reach), min(len(text), end + reach)
    before, after = text[left:start], text[end:right]
    before = "… " + before.partition(" ")[2] if left else before
    after = after.rpartition(" ")[0] + " …" if right < len(text) else after
    return f"{escape(before)}<mark>{escape(text[start:end])}</mark>{escape(after)}"


def _rejected(browser: Browser, said: Validation, *, judging: bool) -> str:
    """A reference that a person has rejected, where it led, and how that is taken back."""
    proposal = said.proposal
    target = proposal.target_id or ""
    spot = browser.spot(target)
    named = target if spot is None else place_name(browser, spot)
    link = (proposal.source_id, target, proposal.relation.value)
    undo = report_button(link, rejected=True) if judging else ""
    return (
        f'<div class="target none wrong"><span><b>Rejected</b>: <s>{RELATION_VERBS[proposal.relation]} '
        f'<bdi dir="auto">{escape(named)}</bdi></s></span>{undo}</div>'
    )


def _target(browser: Browser, number: int, reference: Reference, *, resolvable: bool, judging: bool) -> str:
    spot = browser.target_spot(reference)
    if reference.status is not Status.RESOLVED or spot is None:
        words = STATUS_WORDS[reference.status]
        resolve = f'<button type="button" data-resolve="{number}">Resolve</button>' if resolvable else ""
        return f'<div class="target none"><b>{escape(words)}</b>{resolve}</div>'
    document = browser.document(spot.document)
    passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
    named = place_name(browser, spot)
    text = passage.text if len(passage.text) <= EXCERPT else passage.text[:EXCERPT].rsplit(" ", 1)[0] + " …"
    link = (reference.source_id, reference.target_id or "", reference.relation.value)
    report = report_button(link, rejected=False) if judging else ""
    return (
        f'<div class="target" data-document="{spot.document}" data-at="{spot.position}">'
        f'<span class="rel" data-relation="{reference.relation.value}">'
        f'{RELATION_VERBS[reference.relation]}</span> <b dir="auto">{escape(named)}</b>{report}'
        f'<small dir="auto">{escape(document.title or document.id)}</small>'
        f'<p dir="{direction(passage.language)}" lang="{escape(passage.language)}">{escape(text)}</p></div>'
    )


def place_name(browser: Browser, spot: Spot) -> str:
    """How a place is called: its citation for a passage, its heading for a section, a document's title."""
    document = browser.document(spot.document)
    if spot.id == document.id:
        return document.title or document.id
    outline = browser.outline(spot.document)
    if spot.id in outline.place:
        return browser.heading(spot.document, outline.place[spot.id])
    passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
    return short_citation(passage, document)


def existing(browser: Browser, numbers: Sequence[int]) -> list[int]:
    """The numbers that references of this corpus have."""
    total = len(browser.corpus.reference_numbers())
    return [number for number in numbers if 0 <= number < total]

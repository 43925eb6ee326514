"""The text of a document with its references, its citations, and reports of wrong references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

import numpy as np
from pydantic import Field

from engine.access.users import Action
from engine.corpus.extracted import Judgement, Validation, current_verdicts, load_validations, locate
from engine.corpus.protocol import Rows
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.language.characters import attribute, escape, shortened
from engine.model import RELATION_VERBS, Document, Passage, Reference, Relation, Status
from engine.records.context import badge, day
from engine.records.phrases import full_citation, short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Name
from ui.corpus.browser import STATUS_WORDS, Browser, Spot, direction, document_badge, facts
from ui.investigate.passages import report_button

# Wrong references: rejecting one, and undoing that.

# The passage with a reference, the relation, and the offsets of the words in the text.
Place = tuple[str, Relation, int, int]


class LinkForm(CorpusForm):
    """A link: the ids of its source and its target, its relation."""

    link: tuple[Name, Name, Annotated[str, Field(max_length=40)]]


def reject(access: CorpusAccess, form: LinkForm) -> Answer:
    """Reject a link. Raises InputError for an unknown one."""
    judge_link(access.browser().corpus, _ends(form), Judgement.REJECTED, reviewer=access.caller.person.name)
    return {}


def restore(access: CorpusAccess, form: LinkForm) -> Answer:
    """Withdraw the verdict on a link. Raises InputError if there is none."""
    unjudge_link(access.browser().corpus, _ends(form))
    return {}


def _ends(form: LinkForm) -> Ends:
    source, target, relation = form.link
    try:
        return Ends(source, target, Relation(relation))
    except ValueError:
        raise InputError("the request names no link") from None


def rejected_among(
    browser: Browser, numbers: Sequence[int], references: Sequence[Reference]
) -> Mapping[int, Validation]:
    """Return the references that people have rejected, by number, each with its verdict."""
    rejections = browser.by_verdicts("rejections", _rejections)
    if not rejections:
        return {}
    found = {}
    for number, one in zip(numbers, references, strict=True):
        said = rejections.get((one.source_id, one.relation, one.span.start, one.span.end))
        if said is not None and one.status is not Status.RESOLVED:
            found[number] = said
    return found


def _rejections(browser: Browser) -> Mapping[Place, Validation]:
    folder = browser.corpus.folder
    if folder is None or not browser.corpus.verdict_version:
        return {}
    said = [
        one
        for one in current_verdicts(load_validations(folder)).values()
        if one.judgement is Judgement.REJECTED and one.proposal.target_id
    ]
    rows = browser.corpus.rows([one.proposal.source_id for one in said])
    there = np.unique(rows[rows >= 0]).astype(np.int32)
    passages = browser.corpus.passages(there)
    texts = {row: one.text for row, one in zip(there.tolist(), passages, strict=True)}
    found: dict[Place, Validation] = {}
    for row, one in zip(rows.tolist(), said, strict=True):
        span = locate(one.proposal, texts[row]) if row >= 0 else None
        if span is not None:
            found[one.proposal.source_id, one.proposal.relation, span.start, span.end] = one
    return found


# The targets of references, and the provisions that cite a passage.

MOST_TARGETS = 8
CITING_SHOWN = 40
EXCERPT, AROUND = 260, 110


def targets_html(browser: Browser, numbers: Sequence[int], *, resolvable: bool, judging: bool = False) -> str:
    """Return a card for each target of references by the same words, or why there is none; if ``judging``,
    the reader may report one as wrong."""
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
    """Return the common target of references; None if they have several."""
    if len(numbers) > MOST_TARGETS:
        return None
    spots = [browser.target_spot(reference) for reference in browser.corpus.references(numbers)]
    first = spots[0] if spots else None
    return first if all(spot == first for spot in spots) else None


def citing_html(browser: Browser, number: int, position: int, first: int) -> str:
    """Return the provisions that cite a passage, with the citing words, from ``first`` on."""
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
    """Return the words of a reference, marked, with the words around them, as HTML."""
    start, end = reference.span.start, reference.span.end
    left, right = max(0, start - reach), min(len(text), end + reach)
    before, after = text[left:start], text[end:right]
    before = "… " + before.partition(" ")[2] if left else before
    after = after.rpartition(" ")[0] + " …" if right < len(text) else after
    return f"{escape(before)}<mark>{escape(text[start:end])}</mark>{escape(after)}"


def _rejected(browser: Browser, said: Validation, *, judging: bool) -> str:
    """Return a reference that a person has rejected, its former target, and how to withdraw the rejection."""
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
    text = shortened(passage.text, EXCERPT)
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
    """Return the name of a position: the citation of a passage, the heading of a section, or a document's
    title."""
    document = browser.document(spot.document)
    if spot.id == document.id:
        return document.title or document.id
    outline = browser.outline(spot.document)
    if spot.id in outline.place:
        return browser.heading(spot.document, outline.place[spot.id])
    passage = browser.passages(spot.document, spot.position, spot.position + 1)[0]
    return short_citation(passage, document)


def existing(browser: Browser, numbers: Sequence[int]) -> list[int]:
    """Return the numbers for which this corpus has references."""
    total = len(browser.corpus.reference_numbers())
    return [number for number in numbers if 0 <= number < total]


# The text of a document, piece by piece, with its references as links and the citations of each provision.

PIECE = 40
_NOT_SHOWN = frozenset({"examples"})


@dataclass(frozen=True, slots=True)
class Link:
    """References by the same words: several for a range or a list. ``rejected``: people have rejected all of
    them."""

    start: int
    end: int
    numbers: tuple[int, ...]
    references: tuple[Reference, ...]
    rejected: bool = False


def piece_html(browser: Browser, number: int, first: int, stop: int, today: date) -> str:
    """Return the passages of a document from one position to another, with the headings above them."""
    document = browser.document(number)
    passages = browser.passages(number, first, stop)
    if not passages:
        return ""
    rows = browser.rows(number, first, stop)
    links = _links(browser, rows, passages)
    cited = np.bincount(browser.corpus.references_to(rows).origins, minlength=len(passages))
    headings = _headings(browser, number, first, first + len(passages))
    parts: list[str] = []
    for index, passage in enumerate(passages):
        parts += headings.get(passage.position, ())
        parts.append(_passage(passage, document, links.get(index, ()), int(cited[index]), today))
    return "".join(parts)


def document_head(browser: Browser, number: int, today: date, *, removable: bool, grade: str = "") -> str:
    """Return the title of a document and its metadata; ``grade`` is the line on its grade, as HTML."""
    document = browser.document(number)
    seal = document_badge(document, today)
    sealed = f'<span class="badge{" old" if seal.old else ""}">{escape(seal.words)}</span>' if seal else ""
    remove = '<button type="button" data-remove>Remove from the corpus</button>' if removable else ""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td dir="auto">{escape(value)}</td></tr>'
        for name, value in _metadata_rows(document)
    )
    return (
        f'<div class="title-line"><h2 dir="auto" lang="{escape(document.language)}">'
        f"{escape(document.title or document.id)}</h2>{sealed}</div>"
        f'<p class="facts" dir="ltr">{escape(facts(document, browser.length(number)))}</p>{grade}'
        '<details class="known"><summary>About this document</summary>'
        f"<table>{rows}</table>{remove}</details>"
    )


def path_html(browser: Browser, number: int, position: int) -> str:
    """Return the headings around a position, as a line of links."""
    outline = browser.outline(number)
    return "".join(
        f'<button type="button" class="crumb" dir="auto" data-document="{number}" '
        f'data-at="{outline.sections[place].first}">{escape(browser.heading(number, place))}</button>'
        for place in browser.path(number, position)
    )


def _links(browser: Browser, rows: Rows, passages: Sequence[Passage]) -> Mapping[int, list[Link]]:
    """Return the links in each passage: spans that do not overlap; the first, then the longest, wins."""
    made = browser.corpus.references_from(rows)
    references = browser.corpus.references(made.numbers.tolist())
    rejected = rejected_among(browser, made.numbers.tolist(), references)
    by_span: dict[int, dict[tuple[int, int], list[tuple[int, Reference]]]] = {}
    for origin, number, reference in zip(
        made.origins.tolist(), made.numbers.tolist(), references, strict=True
    ):
        span = (reference.span.start, reference.span.end)
        by_span.setdefault(origin, {}).setdefault(span, []).append((number, reference))
    found: dict[int, list[Link]] = {}
    for origin, spans in by_span.items():
        reached = passages[origin].overlap
        for (start, end), group in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
            if start < reached or end <= start:
                continue
            numbers, own = zip(*group, strict=True)
            wrong = all(number in rejected for number in numbers)
            found.setdefault(origin, []).append(Link(start, end, numbers, own, wrong))
            reached = end
    return found


def _headings(browser: Browser, number: int, first: int, stop: int) -> dict[int, list[str]]:
    outline = browser.outline(number)
    found: dict[int, list[str]] = {}
    for place, section in enumerate(outline.sections):
        if first <= section.first < stop and section.stop > section.first:
            level = min(outline.depth[place] + 3, 6)
            found.setdefault(section.first, []).append(
                f'<h{level} class="head" data-section="{place}" data-at="{section.first}" dir="auto">'
                f"{escape(browser.heading(number, place))}</h{level}>"
            )
    return found


def _passage(passage: Passage, document: Document, links: Sequence[Link], cited: int, today: date) -> str:
    seal = badge(passage, document, today)
    own = seal is not None and seal.old
    sealed = f'<span class="badge old">{escape(seal.words)}</span>' if seal is not None and own else ""
    page = f'<span class="page">p. {passage.page}</span>' if passage.page is not None else ""
    eid = passage.metadata.get("eId")
    eid_words = f'<span class="eid" title="eId">{escape(str(eid))}</span>' if eid else ""
    by = (
        f'<button type="button" class="by" data-by="{passage.position}" aria-expanded="false">'
        f"cited by {cited:,}</button>"
        if cited
        else ""
    )
    return (
        f'<article class="prov{" old" if own else ""}" data-at="{passage.position}" '
        f'data-id="{attribute(passage.id)}" data-citation="{escape(full_citation(passage, document))}" '
        f'dir="{direction(passage.language)}" tabindex="-1"><header>'
        f'<span class="label" dir="auto">{escape(passage.label)}</span>{page}{eid_words}{sealed}'
        f'<span class="tools" dir="ltr">{by}'
        f'<button type="button" class="cite-it" data-copy>Copy citation</button></span></header>'
        f'<p class="t" dir="auto" lang="{escape(passage.language)}">{_linked(passage, links)}</p></article>'
    )


def _linked(passage: Passage, links: Sequence[Link]) -> str:
    pieces, at = [], passage.overlap
    for link in links:
        pieces.append(escape(passage.text[at : link.start]))
        pieces.append(_link(link, passage.text[link.start : link.end]))
        at = link.end
    pieces.append(escape(passage.text[at:]))
    return "".join(pieces)


def _link(link: Link, words: str) -> str:
    statuses = {reference.status for reference in link.references}
    status = next(
        state for state in (Status.RESOLVED, Status.AMBIGUOUS, Status.UNRESOLVED) if state in statuses
    )
    relation = link.references[0].relation
    numbers = ",".join(map(str, link.numbers))
    said = relation.value if status is Status.RESOLVED else STATUS_WORDS[status]
    state = "rejected" if link.rejected else status.value
    said = state if link.rejected else said
    return (
        f'<a class="ref {state}" href="#" role="link" data-refs="{numbers}" '
        f'data-relation="{relation.value}" aria-label="{escape(words)} ({escape(said)})">{escape(words)}</a>'
    )


def _metadata_rows(document: Document) -> list[tuple[str, str]]:
    aliases = [alias for alias in document.aliases if alias != document.title]
    own = {
        "Id": document.id,
        "Type": document.type,
        "Number": document.number,
        "Year": document.year,
        "Issued by": document.issuer,
        "Status": document.status,
        "Version": document.version,
        "In force from": day(document.valid_from) if document.valid_from else None,
        "In force until": day(document.valid_to) if document.valid_to else None,
        "Also called": ", ".join(aliases),
        "File": document.source,
        "Quality": None if document.quality is None else f"{document.quality:.2f}",
    }
    more = {
        name.replace("_", " ").capitalize(): ", ".join(map(str, value))
        if isinstance(value, list | tuple)
        else value
        for name, value in document.metadata.items()
        if name not in _NOT_SHOWN
    }
    return [(name, str(value)) for name, value in {**own, **more}.items() if value not in (None, "", (), [])]


CALLS = (
    Call("reject-link", LinkForm, reject, audit="reject-link", needs=Action.JUDGE),
    Call("restore-link", LinkForm, restore, audit="restore-link", needs=Action.JUDGE),
)

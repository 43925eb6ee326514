"""The text of a document, piece by piece, with its references as links and who cites each provision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.corpus.protocol import Rows
from engine.language.characters import attribute, escape
from engine.model import Document, Passage, Reference, Status
from engine.records.citation import full_citation
from ui.corpus.browse import Browser
from ui.corpus.reporting import rejected_among
from ui.corpus.wording import STATUS_WORDS, direction, document_badge, facts
from ui.validity import badge, day

PIECE = 40
_NOT_SHOWN = frozenset({"examples"})


@dataclass(frozen=True, slots=True)
class Link:
    """References that the same words make: several where they name a range or a list. ``rejected``: people
    have rejected all of them."""

    start: int
    end: int
    numbers: tuple[int, ...]
    references: tuple[Reference, ...]
    rejected: bool = False


def piece_html(browser: Browser, number: int, first: int, stop: int, today: date) -> str:
    """The passages of a document from one position to another, with the headings above them."""
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
    """The title of a document and all that is known about it; ``grade`` is its line on its grade, as HTML."""
    document = browser.document(number)
    seal = document_badge(document, today)
    sealed = f'<span class="badge{" old" if seal.old else ""}">{escape(seal.words)}</span>' if seal else ""
    remove = '<button type="button" data-remove>Remove from the corpus</button>' if removable else ""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td dir="auto">{escape(value)}</td></tr>'
        for name, value in _known(document)
    )
    return (
        f'<div class="title-line"><h2 dir="auto" lang="{escape(document.language)}">'
        f"{escape(document.title or document.id)}</h2>{sealed}</div>"
        f'<p class="facts" dir="ltr">{escape(facts(document, browser.length(number)))}</p>{grade}'
        '<details class="known"><summary>About this document</summary>'
        f"<table>{rows}</table>{remove}</details>"
    )


def path_html(browser: Browser, number: int, position: int) -> str:
    """The headings around a position, as a line of links."""
    outline = browser.outline(number)
    return "".join(
        f'<button type="button" class="crumb" dir="auto" data-document="{number}" '
        f'data-at="{outline.sections[place].first}">{escape(browser.heading(number, place))}</button>'
        for place in browser.path(number, position)
    )


def _links(browser: Browser, rows: Rows, passages: Sequence[Passage]) -> Mapping[int, list[Link]]:
    """What in each passage is a link: spans that do not overlap, the first and then the longest winning."""
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


def _known(document: Document) -> list[tuple[str, str]]:
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

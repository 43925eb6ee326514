"""The text of a document with its references, its citations, and reports of wrong references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from engine.access.users import Action
from engine.corpus.extracted import Judgement, Validation, current_verdicts, load_validations, locate
from engine.corpus.protocol import Rows
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.language.characters import shortened
from engine.model import Document, Passage, Reference, Relation, Status
from engine.records.context import badge, day
from engine.records.phrases import full_citation, short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Name
from ui.corpus.browser import STATUS_WORDS, Browser, Spot, document_badge, facts, in_context
from ui.templating import rendered

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
EXCERPT = 260


def targets_html(browser: Browser, numbers: Sequence[int], *, resolvable: bool, judging: bool = False) -> str:
    """Return a card for each target of references by the same words, or why there is none; if ``judging``,
    the reader may report one as wrong."""
    shown = numbers[:MOST_TARGETS]
    references = browser.corpus.references(shown)
    rejected = rejected_among(browser, shown, references)
    cards = [
        _rejected(browser, rejected[number]) if number in rejected else _target(browser, number, reference)
        for number, reference in zip(shown, references, strict=True)
    ]
    spare = len(numbers) - len(cards)
    return rendered("corpus/targets.html", cards=cards, spare=spare, resolvable=resolvable, judging=judging)


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
        cited = short_citation(passage, browser.document(own))
        words = in_context(passage.text, reference.span.start, reference.span.end)
        lines.append((reference, passage, cited, own, words))
    following = first + len(shown)
    return rendered("corpus/citing.html", lines=lines, next=following, rest=len(found) - following)


def _rejected(browser: Browser, said: Validation) -> Mapping[str, Any]:
    """Return a reference that a person has rejected, and its former target."""
    proposal = said.proposal
    target = proposal.target_id or ""
    spot = browser.spot(target)
    return {
        "rejected": True,
        "relation": proposal.relation,
        "name": target if spot is None else browser.name(spot),
        "link": (proposal.source_id, target, proposal.relation.value),
    }


def _target(browser: Browser, number: int, reference: Reference) -> Mapping[str, Any]:
    spot = browser.target_spot(reference)
    if reference.status is not Status.RESOLVED or spot is None:
        words = STATUS_WORDS[reference.status]
        return {"rejected": False, "spot": None, "status": words, "number": number}
    document, passage = browser.document(spot.document), browser.passage(spot)
    return {
        "rejected": False,
        "spot": spot,
        "relation": reference.relation,
        "name": browser.name(spot),
        "link": (reference.source_id, reference.target_id or "", reference.relation.value),
        "title": document.title or document.id,
        "language": passage.language,
        "text": shortened(passage.text, EXCERPT),
    }


def existing(browser: Browser, numbers: Sequence[int]) -> list[int]:
    """Return the numbers for which this corpus has references."""
    total = len(browser.corpus.reference_numbers())
    return [number for number in numbers if 0 <= number < total]


# The text of a document, piece by piece, with its references as links and the citations of each provision.

PIECE, LONGEST_PIECE = 40, 120
_NOT_SHOWN = frozenset({"examples"})


@dataclass(frozen=True, slots=True)
class Link:
    """References by the same words: several for a range or a list. ``state`` is a status, or "rejected" if
    people have rejected all of them; ``said`` are the words for it."""

    start: int
    end: int
    numbers: tuple[int, ...]
    relation: Relation
    state: str
    said: str


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
    provisions = [
        (
            passage,
            badge(passage, document, today),
            headings.get(passage.position, ()),
            _pieces(passage, links.get(index, ())),
            int(cited[index]),
            full_citation(passage, document),
        )
        for index, passage in enumerate(passages)
    ]
    return rendered("corpus/piece.html", provisions=provisions)


def document_head(browser: Browser, number: int, today: date, *, removable: bool, grade: str = "") -> str:
    """Return the title of a document and its metadata; ``grade`` is the line on its grade, as HTML."""
    document = browser.document(number)
    return rendered(
        "corpus/head.html",
        document=document,
        seal=document_badge(document, today),
        facts=facts(document, browser.length(number)),
        grade=grade,
        rows=_metadata_rows(document),
        removable=removable,
    )


def path_html(browser: Browser, number: int, position: int) -> str:
    """Return the headings around a position, as a line of links."""
    sections = browser.outline(number).sections
    crumbs = [
        (sections[place].first, browser.heading(number, place)) for place in browser.path(number, position)
    ]
    return rendered("corpus/path.html", document=number, crumbs=crumbs)


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
            found.setdefault(origin, []).append(_link(start, end, numbers, own, rejected=wrong))
            reached = end
    return found


def _link(
    start: int, end: int, numbers: tuple[int, ...], references: Sequence[Reference], *, rejected: bool
) -> Link:
    statuses = {reference.status for reference in references}
    status = next(
        state for state in (Status.RESOLVED, Status.AMBIGUOUS, Status.UNRESOLVED) if state in statuses
    )
    relation = references[0].relation
    said = relation.value if status is Status.RESOLVED else STATUS_WORDS[status]
    if rejected:
        return Link(start, end, numbers, relation, "rejected", "rejected")
    return Link(start, end, numbers, relation, status.value, said)


def _headings(browser: Browser, number: int, first: int, stop: int) -> dict[int, list[tuple[int, int, str]]]:
    """Return the headings at each position: their level, the index of their section, their words."""
    outline = browser.outline(number)
    found: dict[int, list[tuple[int, int, str]]] = {}
    for place, section in enumerate(outline.sections):
        if first <= section.first < stop and section.stop > section.first:
            heading = (min(outline.depth[place] + 3, 6), place, browser.heading(number, place))
            found.setdefault(section.first, []).append(heading)
    return found


def _pieces(passage: Passage, links: Sequence[Link]) -> list[tuple[str, Link | None]]:
    """Return the text of a passage in pieces, each with its link, if it is one."""
    pieces: list[tuple[str, Link | None]] = []
    at = passage.overlap
    for link in links:
        pieces += [(passage.text[at : link.start], None), (passage.text[link.start : link.end], link)]
        at = link.end
    return [*pieces, (passage.text[at:], None)]


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

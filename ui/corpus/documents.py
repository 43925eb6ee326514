"""Answers of the reading page: list of corpora, trees, text, references."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from pydantic import Field

from engine.access.users import Action
from engine.corpus.grades import grades_of
from engine.errors import InputError
from engine.language.characters import escape, marked
from engine.model import Document, Status
from ui.calls import Answer, Call
from ui.corpus import text as reader
from ui.corpus.access import CorpusAccess, CorpusForm, DocumentForm
from ui.corpus.browser import Browser, Node, direction, document_badge, facts
from ui.corpus.names import document_html

# The documents of a corpus and the lines below each, which open one by one.

DOCUMENTS_SHOWN = 100
LINES_SHOWN = 250


def documents_html(browser: Browser, words: str, kind: str, first: int, today: date) -> str:
    """Return documents whose names contain all the words, of one type (empty for any), from ``first`` on."""
    wanted = words.casefold().split()
    chosen = [
        number
        for number, document in enumerate(browser.documents)
        if (not kind or (document.type or "") == kind) and all(word in _names(document) for word in wanted)
    ]
    shown = chosen[first : first + DOCUMENTS_SHOWN]
    lines = "".join(_document_line(browser, number, today) for number in shown)
    return lines + _more("documents", first + len(shown), len(chosen))


def found_html(browser: Browser, words: str) -> str:
    """Return provisions that the words name by number ("code 14"), and sections whose headings contain the
    words."""
    places = [
        (spot.document, spot.position, _label(browser, spot.document, spot.position))
        for spot in browser.numbered(words)
    ]
    for number, place in browser.find(words):
        if place is not None:
            first = browser.outline(number).sections[place].first
            places.append((number, first, browser.heading(number, place)))
    return "".join(_found_line(browser, *place) for place in dict.fromkeys(places))


def _label(browser: Browser, number: int, position: int) -> str:
    passage = browser.passages(number, position, position + 1)[0]
    return passage.label or passage.number or passage.id


def _found_line(browser: Browser, number: int, position: int, heading: str) -> str:
    document = browser.document(number)
    return (
        f'<li role="none"><button type="button" role="treeitem" class="line found" tabindex="-1" '
        f'data-document="{number}" data-at="{position}" dir="{direction(document.language)}">'
        f'<span class="words"><b dir="auto">{escape(heading)}</b>'
        f'<small dir="auto">{escape(document.title or document.id)}</small></span></button></li>'
    )


def nodes_html(browser: Browser, number: int, section: int | None, first: int) -> str:
    """Return the lines below a section, or below the document if ``section`` is None, from ``first`` on."""
    nodes = browser.nodes(number, section)
    shown = nodes[first : first + LINES_SHOWN]
    side = direction(browser.document(number).language)
    lines = "".join(_node_line(number, node, side) for node in shown)
    return lines + _more("nodes", first + len(shown), len(nodes))


def kinds(documents: Sequence[Document]) -> list[str]:
    """Return the types of documents in a corpus, in alphabetical order."""
    return sorted({document.type for document in documents if document.type})


def _names(document: Document) -> str:
    year = str(document.year or "")
    return " ".join((document.title, document.id, document.number or "", year, *document.aliases)).casefold()


def _document_line(browser: Browser, number: int, today: date) -> str:
    document = browser.document(number)
    seal = document_badge(document, today)
    sealed = f'<span class="badge old">{escape(seal.words)}</span>' if seal is not None and seal.old else ""
    length = browser.length(number)
    return (
        f'<li role="none"><button type="button" role="treeitem" class="line doc" aria-expanded="false" '
        f'tabindex="-1" data-document="{number}" data-at="0" dir="{direction(document.language)}">'
        f'<i class="fold-mark" aria-hidden="true"></i><span class="words">'
        f'<b dir="auto">{escape(document.title or document.id)}</b>'
        f'<small dir="ltr">{escape(facts(document, length))}</small></span>{sealed}</button></li>'
    )


def _node_line(number: int, node: Node, side: str) -> str:
    opens = ' aria-expanded="false"' if node.branches else ""
    section = "" if node.section is None else f' data-section="{node.section}"'
    return (
        f'<li role="none"><button type="button" role="treeitem" class="line"{opens} tabindex="-1" '
        f'data-document="{number}" data-at="{node.first}" data-stop="{node.stop}"{section} dir="{side}">'
        f'<i class="fold-mark" aria-hidden="true"></i>'
        f'<span class="words" dir="auto">{escape(node.heading)}</span></button></li>'
    )


def _more(what: str, shown: int, total: int) -> str:
    if shown >= total:
        return ""
    return (
        f'<li role="none"><button type="button" role="treeitem" class="line more-lines" tabindex="-1" '
        f'data-more="{what}" data-first="{shown}">{total - shown:,} more</button></li>'
    )


# Answers of the reading page: the list of corpora, the trees, the text, the targets of references.

LONGEST_PIECE = 120


class DocumentsForm(CorpusForm):
    """A filter of documents: words of their names, one type (empty for any), from the ``first`` on."""

    words: str = Field(default="", max_length=500)
    kind: str = Field(default="", max_length=200)
    first: int = Field(default=0, ge=0)


class NodesForm(DocumentForm):
    """The lines below a section of a document, or below the document, from the ``first`` on."""

    section: int | None = Field(default=None, ge=0)
    first: int = Field(default=0, ge=0)


class PositionForm(DocumentForm):
    """A position in a document."""

    at: int = Field(default=0, ge=0)


class PieceForm(PositionForm):
    """A piece of a document; ``stop`` 0: of the usual length."""

    stop: int = Field(default=0, ge=0)


class CitingForm(PositionForm):
    """The references to a passage, from the ``first`` on."""

    first: int = Field(default=0, ge=0)


class TargetsForm(CorpusForm):
    """The numbers of references made by the same words."""

    refs: tuple[int, ...] = Field(default=(), max_length=500)


class PlaceForm(CorpusForm):
    """The id of a passage, a section or a document."""

    target: str = Field(default="", max_length=1000)


def shelf(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the corpora that a visitor may see, and whether one of their ingestions is running."""
    corpora = []
    for shelved in access.desk.books.shelf(access.caller.key):
        info = shelved.info
        corpora.append(
            {
                "name": shelved.name,
                "documents": info.documents if info else 0,
                "passages": info.passages if info else 0,
                "languages": list(info.languages) if info else [],
                "state": shelved.state,
                "text": info.metadata.get("text", "") if info else "",
                "private": shelved.private,
                "writable": access.may(shelved, Action.RESOLVE),
                "addable": access.may(shelved, Action.ADD),
                "deletable": access.may(shelved, Action.DELETE) and shelved.made_here,
                "problem": shelved.problem,
            }
        )
    job = access.desk.jobs.going(access.caller.key)
    return {"corpora": corpora, "job": job.id if job else ""}


def overview(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the values of the tabs of a corpus: its types of documents, the number of open references."""
    browser = access.browser()
    info = browser.corpus.info()
    by_status = info.references_by_status
    return {
        "kinds": [[kind, marked(kind)] for kind in kinds(browser.documents)],
        "open": by_status.get(Status.UNRESOLVED, 0) + by_status.get(Status.AMBIGUOUS, 0),
    }


def documents(access: CorpusAccess, form: DocumentsForm) -> Answer:
    """Return the filtered list of documents; if words are given, headings that contain them follow."""
    browser = access.browser()
    lines = documents_html(browser, form.words, form.kind, form.first, date.today())
    found = found_html(browser, form.words) if form.words.strip() and not form.first else ""
    return {"html": lines, "found": found, "total": len(browser.documents)}


def nodes(access: CorpusAccess, form: NodesForm) -> Answer:
    """Return the lines below a document or a section."""
    browser = access.browser()
    browser.document(form.document)
    if form.section is not None and form.section >= len(browser.outline(form.document).sections):
        raise InputError("there is no such section (any more)")
    return {"html": nodes_html(browser, form.document, form.section, form.first)}


def piece(access: CorpusAccess, form: PieceForm) -> Answer:
    """Return a piece of a document's text from a position on, with the heading at that position, if any."""
    browser = access.browser()
    document = browser.document(form.document)
    length = browser.length(form.document)
    first = min(form.at, max(length - 1, 0))
    stop = min(form.stop or first + reader.PIECE, first + LONGEST_PIECE, length)
    return {
        "html": reader.piece_html(browser, form.document, first, stop, date.today()),
        "first": first,
        "stop": stop,
        "length": length,
        "language": document.language,
    }


def head(access: CorpusAccess, form: DocumentForm) -> Answer:
    """Return the head of a document."""
    browser, shelved = access.browser(), access.entry
    document = browser.document(form.document)
    removable = access.may(shelved, Action.ADD) and len(browser.documents) > 1
    grade = document_html(grades_of(browser.corpus), document, writable=access.may(shelved, Action.JUDGE))
    html = reader.document_head(browser, form.document, date.today(), removable=removable, grade=grade)
    return {"html": html, "direction": direction(document.language)}


def path(access: CorpusAccess, form: PositionForm) -> Answer:
    """Return the headings around a position, as links and as indexes in the tree."""
    browser = access.browser()
    browser.document(form.document)
    return {
        "html": reader.path_html(browser, form.document, form.at),
        "sections": list(browser.path(form.document, form.at)),
    }


def targets(access: CorpusAccess, form: TargetsForm) -> Answer:
    """Return the targets of references by the same words."""
    browser, shelved = access.browser(), access.entry
    numbers = reader.existing(browser, form.refs)
    spot = reader.only_spot(browser, numbers)
    return {
        "html": reader.targets_html(
            browser,
            numbers,
            resolvable=access.may(shelved, Action.RESOLVE),
            judging=access.may(shelved, Action.JUDGE),
        ),
        "spot": None if spot is None else {"document": spot.document, "at": spot.position},
    }


def citing(access: CorpusAccess, form: CitingForm) -> Answer:
    """Return the provisions that cite a passage."""
    browser = access.browser()
    browser.document(form.document)
    return {"html": reader.citing_html(browser, form.document, form.at, form.first)}


def place(access: CorpusAccess, form: PlaceForm) -> Answer:
    """Return the position of a passage, section or document, by its id. Raises InputError if there is
    none."""
    spot = access.browser().spot(form.target or "")
    if spot is None:
        raise InputError(f"{form.target!r} is not in this corpus")
    return {"document": spot.document, "at": spot.position}


CALLS = (
    Call("shelf", CorpusForm, shelf),
    Call("overview", CorpusForm, overview),
    Call("documents", DocumentsForm, documents),
    Call("nodes", NodesForm, nodes),
    Call("piece", PieceForm, piece),
    Call("head", DocumentForm, head),
    Call("path", PositionForm, path),
    Call("targets", TargetsForm, targets),
    Call("citing", CitingForm, citing),
    Call("place", PlaceForm, place),
)

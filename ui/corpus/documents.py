"""Answers of the reading page: list of corpora, trees, text, references."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from pydantic import Field

from engine.access.users import Action
from engine.corpus.grades import grades_of
from engine.errors import InputError
from engine.language.characters import marked
from engine.model import Document, Status
from ui.calls import Answer, Call
from ui.corpus import text as reader
from ui.corpus.access import CorpusAccess, CorpusForm, DocumentForm
from ui.corpus.browser import Browser, document_badge, facts
from ui.corpus.names import document_html
from ui.templating import direction, rendered

# The documents of a corpus and the lines below each, which open one by one.

DOCUMENTS_SHOWN = 100
LINES_SHOWN = 250


def documents_html(browser: Browser, words: str, kind: str, first: int, today: date) -> str:
    """Return documents whose names contain all the words, of one type (empty for any), from ``first`` on."""
    wanted = words.casefold().split()
    chosen = [
        number
        for number, document in enumerate(browser.documents)
        if (not kind or (document.type or "") == kind)
        and all(word in browser.names[number] for word in wanted)
    ]
    shown = chosen[first : first + DOCUMENTS_SHOWN]
    lines = []
    for number in shown:
        document = browser.document(number)
        seal = document_badge(document, today)
        lines.append((number, document, facts(document, browser.length(number)), seal))
    following = first + len(shown)
    return _lines(documents=lines, more="documents", next=following, rest=len(chosen) - following)


def found_html(browser: Browser, words: str) -> str:
    """Return provisions that the words name by number ("code 14"), and sections whose headings contain the
    words."""
    places = []
    for spot in browser.numbered(words):
        passage = browser.passage(spot)
        places.append((spot.document, spot.position, passage.label or passage.number or passage.id))
    for number, place in browser.find(words):
        if place is not None:
            first = browser.outline(number).sections[place].first
            places.append((number, first, browser.heading(number, place)))
    return _lines(found=[(*place, browser.document(place[0])) for place in dict.fromkeys(places)])


def nodes_html(browser: Browser, number: int, section: int | None, first: int) -> str:
    """Return the lines below a section, or below the document if ``section`` is None, from ``first`` on."""
    nodes = browser.nodes(number, section)
    shown = nodes[first : first + LINES_SHOWN]
    language, following = browser.document(number).language, first + len(shown)
    lines = [(node, number, language) for node in shown]
    return _lines(nodes=lines, more="nodes", next=following, rest=len(nodes) - following)


def _lines(**given: Any) -> str:
    return rendered("corpus/lines.html", **{"documents": (), "found": (), "nodes": (), "rest": 0} | given)


def kinds(documents: Sequence[Document]) -> list[str]:
    """Return the types of documents in a corpus, in alphabetical order."""
    return sorted({document.type for document in documents if document.type})


# Answers of the reading page: the list of corpora, the trees, the text, the targets of references.


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
    stop = min(form.stop or first + reader.PIECE, first + reader.LONGEST_PIECE, length)
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

"""Answers to a page that reads: the shelf, the trees, the text, where references lead."""

from __future__ import annotations

from datetime import date
from typing import Any

from engine.access.users import Action
from engine.corpus.grades import grades_of
from engine.errors import InputError
from engine.language.characters import marked
from engine.model import Status
from ui.corpus import cited, reader, tree
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.grading import document_html
from ui.corpus.wording import direction

Answer = dict[str, Any]
LONGEST_PIECE = 120


def shelf(desk: CorpusDesk, ask: Ask) -> Answer:
    """The corpora that a visitor sees, and whether an ingestion of theirs is under way."""
    corpora = []
    for shelved in desk.books.shelf(ask.visitor):
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
                "writable": desk.may(ask, shelved, Action.RESOLVE),
                "addable": desk.may(ask, shelved, Action.ADD),
                "deletable": desk.may(ask, shelved, Action.DELETE) and shelved.made_here,
                "problem": shelved.problem,
            }
        )
    job = desk.jobs.going(ask.visitor)
    return {"corpora": corpora, "job": job.id if job else ""}


def overview(desk: CorpusDesk, ask: Ask) -> Answer:
    """What the tabs of a corpus say: its types of documents, how much there is to resolve."""
    browser = desk.browser(ask)
    info = browser.corpus.info()
    by_status = info.references_by_status
    return {
        "kinds": [[kind, marked(kind)] for kind in tree.kinds(browser.documents)],
        "open": by_status.get(Status.UNRESOLVED, 0) + by_status.get(Status.AMBIGUOUS, 0),
    }


def documents(desk: CorpusDesk, ask: Ask) -> Answer:
    """The list of documents, filtered; where words are given, headings that hold them stand below."""
    browser = desk.browser(ask)
    lines = tree.documents_html(browser, ask.words, ask.kind, ask.first, date.today())
    found = tree.found_html(browser, ask.words) if ask.words.strip() and not ask.first else ""
    return {"html": lines, "found": found, "total": len(browser.documents)}


def nodes(desk: CorpusDesk, ask: Ask) -> Answer:
    """The lines below a document or a section."""
    browser = desk.browser(ask)
    browser.document(ask.document)
    if ask.section is not None and ask.section >= len(browser.outline(ask.document).sections):
        raise InputError("there is no such section (any more)")
    return {"html": tree.nodes_html(browser, ask.document, ask.section, ask.first)}


def piece(desk: CorpusDesk, ask: Ask) -> Answer:
    """A piece of a document's text from a position on; from a heading on where one stands there."""
    browser = desk.browser(ask)
    document = browser.document(ask.document)
    length = browser.length(ask.document)
    first = min(ask.at, max(length - 1, 0))
    stop = min(ask.stop or first + reader.PIECE, first + LONGEST_PIECE, length)
    return {
        "html": reader.piece_html(browser, ask.document, first, stop, date.today()),
        "first": first,
        "stop": stop,
        "length": length,
        "language": document.language,
    }


def head(desk: CorpusDesk, ask: Ask) -> Answer:
    """The head of a document."""
    browser, shelved = desk.browser(ask), desk.shelved(ask)
    document = browser.document(ask.document)
    removable = desk.may(ask, shelved, Action.ADD) and len(browser.documents) > 1
    grade = document_html(grades_of(browser.corpus), document, writable=desk.may(ask, shelved, Action.JUDGE))
    html = reader.document_head(browser, ask.document, date.today(), removable=removable, grade=grade)
    return {"html": html, "direction": direction(document.language)}


def path(desk: CorpusDesk, ask: Ask) -> Answer:
    """The headings around a position, as links and as places in the tree."""
    browser = desk.browser(ask)
    browser.document(ask.document)
    return {
        "html": reader.path_html(browser, ask.document, ask.at),
        "sections": list(browser.path(ask.document, ask.at)),
    }


def targets(desk: CorpusDesk, ask: Ask) -> Answer:
    """Where references of the same words lead."""
    browser, shelved = desk.browser(ask), desk.shelved(ask)
    numbers = cited.existing(browser, ask.refs)
    spot = cited.only_spot(browser, numbers)
    return {
        "html": cited.targets_html(
            browser,
            numbers,
            resolvable=desk.may(ask, shelved, Action.RESOLVE),
            judging=desk.may(ask, shelved, Action.JUDGE),
        ),
        "spot": None if spot is None else {"document": spot.document, "at": spot.position},
    }


def citing(desk: CorpusDesk, ask: Ask) -> Answer:
    """Who cites a passage."""
    browser = desk.browser(ask)
    browser.document(ask.document)
    return {"html": cited.citing_html(browser, ask.document, ask.at, ask.first)}


def place(desk: CorpusDesk, ask: Ask) -> Answer:
    """Where a passage, section or document stands, by its id. Raises InputError where nowhere."""
    spot = desk.browser(ask).spot(ask.target or "")
    if spot is None:
        raise InputError(f"{ask.target!r} is not in this corpus")
    return {"document": spot.document, "at": spot.position}

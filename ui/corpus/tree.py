"""The documents of a corpus and what stands below each, as lines that open one by one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from engine.language.characters import escape
from engine.model import Document
from ui.corpus.browse import Browser, Node
from ui.corpus.wording import direction, document_badge, facts

DOCUMENTS_SHOWN = 100
LINES_SHOWN = 250


def documents_html(browser: Browser, words: str, kind: str, first: int, today: date) -> str:
    """Documents whose names hold all the words, of one type or (empty) of any, from the ``first`` on."""
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
    """Provisions that the words name by number ("code 14"), and sections whose headings hold the words."""
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
    """The lines below a section, or below the document where ``section`` is None, from ``first`` on."""
    nodes = browser.nodes(number, section)
    shown = nodes[first : first + LINES_SHOWN]
    side = direction(browser.document(number).language)
    lines = "".join(_node_line(number, node, side) for node in shown)
    return lines + _more("nodes", first + len(shown), len(nodes))


def kinds(documents: Sequence[Document]) -> list[str]:
    """The types of documents that a corpus has, in alphabetical order."""
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

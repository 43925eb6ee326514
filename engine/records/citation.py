"""How a passage is cited, in the manner of its language, exact to the page or the element of its source."""

from __future__ import annotations

import re

from engine.ingestion.assembly import EID
from engine.language.front_page import STANDARD
from engine.languages import words
from engine.model import Document, Passage

# What a title has behind its name: ", 2010", "11 of 2012", "(No. 5) 2010".
_YEAR = re.compile(r"(?:\W|\d|No|of)*\b(?:1[5-9]|2[01])\d\d\)?")


def short_citation(passage: Passage, document: Document) -> str:
    """How a trail names a passage: the document's shortest name and the label inside it."""
    title = document.title or document.id
    # "Ports Act" may be that of 1980 or that of 2010.
    names = [one for one in document.aliases if not _YEAR.fullmatch(title.removeprefix(one))]
    name = min((*names, title), key=len)
    if _is_edition(document):
        # All editions have the shortest name in common.
        name = f"{document.number}:{document.year}"
    return _joined(name, passage)


def pinpoint(passage: Passage) -> str:
    """Where in its document a passage stands: its label and its page ("Pasal 25 ayat (1), p. 14")."""
    page = f"p. {passage.page}" if passage.page is not None else ""
    return ", ".join(part for part in (passage.label, page) if part)


def full_citation(passage: Passage, document: Document) -> str:
    """A citation for a memo: title, number and year, else issuer and date, label, page or element, id."""
    number = " of ".join(str(part) for part in (document.number, document.year) if part)
    if not number and (day := document.metadata.get("date")):
        number = ", ".join(filter(None, (document.issuer, str(day))))
    if _is_edition(document):
        number = f"{document.number}:{document.year}"
    title = document.title or document.id
    if _is_edition(document) and str(document.number) in title and str(document.year) in title:
        number = ""
    named = f"{title} ({number})" if number and number not in title else title
    if not passage.label:
        cited = named
    elif words(passage.language).citing.joined:
        cited = _joined(named, passage)
    else:
        cited = f"{named}, {passage.label}"
    page = f"p. {passage.page}" if passage.page is not None else ""
    eid = passage.metadata.get(EID)
    place = page or (f"eId {eid}" if eid else "")
    return ", ".join(part for part in (cited, place) if part) + f" [{passage.id}]"


def _is_edition(document: Document) -> bool:
    return document.type == STANDARD and bool(document.number and document.year)


def _joined(name: str, passage: Passage) -> str:
    if not passage.label:
        return name
    if passage.label.startswith(name) and name.isupper():
        # "COBS 3.4.1R" says it itself.
        return passage.label
    citing = words(passage.language).citing
    numbers = name[-1:].isdigit() and passage.label[:1].isdigit()
    form = citing.joined or ("{name}, {label}" if numbers else "{name} {label}")
    return form.format(name=name.strip(citing.marks) if citing.marks else name, label=passage.label)

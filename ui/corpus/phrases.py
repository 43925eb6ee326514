"""Words of the corpus panel: relations from the side of the citing text, states, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from engine.model import Document, Passage, Status
from engine.records.context import Badge, badge
from engine.records.phrases import plural

STATUS_WORDS: Mapping[Status, str] = {
    Status.RESOLVED: "resolved",
    Status.AMBIGUOUS: "several targets possible",
    Status.UNRESOLVED: "target not found",
}
# Languages that are written from right to left.
RIGHT_TO_LEFT = frozenset({"ar", "fa", "ur", "he", "yi", "ps", "sd", "ug", "dv"})


def direction(language: str) -> str:
    """Return the direction of a language's script, as an HTML value."""
    return "rtl" if language.split("-")[0] in RIGHT_TO_LEFT else "ltr"


def numbered(document: Document) -> str:
    """Return a document's number and year: "No. 13 of 2011", "13", "2011"; empty if it has neither."""
    if document.number and document.year:
        return f"No. {document.number} of {document.year}"
    return f"No. {document.number}" if document.number else str(document.year or "")


def facts(document: Document, passages: int) -> str:
    """Return one line on a document: its type, number and year, language, length."""
    parts = ((document.type or "").capitalize(), numbered(document), document.language)
    return " · ".join([*(part for part in parts if part and part != "und"), plural(passages, "passage")])


def document_badge(document: Document, today: date) -> Badge | None:
    """Return whether a document as a whole is in force; None if it does not state that."""
    return badge(Passage("", document.id, None, 0, ""), document, today)

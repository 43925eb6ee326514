"""Which of several versions of one act a text means: the newest there was when it was written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from engine.language.aliases import name_key
from engine.model import Document


def of_its_time(found: Sequence[int], own: int, documents: Sequence[Document]) -> tuple[int, ...]:
    """Of versions of one act the newest that is not later than the citing document.

    Everything that was given where the documents are not versions of one act, where any of them or the
    citing one has no date, and where all are later: then nothing tells which is meant.
    """
    if len(found) < 2 or own in found:
        return tuple(found)
    titles = {(name_key(documents[one].title), documents[one].language) for one in found}
    dates = {one: made_on(documents[one]) for one in found}
    written = made_on(documents[own])
    if len(titles) > 1 or written is None or None in dates.values():
        return tuple(found)
    before = {one: made for one, made in dates.items() if made is not None and made <= written}
    newest = max(before.values(), default=None)
    return tuple(one for one, made in before.items() if made == newest) or tuple(found)


def made_on(document: Document) -> date | None:
    """The day of a version: that of its coming into force, the one that names it, or the one that its source
    gives as its last change; None where nothing tells it."""
    if document.valid_from is not None:
        return document.valid_from
    for told in (document.version, document.metadata.get("last_updated")):
        try:
            return date.fromisoformat(str(told or ""))
        except ValueError:
            continue
    return None

"""One request of the Cases view, checked."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from engine.records.store.store import LONGEST_NAME, LONGEST_NOTES
from ui.asked import CorpusName, Key, Request

LONGEST_VERDICT, LONGEST_SEARCH = 40, 200
# A form that nobody touched sends nothing in a field; what is a day or a number then has none.
Day = Annotated[date | None, BeforeValidator(lambda given: None if given == "" else given)]


class Ask(Request):
    """One request. Fields of a form come as their text.

    ``id`` and ``other`` are those of cases, ``matter`` that of a matter: empty for all, ``NEW`` for one that
    is to be made. ``choices``: what cases can be filtered by is wanted, too. ``shared``: whoever has the link
    of the case is to read it.
    """

    do: Key
    visitor: Key = ""
    session: Key = Field(default="", repr=False)
    words: str = Field(default="", max_length=LONGEST_SEARCH)
    matter: Key = ""
    corpus: CorpusName = ""
    evidence: Literal["", "found", "partial", "none"] = ""
    verdict: str = Field(default="", max_length=LONGEST_VERDICT)
    since: Day = None
    until: Day = None
    choices: bool = False
    page: int = Field(default=0, ge=0, le=100_000)
    id: Key = ""
    other: Key = ""
    name: str | None = Field(default=None, max_length=LONGEST_NAME)
    notes: str | None = Field(default=None, max_length=LONGEST_NOTES)
    right: Literal["", "yes", "no"] = ""
    format: Key = ""
    shared: bool = False


NEW = "new"

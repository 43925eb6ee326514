"""One request of the Check view, checked."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from engine.access.users import Role
from engine.answers.audit.claims import LONGEST_TEXT
from engine.corpus.signing import LONGEST_NAME, LONGEST_NOTE
from ui.asked import CorpusName, Key, LowestGrade, Request, SentFile
from ui.jobs.job import Owner


class Ask(Request):
    """One request. ``day`` None is today, ``grade`` the lowest of sources, None for any; ``model``: use the
    language model if there is one."""

    do: Key
    visitor: Key = ""
    # Never what the request says: the server puts these in.
    address: Key = ""
    role: Role = Role.VISITOR
    reviewer: str = Field(default="", max_length=200)
    session: Key = Field(default="", repr=False)
    corpus: CorpusName = ""
    text: str = Field(default="", max_length=LONGEST_TEXT)
    file: SentFile | None = None
    day: date | None = None
    grade: LowestGrade = None
    model: bool = False
    job: Key = ""
    # What somebody says of a verdict: of which claim, what it is instead, a name where nobody is logged in.
    act: Literal["", "confirm", "overrule", "undo"] = ""
    claim: Key = ""
    instead: Key = ""
    note: str = Field(default="", max_length=LONGEST_NOTE)
    name: str = Field(default="", max_length=LONGEST_NAME)
    seen: int = Field(default=0, ge=0)

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)

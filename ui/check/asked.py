"""One request of the Check view, checked."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from engine.answers.audit.claims import LONGEST_TEXT
from ui.check.limits import FILE_BYTES
from ui.jobs.job import Owner


class Sent(BaseModel):
    """A file as the browser sends it: its name, its bytes in base 64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)


class Ask(BaseModel):
    """One request. ``day`` None is today, ``grade`` None any; ``model``: use the language model if there is
    one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: str
    visitor: str = Field(default="", max_length=80)
    # Never what the request says: the server puts it in.
    address: str = ""
    session: str = Field(default="", max_length=80, repr=False)
    corpus: str = Field(default="", max_length=200)
    text: str = Field(default="", max_length=4 * LONGEST_TEXT)
    file: Sent | None = None
    day: date | None = None
    grade: float | None = Field(default=None, ge=0, le=1)
    model: bool = False
    job: str = Field(default="", max_length=40)
    seen: int = Field(default=0, ge=0)

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)

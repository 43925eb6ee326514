"""One request of the Review view, checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from engine.review.adding import LONGEST_TEXT
from engine.review.model import Verdict
from ui.asked import CorpusName, Key, Request
from ui.corpus.intake import Uploaded

LONGEST_NAME, LONGEST_REASON, LONGEST_NOTE, LONGEST_KEY = 100, 100, 2000, 1500
MOST_ITEMS, MOST_REVIEWERS = 2000, 20
A_DAY = 86_400.0
Count = Annotated[int, Field(ge=0, le=MOST_ITEMS)]
# A box that is ticked sends this, one that is not nothing.
Ticked = Annotated[bool, BeforeValidator(lambda given: True if given == "on" else given)]


class Ask(Request):
    """One request. Fields of a form come as their text.

    ``reviewer`` is the name that somebody has typed, which counts where nobody logs in. ``tab`` names a tab
    of their browser, ``slots`` the items that it holds at once. ``case`` and ``key`` name an item; ``cases``
    is the id of the only case that a queue is made of, empty for all of the matter, or the case that is open;
    ``name`` is that of a queue, or of a reviewer who is added to it. ``seen`` is the version of the criteria
    that the page shows, None before it shows any. ``format`` is that of a file of verdicts, ``file`` one that
    was sent. ``corpus`` is one of those that cases of the matter asked, empty for the first; ``of`` says
    whether what is learned is for the matter or for all who ask the corpus; ``weights`` and ``job`` are ids.
    """

    do: Key
    visitor: Key = ""
    session: Key = Field(default="", repr=False)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    tab: str = Field(default="", max_length=40)
    slots: tuple[Literal["a", "b", "c", "d", "e", "f"], ...] = Field(default=(), max_length=6)
    matter: Key = ""
    queue: Key = ""
    case: Key = ""
    key: str = Field(default="", max_length=LONGEST_KEY)
    verdict: Verdict | None = None
    reason: str = Field(default="", max_length=LONGEST_REASON)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    seconds: float | None = Field(default=None, ge=0, le=A_DAY, allow_inf_nan=False)
    seen: int | None = Field(default=None, ge=0)
    criteria: str = Field(default="", max_length=LONGEST_TEXT)
    name: str = Field(default="", max_length=LONGEST_NAME)
    cases: Key = ""
    best: Count = 10
    border: Count = 5
    alone: Count = 3
    disagreed: Count = 3
    random: Count = 5
    hops: Count = 5
    sentences: Count = 0
    telling: Count = 0
    reviewers: int = Field(default=1, ge=1, le=MOST_REVIEWERS)
    open: Ticked = False
    format: Key = ""
    file: Uploaded | None = None
    corpus: CorpusName = ""
    of: Literal["matter", "corpus"] = "matter"
    weights: str = Field(default="", pattern=r"^[\w-]{0,64}$", max_length=64)
    job: Key = ""

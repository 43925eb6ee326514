"""The tool ``read``: a passage, a section or a document in place."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from engine.records.in_place import Choices, find_spot, read_passages
from engine.records.summaries import Slim
from engine.verbs.requests import Blank, Request
from engine.verbs.verb import LONGEST_ANSWER, weight
from ui.tools.caller import ServerCaller
from ui.tools.questions import OfCorpus
from ui.tools.tool import tool_verb

MOST_PASSAGES = 100
# What stands around the passages of an answer.
AROUND = 3000
OF_A_WHOLE = 20


class Reading(Request):
    """What ``read`` takes."""

    what: str = Field(
        min_length=1, max_length=1000,
        description="Id of a passage, a section or a document; or words that cite a provision, such as "
        "Article 12 of the Harbour Act.",
    )  # fmt: skip
    corpus: OfCorpus = ""
    before: int = Field(default=1, ge=0, le=MOST_PASSAGES, description="Passages to give before a passage.")
    after: int = Field(default=2, ge=0, le=MOST_PASSAGES, description="Passages to give behind a passage.")
    at: int | None = Field(
        default=None, ge=0,
        description="Position in the document to read from instead, as next gives it: the way to turn pages.",
    )  # fmt: skip
    start: int = Field(
        default=0, ge=0, description="Character of the first passage to begin at, as next gives it."
    )
    day: Annotated[date | None, Blank] = Field(
        default=None, description="Say what was in force on this day (2024-06-01); null for today."
    )


class SlimReference(Slim):
    """A reference that a passage makes."""

    words: str
    relation: str
    to: str | None = Field(description="id of what it leads to; null where that is open")
    status: str = Field(description="resolved, ambiguous or unresolved")


class SlimRead(Slim):
    """A passage in its document."""

    id: str
    at: int = Field(description="its position in the document, from 0")
    label: str
    headings: list[str] = Field(description="the headings above it, from the outside in")
    citation: str = Field(description="as a memo cites it")
    page: int | None
    language: str
    validity: str | None
    out_of_force: bool
    text: str
    characters: int = Field(description="length of its whole text")
    cites: list[SlimReference]
    cited_by: int = Field(description="how many references lead to it")


class SlimDocument(Slim):
    """The document that is read."""

    id: str
    title: str
    type: str | None
    number: str | None
    year: int | None
    language: str
    status: str | None


class SlimNext(Slim):
    """Where to go on."""

    at: int
    start: int


class OfAStretch(Slim):
    """What ``read`` gives."""

    corpus: str
    document: SlimDocument | None = Field(description="null where the words may mean several provisions")
    passages: list[SlimRead] = Field(description="in the order of the document")
    first: int | None = Field(description="position of the first of them")
    length: int | None = Field(description="how many passages the document has")
    next: SlimNext | None = Field(description="what to give as at and start to go on; null at the end")
    choices: dict[str, str] = Field(description="where several provisions may be meant: their names by id")
    note: str


def _read(asking: ServerCaller, asked: Reading) -> dict[str, Any]:
    asking.log("read", asked.corpus)
    corpus = asking.corpus(asked.corpus)
    day = asked.day or date.today()
    spot = find_spot(corpus, asked.what, day)
    if isinstance(spot, Choices):
        nothing: dict[str, Any] = dict.fromkeys(("document", "first", "length", "next"))
        told = {"passages": [], "choices": spot.choices, "note": spot.note}
        return {"corpus": corpus.name, **nothing, **told}
    if asked.at is not None:
        first, stop = asked.at, asked.at + MOST_PASSAGES
    elif spot.whole:
        first, stop = spot.position, spot.position + OF_A_WHOLE
    else:
        first, stop = max(spot.position - asked.before, 0), spot.position + asked.after + 1
    room = LONGEST_ANSWER - AROUND
    found = read_passages(corpus, spot.document, first, stop, day, start=asked.start, room=room, weigh=weight)
    document = corpus.documents()[spot.document]
    own = {name: getattr(document, name) for name in SlimDocument.model_fields}
    return {"corpus": corpus.name, "document": own, **found, "choices": {}, "note": ""}


TOOL = tool_verb(
    "read",
    "Read in place",
    "Read a passage where it stands, with its neighbours, its references and how often it is cited; or a "
    "section or a document, page by page.",
    Reading,
    _read,
    OfAStretch,
)

"""Verbs on passages: follow one further, read one in its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from engine.errors import CancelledError, InputError
from engine.records.summaries import Slim, slim_case, trail_words
from engine.verbs.questions import MORE, UNWANTED, Model, Report
from engine.verbs.verb import (
    LONGEST_ANSWER,
    Caller,
    CaseId,
    Day,
    Detail,
    Key,
    OfCorpus,
    Request,
    Response,
    Tool,
    verb,
    weight,
)

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation import Case
    from engine.investigation.ranking.additive import Experience
    from engine.investigation.record import Event
    from engine.records.replaying import Follow
    from engine.records.store.chain import Event as CaseEvent

# Passages of a step that are returned with their texts.
MOST_FOUND = 60
MOST_PASSAGES = 100
# Characters around the passages of an answer.
AROUND = 3000
# Passages of a section or a document at once.
PAGE = 20


class FollowPassage(Request):
    """Arguments of ``follow``."""

    case: CaseId
    passage: str = Field(
        min_length=1, max_length=1000,
        description="Id of the passage to go on from; any passage of the corpus of the case.",
    )  # fmt: skip
    strategies: Annotated[tuple[Key, ...], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Threads to follow; null for those of the case."
    )
    model: Model = False
    detail: Detail = "slim"


class SlimFound(Slim):
    """A passage that a step has found."""

    id: str
    citation: str
    text: str
    found: str = Field(description="how it was found")
    score: float


class StepAnswer(Slim):
    """Answer of ``follow``, in short."""

    case: str
    followed: str = Field(description="id of the passage that was followed")
    round: int = Field(description="number of the round that this was")
    admitted: int = Field(description="passages that came into the pool")
    refused: int = Field(description="passages that did not")
    found: list[SlimFound] = Field(description="what came into the pool, best first")
    evidence: dict[str, Any] = Field(description="as of investigate, after this step")
    passages: list[dict[str, Any]] = Field(description="the ranking after this step, as of investigate")
    notes: list[str]
    more: str = Field(description="how to get more of it")


def _slim_step(values: Mapping[str, Any]) -> dict[str, Any]:
    short = slim_case(values)
    ranking = {name: short[name] for name in ("evidence", "passages", "notes")}
    return {"case": values["case"], **values["step"], **ranking, "more": values["more"]}


@verb(
    "",
    FollowPassage,
    tool=Tool(
        "follow",
        "Follow a lead further",
        "Go on from one passage of a case that is kept, one more round by the threads that are named. The "
        "step is added to the case, where it can be taken back.",
        StepAnswer,
        _slim_step,
    ),
    changes=True,
    repeats=False,
    queued=True,
)
def follow_passage(caller: Caller, request: FollowPassage) -> Response:
    """Follow a passage of a kept case one round further; the step is added to the case."""
    from engine.investigation import make_case
    from engine.records.replaying import Follow
    from engine.records.store.chain import fingerprint_of
    from engine.settings import checked

    owner, store = caller.owner, caller.store()
    record, events = store.record(request.case, owner), store.events(request.case, owner)
    if record["model"] and not request.model:
        raise InputError("model: a language model helped this case; follow it with model=true")
    caller.log("follow", record["corpus"])
    corpus = caller.corpus(record["corpus"])
    # It waits in the queue and is cancelled with the caller; the step is run on a replay.
    waiting = make_case(corpus, record["question"], checked(record["settings"]), model=caller.model(request))
    step = Follow(passage=request.passage, strategies=request.strategies or waiting.settings.strategies)
    weights = caller.weights_of(store.summary(request.case, owner).matter, record)
    found = caller.run_case(
        replay_and_follow, waiting, record=record, events=tuple(events), step=step, weights=weights
    )
    if waiting.is_cancelled:
        raise CancelledError(UNWANTED)
    store.step(
        request.case, step.kind, who=caller.name, owner=owner, data=step.data(), record=found["record"],
        seen=len(events),
    )  # fmt: skip
    changed = store.summary(request.case, owner).fingerprint != fingerprint_of(corpus)
    since = ["the corpus has changed since the case was kept: the case was replayed"] if changed else []
    record = {**found["record"], "notes": [*found["record"]["notes"], *since]}
    return Response({"case": request.case, **record, "step": found["step"], "more": MORE})


def replay_and_follow(
    case: Case,
    report: Report,
    *,
    record: Mapping[str, Any],
    events: tuple[CaseEvent, ...],
    step: Follow,
    weights: Experience | None,
) -> dict[str, Any]:
    """Replay a record with its steps and follow one passage; returns the record then, and what was found.

    Raises InputError for a passage that the corpus does not have, CancelledError.
    """
    from engine.records.conversion import investigation_to_json
    from engine.records.replaying import rerun

    replayed = rerun(record, case.corpus, events=events, model=case.model, learned=weights)
    for _ in _until_cancelled(case, replayed.follow(step.passage, step.strategies)):
        continue
    after = investigation_to_json(replayed.investigation())
    return {"record": after, "step": _step(after, step.passage, case.corpus)}


def _until_cancelled(case: Case, events: Iterator[Event]) -> Iterator[Event]:
    while not case.is_cancelled:
        event = next(events, None)
        if event is None:
            return
        yield event
    raise CancelledError(UNWANTED)


def _step(record: Mapping[str, Any], passage: str, corpus: Corpus) -> dict[str, Any]:
    report = record["rounds"][-1]
    own = [node for node in record["pool"]["nodes"] if node["round"] == report["number"]]
    own = sorted((node for node in own if node["id"] != passage), key=lambda node: -node["score"])
    hops: dict[str, Any] = {}
    for edge in record["pool"]["edges"]:
        if edge["round"] == report["number"]:
            hops.setdefault(edge["target"], edge)
    return {
        "followed": passage,
        "round": report["number"],
        "admitted": report["admitted"],
        "refused": report["refused"],
        "found": _found(own[:MOST_FOUND], hops, corpus),
    }


def _found(nodes: list[Any], hops: Mapping[str, Any], corpus: Corpus) -> list[dict[str, Any]]:
    from engine.records.phrases import short_citation

    rows = corpus.rows([node["id"] for node in nodes])
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    return [
        {
            "id": node["id"],
            "citation": short_citation(passage, documents[number]),
            "text": passage.text,
            "found": "; ".join(trail_words([hops[node["id"]]])) if node["id"] in hops else node["strategy"],
            "score": node["score"],
        }
        for node, passage, number in zip(nodes, corpus.passages(rows), numbers, strict=True)
    ]


class ReadPassage(Request):
    """Arguments of ``read``."""

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
    day: Day = Field(
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


class ReadAnswer(Slim):
    """Answer of ``read``."""

    corpus: str
    document: SlimDocument | None = Field(description="null where the words may mean several provisions")
    passages: list[SlimRead] = Field(description="in the order of the document")
    first: int | None = Field(description="position of the first of them")
    length: int | None = Field(description="how many passages the document has")
    next: SlimNext | None = Field(description="what to give as at and start to go on; null at the end")
    choices: dict[str, str] = Field(description="where several provisions may be meant: their names by id")
    note: str


@verb(
    "",
    ReadPassage,
    tool=Tool(
        "read",
        "Open in document",
        "Read a passage in its document, with its neighbours, its references and how often it is cited; or a "
        "section or a document, page by page.",
        ReadAnswer,
    ),
    audit="read",
)
def read_passage(caller: Caller, request: ReadPassage) -> Response:
    """Read a passage with its neighbours, or a section or a document page by page."""
    from engine.records.in_place import Choices, find_spot, read_passages

    corpus = caller.corpus(request.corpus)
    day = request.day or date.today()
    spot = find_spot(corpus, request.what, day)
    if isinstance(spot, Choices):
        empty: dict[str, Any] = dict.fromkeys(("document", "first", "length", "next"))
        several = {"passages": [], "choices": spot.choices, "note": spot.note}
        return Response({"corpus": corpus.name, **empty, **several})
    if request.at is not None:
        first, stop = request.at, request.at + MOST_PASSAGES
    elif spot.whole:
        first, stop = spot.position, spot.position + PAGE
    else:
        first, stop = max(spot.position - request.before, 0), spot.position + request.after + 1
    room = LONGEST_ANSWER - AROUND
    found = read_passages(
        corpus, spot.document, first, stop, day, start=request.start, room=room, weigh=weight
    )
    document = corpus.documents()[spot.document]
    own = {name: getattr(document, name) for name in SlimDocument.model_fields}
    return Response({"corpus": corpus.name, "document": own, **found, "choices": {}, "note": ""})

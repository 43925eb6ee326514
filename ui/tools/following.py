"""The tool ``follow``: further from a passage of a case that is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from engine.corpus.protocol import Corpus
from engine.errors import CancelledError, InputError
from engine.investigation import Case, make_case
from engine.investigation.events import Event
from engine.investigation.ranking.additive import Experience
from engine.records.export import investigation_to_json
from engine.records.phrases import short_citation
from engine.records.replaying import Follow, rerun
from engine.records.store.chain import Event as CaseEvent
from engine.records.store.chain import fingerprint_of
from engine.records.summaries import Slim, slim_case, trail_words
from engine.settings import checked
from engine.verbs.requests import Detail, Key, Request
from ui.tools.caller import ServerCaller
from ui.tools.questions import MORE, UNWANTED, Model
from ui.tools.tool import tool_verb

CaseId = Annotated[
    str,
    Field(
        min_length=1, max_length=100, description="Id of a case, as investigate gives it and cases lists it."
    ),
]
# Of what a step has found so many are told with their words.
MOST_FOUND = 60


class Following(Request):
    """What ``follow`` takes."""

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


class OfAStep(Slim):
    """What ``follow`` gives in short."""

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


def followed(
    asked: Case,
    record: Mapping[str, Any],
    events: tuple[CaseEvent, ...],
    step: Follow,
    learned: Experience | None = None,
) -> dict[str, Any]:
    """Go through the case of a record and its steps again, and on by one step; its record then, and what was
    found. ``asked`` stands in the line for it and never runs: it is cancelled where nobody waits any more.

    Raises InputError for a passage that the corpus has not, CancelledError.
    """
    case = rerun(record, asked.corpus, events=events, model=asked.model, learned=learned)
    for _ in _wanted(asked, case.follow(step.passage, step.strategies)):
        continue
    told = investigation_to_json(case.investigation())
    return {"record": told, "step": _step(told, step.passage, asked.corpus)}


def _wanted(asked: Case, events: Iterator[Event]) -> Iterator[Event]:
    """The events of a case for as long as somebody waits for it."""
    while not asked.is_cancelled:
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
        "found": _told(own[:MOST_FOUND], hops, corpus),
    }


def _told(nodes: list[Any], hops: Mapping[str, Any], corpus: Corpus) -> list[dict[str, Any]]:
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


def _follow(asking: ServerCaller, asked: Following) -> dict[str, Any]:
    owner, store = asking.owner, asking.services.kept.store()
    record, events = store.record(asked.case, owner), store.events(asked.case, owner)
    if record["model"] and not asked.model:
        raise InputError("model: a language model helped this case; follow it with model=true")
    asking.log("follow", record["corpus"])
    corpus = asking.corpus(record["corpus"])
    ticket = make_case(
        corpus, record["question"], checked(record["settings"]), model=asking.model(wanted=asked.model)
    )
    step = Follow(passage=asked.passage, strategies=asked.strategies or ticket.settings.strategies)
    learned = asking.services.kept.learned_of(store.summary(asked.case, owner).matter, record)
    work = partial(followed, record=record, events=tuple(events), step=step, learned=learned)
    with asking.waiting(ticket.cancel):
        told = asking.library.workers.done(asking.visitor, work, ticket, here=asked.model)
    if ticket.is_cancelled:
        raise CancelledError(UNWANTED)
    store.step(
        asked.case, step.kind, who=asking.name, owner=owner, data=step.data(), record=told["record"],
        seen=len(events),
    )  # fmt: skip
    changed = store.summary(asked.case, owner).fingerprint != fingerprint_of(corpus)
    since = ["the corpus has changed since the case was kept: it was gone through anew"] if changed else []
    record = {**told["record"], "notes": [*told["record"]["notes"], *since]}
    return {"case": asked.case, **record, "step": told["step"], "more": MORE}


def _slim(values: Mapping[str, Any]) -> dict[str, Any]:
    short = slim_case(values)
    ranking = {name: short[name] for name in ("evidence", "passages", "notes")}
    return {"case": values["case"], **values["step"], **ranking, "more": values["more"]}


TOOL = tool_verb(
    "follow",
    "Follow a lead further",
    "Go on from one passage of a case that is kept, one more round by the threads that are named. The step "
    "is added to the case, where it can be taken back.",
    Following,
    _follow,
    OfAStep,
    _slim,
    reads=False,
    repeats=False,
    lined=True,
)

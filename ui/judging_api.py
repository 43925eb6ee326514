"""The tool ``judge``: verdicts on links, over HTTP and MCP, for whoever may give them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from engine.access.users import Action, Person, may
from engine.corpus.extracted.readings import Judgement, judged, load_validations
from engine.errors import AccessError, CorpusError
from engine.extraction.judging import Ends, figures_to_json, judge_link, rates, unjudge_link
from engine.model import Relation
from engine.records.summaries import Slim
from engine.verbs.requests import Blank, Detail, Request
from ui.shelf import Library
from ui.tools.caller import ServerCaller
from ui.tools.questions import OfCorpus
from ui.tools.tool import tool_verb

MOST_LISTED = 500


class Judging(Request):
    """What ``/judge`` takes: what to do, with which link, and how it should be."""

    act: Literal["reject", "accept", "correct", "undo", "list", "rates"] = Field(
        description="What to do: reject, accept or correct a link, undo that, list the verdicts, or tell how "
        "often links are right (rates)."
    )
    source: str = Field(default="", max_length=500, description="Id of the passage that says the link.")
    target: str = Field(default="", max_length=500, description="Id of what it leads to.")
    relation: Annotated[Relation | None, Blank] = Field(
        default=None, description="Which link, where there are several; null for the only one."
    )
    to: str = Field(
        default="", max_length=500, description="For a correction: id of the passage that is meant."
    )
    meant: Annotated[Relation | None, Blank] = Field(
        default=None, description="For a correction: the relation that is meant."
    )
    note: str = Field(default="", max_length=2000, description="Why.")
    corpus: OfCorpus = ""
    detail: Detail = "slim"


class OfAJudgement(Slim):
    """What ``judge`` gives: the verdicts, or the rates."""

    corpus: str
    verdicts: list[dict[str, Any]] | None = Field(default=None, description="given now, or standing (list)")
    total: int | None = Field(default=None, description="how many stand")
    rates: dict[str, Any] | None = Field(default=None, description="how often links are right, by their kind")


_JUDGEMENTS = {
    "reject": Judgement.REJECTED,
    "accept": Judgement.ACCEPTED,
    "correct": Judgement.CORRECTED,
}


def judging(library: Library, person: Person, asked: Judging) -> dict[str, Any]:
    """Do what is asked. Raises AccessError where the person may not, InputError for what is no link."""
    shelved = library.find(asked.corpus or None, person.key)
    if not may(person.role, Action.JUDGE, own=library.belongs(shelved)):
        raise AccessError(f"links of {shelved.name!r} are judged by its reviewers")
    corpus = library.open(shelved)
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for verdicts")
    if asked.act in ("list", "rates"):
        standing = list(judged(load_validations(corpus.journals)).values())
        if asked.act == "rates":
            return {"corpus": shelved.name, "rates": figures_to_json(rates(corpus, standing))}
        told = [one.model_dump(mode="json") for one in standing[-MOST_LISTED:]]
        return {"corpus": shelved.name, "verdicts": told, "total": len(standing)}
    ends = Ends(asked.source, asked.target, asked.relation)
    if asked.act == "undo":
        done = unjudge_link(corpus, ends)
    else:
        done = judge_link(
            corpus,
            ends,
            _JUDGEMENTS[asked.act],
            to=asked.to,
            relation=asked.meant,
            note=asked.note,
            reviewer=person.name,
        )
    return {"corpus": shelved.name, "verdicts": [one.model_dump(mode="json") for one in done]}


def _judge(asking: ServerCaller, asked: Judging) -> dict[str, Any]:
    told = judging(asking.library, asking.person, asked)
    asking.log("judge", asked.corpus)
    return told


TOOL = tool_verb(
    "judge",
    "Judge a link",
    "Reject, accept or correct a link of a corpus, undo it, list the verdicts, or tell how often links are "
    "right. For reviewers, and for whoever sits at a server of this machine alone.",
    Judging,
    _judge,
    OfAJudgement,
    reads=False,
)

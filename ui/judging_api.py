"""The endpoint ``/judge``: verdicts on links, over HTTP and as a tool (MCP), for whoever may give them."""

from __future__ import annotations

from typing import Any, Literal

import gradio as gr
from gradio.events import api
from pydantic import Field

from engine.access.audit_log import record
from engine.access.people import Person
from engine.access.roles import Action, may
from engine.corpus.extracted.validations import Judgement, judged, load_validations
from engine.errors import AccessError, CorpusError, RedstringError, for_visitors
from engine.extraction.judging import Ends, figures_to_json, judge_link, rates, unjudge_link
from engine.model import Relation
from ui.access.asking import person_of
from ui.asked import CorpusName, Request, checked
from ui.session import CASES
from ui.shelf import Library

MOST_LISTED = 500


class Judging(Request):
    """What ``/judge`` takes: what to do, with which link, and how it should be."""

    act: Literal["reject", "accept", "correct", "undo", "list", "rates"]
    source: str = Field(default="", max_length=500)
    target: str = Field(default="", max_length=500)
    relation: Relation | None = None
    to: str = Field(default="", max_length=500)
    meant: Relation | None = None
    note: str = Field(default="", max_length=2000)
    corpus: CorpusName = ""


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
    if corpus.folder is None:
        raise CorpusError(f"{corpus.name!r} lies in no folder: there is no place for verdicts")
    if asked.act in ("list", "rates"):
        standing = list(judged(load_validations(corpus.folder)).values())
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


def add_judging_api(library: Library) -> None:
    """Add the named endpoint ``/judge`` to the page that is being built."""

    def endpoint(
        request: gr.Request,
        act: str,
        source: str = "",
        target: str = "",
        relation: str = "",
        to: str = "",
        meant: str = "",
        note: str = "",
        corpus: str = "",
    ) -> dict[str, Any]:
        """Reject, accept or correct a link of a corpus, undo it, list the verdicts, or tell how often links
        are right. For reviewers, and for whoever sits at a server of this machine alone.

        act: reject, accept, correct, undo, list or rates. source, target: ids of the passage that says the
        link and of what it leads to. relation: which link, where there are several. to, meant: for a
        correction, the passage and the relation that are meant. note: why. corpus: a name of a corpus, empty
        for the first.
        """
        try:
            given = {
                "act": act,
                "source": source,
                "target": target,
                "relation": relation or None,
                "to": to,
                "meant": meant or None,
                "note": note,
                "corpus": corpus or "",
            }
            asked = checked(Judging, given)
            person = person_of(library.settings, request)
            told = judging(library, person, asked)
            record(person, "judge", library.find(asked.corpus or None, person.key).folder.name, "done")
            return told
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "judge"
    api(endpoint, api_name="judge", queue=False, concurrency_id=CASES)

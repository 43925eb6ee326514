"""Verbs on law in time: what changed between two days, and which references are to outdated law."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from engine.errors import InputError
from engine.records.summaries import Slim
from engine.verbs.requests import Day, OfCorpus, Request, corpus_option, option
from engine.verbs.verb import Caller, Response, Tool, verb

# Changes, and references, that an answer contains unless another number is given.
MOST = 100


class ListChanges(Request):
    """Arguments of ``changes``."""

    corpus: OfCorpus = ""
    from_day: Day = option(None, "the first day (2022-01-01)", "DAY", flag="--from")
    to_day: Day = option(None, "the last day; default today", "DAY", flag="--to")
    document: str = option("", "only this document, by its id or name", "NAME", max_length=300)
    question: str = option("", "only provisions with the words of this question", "TEXT", max_length=4000)
    limit: int = option(MOST, f"changes at most; default {MOST}", "N", ge=1, le=10_000)


class ListChangesOptions(ListChanges):
    """Options of ``changes``."""

    corpus: str = corpus_option()


class SlimChange(Slim):
    """A provision whose wording differs, or a document that is new or removed (provision is empty)."""

    kind: str = Field(description="changed, new, removed, renumbered, or amended (read both)")
    document: str
    title: str
    provision: str
    was: str = Field(description="its label before, if it was renumbered")
    days: list[str] = Field(description="the days on which it changed")
    derived: bool = Field(description="no source prints the new wording: it follows from the amendment")
    parts: list[dict[str, Any]] = Field(description="paragraphs: old_label, new_label, old, new")
    by: list[dict[str, Any]] = Field(
        description="amending passages, if known: passage (its id), citation, words, relation, since"
    )


class ChangesAnswer(Slim):
    """Answer of ``changes``."""

    corpus: str
    # "from" is no name in Python.
    first: str = Field(description="the first day")
    last: str = Field(description="the last day")
    total: int = Field(description="how many changes there are")
    others: int = Field(description="changes that the question is not about")
    undated: int = Field(description="documents that state no day: nothing is known of their changes")
    changes: list[SlimChange]


def _slim(values: Any) -> dict[str, Any]:
    changes = [SlimChange.model_validate(one).model_dump(mode="json") for one in values["changes"]]
    counts = {name: values[name] for name in ("corpus", "total", "others", "undated")}
    return {**counts, "first": values["from"], "last": values["to"], "changes": changes}


@verb(
    "changes",
    ListChanges,
    options=ListChangesOptions,
    tool=Tool(
        "changes",
        "What changed",
        "List what changed in a corpus between two days: each provision that is new, removed, changed or "
        "renumbered, with its old and new wording, the day, and the amending provision.",
        ChangesAnswer,
        slim=_slim,
    ),
)
def list_changes(caller: Caller, request: ListChanges) -> Response:
    """List what changed between two days, with both wordings and the amending text."""
    from engine.answers.change_report import changes_lines, changes_to_json
    from engine.answers.changes import find_changes

    if request.from_day is None:
        raise InputError("say from which day on: --from 2022-01-01")
    corpus = caller.corpus(request.corpus)
    last = request.to_day or date.today()
    found = find_changes(corpus, request.from_day, last, document=request.document, question=request.question)
    return Response(changes_to_json(found, request.limit), changes_lines(found, request.limit))


class ListOutdatedReferences(Request):
    """Arguments of ``outdated-references``."""

    corpus: str = corpus_option()
    day: Day = option(None, "the law of this day; default today", "DAY")
    limit: int = option(MOST, f"references at most; default {MOST}", "N", ge=1, le=10_000)


@verb("outdated-references", ListOutdatedReferences)
def list_outdated_references(caller: Caller, request: ListOutdatedReferences) -> Response:
    """List references to outdated law, with the successor if it is known."""
    from engine.answers.change_report import outdated_lines, outdated_to_json
    from engine.answers.outdated_references import find_outdated_references

    found = find_outdated_references(caller.corpus(request.corpus), request.day or date.today())
    return Response(outdated_to_json(found, request.limit), outdated_lines(found, request.limit))

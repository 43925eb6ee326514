"""Requests of the page for the tree and the charts: the current tab, and the open parts of the tree."""

from __future__ import annotations

from typing import Annotated, Literal

import orjson
from pydantic import Field, StrictInt

from engine.errors import InputError
from engine.verbs.requests import Request, parse_request

Tab = Literal["board", "tree", "charts"]
LONGEST = 400_000
NodeId = Annotated[str, Field(max_length=1000)]


class Looked(Request):
    """One request. ``open`` are the unfolded nodes, None for the initial state of the tree; ``branch``
    requests only the children of a node, from ``first`` on; ``selected`` is the passage selected on the page;
    if ``only`` is set, only its results are requested; ``words`` are those of the search."""

    view: Tab = "board"
    open: Annotated[list[NodeId], Field(max_length=2000)] | None = None
    branch: NodeId = ""
    first: StrictInt = Field(default=0, ge=0, le=10**6)
    selected: NodeId = ""
    only: bool = False
    words: str = Field(default="", max_length=500)
    turn: StrictInt = Field(default=0, ge=0, le=10**9)


def looked(text: object) -> Looked:
    """Parse the request. Raises InputError, in one line, if it is too long or invalid."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise InputError("what was asked of the tree is too long: fold some of it")
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("what was asked of the tree cannot be read: load the page again") from error
    return parse_request(Looked, values)

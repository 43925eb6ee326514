"""What the page asks of the tree and the charts: which of them is in front, and what of the tree is open."""

from __future__ import annotations

from typing import Annotated, Literal

import orjson
from pydantic import Field, StrictInt

from engine.errors import InputError
from engine.verbs.requests import Request, parse_request

View = Literal["board", "tree", "charts"]
LONGEST = 400_000
NodeId = Annotated[str, Field(max_length=1000)]


class Looked(Request):
    """One look. ``open`` are the nodes that are unfolded, None: as the tree begins; ``branch`` asks only for
    the children of a node, from the ``first`` on; ``selected`` is the passage that the page has selected, of
    which alone is told where ``only`` is set; ``words`` are those of the search."""

    view: View = "board"
    open: Annotated[list[NodeId], Field(max_length=2000)] | None = None
    branch: NodeId = ""
    first: StrictInt = Field(default=0, ge=0, le=10**6)
    selected: NodeId = ""
    only: bool = False
    words: str = Field(default="", max_length=500)
    turn: StrictInt = Field(default=0, ge=0, le=10**9)


def looked(text: object) -> Looked:
    """What the page sent. Raises InputError in one line where it is too long or not what the page sends."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise InputError("what was asked of the tree is too long: fold some of it")
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("what was asked of the tree cannot be read: load the page again") from error
    return parse_request(Looked, values)

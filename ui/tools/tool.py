"""Tools that are not moved to ``engine/verbs`` yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from engine.verbs.requests import Request
from engine.verbs.verb import Response, Tool, Verb
from ui.tools.caller import ServerCaller

Matter = Annotated[
    str, Field(max_length=200, description="Name of the matter that the case is kept in; empty for General.")
]


def tool_verb(
    name: str,
    title: str,
    meaning: str,
    form: type[Request],
    does: Callable[[Any, Any], Mapping[str, Any]],
    gives: type[BaseModel],
    slim: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
    *,
    reads: bool = True,
    repeats: bool = True,
    lined: bool = False,
) -> Verb:
    """Return the verb of a tool that is no command."""

    def run(caller: ServerCaller, request: Any) -> Response:
        return Response(does(caller, request))

    tool = Tool(name, title, meaning, gives, slim)
    return Verb(name, "", form, run, tool, changes=not reads, repeats=repeats, queued=lined)

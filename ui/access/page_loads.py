"""Whose a page load is. Gradio lets whoever knows the name of one (``session_hash``) go on with its case;
where people log in a name belongs to whoever used it first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from engine.access.people import Person
from ui.access.asking import PERSON
from ui.door.bodies import READ
from ui.door.refusing import refuse

# Those used longest ago are forgotten first.
MOST = 20_000
NAME = "session_hash"


class PageLoads:
    """Refuses a request for somebody else's page load (403). Stands behind the gate and the body's check."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check whose it is, and pass the request on."""
        person = scope.get("state", {}).get(PERSON)
        if isinstance(person, Person) and not all(self._is_of(person, name) for name in _named(scope)):
            return await refuse(scope, receive, send, 403, "this page was opened by somebody else")
        return await self.app(scope, receive, send)

    def _is_of(self, person: Person, name: str) -> bool:
        owner = self._owners.setdefault(name, person.key)
        self._owners.move_to_end(name)
        while len(self._owners) > MOST:
            self._owners.popitem(last=False)
        return owner == person.key


def _named(scope: Scope) -> Iterator[str]:
    """The page loads that a request names, in its body, its query or its path."""
    body = scope.get(READ)
    if isinstance(body, dict) and isinstance(body.get(NAME), str):
        yield body[NAME]
    yield from parse_qs(scope.get("query_string", b"").decode("latin-1")).get(NAME, ())
    _, heartbeat, name = scope.get("path", "").partition("/heartbeat/")
    if heartbeat:
        yield name.strip("/")

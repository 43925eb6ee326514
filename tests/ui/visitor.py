"""A visitor's browser as the server knows it: a page that joins the queue and reads its stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from tests.ui.raw import API

SECONDS = 120.0


class Visitor:
    """One visitor. ``address`` is the network address that requests come from."""

    def __init__(self, url: str, address: str) -> None:
        self._url, self._address = url, address
        self._client: httpx.Client | None = None
        self._config: Mapping[str, Any] = {}

    @contextmanager
    def here(self) -> Iterator[None]:
        """Keep the visitor's connections open."""
        transport = httpx.HTTPTransport(local_address=self._address)
        with httpx.Client(base_url=self._url, transport=transport, timeout=SECONDS) as client:
            self._client = client
            self._config = client.get("/config").json()
            yield
        self._client = None

    def event(self, session: str, listener: int, data: list[Any], about: Any = None) -> dict[str, Any]:
        """Return the last message of an event of a page."""
        assert self._client is not None
        body = {"data": data, "fn_index": listener, "session_hash": session, "event_data": about}
        answer = self._client.post(f"{API}/queue/join", json=body)
        assert answer.status_code == 200, answer.text
        with self._client.stream("GET", f"{API}/queue/data?session_hash={session}") as events:
            for line in events.iter_lines():
                if line.startswith("data: "):
                    message: dict[str, Any] = json.loads(line.removeprefix("data: "))
                    if message["msg"] == "process_completed":
                        return message
        raise AssertionError("an event of the page did not end")

    def listener(self, name: str) -> int:
        """Return the number of the listener that starts a case (asked) or acts on a card (ranked)."""
        named = {part["props"].get("elem_id"): part["id"] for part in self._config["components"]}
        listeners = self._config["dependencies"]
        if name == "ranked":
            return int(next(one["id"] for one in listeners if [named["ranked"], "select"] in one["targets"]))
        cancel = next(one for one in listeners if [named["cancel"], "click"] in one["targets"])
        wanted = [cancel["inputs"][0], named["asked"]]
        return int(next(one["id"] for one in listeners if one["inputs"] == wanted))

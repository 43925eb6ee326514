"""What is not an enemy still works through the door: Gradio's client, a client of tools, a plain request."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from benchmarks.attacks.http.raw import API, Raw, stranger
from ui.tools.registry import TOOLS

pytestmark = pytest.mark.filterwarnings(
    # Gradio's queue uses pandas in ways that pandas 3 calls outdated.
    "ignore:'future.no_silent_downcasting'",
    "ignore:The copy keyword",
)
QUESTION = "May a manager grant broader powers?"


def test_a_client_of_tools_gets_plain_values_and_the_same_as_a_text(address: str) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> tuple[set[str], Any]:
        async with (
            streamable_http_client(f"{address}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = await session.list_tools()
            called = await session.call_tool("investigate", {"question": QUESTION, "preset": "quick"})
            return {tool.name for tool in tools.tools}, called

    names, called = asyncio.run(run())
    assert names == {tool.name for tool in TOOLS}
    assert not called.isError
    assert called.structuredContent["question"] == QUESTION
    assert json.loads(called.content[0].text) == called.structuredContent


def test_a_plain_request_is_answered_by_way_of_the_queue(raw: Raw) -> None:
    here, text = stranger(), "Article 1 grants powers."
    sent = raw.post(f"{API}/call/audit", {"data": [text, "", "", None]}, forwarded=here)
    assert sent.status == 200
    told = raw.ask("GET", f"{API}/call/audit/{sent.json['event_id']}", forwarded=here)
    assert told.status == 200
    assert told.headers["content-type"].startswith("text/event-stream")

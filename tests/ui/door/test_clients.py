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


def test_gradio_s_client_gets_a_case_in_short_or_the_whole_record(address: str) -> None:
    from gradio_client import Client

    client = Client(address, verbose=False)
    asked = {"question": QUESTION, "preset": "quick", "top_k": 3, "api_name": "/investigate"}
    short, whole = client.predict(**asked), client.predict(**asked, detail="full")
    assert short["question"] == whole["question"] == QUESTION
    assert [one["id"] for one in short["passages"]] == [one["id"] for one in whole["passages"]] != []
    assert client.predict(short["case"], api_name="/case")["record"]["question"] == QUESTION
    assert short["pool"]["passages"] == len(whole["pool"]["nodes"])


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


def test_last_arguments_may_be_left_out(raw: Raw) -> None:
    for data in ([QUESTION, "", "quick", None, 1, None, 2, False], [QUESTION, "", "quick"], [QUESTION]):
        here = stranger()
        sent = raw.post(f"{API}/call/investigate", {"data": data}, forwarded=here)
        told = raw.stream(f"{API}/call/investigate/{sent.json['event_id']}", forwarded=here)
        assert b"event: complete" in told.body
    refused = raw.post(f"{API}/call/investigate", {"data": []}, forwarded=here)
    told = raw.stream(f"{API}/call/investigate/{refused.json['event_id']}", forwarded=here)
    assert b"event: error" in told.body
    assert b"question: " in told.body


def test_a_plain_request_is_answered_by_way_of_the_queue(raw: Raw) -> None:
    here, text = stranger(), "Article 1 grants powers."
    sent = raw.post(f"{API}/call/audit", {"data": [text, "", "", None]}, forwarded=here)
    assert sent.status == 200
    told = raw.ask("GET", f"{API}/call/audit/{sent.json['event_id']}", forwarded=here)
    assert told.status == 200
    assert told.headers["content-type"].startswith("text/event-stream")

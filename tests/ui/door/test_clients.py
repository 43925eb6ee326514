"""What is not an enemy still works through the door: Gradio's client, a client of tools, a plain request."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attacks.http.raw import API, Raw

pytestmark = pytest.mark.filterwarnings(
    # Gradio's queue uses pandas in ways that pandas 3 calls outdated.
    "ignore:'future.no_silent_downcasting'",
    "ignore:The copy keyword",
)
QUESTION = "May a manager grant broader powers?"


def test_gradio_s_client_gets_the_whole_record(address: str) -> None:
    from gradio_client import Client

    answer = Client(address, verbose=False).predict(
        QUESTION, preset="quick", top_k=3, api_name="/investigate"
    )
    assert answer["question"] == QUESTION
    assert answer["passages"]


def test_a_client_of_tools_gets_the_whole_record(address: str) -> None:
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
    assert names == {"investigate", "answer", "audit"}
    assert not called.isError
    assert QUESTION in called.content[0].text


def test_a_plain_request_is_answered_by_way_of_the_queue(raw: Raw) -> None:
    sent = raw.post(f"{API}/call/audit", {"data": ["Article 1 grants powers.", "", "", None]})
    assert sent.status == 200
    told = raw.ask("GET", f"{API}/call/audit/{sent.json['event_id']}")
    assert told.status == 200
    assert told.headers["content-type"].startswith("text/event-stream")


# What a server holds as long as it lives, and a server that is killed: all that the next one meets of it.
KILLED = """
import os, signal
from ui.server_folders import temporary_folder

with temporary_folder() as folder:
    (folder / "uploads").mkdir()
    (folder / "uploads" / "left").write_text("hello")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_signal_to_end_leaves_nothing_behind(corpus_folder: Path, tmp_path: Path) -> None:
    """What a visitor has sent goes with the server; so does what one that was killed has left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "REDSTRING_HOME": str(tmp_path / "home")}
    killed = subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = temporary.iterdir()
    for ending in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen(
            [sys.executable, "app.py", "--corpus", str(corpus_folder), "--port", "0"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        told = process.stdout.readline()
        address = told.split()[-1]
        raw = Raw(address)
        form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nhello\r\n--x--\r\n'
        kind = [("Content-Type", "multipart/form-data; boundary=x")]
        (key,) = json.loads(raw.ask("POST", f"{API}/upload", kind, form).body)
        (folder,) = temporary.iterdir()
        assert folder != left
        assert (folder / "uploads" / key).read_bytes() == b"hello"
        assert folder.stat().st_mode & 0o077 == 0
        process.send_signal(ending)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert list(temporary.iterdir()) == []
        assert "Traceback" not in said

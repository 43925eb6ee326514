"""Gradio's file objects: no route takes one, and Gradio's own check of files is active."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import orjson
import pytest
from argon2 import PasswordHasher
from starlette.types import ASGIApp

from engine.operator_settings import OperatorSettings
from tests.ui.served import inside_a_loop
from tests.ui.server.file_objects import BODIES, OBJECTS
from ui.page import build_page
from ui.server.app import entry, guarded
from ui.server.policies import functions_of, route_table
from ui.server.routes import API, NO_FILES, BodyError, checked_json
from ui.shelf import Library

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def page(behind: Library) -> gr.Blocks:
    return inside_a_loop(lambda: build_page(behind))


def test_every_route_refuses_every_file_object(page: gr.Blocks, subtests: pytest.Subtests) -> None:
    table = route_table(functions_of(page), OperatorSettings())
    policies = {route: policy for route in BODIES if (policy := table.find(route))}
    assert len(policies) == len(BODIES) - 1
    for route, policy in policies.items():
        for name, file_object in OBJECTS.items():
            with subtests.test(route=route, file_object=name), pytest.raises(BodyError) as refused:
                checked_json(BODIES[route] % file_object, policy)
            assert refused.value.words == NO_FILES


@pytest.mark.parametrize("setup", ["local", "all addresses", "login"])
def test_no_file_object_reaches_gradio(
    page: gr.Blocks, setup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = tmp_path / "uploads"
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(uploads))
    secret = tmp_path / "secret.md"
    secret.write_text("quokka")
    settings = _settings(setup, tmp_path)
    with _client(inside_a_loop(lambda: guarded(page, settings, entry(settings), uploads))) as ask:
        if setup == "login":
            assert ask(f"{API}/call/corpora", json={}).status_code == 401
            ask("/login", data={"username": "anna", "password": PASSWORD})
        for file_object in (OBJECTS["a file"], OBJECTS["a URL"], OBJECTS["an escaped key"]):
            for route in (f"{API}/call/corpora", f"{API}/queue/join", f"{API}/mcp/"):
                body = BODIES[route] % file_object.replace(b"OUTSIDE", str(secret).encode())
                answer = ask(route, content=body, headers={"content-type": "application/json"})
                assert (answer.status_code, answer.json()["error"]) == (400, NO_FILES)
                assert str(tmp_path) not in answer.text
    assert not list(uploads.glob("**/*"))


def _settings(setup: str, folder: Path) -> OperatorSettings:
    if setup == "local":
        return OperatorSettings(home=folder)
    if setup == "all addresses":
        return OperatorSettings(home=folder, host="0.0.0.0")
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    users = {"anna": {"role": "operator", "password": cheap.hash(PASSWORD)}}
    path = folder / "users.json"
    path.write_bytes(orjson.dumps({"version": 1, "users": users}))
    path.chmod(0o600)
    return OperatorSettings(home=folder, access="login")


@contextmanager
def _client(app: ASGIApp) -> Iterator[Any]:
    with asyncio.Runner() as runner:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860")

        def ask(path: str, **more: Any) -> httpx.Response:
            return runner.run(client.post(path, **more))

        yield ask
        runner.run(client.aclose())

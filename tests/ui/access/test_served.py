"""The whole page behind its door and its gate: every route that Gradio has, and two people at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from engine.operator_settings import OperatorSettings
from tests.ui.access.conftest import PASSWORD, Browser
from tests.ui.served import inside_a_loop, served
from tests.ui.server.test_routes import all_routes
from ui.models.connections import Connections
from ui.page import build_page
from ui.server.address import Addressing
from ui.server.gate import COOKIE, AccessGate, entrance_of
from ui.shelf import open_library


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, users_file: Path) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "users.json").write_bytes(users_file.read_bytes())
    (home / "users.json").chmod(0o600)
    return home


@pytest.fixture(scope="module")
def page(home: Path, corpus_folder: Path) -> gr.Blocks:
    settings = OperatorSettings(access="login", home=home)
    library = open_library([corpus_folder], home, settings)
    return inside_a_loop(lambda: build_page(library, connections=Connections(settings)))


@pytest.fixture(scope="module")
def url(home: Path, page: gr.Blocks) -> Iterator[str]:
    with served(page, OperatorSettings(access="login", home=home), home / "uploads") as address:
        yield address


def logged_in(url: str, name: str) -> httpx.Client:
    answer = httpx.post(f"{url}login", data={"username": name, "password": PASSWORD})
    assert answer.status_code == 200
    return httpx.Client(base_url=url, cookies=answer.cookies)


def panel_of(components: list[Any]) -> int:
    return next(int(one["id"]) for one in components if one["props"].get("elem_id") == "library")


def test_the_gate_alone_closes_every_route_that_gradio_has(url: str, page: gr.Blocks, home: Path) -> None:
    settings = OperatorSettings(access="login", home=home)
    stranger = Browser(Addressing(AccessGate(page.app, settings, entrance_of(settings))))
    paths = {(re.sub(r"\{[^}]*\}", "x", path), method) for path, method in all_routes(list(page.app.routes))}
    assert len(paths) > 60
    for path, method in sorted(paths):
        answer = stranger.ask(method, path)
        form = path in ("/", "/login") and method in ("GET", "HEAD")
        away = path == "/logout" and method == "POST"
        if path.rstrip("/") == "/login" and method == "POST":
            assert answer.status_code == 415
        else:
            assert answer.status_code == (200 if form else 303 if away else 401), (method, path)
        assert "gradio_config" not in answer.text
    assert stranger.cookies.get(COOKIE, "") == ""


def test_behind_the_door_a_stranger_gets_nothing(url: str) -> None:
    with httpx.Client(base_url=url) as stranger:
        assert "Log in" in stranger.get("/").text
        assert "form-action 'self'" in stranger.get("/").headers["content-security-policy"]
        for path in (
            "config",
            "gradio_api/info",
            "theme.css",
            "gradio_api/heartbeat/x",
            "gradio_api/queue/data",
        ):
            assert stranger.get(path).status_code == 401
        assert stranger.get("gradio_api/mcp/").status_code in (401, 405)
        assert stranger.post("gradio_api/mcp/", json={"method": "tools/list", "id": 1}).status_code == 401
        assert stranger.post("gradio_api/upload", files={"files": ("a.txt", b"text")}).status_code == 401
        other_site = {"origin": "https://evil.example"}
        fields = {"username": "vera", "password": PASSWORD}
        assert stranger.post("login", data=fields, headers=other_site).status_code == 403


def test_the_panel_knows_who_asks_by_the_cookie_alone(url: str) -> None:
    seen = {}
    for name in ("anna", "rita", "vera"):
        with logged_in(url, name) as client:
            components = client.get("config").json()["components"]
            panel = panel_of(components)
            data = {"do": "shelf", "visitor": "v" * 32}
            body = {"data": data, "fn_name": "corpus", "component_id": panel, "session_hash": f"of{name}"}
            shelf = client.post("gradio_api/component_server", json=body).json()["corpora"][0]
            seen[name] = (shelf["writable"], shelf["addable"])
            assert client.get("gradio_api/mcp/").status_code in (404, 405)
    assert seen == {"anna": (True, True), "rita": (True, False), "vera": (False, False)}

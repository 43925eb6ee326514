"""A gate before something that tells whom it sees, and a way to ask both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.access.users import Person, Role
from engine.operator_settings import OperatorSettings
from ui.server.address import Addressing
from ui.server.gate import AccessGate, entrance_of
from ui.server.login import PERSON

PASSWORD = "correct horse"


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    """What is behind the gate: it says who asks."""
    person: Person = getattr(Request(scope).state, PERSON)
    told = {"name": person.name, "role": person.role, "key": person.key, "address": person.address}
    await JSONResponse(told)(scope, receive, send)


@dataclass
class Browser:
    """Asks an application, as one address, and keeps its cookies."""

    app: ASGIApp
    address: str = "203.0.113.7"
    base: str = "http://page.example"
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, **more: object) -> httpx.Response:

        async def run() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(self.address, 1))
            async with httpx.AsyncClient(transport=transport, cookies=self.cookies) as client:
                return await client.request(method, self.base + path, **more)  # type: ignore[arg-type]

        answer = asyncio.run(run())
        for cookie in answer.cookies.jar:
            self.cookies[cookie.name] = cookie.value or ""
        return answer

    def log_in(self, name: str, password: str = PASSWORD, **more: object) -> httpx.Response:
        return self.ask("POST", "/login", data={"username": name, "password": password}, **more)


Opened = Callable[..., Browser]


@pytest.fixture(scope="session")
def users_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three users, whose hashes cost next to nothing: how much one costs has its own test."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    roles = {"anna": Role.OPERATOR, "rita": Role.REVIEWER, "vera": Role.VISITOR}
    users = {name: {"role": role, "password": cheap.hash(PASSWORD)} for name, role in roles.items()}
    path = tmp_path_factory.mktemp("users") / "users.json"
    path.write_text(json.dumps({"version": 1, "users": users}), encoding="utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture
def settings(tmp_path: Path, users_file: Path) -> OperatorSettings:
    copy = tmp_path / "users.json"
    copy.write_bytes(users_file.read_bytes())
    copy.chmod(0o600)
    return OperatorSettings(access="login", home=tmp_path)


@pytest.fixture
def gate(settings: OperatorSettings) -> ASGIApp:
    """The gate with what the door puts before it."""
    return Addressing(AccessGate(behind, settings, entrance_of(settings)))

"""When a session ends: by its hours, by a new password, by the removal of its user."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from argon2 import PasswordHasher
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.access import users as passwords
from engine.access.users import Role, Users
from engine.operator_settings import OperatorSettings
from tests.ui.access.conftest import PASSWORD, Browser
from ui.server import gate as gates
from ui.server.address import Addressing
from ui.server.gate import COOKIE, MOST_OF_NAME, AccessGate, Sessions, entrance_of
from ui.server.login import Account, Admitted, Entrance, PasswordEntrance

OTHER = "battery staple"
LIGHT = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", lambda: LIGHT)


def test_a_session_ends_after_its_hours_and_a_name_has_so_many() -> None:
    now = [0.0]
    sessions = Sessions(1, lambda: now[0])
    secrets = [sessions.open("anna") for _ in range(MOST_OF_NAME + 1)]
    other = sessions.open("boris")
    assert sessions.find(secrets[0]) is None
    assert getattr(sessions.find(secrets[1]), "name", "") == "anna"
    assert len(set(secrets)) == len(secrets)
    now[0] = 3599.0
    assert getattr(sessions.find(other), "name", "") == "boris"
    now[0] = 3600.0
    assert sessions.find(other) is None
    assert sessions.find("") is None


def test_a_credential_does_not_show_in_a_log() -> None:
    sessions = Sessions(1)
    assert "secret" not in repr(sessions.find(sessions.open("anna", "secret")))
    assert "secret" not in repr((Account(Role.VISITOR, "secret"), Admitted("anna", "secret")))


# What happens to a user between the login and the next request with the old cookie; whether that is answered.
Change = Callable[[Users], None]


def _again(role: Role, password: str, name: str = "vera") -> Change:
    return lambda users: users.put(name, role, password)


def _all(*changes: Change) -> Change:
    def change(users: Users) -> None:
        for one in changes:
            one(users)

    return change


def _removed(users: Users) -> None:
    users.remove("vera")


def _write(mend: Callable[[str], str]) -> Change:
    """Edit the file by hand, in place, without a new time of change."""

    def change(users: Users) -> None:
        before = users.path.stat()
        users.path.write_text(mend(users.path.read_text(encoding="utf-8")), encoding="utf-8")
        os.utime(users.path, ns=(before.st_atime_ns, before.st_mtime_ns))

    return change


def _other_hash(text: str) -> str:
    start = text.index('"password"', text.index('"vera"'))
    end = text.index('"', text.index("$argon2id", start))
    last = text[end - 1]
    return text[: end - 1] + ("A" if last != "A" else "B") + text[end:]


CHANGES: dict[str, tuple[Change, int]] = {
    "nothing": (lambda users: None, 200),
    "another role": (lambda users: users.change_role("vera", Role.OPERATOR), 200),
    "another user's password": (_again(Role.OPERATOR, OTHER, "anna"), 200),
    "a name that begins alike added": (_again(Role.VISITOR, OTHER, "vera2"), 200),
    "a new password": (_again(Role.VISITOR, OTHER), 401),
    "a new password, with blanks around the name": (_again(Role.VISITOR, OTHER, "  vera "), 401),
    "the same password again": (_again(Role.VISITOR, PASSWORD), 401),
    "a new password and a higher role": (_again(Role.OPERATOR, OTHER), 401),
    "a new password and back": (_all(_again(Role.VISITOR, OTHER), _again(Role.VISITOR, PASSWORD)), 401),
    "removed": (_removed, 401),
    "removed and added": (_all(_removed, _again(Role.VISITOR, PASSWORD)), 401),
    "removed and a name alike added": (_all(_removed, _again(Role.VISITOR, PASSWORD, "vera-")), 401),
    "the file deleted": (lambda users: users.path.unlink(), 401),
    "another hash by hand, in place, at the old time": (_write(_other_hash), 401),
    "removed by hand": (_write(lambda text: text.replace('"vera"', '"vero"')), 401),
    "a role by hand": (_write(lambda text: text.replace('"visitor"', '"reviewer"')), 200),
    "a file that cannot be read": (_write(lambda text: "{"), 503),
    "a file that others can open": (lambda users: users.path.chmod(0o644), 503),
}  # fmt: skip


@pytest.mark.parametrize(("change", "status"), CHANGES.values(), ids=list(CHANGES))
def test_what_ends_a_session(gate: ASGIApp, settings: OperatorSettings, change: Change, status: int) -> None:
    at_home, at_work, other = Browser(gate), Browser(gate, address="203.0.113.8"), Browser(gate)
    for browser, name in ((at_home, "vera"), (at_work, " VERA "), (other, "rita")):
        assert browser.log_in(name).status_code == 200
    assert at_home.ask("GET", "/config").json()["name"] == "vera"
    change(Users(settings.users_path))
    for browser in (at_home, at_work):
        for path in ("/config", "/gradio_api/queue/data", "/gradio_api/call/investigate/x"):
            answer = browser.ask("GET", path)
            assert answer.status_code == status
            assert "argon2" not in answer.text
    survives = 503 if status == 503 else 200 if "rita" in {n for n, _ in _listed(settings)} else 401
    assert other.ask("GET", "/config").status_code == survives


def _listed(settings: OperatorSettings) -> list[tuple[str, Role]]:
    try:
        return list(Users(settings.users_path))
    except Exception:
        return []


def test_no_session_comes_back_with_its_old_hash(gate: ASGIApp, settings: OperatorSettings) -> None:
    """A copy of the file is put back: what was ended stays ended, in every browser of the name."""
    browsers = [Browser(gate), Browser(gate)]
    for browser in browsers:
        browser.log_in("vera")
    copy = settings.users_path.read_bytes()
    Users(settings.users_path).put("vera", Role.VISITOR, OTHER)
    assert browsers[0].ask("GET", "/config").status_code == 401
    settings.users_path.write_bytes(copy)
    assert [browser.ask("GET", "/config").status_code for browser in browsers] == [401, 401]
    fresh = Browser(gate)
    assert fresh.log_in("vera").status_code == 200
    assert fresh.ask("GET", "/config").status_code == 200


def test_whoever_logs_in_with_the_new_password_is_not_logged_out_by_the_old_cookie(
    gate: ASGIApp, settings: OperatorSettings
) -> None:
    thief, owner = Browser(gate), Browser(gate)
    thief.log_in("vera")
    Users(settings.users_path).put("vera", Role.VISITOR, OTHER)
    assert owner.log_in("vera", OTHER).status_code == 200
    for _ in range(3):
        assert thief.ask("GET", "/config").status_code == 401
        assert owner.ask("GET", "/config").json()["name"] == "vera"
    assert thief.log_in("vera").status_code == 401


@pytest.mark.parametrize(
    ("typed", "status"),
    [("kim", 200), ("KIM", 200), ("\tKim ", 200), ("\u212aim", 200), ("\uff4b\uff49\uff4d", 401),
     ("k\u0130m", 401), ("kim\u200b", 401), ("ki\u0307m", 401), ("kim\0", 401), ("k\u0456m", 401), ("", 401)],
)  # fmt: skip
def test_however_a_name_is_typed_its_sessions_end(
    gate: ASGIApp, settings: OperatorSettings, typed: str, status: int
) -> None:
    """Capitals, blanks and the Kelvin sign name the same user; letters that only look alike name none."""
    users = Users(settings.users_path)
    users.put("kim", Role.VISITOR, PASSWORD)
    browser = Browser(gate)
    assert browser.log_in(typed).status_code == status
    assert browser.ask("GET", "/config").status_code == status
    users.put("KIM", Role.VISITOR, PASSWORD)
    assert browser.ask("GET", "/config").status_code == 401


def test_a_password_that_changes_while_it_is_checked_opens_no_session(
    settings: OperatorSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrance = PasswordEntrance(settings)
    users, check = Users(settings.users_path), Users.authenticate

    def slow(self: Users, name: str, password: str) -> object:
        found = check(self, name, password)
        users.put("vera", Role.VISITOR, OTHER)
        return found

    monkeypatch.setattr(Users, "authenticate", slow)
    browser = Browser(Addressing(AccessGate(_answers, settings, entrance)))
    browser.log_in("vera")
    assert browser.ask("GET", "/config").status_code == 401


async def _answers(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


class _Stream:
    """An application that streams until its visitor hangs up."""

    def __init__(self) -> None:
        self.begun, self.hung_up = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"first", "more_body": True})
        self.begun.set()
        while (await receive())["type"] != "http.disconnect":
            continue
        self.hung_up.set()
        # What comes of it after that is sent to nobody.
        await send({"type": "http.response.body", "body": b"late", "more_body": True})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "LOOK_SECONDS", 0.005)


@pytest.mark.parametrize(
    ("name", "ends"),
    [("nothing", False), ("another role", False), ("a file that cannot be read", False), ("removed", True),
     ("a new password", True), ("removed and added", True), ("logged out", True)],
)  # fmt: skip
def test_a_stream_ends_with_its_session(
    settings: OperatorSettings, quick: None, name: str, ends: bool
) -> None:
    async def run() -> tuple[list[bytes], bool]:
        entrance: Entrance = entrance_of(settings)
        app = _Stream()
        gate = AccessGate(app, settings, entrance)
        login = Browser(Addressing(gate))
        await asyncio.to_thread(login.log_in, "vera")
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> Message:
            for message in asked:
                return message
            await asyncio.sleep(60)
            raise AssertionError

        headers = [(b"cookie", f"{COOKIE}={login.cookies[COOKIE]}".encode())]
        scope = {
            "type": "http", "method": "GET", "path": "/gradio_api/heartbeat/x", "headers": headers,
            "query_string": b"", "scheme": "http", "server": ("page", 80),
        }  # fmt: skip
        task = asyncio.create_task(gate(scope, receive, send))
        await app.begun.wait()
        if name == "logged out":
            await asyncio.to_thread(login.ask, "POST", "/logout")
        else:
            CHANGES[name][0](Users(settings.users_path))
        done, _ = await asyncio.wait({task}, timeout=5 if ends else 0.03)
        task.cancel()
        return [message.get("body", b"") for message in sent[1:]], bool(done)

    bodies, ended = asyncio.run(run())
    assert ended == ends
    assert bodies == [b"first", *([b""] if ends else [])]

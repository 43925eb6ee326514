"""Cookies of users whose password was changed, who were removed, and who were added again.

The page is served with a login; this process changes the file of the users, as the command line does. Held if
an old cookie is answered 401 on every route, a stream that was open ends, and other users stay logged in.
"""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx

from benchmarks.attacks.http.raw import API
from benchmarks.attacks.outcome import Attempt, Outcome, counted
from benchmarks.attacks.own_server import own_server
from engine.access.users import Role, Users
from ui.access.gate import LOOK_SECONDS

Change = Callable[[Users, str], None]
ROUTES = (
    "/", "/config", f"{API}/info", f"{API}/queue/data?session_hash=a", f"{API}/call/plan/a", "/theme.css",
    f"{API}/case/a/json", f"{API}/heartbeat/a", f"{API}/app_id",
)  # fmt: skip
# How much longer than it looks for its session a stream may last on a busy machine, s.
LATE = 5.0


def _put(users: Users, name: str, role: Role = Role.VISITOR) -> None:
    users.put(name, role, secrets.token_urlsafe(16))


def _added_again(users: Users, name: str) -> None:
    users.remove(name)
    _put(users, name)


def _twice(users: Users, name: str) -> None:
    _put(users, name)
    _put(users, name)


CHANGES: Mapping[str, Change] = {
    "a new password": _put,
    "a new password, in capitals": lambda users, name: _put(users, name.upper()),
    "a new password, twice": _twice,
    "a new password and a higher role": lambda users, name: _put(users, name, Role.OPERATOR),
    "removed": lambda users, name: users.remove(name),
    "removed, in capitals": lambda users, name: users.remove(f" {name.upper()} "),
    "removed and added": _added_again,
}


def run(tries: int = 1, seed: int = 0) -> tuple[Outcome, ...]:
    """All changes of the list; the numbers are those of every class and change nothing."""
    with tempfile.TemporaryDirectory() as folder:
        users = Users(Path(folder, "users.json"))
        users.put("other", Role.OPERATOR, "correct horse")
        settings = {"REDSTRING_ACCESS": "login", "REDSTRING_USERS_FILE": str(users.path)}
        with own_server((), settings) as server:
            return (counted("cookies of users", attempts(server.address, users)),)


def attempts(address: str, users: Users) -> Iterator[Attempt]:
    """Each change, by each route, by a stream that is open, and what another user gets."""
    other = _log_in(address, "other", "correct horse")
    for number, (name, change) in enumerate(CHANGES.items()):
        user, password = f"user{number}", secrets.token_urlsafe(16)
        users.put(user, Role.VISITOR, password)
        cookies = _log_in(address, user, password)
        with httpx.stream("GET", f"{address}{API}/heartbeat/a", cookies=cookies, timeout=30) as stream:
            change(users, user)
            for route in ROUTES:
                answer = httpx.get(f"{address}{route}", cookies=cookies, follow_redirects=False)
                # The page to log in is what a stranger gets there.
                status = 200 if route == "/" else 401
                held = answer.status_code == status and "gradio_config" not in answer.text
                yield Attempt(f"{name}: {route}", held, f"status {answer.status_code}")
            began = time.monotonic()
            for _ in stream.iter_raw():
                continue
            seconds = time.monotonic() - began
        yield Attempt(f"{name}: a stream", seconds < LOOK_SECONDS + LATE, f"went on for {seconds:.0f} s")
        status = httpx.get(f"{address}/config", cookies=other).status_code
        yield Attempt(f"{name}: another user", status == 200, f"status {status}")


def _log_in(address: str, name: str, password: str) -> httpx.Cookies:
    answer = httpx.post(f"{address}/login", data={"username": name, "password": password})
    answer.raise_for_status()
    return answer.cookies

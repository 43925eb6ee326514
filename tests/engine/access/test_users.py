from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from engine.access import users as passwords
from engine.access.users import (
    UNKNOWN_USER_HASH,
    Role,
    Users,
    check_password,
    checked_user_name,
    hash_password,
)
from engine.errors import InputError

PASSWORD = "correct horse"
# A tenth of the work of the shipped one.
LIGHT = PasswordHasher(time_cost=1, memory_cost=16_384, parallelism=1)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", lambda: LIGHT)
    monkeypatch.setattr(passwords, "UNKNOWN_USER_HASH", LIGHT.hash("thrown away"))


@pytest.fixture
def users(tmp_path: Path, light: None) -> Users:
    users = Users(tmp_path / "deep" / "users.json")
    users.put("Anna", Role.REVIEWER, PASSWORD)
    return users


def role_of(users: Users, name: str) -> Role | None:
    user = users.find(name)
    return None if user is None else user.role


def test_a_user_comes_in_by_the_password_alone(users: Users) -> None:
    assert users.authenticate("anna", PASSWORD)
    assert users.authenticate(" ANNA ", PASSWORD)
    for name, password in [("anna", ""), ("anna", PASSWORD.upper()), ("boris", PASSWORD), ("", "")]:
        assert not users.authenticate(name, password)
    assert [role_of(users, name) for name in ("anna", "Anna", "boris")] == [Role.REVIEWER, None, None]


def test_the_hash_for_unknown_names_matches_no_password(
    users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.access.users.UNKNOWN_USER_HASH", hash_password("the password of nobody"))
    assert not users.authenticate("boris", "the password of nobody")
    assert not check_password("the password of nobody", None)


def test_the_file_holds_no_password_and_is_the_owners_alone(users: Users) -> None:
    assert PASSWORD not in users.path.read_text(encoding="utf-8")
    assert "$argon2id$" in users.path.read_text(encoding="utf-8")
    assert users.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in users.path.parent.iterdir()] == ["users.json"], "nothing is left beside it"
    users.path.chmod(0o640)
    os.utime(users.path, ns=(1, 1))
    with pytest.raises(InputError, match="chmod 600"):
        users.find("anna")


def test_changes_of_another_process_hold_at_once(users: Users) -> None:
    server = Users(users.path)
    assert role_of(server, "anna") is Role.REVIEWER
    users.change_role("ANNA", Role.OPERATOR)
    assert role_of(server, "anna") is Role.OPERATOR
    users.remove("anna")
    assert role_of(server, "anna") is None
    assert not server.authenticate("anna", PASSWORD)
    with pytest.raises(InputError, match="there is no user 'anna'"):
        users.remove("anna")
    with pytest.raises(InputError, match="there is no user 'anna'"):
        users.change_role("anna", Role.VISITOR)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{broken", b'{"version":2}', b'{"version":1,"users":{"a":{"role":"king","password":"x"}}}',
     b'{"version":1,"users":{"anna":{"role":"operator","password":"plain"}}}', b'{"version":1,"more":1}'],
)  # fmt: skip
def test_a_file_that_is_none_lets_nobody_in(users: Users, content: bytes) -> None:
    users.path.write_bytes(content)
    with pytest.raises(InputError, match=r"users\.json: is not a valid file of users") as raised:
        users.authenticate("anna", PASSWORD)
    assert "plain" not in str(raised.value)


@pytest.mark.parametrize("name", ["", " ", "a b", "../x", "ä", "a\nb", "-a", "a" * 65, "a\u202eb"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(InputError, match="name consists of"):
        checked_user_name(name)


@pytest.mark.parametrize("password", ["", "short", "x" * 257])
def test_a_password_has_its_length(password: str) -> None:
    with pytest.raises(InputError, match="12 to 256 characters") as raised:
        hash_password(password)
    assert not password or password not in str(raised.value)


def test_the_same_characters_are_the_same_password(light: None) -> None:
    assert check_password("cafe\u0301 and more", hash_password("café and more"))
    assert not check_password("x" * 300, hash_password("x" * 256))


def test_the_hash_of_nobody_costs_what_others_cost() -> None:
    made = hash_password(PASSWORD)
    assert made.split("$")[1:4] == ["argon2id", "v=19", "m=65536,t=3,p=1"]
    assert UNKNOWN_USER_HASH.split("$")[:4] == made.split("$")[:4]
    assert check_password(PASSWORD, made)


def test_an_unknown_name_takes_as_long(users: Users) -> None:
    def seconds(name: str) -> float:
        times = []
        for _ in range(7):
            began = time.thread_time()
            users.authenticate(name, "wrong password")
            times.append(time.thread_time() - began)
        return min(times)

    users.authenticate("nobody", "")
    known, unknown = seconds("anna"), seconds("nobody")
    assert 0.5 < known / unknown < 2.0

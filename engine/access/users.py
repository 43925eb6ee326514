"""The users of a server: names, roles and hashes of passwords, in one file that its owner alone can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.access.passwords import hashed, matches
from engine.access.private_files import read_private, write_private
from engine.access.roles import Role
from engine.errors import InputError

_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


class User(BaseModel):
    """One user. ``password`` is the hash; setting the same password again gives another hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role
    password: str = Field(pattern=r"^\$argon2id\$", repr=False)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    users: dict[str, User] = Field(default_factory=dict)


def checked_user_name(name: str) -> str:
    """A name as it is kept: small letters, no blanks around. Raises InputError for what is none."""
    cleaned = name.strip().lower()
    if not _NAME.fullmatch(cleaned):
        raise InputError("a user's name is made of letters a to z, digits and . _ @ + -, at most 64 of them")
    return cleaned


@dataclass(slots=True)
class Users:
    """The file as it is now: a change by the command line holds from the next request on."""

    path: Path
    _read: tuple[tuple[int, ...], Mapping[str, User]] | None = None
    _lock: Lock = field(default_factory=Lock)

    def find(self, name: str) -> User | None:
        """Return the user of a name, None if there is none (any more). Raises InputError."""
        return self._users().get(name)

    def authenticate(self, name: str, password: str) -> User | None:
        """Return the user if the password is theirs; takes as long for an unknown name. Raises InputError."""
        user = self._users().get(name.strip().lower())
        return user if matches(password, None if user is None else user.password) else None

    def __iter__(self) -> Iterator[tuple[str, Role]]:
        return iter(sorted((name, user.role) for name, user in self._users().items()))

    def put(self, name: str, role: Role, password: str) -> None:
        """Add a user, or give one another role and password, which ends their sessions. Raises InputError."""
        user = User(role=role, password=hashed(password))
        self._write({**self._users(), checked_user_name(name): user})

    def change_role(self, name: str, role: Role) -> None:
        """Give a user another role. Raises InputError where there is no such user."""
        user = self._known(name)
        self._write({**self._users(), checked_user_name(name): user.model_copy(update={"role": role})})

    def remove(self, name: str) -> None:
        """Remove a user, which ends the sessions of the name. Raises InputError if there is no such user."""
        self._known(name)
        cleaned = checked_user_name(name)
        self._write({other: user for other, user in self._users().items() if other != cleaned})

    def _known(self, name: str) -> User:
        user = self._users().get(checked_user_name(name))
        if user is None:
            raise InputError(f"{self.path}: there is no user {checked_user_name(name)!r}")
        return user

    def _users(self) -> Mapping[str, User]:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from error
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        with self._lock:
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, self._parsed())
            return self._read[1]

    def _parsed(self) -> Mapping[str, User]:
        try:
            return _File.model_validate_json(read_private(self.path)).users
        except ValidationError as error:
            place = ".".join(map(str, error.errors()[0]["loc"]))
            raise InputError(f"{self.path}: is no file of users, at {place or 'its beginning'}") from None

    def _write(self, users: Mapping[str, User]) -> None:
        content = _File(users=dict(sorted(users.items()))).model_dump(mode="json")
        write_private(self.path, orjson.dumps(content, option=orjson.OPT_INDENT_2))

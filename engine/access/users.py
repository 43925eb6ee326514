"""Users, roles and passwords in private files."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InputError
from engine.files import make_private_folder

if TYPE_CHECKING:
    from argon2 import PasswordHasher

# Roles, the actions that require one, and the permissions of each role.


class Role(StrEnum):
    """Roles, in ascending order."""

    VISITOR = "visitor"
    REVIEWER = "reviewer"
    OPERATOR = "operator"


class Action(StrEnum):
    """Actions that change something, or that the operator pays for."""

    ADD = "add"
    DELETE = "delete"
    JUDGE = "judge"
    RESOLVE = "resolve"
    AREAS = "areas"
    EXTRACT = "extract"
    USE_MODEL = "use model"


_REVIEWING = frozenset({Action.JUDGE, Action.RESOLVE, Action.AREAS, Action.EXTRACT})
# Actions of each role on shared objects.
_ALLOWED: Mapping[Role, frozenset[Action]] = {
    Role.VISITOR: frozenset(),
    Role.REVIEWER: _REVIEWING,
    Role.OPERATOR: frozenset(Action),
}
# Actions of every user on their own corpora; this never includes the operator's model.
_WITH_OWN = frozenset(Action) - {Action.USE_MODEL}


def may(role: Role, action: Action, *, own: bool = False) -> bool:
    """Return whether a role may do something; ``own``: with a corpus that belongs to the user."""
    return action in _ALLOWED[role] or (own and action in _WITH_OWN)


# The user of a request, and the folder of their data.

# Login methods; equal names of different methods are different users.
Realm = Literal["login", "huggingface"]
REALMS: tuple[Realm, ...] = ("login", "huggingface")
_KEY = re.compile(r"[A-Za-z0-9_-]{20,80}")


@dataclass(frozen=True, slots=True)
class Person:
    """The user of a request.

    ``key`` is the secret that their corpora belong to, empty if there is none; ``name`` is set after a login;
    ``address`` is that of the request.
    """

    key: str = ""
    role: Role = Role.VISITOR
    name: str = ""
    address: str = ""


def key_of(name: str, realm: Realm, secret: bytes) -> str:
    """Return the key of a logged-in user; it cannot be guessed without the server's secret."""
    digest = hmac.new(secret, f"person:{realm}:{name}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def visitors_folder(home: Path, key: str) -> Path | None:
    """Return the folder of a user's corpora; None for an invalid key. The key itself is never stored."""
    owner = owner_of_key(key)
    return None if owner is None else home / "visitors" / owner


def owner_of_key(key: str) -> str | None:
    """Return the name of a user's folder and matters; None for an invalid key."""
    return hashlib.sha256(key.encode()).hexdigest()[:32] if is_key(key) else None


def is_key(text: str) -> bool:
    """Return whether a text is a valid key."""
    return _KEY.fullmatch(text) is not None


# Passwords as Argon2id hashes (RFC 9106) by argon2-cffi.

# NIST SP 800-63B-4: length matters; there are no rules for characters.
SHORTEST, LONGEST = 12, 256
# The hash of a discarded password: unknown names take the same work.
UNKNOWN_USER_HASH = (
    "$argon2id$v=19$m=65536,t=3,p=1$aecX+udajnBN8KBnUv2pNA$yz6ZP6DQLH1pnIzo9Qn91kFBHOgyUTNP+ZMbcZShlns"
)


@cache
def _hasher() -> PasswordHasher:
    # Imported here: most commands need no passwords.
    from argon2 import PasswordHasher

    # The second recommendation of RFC 9106 for memory and passes, in one lane: a busy server has no spare
    # threads.
    return PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)


def hash_password(password: str) -> str:
    """Return the hash of a new password. Raises InputError for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(
            f"a password must have {SHORTEST} to {LONGEST} characters; this one has {len(password)}"
        )
    from argon2.exceptions import HashingError

    try:
        return _hasher().hash(_bytes(password))
    except HashingError as error:
        raise InputError(f"the password cannot be hashed: {error}") from error


def check_password(password: str, known: str | None) -> bool:
    """Return whether a password matches a hash; without a hash the same work is done."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        matches = _hasher().verify(known or UNKNOWN_USER_HASH, _bytes(password[: LONGEST + 1]))
        return matches and known is not None
    except (VerificationError, InvalidHashError):
        return False


def _bytes(password: str) -> bytes:
    # Keyboards may encode the same characters differently.
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")


# Private files, readable by the server's account only.

OWNER_ONLY = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Write a private file atomically. Raises InputError with its path."""
    waiting = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        make_private_folder(path.parent)
        with open(os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
            file.write(content)
        waiting.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            waiting.unlink()
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def read_private(path: Path) -> bytes:
    """Return the content of a private file. Raises InputError if others have access, or it cannot be read."""
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(f"{path}: other users of this machine can open it; chmod 600 it")
            return file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def server_secret(home: Path) -> bytes:
    """Return the server's secret of 32 bytes, created on first use. Raises InputError."""
    path = home / "secret"
    if not path.exists():
        made = home / f".secret.{secrets.token_hex(4)}"
        write_private(made, secrets.token_bytes(32))
        # If several processes create it, the first wins.
        with contextlib.suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    found = read_private(path)
    if len(found) != 32:
        raise InputError(f"{path}: is not 32 bytes; delete it to get a new one (users lose their corpora)")
    return found


# Users: names, roles and password hashes in a private file.

_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


class User(BaseModel):
    """A user. ``password`` is a salted hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role
    password: str = Field(pattern=r"^\$argon2id\$", repr=False)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    users: dict[str, User] = Field(default_factory=dict)


def checked_user_name(name: str) -> str:
    """Return a user name in normalised form. Raises InputError for an invalid one."""
    cleaned = name.strip().lower()
    if not _NAME.fullmatch(cleaned):
        raise InputError("a user name consists of letters a to z, digits and . _ @ + -, at most 64 of them")
    return cleaned


@dataclass(slots=True)
class Users:
    """The current content of the file: changes by the command line apply from the next request on."""

    path: Path
    _read: tuple[tuple[int, ...], Mapping[str, User]] | None = None
    _lock: Lock = field(default_factory=Lock)

    def find(self, name: str) -> User | None:
        """Return the user with a name, None if there is none. Raises InputError."""
        return self._users().get(name)

    def authenticate(self, name: str, password: str) -> User | None:
        """Return the user if the password is correct; takes as long for an unknown name.

        Raises InputError.
        """
        user = self._users().get(name.strip().lower())
        return user if check_password(password, None if user is None else user.password) else None

    def __iter__(self) -> Iterator[tuple[str, Role]]:
        return iter(sorted((name, user.role) for name, user in self._users().items()))

    def put(self, name: str, role: Role, password: str) -> None:
        """Add a user, or change role and password, which ends the user's sessions. Raises InputError."""
        user = User(role=role, password=hash_password(password))
        self._write({**self._users(), checked_user_name(name): user})

    def change_role(self, name: str, role: Role) -> None:
        """Change a user's role. Raises InputError for an unknown user."""
        user = self._get_user(name)
        self._write({**self._users(), checked_user_name(name): user.model_copy(update={"role": role})})

    def remove(self, name: str) -> None:
        """Remove a user, which ends the sessions of the name. Raises InputError if there is no such user."""
        self._get_user(name)
        cleaned = checked_user_name(name)
        self._write({other: user for other, user in self._users().items() if other != cleaned})

    def _get_user(self, name: str) -> User:
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
            raise InputError(
                f"{self.path}: is not a valid file of users, at {place or 'its beginning'}"
            ) from None

    def _write(self, users: Mapping[str, User]) -> None:
        content = _File(users=dict(sorted(users.items()))).model_dump(mode="json")
        write_private(self.path, orjson.dumps(content, option=orjson.OPT_INDENT_2))

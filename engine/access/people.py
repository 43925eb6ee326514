"""Who asks, and where what belongs to them lies."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.access.roles import Role

# Who has vouched for a name: an Anna of one is not the Anna of the other.
Realm = Literal["login", "huggingface"]
REALMS: tuple[Realm, ...] = ("login", "huggingface")
_KEY = re.compile(r"[A-Za-z0-9_-]{20,80}")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who asks. ``key`` is the secret name that their corpora belong to, empty for nobody's;
    ``name`` is known only of somebody who has logged in; ``address`` is where
    the request came from."""

    key: str = ""
    role: Role = Role.VISITOR
    name: str = ""
    address: str = ""


def key_of(name: str, realm: Realm, secret: bytes) -> str:
    """The key of somebody who has logged in: nobody can guess it who does not have the server's secret."""
    digest = hmac.new(secret, f"person:{realm}:{name}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def visitors_folder(home: Path, key: str) -> Path | None:
    """Where somebody's own corpora lie; None for what is no key. The key itself never stands on disk."""
    owner = owner_of_key(key)
    return None if owner is None else home / "visitors" / owner


def owner_of_key(key: str) -> str | None:
    """By what somebody's folder and matters are known; None for what is no key."""
    return hashlib.sha256(key.encode()).hexdigest()[:32] if is_key(key) else None


def is_key(text: str) -> bool:
    """Whether a text can be the key of anybody."""
    return _KEY.fullmatch(text) is not None

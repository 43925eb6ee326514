"""Passwords as Argon2id hashes (RFC 9106), made and checked by argon2-cffi."""

from __future__ import annotations

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError

from engine.errors import InputError

# NIST SP 800-63B-4: length is what counts; nothing is asked of the characters.
SHORTEST, LONGEST = 12, 256
# The second choice of RFC 9106 in memory and passes, in one lane: a busy server has no threads to spare.
_HASHER = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)
# Of a password that was thrown away, so that a name that nobody has costs the same work.
NOBODYS = "$argon2id$v=19$m=65536,t=3,p=1$aecX+udajnBN8KBnUv2pNA$yz6ZP6DQLH1pnIzo9Qn91kFBHOgyUTNP+ZMbcZShlns"


def hashed(password: str) -> str:
    """The hash of a new password. Raises InputError for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}")
    try:
        return _HASHER.hash(_bytes(password))
    except HashingError as error:
        raise InputError(f"the password cannot be hashed: {error}") from error


def matches(password: str, known: str | None) -> bool:
    """Whether a password is the one of a hash; the same work is done where there is none."""
    try:
        return _HASHER.verify(known or NOBODYS, _bytes(password[: LONGEST + 1])) and known is not None
    except (VerificationError, InvalidHashError):
        return False


def _bytes(password: str) -> bytes:
    # The same characters are typed as different code points on different keyboards.
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")

"""What visitors of the page may do, as whoever runs it decides by environment variables.

======================  ========  ======================================================
variable                default   meaning
======================  ========  ======================================================
REDSTRING_UPLOADS       on        ``off``: nobody can add or change documents
REDSTRING_SHARED        off       ``on``: corpora belong to everybody who reaches the page
REDSTRING_FILE_MB       100       largest file, in megabytes
REDSTRING_UPLOAD_MB     500       largest upload, all its files together
REDSTRING_FILES         2000      most files in an upload
REDSTRING_CORPORA       10        most corpora that a visitor may keep
REDSTRING_JOBS          1         ingestions that run at the same time
REDSTRING_WAITING       4         ingestions that may wait for their turn
======================  ========  ======================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InputError

MEGABYTE = 1_000_000
_WORDS = {"on": True, "yes": True, "true": True, "1": True, "off": False, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes. ``shared``: a created corpus is for everybody, and everybody may change it."""

    uploads: bool = True
    shared: bool = False
    file_bytes: int = 100 * MEGABYTE
    upload_bytes: int = 500 * MEGABYTE
    files: int = 2000
    corpora: int = 10
    running: int = 1
    waiting: int = 4

    def in_words(self) -> str:
        """One line for the page: what may be uploaded."""
        return (
            f"Up to {self.files:,} files, {self.file_bytes / MEGABYTE:,.0f} MB each, "
            f"{self.upload_bytes / MEGABYTE:,.0f} MB together."
        )


def limits_from(environment: Mapping[str, str] = os.environ) -> Limits:
    """The limits that an environment sets. Raises InputError naming the variable that is wrong."""
    return Limits(
        uploads=switched(environment, "REDSTRING_UPLOADS", default=True),
        shared=switched(environment, "REDSTRING_SHARED", default=False),
        file_bytes=counted(environment, "REDSTRING_FILE_MB", 100) * MEGABYTE,
        upload_bytes=counted(environment, "REDSTRING_UPLOAD_MB", 500) * MEGABYTE,
        files=counted(environment, "REDSTRING_FILES", 2000),
        corpora=counted(environment, "REDSTRING_CORPORA", 10),
        running=counted(environment, "REDSTRING_JOBS", 1),
        waiting=counted(environment, "REDSTRING_WAITING", 4, least=0),
    )


def switched(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    """A variable that is on or off. Raises InputError where it is neither."""
    given = environment.get(name, "").strip().lower()
    if not given:
        return default
    if given not in _WORDS and given != "0":
        raise InputError(f"{name}: {given!r} is neither on nor off")
    return _WORDS.get(given, False)


def counted(environment: Mapping[str, str], name: str, default: int, *, least: int = 1) -> int:
    """A variable that is a whole number. Raises InputError where it is none, or too small."""
    given = environment.get(name, "").strip()
    if not given:
        return default
    if not given.isdigit() or int(given) < least:
        raise InputError(f"{name}: {given!r} is not a whole number of {least} or more")
    return int(given)

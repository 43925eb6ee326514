"""The folders of the languages, and the files in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# A worker is shown this program by a link.
ROOM = Path(__file__).resolve().parent


@cache
def codes() -> tuple[str, ...]:
    """The languages that have a folder, by ISO 639-1 code, in the order of the alphabet."""
    return tuple(sorted({path.parent.name for path in ROOM.glob("*/*.yaml")}))


def base_of(language: str) -> str:
    """The code of a language without its region: "de" for "de-AT"."""
    return language.split("-")[0].lower()


def file_of(language: str, name: str) -> Path | None:
    """The file of a name in a language's folder; None where it has none."""
    # A code may come from a text: only what is a folder's name is ever put into a path.
    if language not in codes():
        return None
    path = ROOM / language / name
    return path if path.is_file() else None


@cache
def files(name: str) -> tuple[Path, ...]:
    """The files of a name in all folders, in the order of the codes."""
    found = (file_of(code, name) for code in codes())
    return tuple(path for path in found if path is not None)

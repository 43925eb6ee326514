"""Folders and files of the languages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# Resolved, because workers see the program through a symbolic link.
FOLDER = Path(__file__).resolve().parent


@cache
def codes() -> tuple[str, ...]:
    """Return the ISO 639-1 codes of languages with a folder, in alphabetical order."""
    return tuple(sorted({path.parent.name for path in FOLDER.glob("*/*.yaml")}))


def base_of(language: str) -> str:
    """Return the code of a language without its region: "de" for "de-AT"."""
    return language.split("-")[0].lower()


def file_of(language: str, name: str) -> Path | None:
    """Return the path of a file in a language's folder; None if missing."""
    # The code may come from a text: only names of folders become part of a path.
    if language not in codes():
        return None
    path = FOLDER / language / name
    return path if path.is_file() else None


@cache
def files(name: str) -> tuple[Path, ...]:
    """Return the files of a name in all folders, in the order of the codes."""
    found = (file_of(code, name) for code in codes())
    return tuple(path for path in found if path is not None)

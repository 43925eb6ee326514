"""The 200 passages that try to steer a machine: 20 kinds of attack, 10 of each, in four languages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "passages"
LANGUAGES = ("en", "de", "id", "ar")


@dataclass(frozen=True)
class Injected:
    """``order`` is what the passage wants a machine to do, in the words of ``obeying.py``."""

    id: str
    kind: str
    language: str
    order: str
    text: str


@cache
def injected() -> tuple[Injected, ...]:
    return tuple(
        Injected(**json.loads(line))
        for language in LANGUAGES
        for line in (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    )


def unseen() -> tuple[dict[str, str], ...]:
    """24 more that were written after the detector and are never used to improve it."""
    lines = (FOLDER.parent / "unseen.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)

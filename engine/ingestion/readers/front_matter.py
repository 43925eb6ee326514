"""The YAML at the head of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import bounded_yaml
from engine.errors import YamlError
from engine.ingestion.readers.identity import document_of

__all__ = ["FrontMatter", "document_of", "split_front_matter", "stated_id"]


_ID = re.compile(rb"^(?:id|slug)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_HAS_DAY = re.compile(
    rb"(?<!\d)(?:(?:1[5-9]|20|21)\d\d[-./]?[01]\d[-./]?[0-3]\d|[0-3]?\d[-./][01]?\d[-./]\d{4})(?!\d)"
)
_FENCE = re.compile(r"---[ \t]*\r?\n(.*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file's head; ``rest`` is where the text begins; ``problem`` what is wrong with it."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    rest: int = 0
    problem: str | None = None


def split_front_matter(text: str) -> FrontMatter:
    """The YAML between two lines of dashes at the very beginning of a text."""
    match = _FENCE.match(text)
    if match is None:
        return FrontMatter()
    try:
        content = bounded_yaml.load(match[1] or "")
    except YamlError as error:
        return FrontMatter(rest=match.end(), problem=f"front matter: {error}")
    if content is None:
        return FrontMatter(rest=match.end())
    if not isinstance(content, dict):
        return FrontMatter(rest=match.end(), problem="front matter: not a list of fields")
    return FrontMatter({str(name): value for name, value in content.items()}, match.end())


def stated_id(head: bytes, name: str) -> str | None:
    """The id that front matter states, from the first bytes of a file; None where it is not to be seen, or
    where neither front matter nor the file's name has a day: then two of one id are one document twice."""
    if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    front, fence, _ = head.partition(b"\n---")
    match = _ID.search(front) if fence and _HAS_DAY.search(front + b"\n" + name.encode()) else None
    return match[1].decode("utf-8", "replace").strip("\"' ") if match else None

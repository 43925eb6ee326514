"""The YAML at the head of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import bounded_yaml
from engine.errors import YamlError
from engine.ingestion.readers.identity import document_of

__all__ = ["FrontMatter", "document_of", "split_front_matter"]


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

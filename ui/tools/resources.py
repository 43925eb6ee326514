"""Cases and passages as MCP resources, and the tools that read them.

``redstring://case/ID``, ``redstring://passage/CORPUS/ID``: names percent-encoded, ids unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import orjson
from mcp import types
from pydantic import AnyUrl

from engine.verbs.cases import show_part
from engine.verbs.passages import read_passage
from ui.investigate.controls import settings_schema
from ui.tools.schemas import SETTINGS_ADDRESS

MEDIA_TYPE = "application/json"
_CASE = re.compile(r"redstring://case/(?P<case>[\w-]{1,100})", re.ASCII)
_PASSAGE = re.compile(r"redstring://passage/(?P<corpus>[^/]{1,700})/(?P<what>.{1,3000})")
_LONGEST_TITLE = 100


def called_by(uri: str) -> tuple[str, dict[str, Any]] | None:
    """Return the tool that reads a resource, and its arguments; None for an unknown URI."""
    case = _CASE.fullmatch(uri)
    if case is not None:
        return show_part.tool.name, {"case": case["case"]}
    passage = _PASSAGE.fullmatch(uri)
    if passage is not None:
        return read_passage.tool.name, {
            "corpus": unquote(passage["corpus"]),
            "what": unquote(passage["what"]),
        }
    return None


def settings_text() -> str:
    """Return the schema of the settings, as JSON."""
    return orjson.dumps(settings_schema()["anyOf"][0]).decode()


def templates() -> list[types.ResourceTemplate]:
    """Return the templates of resource URIs."""
    return [
        types.ResourceTemplate(
            uriTemplate="redstring://case/{case}",
            name="case",
            title="A kept case",
            description="A case of the caller's in short, by its id.",
            mimeType=MEDIA_TYPE,
        ),
        types.ResourceTemplate(
            uriTemplate="redstring://passage/{corpus}/{+id}",
            name="passage",
            title="A passage in place",
            description="A passage with its neighbours and references, or the beginning of a document, by "
            "the name of the corpus and its id.",
            mimeType=MEDIA_TYPE,
        ),
    ]


SETTINGS = types.Resource(
    uri=AnyUrl(SETTINGS_ADDRESS),
    name="settings",
    title="Settings of a case",
    description="All settings that investigate, answer and plan take: type, bounds, unit, meaning.",
    mimeType=MEDIA_TYPE,
)


def listed_cases(found: Mapping[str, Any]) -> list[types.Resource]:
    """Return the cases of a list as resources."""
    return [
        types.Resource(
            uri=AnyUrl(f"redstring://case/{quote(one['id'])}"),
            name=one["id"],
            title=(one["name"] or one["question"])[:_LONGEST_TITLE],
            description=f"{one['corpus']}, {one['started'][:16]}, evidence: {one['evidence']}",
            mimeType=MEDIA_TYPE,
        )
        for one in found["cases"]
    ]

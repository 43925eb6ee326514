"""The tool ``export``: a kept case in the form that its reader reads."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from engine.access.audit_log import record
from engine.errors import InputError
from engine.exports.kept_cases import load_for_export as handed_over_case
from engine.exports.registry import Export, ExportableCase, export_of, exports
from engine.records.summaries import Slim
from engine.verbs.requests import Detail, Key, Request
from engine.verbs.verb import LONGEST_ANSWER, weight
from ui.tools.caller import ServerCaller
from ui.tools.following import CaseId
from ui.tools.tool import tool_verb

# Where files of cases are fetched.
FILES = "/gradio_api/case"
# What stands around a file in an answer.
AROUND = 4000


class Exporting(Request):
    """What ``export`` takes."""

    case: CaseId | None = Field(default=None, description="Id of a kept case; null to list the formats.")
    format: Key = Field(default="", description="Name of a format, as the list of them has it.")
    detail: Detail = "slim"


class SlimFormat(Slim):
    """A format."""

    name: str
    title: str
    meaning: str = Field(description="what is in it, and who reads it")
    suffix: str
    media_type: str


class OfAnExport(Slim):
    """What ``export`` gives in short."""

    formats: list[SlimFormat] | None = Field(default=None, description="where no case was named")
    case: str | None = None
    format: str | None = None
    file: str | None = Field(default=None, description="a name for the file")
    media_type: str | None = None
    bytes: int | None = Field(default=None, description="size of the file")
    text: str | None = Field(default=None, description="the file, where it is a text and short enough")
    base64: str | None = Field(default=None, description="the file, where it is no text and short enough")
    url: str | None = Field(
        default=None, description="path on this server from which the file is fetched (GET)"
    )


def _export(asking: ServerCaller, asked: Exporting) -> dict[str, Any]:
    if asked.case is None:
        known = [_described(one) for one in exports().values()]
        return {"formats": known}
    if not asked.format:
        raise InputError(f"format: say which; known: {', '.join(exports())}")
    written = export_of(asked.format)
    data = written.write(load_for_export(asking, asked.case))
    record(asking.person, f"export case as {written.name}", asked.case, "done")
    is_text = written.media_type.startswith(("text/", "application/json"))
    own = {"text": data.decode()} if is_text else {"base64": base64.b64encode(data).decode()}
    return {
        "case": asked.case,
        "format": written.name,
        "file": f"case-{asked.case}{written.suffix}",
        "media_type": written.media_type,
        "bytes": len(data),
        "url": f"{FILES}/{asked.case}/{written.name}",
        **own,
    }


def load_for_export(asking: ServerCaller, case: str) -> ExportableCase:
    """A case of the caller's with what is known of it. Raises AccessError, InputError where there is none."""
    kept = asking.services.kept
    return handed_over_case(kept.store(), case, asking.owner, asking.corpus, kept.reviews())


def _described(one: Export) -> dict[str, str]:
    return {name: getattr(one, name) for name in SlimFormat.model_fields}


def _slim(values: Mapping[str, Any]) -> dict[str, Any]:
    if weight(values) <= LONGEST_ANSWER - AROUND:
        return dict(values)
    return {name: value for name, value in values.items() if name not in ("text", "base64")}


TOOL = tool_verb(
    "export",
    "Hand a case over",
    "Give one of the caller's kept cases in a format: the whole record, a memo, a graph, a table. Without a "
    "case the formats are listed. A long file is not in the answer unless detail=full; its url fetches it.",
    Exporting,
    _export,
    OfAnExport,
    _slim,
)

"""What goes into a crate: the case in every format, and what is kept beside its record."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import orjson

from engine.errors import InputError
from engine.exports.registry import HandedOver, exports
from engine.review.exchange.table import write as write_table

_READABLE = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
JSON = "application/json"
# Which of a server's matters a case belongs to is the server's own affair.
_NOT_TOLD = ("matter", "is_shared")


@dataclass(frozen=True, slots=True)
class CrateFile:
    """A file of a crate. ``name`` and ``description`` are for people, ``media_type`` is for programs."""

    path: str
    data: bytes
    name: str
    description: str
    media_type: str


def files_of(case: HandedOver, *, without: str) -> tuple[list[CrateFile], dict[str, str]]:
    """The files, and why the formats that are left out are, by their titles. ``without``: the crate's own."""
    found: list[CrateFile] = []
    left_out: dict[str, str] = {}
    for name, export in exports().items():
        if name == without:
            continue
        taken = {one.path for one in found}
        path = f"case{export.suffix}"
        path = f"case-{name}{export.suffix}" if path in taken else path
        try:
            data = export.write(case)
        except InputError as error:
            left_out[export.title] = str(error)
            continue
        words = f"{export.meaning[:1].upper()}{export.meaning[1:]}."
        found.append(CrateFile(path, data, export.title, words, export.media_type))
    return found + _beside(case), left_out


def _beside(case: HandedOver) -> list[CrateFile]:
    """What is there of a case that is kept."""
    found = []
    if case.summary is not None:
        told = {name: value for name, value in asdict(case.summary).items() if name not in _NOT_TOLD}
        words = "The case as it stands in a list: figures, verdict."
        found.append(CrateFile("summary.json", _json(told), "Summary", words, JSON))
    if case.events:
        told = {"events": [event.values() for event in case.events]}
        words = (
            "What happened to the case, when, and who did it; each event is sealed with the one before it."
        )
        found.append(CrateFile("events.json", _json(told), "Events", words, JSON))
    if case.verdicts:
        words = "What stands of what reviewers said of passages and hops, a row each."
        found.append(CrateFile("verdicts.csv", write_table(case.verdicts), "Verdicts", words, "text/csv"))
    if case.notes:
        words = "What somebody noted of the case."
        found.append(CrateFile("notes.txt", case.notes.encode(), "Notes", words, "text/plain"))
    return found


def _json(value: object) -> bytes:
    return orjson.dumps(value, default=dict, option=_READABLE)

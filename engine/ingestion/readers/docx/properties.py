"""What a Word file says of itself: ECMA-376 part 2 "core properties" and the program's own."""

from __future__ import annotations

import re
from typing import Any

from engine.ingestion.readers.docx.package import DocxParts, Element

_FIELDS = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "created": "created",
    "modified": "modified",
    "language": "language",
    "version": "version",
}
# Titles that a program gave: a file's name, a template's.
_NO_TITLE = re.compile(
    r"microsoft word|.*\.(?:docx?|dotx?|rtf|odt|pdf)\Z|(?:document|dokument|doc)\s*\d*\Z|untitled|word doc",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:[-_]\w+)?\Z")


def properties_of(parts: DocxParts) -> dict[str, Any]:
    """The properties that say something, under the names that documents give them; dates as ISO days."""
    stated = {
        name: value for key, value in _texts(parts.core).items() if (name := _FIELDS.get(key)) is not None
    }
    program = _texts(parts.application)
    found: dict[str, Any] = {name: value for name, value in stated.items() if _is_telling(name, value)}
    for name in ("created", "modified"):
        if name in found:
            found[name] = found[name][:10]
    if "language" in found:
        found["language"] = re.split(r"[-_]", found["language"])[0].lower()
    if program.get("Application"):
        found["producer"] = " ".join(filter(None, (program["Application"], program.get("AppVersion"))))
    if program.get("Pages", "").isdecimal() and int(program["Pages"]) > 0:
        found["pages"] = int(program["Pages"])
    return found


def _is_telling(name: str, value: str) -> bool:
    if name == "title":
        return not _NO_TITLE.match(value)
    if name in ("created", "modified"):
        return _DAY.match(value) is not None
    if name == "language":
        return _LANGUAGE.match(value) is not None
    return name != "author" or value != "python-docx"


def _texts(part: Element | None) -> dict[str, str]:
    """The text of each direct child, by its name without namespace."""
    found: dict[str, str] = {}
    for child in part if part is not None else ():
        if isinstance(child.tag, str) and child.text and child.text.strip():
            found.setdefault(child.tag.rpartition("}")[2], " ".join(child.text.split()))
    return found

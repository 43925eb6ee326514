"""What a page says of itself in its head: the fields of HTML, Dublin Core, Open Graph and ELI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.ingestion.readers.field_names import IDENTIFIERS, Told, folded, told_by
from engine.ingestion.readers.html.parsing import Element

# Names in ``meta`` elements, in small letters, and the field that each is. The first that a page has counts.
_FIELDS = {
    "eli:title": "title", "eli:title_short": "title_short", "eli:id_local": "number",
    "eli:passed_by": "issuer", "eli:date_document": "date", "eli:date_publication": "published",
    "eli:first_date_entry_in_force": "valid_from", "eli:date_no_longer_in_force": "valid_to",
    "dc.title": "title", "dcterms.title": "title", "dc.creator": "author", "dcterms.creator": "author",
    "dc.publisher": "publisher", "dc.subject": "subject", "dc.date": "date", "dc.date.valid": "valid_from",
    "dcterms.valid": "valid_from", "dc.date.created": "created", "dcterms.created": "created",
    "dc.date.modified": "modified", "dcterms.modified": "modified", "dc.date.issued": "date",
    "dcterms.issued": "date", "dc.language": "language", "dcterms.language": "language", "author": "author",
    "date": "date", "keywords": "keywords", "generator": "producer", "content-language": "language",
    "article:author": "author", "article:published_time": "created", "article:modified_time": "modified",
    "og:title": "title", "og:url": "url",
}  # fmt: skip
_DATES = frozenset({"date", "published", "valid_from", "valid_to", "created", "modified"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]\w+)*\Z")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# "Duck - Wikipedia": the name of the site behind that of the page.
_SITE = re.compile(r"\s+[-–—|·]\s+[^-–—|·]{2,40}\Z")
# EUR-Lex prints a title over several paragraphs of this class, and calls the page "L_2016119EN".
_GAZETTE_TITLE = re.compile(r"(?:^|[\s-])doc-ti(?:$|\s)|title-doc-(?:first|last)")
LONGEST_TITLE = 400


def stated_fields(root: Element) -> dict[str, Any]:
    """The fields of a page's head; dates as ISO days, the language as its short code."""
    found: dict[str, Any] = {}
    for name, value in _metas(root):
        field = _FIELDS.get(name.strip().lower()) or _own_name(name)
        text = " ".join(value.split())
        if field is None or not text or field in found:
            continue
        if field in _DATES:
            day = _DAY.match(text)
            if day is None:
                continue
            text = day[0]
        found[field] = text
    spoken = root.get("lang") or root.get(_XML_LANG) or found.get("language") or ""
    found.pop("language", None)
    if match := _LANGUAGE.match(spoken.strip()):
        found["language"] = match[1].lower()
    canonical = root.find(".//link[@rel='canonical']")
    if canonical is not None and canonical.get("href") and "url" not in found:
        found["url"] = canonical.get("href")
    return found


def _own_name(name: str) -> str | None:
    """The name of a field that tells a day or which text it is, under whatever common name."""
    known = told_by(name) not in (Told.UNKNOWN, Told.FILE) or folded(name) in IDENTIFIERS
    return name.strip() if known else None


def page_title(root: Element) -> str | None:
    """The act's title on a page of EUR-Lex, else ``title`` without the name of the site behind it."""
    marked = [
        " ".join("".join(map(str, element.itertext())).split())
        for element in root.iter("p")
        if _GAZETTE_TITLE.search(element.get("class") or "")
    ]
    if any(marked):
        return " ".join(marked)[:LONGEST_TITLE]
    element = root.find(".//title")
    text = " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
    return _SITE.sub("", text) or text or None


def _metas(root: Element) -> Iterator[tuple[str, str]]:
    for element in root.iter("meta"):
        name = element.get("name") or element.get("property") or element.get("http-equiv")
        if name and element.get("content"):
            yield name, element.get("content") or ""

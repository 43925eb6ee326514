"""Read Akoma Ntoso, the XML of parliaments, legislation and judiciary (OASIS LegalDocML, versions 2 and
3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from lxml import etree

from engine.ingestion.readers import fields
from engine.ingestion.readers.akoma_body import Body
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.identity import language_of, source_name
from engine.ingestion.readers.xml import children, descendants, first, parse_root, plain, tag
from engine.ingestion.structure.assembly import Assembler
from engine.ingestion.structure.headings import slug_of
from engine.language.aliases import aliases_of
from engine.language.detection import language_code
from engine.model import Document

# Metadata: FRBR identity, life cycle, periods
#
# Following FRBR in Akoma Ntoso 3.0: a work (the act), an expression (its version in one language) and a
# manifestation (this file).

TYPES = {
    "act": "Act", "bill": "Bill", "debate": "Debate", "debateReport": "Debate report",
    "judgment": "Judgment", "judgement": "Judgment", "amendment": "Amendment",
    "amendmentList": "Amendments", "officialGazette": "Gazette", "documentCollection": "Collection",
    "doc": "Document", "statement": "Statement", "portion": "Portion",
}  # fmt: skip
_IN_FORCE = re.compile(r"in-?force|enter|commence|vigore|vigueur|vigor|efficac", re.IGNORECASE)
_ENDS = frozenset({"repeal", "expiry"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Authors of the file or its markup are not authors of the act.
_EDITORS = re.compile(r"edit|generator|markup|translat", re.IGNORECASE)
_LONGEST_CODE = 4
Period = tuple[date | None, date | None]


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a document. ``work``, ``expression``: URIs; ``periods``: its temporal groups by id."""

    work: str
    expression: str
    title: str | None
    type: str
    language: str | None
    number: str | None
    enacted: date | None
    version: str | None
    issuer: str | None
    valid_from: date | None
    valid_to: date | None
    periods: Mapping[str, Period]
    names: tuple[str, ...]
    metadata: Mapping[str, Any]


def read_identity(document: etree._Element) -> Identity:
    """Read the identity of a document from its ``meta`` element and from marks in its preface or header."""
    meta = first(document, "meta")
    work, expression = (
        first(meta, "identification", "FRBRWork"),
        first(meta, "identification", "FRBRExpression"),
    )
    life = _Life(meta)
    enacted, expressed = _day(work), _day(expression)
    preface = list(children(document, "coverPage", "preface", "header", "conclusions"))
    version = _value(expression, "FRBRversionNumber")
    later = expressed is not None and enacted is not None and expressed > enacted
    return Identity(
        work=_value(work, "FRBRuri") or _value(work, "FRBRthis") or "",
        expression=_value(expression, "FRBRuri") or _value(expression, "FRBRthis") or "",
        title=_title(document, preface),
        type=TYPES.get(tag(document), tag(document).capitalize()),
        language=_language(expression),
        number=_number(work, preface),
        enacted=enacted,
        version=version or (expressed.isoformat() if expressed is not None and later else None),
        issuer=_issuer(work, meta),
        valid_from=life.begin,
        valid_to=life.end,
        periods=life.periods,
        names=tuple(_names(work, preface, document)),
        metadata=_more(meta, work, expression, document),
    )


class _Life:
    """The periods in force of a document, from its life cycle events and temporal groups."""

    def __init__(self, meta: etree._Element | None) -> None:
        self._days: dict[str, date] = {}
        begins: list[date] = []
        ends: list[date] = []
        for event in [] if meta is None else descendants(meta, "eventRef", "event"):
            day = fields.day_of((event.get("date") or "")[:10])
            if day is None:
                continue
            self._days[event.get("eId") or event.get("id") or ""] = day
            if _IN_FORCE.search(event.get("refersTo") or ""):
                begins.append(day)
            if event.get("type") in _ENDS:
                # A repeal ends an act before its day.
                ends.append(day - timedelta(days=1))
        self.begin = min(begins, default=None)
        self.end = max(ends, default=None)
        self.periods: dict[str, Period] = {}
        for group in [] if meta is None else descendants(meta, "temporalGroup"):
            self.periods[group.get("eId") or group.get("id") or ""] = self._period(group)

    def _period(self, group: etree._Element) -> Period:
        """Return the period in force of a group: its interval marked as such, otherwise the first."""
        intervals = list(children(group, "timeInterval"))
        chosen = next((i for i in intervals if _IN_FORCE.search(i.get("refersTo") or "")), None)
        chosen = chosen if chosen is not None else next(iter(intervals), None)
        if chosen is None:
            return None, None
        end = self._days.get((chosen.get("end") or "").lstrip("#"))
        return (
            self._days.get((chosen.get("start") or "").lstrip("#")),
            None if end is None else end - timedelta(days=1),
        )


def _value(level: etree._Element | None, name: str) -> str | None:
    found = first(level, name)
    return (found.get("value") or "").strip() or None if found is not None else None


def _day(level: etree._Element | None) -> date | None:
    found = first(level, "FRBRdate")
    return fields.day_of((found.get("date") or "")[:10]) if found is not None else None


def _language(expression: etree._Element | None) -> str | None:
    found = first(expression, "FRBRlanguage")
    code = (found.get("language") or "").strip().lower() if found is not None else ""
    return (language_code(code) or code).split("-")[0] or None


def _title(document: etree._Element, preface: list[etree._Element]) -> str | None:
    """Return the short title anywhere in the document, otherwise the full title."""
    for title in descendants(document, "shortTitle"):
        quoted = any(tag(above) == "quotedStructure" for above in title.iterancestors())
        if not quoted and (words := plain(title)):
            return words
    for part in preface:
        for name in ("docTitle", "longTitle"):
            words = " ".join(filter(None, (plain(found) for found in descendants(part, name))))
            if words:
                return words
    return None


def _number(work: etree._Element | None, preface: list[etree._Element]) -> str | None:
    stated = _value(work, "FRBRnumber")
    if stated:
        return stated
    return next((plain(found) for part in preface for found in descendants(part, "docNumber")), None)


def _issuer(work: etree._Element | None, meta: etree._Element | None) -> str | None:
    """Return the body that made the work, by its name in the references."""
    for author in [] if work is None else children(work, "FRBRauthor"):
        href = (author.get("href") or "").strip()
        if not href or _EDITORS.search(author.get("as") or ""):
            continue
        name = href.rpartition("/")[2].lstrip("#")
        for known in [] if meta is None else descendants(meta, "TLCOrganization", "TLCPerson", "TLCRole"):
            if (known.get("eId") or known.get("id")) == name and known.get("showAs"):
                return " ".join(str(known.get("showAs")).split())
        # A bare code ("ec") is not a name.
        if len(name) > _LONGEST_CODE:
            return _CAMEL.sub(" ", name.replace("-", " ").replace("_", " "))
    return None


def _names(
    work: etree._Element | None, preface: list[etree._Element], document: etree._Element
) -> Iterator[str]:
    """Return other names of the work: stated ones, its URI, neutral citations."""
    for alias in [] if work is None else children(work, "FRBRalias"):
        if (alias.get("value") or "").strip():
            yield str(alias.get("value")).strip()
    for part in preface:
        for found in descendants(part, "neutralCitation", "docTitle", "shortTitle"):
            if 2 < len(name := plain(found)) <= 120:
                yield name
    if (uri := _value(work, "FRBRuri")) is not None:
        yield uri
    if (portion := document.get("includedIn")) and portion != uri:
        yield portion


def _more(
    meta: etree._Element | None,
    work: etree._Element | None,
    expression: etree._Element | None,
    document: etree._Element,
) -> dict[str, Any]:
    country = _value(work, "FRBRcountry")
    keywords = [
        str(word.get("showAs") or word.get("value"))
        for word in ([] if meta is None else descendants(meta, "keyword"))
        if word.get("showAs") or word.get("value")
    ]
    publication = first(meta, "publication")
    found: dict[str, Any] = {
        "uri": _value(expression, "FRBRuri"),
        "work": _value(work, "FRBRuri"),
        "country": country.lower() if country else None,
        "name": document.get("name"),
        "subtype": _value(work, "FRBRsubtype"),
        "created": day.isoformat() if (day := _day(work)) is not None else None,
        "modified": day.isoformat() if (day := _day(expression)) is not None else None,
        "published": publication.get("date") if publication is not None else None,
        "keywords": keywords or None,
    }
    return {name: value for name, value in found.items() if value}


# The reader
#
# Versions have different namespaces, so elements are identified by their local names. A file with components
# contains several documents.

_ROOT = re.compile(rb"<(?:[\w.-]+:)?akomaNtoso[\s/>]")
_NOT_OF_A_NAME = re.compile(r"^(?:https?://[^/]+)?/*(?:akn/|id/)?|/?!?main$", re.IGNORECASE)


class AkomaReader:
    """Reads Akoma Ntoso XML: one document per file or component."""

    name = "Akoma Ntoso"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept files with the root ``akomaNtoso`` and any name."""
        return _ROOT.search(head.replace(b"\0", b"")) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the documents of a file; components follow the document that contains them."""
        root = parse_root(source)
        if isinstance(root, Problem):
            yield root
            return
        if tag(root) != "akomaNtoso":
            yield Problem(source.name, f"no Akoma Ntoso: its root is <{tag(root)}>")
            return
        found = [part for part in root if tag(part) in TYPES]
        for part in children(root, "components"):
            found.extend(inner for component in part for inner in component if tag(inner) in TYPES)
        if not found:
            yield Problem(source.name, "holds none of the documents that Akoma Ntoso knows")
        taken: set[str] = set()
        for document in found:
            read = _read(document, source, taken)
            if read.passages:
                yield read
            elif tag(document) != "documentCollection":
                yield Problem(source.name, f"the {tag(document)} has no text", _line_of(document))


def _read(document: etree._Element, source: SourceFile, taken: set[str]) -> ReadDocument:
    identity = read_identity(document)
    language = identity.language or language_of(plain(document))
    document_id = _document_id(identity, language, source)
    free, again = document_id, 2
    while free in taken:
        free, again = f"{document_id}~{again}", again + 1
    taken.add(free)
    title = identity.title or _first_heading(document) or Path(source.name).stem
    year = identity.enacted.year if identity.enacted is not None else None
    derived = aliases_of(title, number=identity.number, year=year, type=identity.type, language=language)
    made = Document(
        id=free,
        title=title,
        language=language,
        type=identity.type,
        number=identity.number,
        year=year,
        status="repealed" if identity.valid_to is not None else None,
        version=identity.version,
        valid_from=identity.valid_from,
        valid_to=identity.valid_to,
        issuer=identity.issuer,
        aliases=tuple(dict.fromkeys((*derived, *identity.names))),
        source=source_name(source),
        metadata=identity.metadata,
    )
    return Assembler(made).assemble(Body(language, identity.periods).blocks(document))


def _document_id(identity: Identity, language: str, source: SourceFile) -> str:
    """Make an id from the URI of the work, with the language and, for a later version, the version."""
    uri = _NOT_OF_A_NAME.sub("", identity.work)
    base = slug_of(_NOT_OF_A_NAME.sub("", uri)) or slug_of(Path(source.name).name.split(".")[0]) or "document"
    version = f"@{identity.version}" if identity.version else ""
    return f"{base}-{language}{version}"


def _line_of(element: etree._Element) -> int | None:
    line = element.sourceline
    return line if isinstance(line, int) else None


def _first_heading(document: etree._Element) -> str:
    for heading in descendants(document, "heading"):
        if words := plain(heading):
            return words
    return plain(first(document, "preface"))[:120]

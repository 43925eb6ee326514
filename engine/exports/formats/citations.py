"""Citations for reference managers: CSL-JSON, BibTeX and RIS, one entry for the case and one per provision.

CSL-JSON: https://docs.citationstyles.org/en/stable/specification.html; BibTeX has the fields of biblatex
(``@legislation`` for acts, ``@standard`` and ``@misc``); RIS has those of https://refdb.sourceforge.net/manual/.
Entries are in UTF-8. Kind, year and number of a document are known if the corpus is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import orjson

from engine.corpus.grades import default_grade
from engine.exports.cases import Export, ExportableCase, Names, names_of, private_record_in
from engine.model import Document, Grade
from engine.records.phrases import is_edition
from engine.records.record import CaseRecord, PassagePart


class Kind(NamedTuple):
    """The type of an entry in each format."""

    csl: str
    bibtex: str
    ris: str


ACT = Kind("legislation", "legislation", "STAT")
# Any other text, and one of an unknown kind: a regulation, a judgment, a contract. ``genre`` names its kind.
OTHER = Kind("document", "misc", "GEN")
STANDARD = Kind("standard", "standard", "STAND")
CASE = Kind("report", "misc", "RPRT")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_KEY = re.compile(r"[^A-Za-z0-9:.+/-]+")
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    letter: f"\\{letter}" for letter in "&%$#_{}"
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A citation of a provision or of the case; formats leave out empty fields."""

    key: str
    kind: Kind
    title: str
    authority: str = ""
    number: str = ""
    issued: tuple[int, ...] = ()
    section: str = ""
    page: str = ""
    language: str = ""
    genre: str = ""
    note: str = ""


def entries(case: ExportableCase) -> list[Entry]:
    """Return the case and its ranked provisions, best first, each provision once."""
    record = private_record_in(case)
    distinct: dict[tuple[str, ...], Entry] = {}
    for one in _provisions(record, names_of(record, case.corpus)):
        distinct.setdefault((one.title, one.number, one.section or one.key, one.page), one)
    return [_case_entry(record), *distinct.values()]


def _case_entry(record: CaseRecord) -> Entry:
    began = record.begun
    note = f"Redstring, corpus {record.corpus}" + (f", law as of {record.day}" if record.day else "")
    key = f"case-{began:%Y%m%d%H%M%S}"
    return Entry(key, CASE, record.question, "Redstring", "", (began.year, began.month, began.day), note=note)


def _provisions(record: CaseRecord, names: Names) -> Iterator[Entry]:
    for one in record.passages:
        document = names.document(one.id)
        assert document is not None
        yield _provision(one, document)


def _provision(one: PassagePart, document: Document) -> Entry:
    metadata = document.metadata
    author = document.issuer or str(metadata.get("author") or metadata.get("publisher") or "")
    validity = f"in this wording from {one.valid_from}" if one.valid_from else ""
    return Entry(
        one.id if not _KEY.search(one.id) else f"{_KEY.sub('-', one.id).strip('-')}-{one.rank}",
        entry_kind(document),
        one.title or one.document,
        author,
        document.number or "",
        _issued(document),
        one.label,
        "" if one.page is None else str(one.page),
        "" if one.language == "und" else one.language,
        document.type or "",
        ", ".join(filter(None, (one.status, one.edition, validity))),
    )


def entry_kind(document: Document) -> Kind:
    """Return the type of the entries of a document; only binding law of a legislature is legislation."""
    if is_edition(document):
        return STANDARD
    return ACT if default_grade(document.type or "") is Grade.A else OTHER


def _issued(document: Document) -> tuple[int, ...]:
    """Return year, month and day of a document, or only its year; empty if both are unknown."""
    stated = str(document.metadata.get("date") or "")
    try:
        day = date.fromisoformat(stated)
    except ValueError:
        return () if document.year is None else (document.year,)
    return day.year, day.month, day.day


def _clean(text: str) -> str:
    """Return a text as one line."""
    return " ".join(_CONTROL.sub(" ", text).split())


# The three formats.


def write_csl(case: ExportableCase) -> bytes:
    """Write a list of CSL-JSON items. Raises InputError if the record is damaged."""
    items = [{name: value for name, value in _csl(one).items() if value} for one in entries(case)]
    return orjson.dumps(items, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _csl(one: Entry) -> dict[str, object]:
    return {
        "id": one.key,
        "type": one.kind.csl,
        "title": _clean(one.title),
        "authority" if one.kind == ACT else "publisher": _clean(one.authority),
        "number": _clean(one.number),
        "issued": {"date-parts": [list(one.issued)]} if one.issued else None,
        "section": _clean(one.section),
        "page": one.page,
        "language": one.language,
        "genre": _clean(one.genre),
        "note": _clean(one.note),
    }


def write_bibtex(case: ExportableCase) -> bytes:
    """Write biblatex entries. Raises InputError if the record is damaged."""
    return "\n".join(map(bibtex_entry, entries(case))).encode()


def bibtex_entry(one: Entry) -> str:
    """Return a biblatex entry; characters that TeX interprets are escaped."""
    fields = {
        "title": f"{{{_tex(one.title)}}}" if one.title else "",
        "institution" if one.kind == CASE else "organization": _tex(one.authority),
        "number": _tex(one.number),
        "date": _day(one.issued),
        "titleaddon": _tex(one.section),
        "pages": one.page,
        "language": one.language,
        "type": _tex(one.genre),
        "note": _tex(one.note),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{one.kind.bibtex}{{{one.key},\n{lines}}}\n"


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in _clean(text))


def _day(issued: tuple[int, ...], between: str = "-") -> str:
    return between.join(f"{part:0{2 if place else 4}d}" for place, part in enumerate(issued))


def write_ris(case: ExportableCase) -> bytes:
    """Write RIS records. Raises InputError if the record is damaged."""
    return "\r\n".join(map(ris_record, entries(case))).encode()


def ris_record(one: Entry) -> str:
    """Return a RIS record."""
    fields: Mapping[str, str] = {
        "ID": one.key,
        "TI": _clean(one.title),
        "PB": _clean(one.authority),
        "M1": _clean(one.number),
        "PY": _day(one.issued[:1]),
        "DA": _day(one.issued, "/"),
        "SE": _clean(one.section),
        "SP": one.page,
        "LA": one.language,
        "M3": _clean(one.genre),
        "N1": _clean(one.note),
    }
    lines = [f"{name}  - {value}\r\n" for name, value in fields.items() if value]
    return "".join((f"TY  - {one.kind.ris}\r\n", *lines, "ER  - \r\n"))


CSL = Export(
    "csl",
    "Citations (CSL-JSON)",
    "Zotero, pandoc: the provisions and the case as citations",
    ".csl.json",
    "application/vnd.citationstyles.csl+json",
    write_csl,
)
BIBTEX = Export(
    "bibtex", "Citations (BibTeX)", "LaTeX: the same as BibTeX", ".bib", "application/x-bibtex", write_bibtex
)
RIS = Export(
    "ris",
    "Citations (RIS)",
    "EndNote, Citavi, Mendeley: the same as RIS",
    ".ris",
    "application/x-research-info-systems",
    write_ris,
)

"""Guess the meanings of the fields of records from their names and values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from engine.ingestion.readers import fields
from engine.ingestion.readers.fields import DayKind
from engine.ingestion.readers.identity import (
    EVERYWHERE,
    DocumentFields,
    FieldMapping,
    PassageFields,
    plain_text,
    values,
)
from engine.ingestion.structure.headings import parse_heading
from engine.language.addresses import PROVISIONS
from engine.language.designations import FEWEST, labelled

# Field names in the languages of known corpora
#
# Names are compared folded: "number_text", "numberText". Names of dates, authors and the like: ``fields``.

plain = fields.folded

TEXT = (
    "text", "articletext", "fulltext", "passagetext", "paragraphtext", "content", "contents", "body",
    "passage", "provision", "textcontent", "chunk", "isi", "teks", "inhalt", "texte", "contenu", "texto",
    "testo", "نص", "النص", "نصالمادة", "正文", "内容", "条文",
)  # fmt: skip
LABEL = (
    "numbertext", "articlelabel", "label", "passagelabel", "articlenumber", "articleno", "articlenum",
    "article", "pasal", "paragraph", "rule", "sectionnumber", "clause", "rulenumber", "ruleno", "ruleid",
    "requirement", "requirementid", "requirementnumber", "controlid", "control", "clausenumber",
    "provisionnumber",
    "paragraphnumber", "ref", "enbez", "number", "num", "no",
    "nomor", "رقمالمادة", "المادة", "条", "条号",
)  # fmt: skip
HEADING = (
    "heading", "articletitle", "sectiontitle", "subtitle", "caption", "uberschrift", "title", "name",
    "subject", "judul", "titre", "العنوان", "标题",
)  # fmt: skip
TITLE = (
    "title", "lawname", "lawtitle", "documenttitle", "doctitle", "regulation", "regulationname",
    "document", "documentname", "docname", "law", "act", "actname", "statute", "code", "gesetz", "judul",
    "peraturan", "loi", "ley", "legge", "lei", "wet", "rulebook", "titel", "titre", "name", "النظام",
    "اسمالنظام", "القانون", "法规名称", "标题", "法律",
)  # fmt: skip
# Fields with the source of provisions that have their own titles.
COLLECTION = (
    "regulation", "regulationname", "document", "documentname", "doctitle", "documenttitle", "law", "lawname",
    "act", "actname", "code", "statute", "rulebook", "handbook", "standard", "framework", "manual", "module",
    "sourcebook", "publication", "catalog", "catalogue", "policy", "source", "book",
)  # fmt: skip
DOCUMENT_ID = ("lawid", "documentid", "docid", "id", "uuid", "celex", "eli", "slug", "identifier", "code")
ID = ("id", "uuid", "passageid", "articleid", "chunkid", "key", "identifier")
# From the outside in, for fields that change equally often.
PATH = (
    "book", "buku", "buch", "livre", "الكتاب", "part", "teil", "bagian", "partie", "القسم",
    "الباب", "subpart", "chapter", "bab", "kapitel", "chapitre", "الفصل", "章", "subchapter",
    "division", "section", "abschnitt", "seksi", "节", "branch", "الفرع", "subdivision", "subsection",
    "subsubsection",
)  # fmt: skip
WHOLE_PATH = ("path", "headings", "breadcrumbs", "hierarchy", "breadcrumb")
STATUS = ("status", "articlestatus", "state", "legalstatus", "الحالة", "状态", "时效性")
NUMBER = ("number", "lawnumber", "docnumber", "documentnumber", "actnumber", "nomor", "رقم")
TYPE = ("type", "regulationtype", "documenttype", "doctype", "lawtype", "kind", "jenis", "النوع")
YEAR = ("year", "tahun", "jahr", "annee", "السنة", "年份")
LANGUAGE = ("language", "lang", "languagecode", "bahasa", "sprache", "langue")
DATE = fields.day_names(DayKind.EFFECT)
UNTIL = fields.day_names(DayKind.END)
ENACTED = fields.day_names(DayKind.PUBLISHED)
VERSION = ("version", "versiondate", "consolidated", "edition")
STATE = fields.day_names(DayKind.STATE)
ISSUER = (
    *fields.ISSUERS, "agency", "institution", "ministry", "publisher", "pemrakarsa", "制定机关", "جهةالاصدار",
)  # fmt: skip
ABBREVIATION = (*fields.SHORT_TITLES, "acronym", "singkatan")
URL = ("url", "link", "href", "sourceurl", "uri")
NOTES = (
    "amendments", "amendment", "notes", "note", "annotations", "footnotes", "changes", "التعديلات",
    "ملاحظات",
)  # fmt: skip
PARTS = ("paragraphs", "subparagraphs", "clauses", "points", "subsections", "items", "lines", "الفقرات")
MARKER = ("marker", "mark", "label", "number", "num", "no")


# Guessing
#
# The guess is stored with the document (``metadata["fields"]``) in the form of a mapping file, so that the
# user can correct it by writing one.

# Maximum number of records to examine.
SAMPLE = 400
# Minimum mean length of the text field if it is chosen by length alone.
_LONG = 60
# Minimum share of records for "nearly all".
_MOSTLY = 0.8
# Minimum length of a string in a record that is text of the document.
LONG_TEXT = 200
_DEEPEST = 5
# Maximum length of the text of a provision; a longer one is an act.
_PROVISION = 2000
_DOTTED = re.compile(r"[A-Z]?\d{1,4}(?:\.\d{1,4}){1,4}[A-Z]?")

Record = Mapping[str, Any]


def guess_mapping(content: Any) -> FieldMapping | None:
    """Guess the mapping for a file's content, one record or a list of them; None if nothing fits."""
    best: tuple[float, FieldMapping] | None = None
    for path, records in _lists(content, "", 0):
        mapping = _mapped(path, records)
        if mapping is not None and (best is None or mapping[0] > best[0]):
            best = mapping
    return best[1] if best is not None else None


def _lists(content: Any, path: str, depth: int) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield possible positions of records: the content itself, and each list of objects in it."""
    if isinstance(content, list):
        records = [entry for entry in content[:SAMPLE] if isinstance(entry, dict)]
        if records:
            yield path, records
    elif isinstance(content, dict):
        yield path, [content]
        for name, value in content.items():
            if depth < 2 and "." not in name and isinstance(value, dict | list):
                yield from _lists(value, f"{path}.{name}" if path else name, depth + 1)


def _mapped(path: str, records: Sequence[Record]) -> tuple[float, FieldMapping] | None:
    """Guess a mapping for records at a position; return it with the number of characters of text it
    covers."""
    items = _items_path(records)
    entries: Sequence[Record] = records
    if items is not None:
        entries = [item for record in records for item in _entries(record, items)][:SAMPLE]
    text = _text_field(entries)
    if text is None:
        return None
    numbered = _designated_field(entries) or _own_code(entries, text) if items is None else None
    reach = float(sum(len(plain_text(value)) for entry in entries for value in values(entry, text)))
    if items is None and path and len(records) > 1 and not _names_documents(records):
        # A list of passages within an object: the object is the document.
        reach *= 0.9
    if items is None and path and len(records) == 1:
        # A text in a nested object precedes the provisions, unless there is nothing else.
        reach *= 0.05
    taken = {text}
    own = _own_title(entries, numbered) if items is None else None
    if own is not None:
        # A distinct title in each record, in addition to its number, is its heading and not the document's
        # title.
        taken.add(own)
    passage = _passage_fields(entries, text, taken, numbered, nested=items is not None)
    if items is None and (every := _all_texts(entries, text)) != text:
        passage = passage.model_copy(update={"text": every})
    if own is not None:
        passage = passage.model_copy(update={"heading": own})
    document = _document_fields(records, taken, items, is_numbered=passage.label is not None)
    mapping = FieldMapping(records=path, items=items, document=document, passage=passage)
    # Several positions may cover the same text: prefer the one with the title, then the outer one.
    titled = mapping.document.title is not None and "." not in str(mapping.document.title)
    return reach + 3 * titled - path.count(".") - bool(path), mapping


def _designated_field(entries: Sequence[Record]) -> str | None:
    """Return the field with numbers in a rulebook's own form: "SYSC 4.1.1", "AC-2"; or None."""
    for name in _fields(entries):
        printed = [plain_text(entry.get(name)) for entry in entries]
        designated = [
            one for one in printed if one and (labelled(one) or _DOTTED.fullmatch(one) or _is_worded(one))
        ]
        several = len(designated) >= FEWEST and len(designated) >= _MOSTLY * len(printed)
        # Articles of two books may have the same numbers.
        if several and len(set(designated)) >= (
            2 if designated and _is_worded(designated[0]) else _MOSTLY * len(designated)
        ):
            return name
    return None


def _is_worded(printed: str) -> bool:
    """Return True if a text is only a provision's number with a word or sign for its kind: "§ 5"."""
    heading = parse_heading(printed)
    return _is_provision(printed) and not heading.title and not printed[:1].isdigit()


def _own_code(entries: Sequence[Record], text: str) -> str | None:
    """Return the field "code" if it numbers short provisions, each with its own: "R-1", "R-2"; or None."""
    codes: list[str] = []
    name = _named(entries, ("code",))
    for entry in entries if name else ():
        code, words = plain_text(entry.get(name or "")), plain_text(entry.get(text))
        if words:
            codes.append(code)
        if (words and not any(map(str.isdigit, code))) or len(words) > _PROVISION:
            return None
    return name if len(codes) > 1 and len(set(codes)) == len(codes) else None


def _own_title(entries: Sequence[Record], numbered: str | None) -> str | None:
    """Return the title field if it is the heading of each record; or None.

    Nearly every record has a distinct title, and a distinct number or another field with the title of its
    document, which records share.
    """
    title = _named(entries, [name for name in TITLE if name in HEADING])
    if title is None:
        return None
    law = _named(entries, [name for name in TITLE if name not in (*HEADING, "code")])
    numbered = _named(entries, LABEL) or numbered
    named = (title, law, numbered)
    rows = [
        row for entry in entries if any(row := tuple(plain_text(entry.get(name or "")) for name in named))
    ]
    printed = [row[0] for row in rows if row[0]]
    if len(printed) >= FEWEST and len({row[:2] for row in rows}) >= _MOSTLY * len(rows):
        own = len(set(printed)) >= _MOSTLY * len(printed) >= _MOSTLY * len(rows) / 2
        if own and numbered not in (None, title) and len({row[2] for row in rows}) >= _MOSTLY * len(rows):
            return title
        laws = {row[1] for row in rows}
        if "" not in laws and len(laws) < len({row[:2] for row in rows}):
            return title
        if own and sum(map(_is_provision, printed)) >= _MOSTLY * len(rows):
            return title
    return None


def _is_provision(printed: str) -> bool:
    """Return True if a title begins with the number of a provision: "2.1 Notice", "Article 5 Toll"."""
    heading = parse_heading(printed)
    return heading.number is not None and (heading.kind in PROVISIONS or "." in heading.number)


def _entries(record: Record, items: str) -> Iterator[Record]:
    if items == EVERYWHERE:
        for _, entries in _inner_lists(record, "", 0):
            if _text_field(entries) is not None:
                yield from entries
    else:
        yield from (item for item in values(record, items) if isinstance(item, dict))


def _names_documents(records: Sequence[Record]) -> bool:
    return _named(records, TITLE) is not None


def _items_path(records: Sequence[Record]) -> str | None:
    """Return the path of the list in records with the most text, or None if records have their own text."""
    own = _text_field(records)
    found: dict[str, int] = {}
    for record in records[:20]:
        for path, entries in _inner_lists(record, "", 0):
            field = _text_field(entries)
            if field is not None:
                size = sum(len(plain_text(value)) for entry in entries for value in values(entry, field))
                found[path] = found.get(path, 0) + size
    if not found:
        return None
    best = max(found, key=lambda path: (found[path], -path.count(".")))
    if own is not None:
        mine = sum(len(plain_text(value)) for record in records[:20] for value in values(record, own))
        # Paragraphs repeat the text of their article; a few words before the articles are not their text.
        if mine * 2 >= found[best]:
            return None
    # Articles of chapters, and articles of sections of chapters: all of them count.
    others = [path for path in found if path != best and path.rpartition(".")[2] == best.rpartition(".")[2]]
    return EVERYWHERE if others else best


def _inner_lists(place: Any, path: str, depth: int) -> Iterator[tuple[str, list[Record]]]:
    if depth > _DEEPEST or not isinstance(place, dict):
        return
    for name, value in place.items():
        if "." in name or plain(name) in NOTES:
            continue
        full = f"{path}.{name}" if path else name
        if isinstance(value, dict):
            yield from _inner_lists(value, full, depth + 1)
        elif isinstance(value, list):
            entries: list[Record] = [entry for entry in value if isinstance(entry, dict)]
            if not entries:
                continue
            yield full, entries
            if _text_field(entries) is None:
                for entry in entries:
                    yield from _inner_lists(entry, full, depth + 1)


def _text_field(entries: Sequence[Record]) -> str | None:
    """Return the text field: by its name, otherwise the longest field that most entries have."""
    named = _named(entries, TEXT, least=2)
    if named is not None:
        return named
    longest: tuple[float, str] | None = None
    for name in _fields(entries):
        lengths = [len(plain_text(entry[name])) for entry in entries if isinstance(entry.get(name), str)]
        if len(lengths) * 2 < len(entries) or plain(name) in (*HEADING, *URL):
            continue
        mean = sum(lengths) / max(1, len(lengths))
        if mean >= _LONG and " " in str(next(entry[name] for entry in entries if entry.get(name))):
            longest = max(longest or (0.0, ""), (mean, name))
    return longest[1] if longest else None


def _all_texts(entries: Sequence[Record], text: str) -> str | list[str]:
    """Return the text field, together with other long fields if no name identifies the text."""
    if plain(text) in TEXT:
        return text
    found = []
    for name in _fields(entries):
        texts = [entry[name] for entry in entries if isinstance(entry.get(name), str) and " " in entry[name]]
        own = len(texts) * 2 >= len(entries) and len(set(texts)) * 2 >= len(entries)
        long = own and sum(map(len, texts)) >= _LONG * len(texts)
        if name == text or (long and plain(name) not in (*HEADING, *URL, *NOTES)):
            found.append(name)
    return found if len(found) > 1 else text


def _fields(entries: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(name for entry in entries for name in entry))


def _named(
    entries: Sequence[Record], names: Sequence[str], taken: Collection[str] = (), least: int = 1
) -> str | None:
    """Return the first non-empty field with one of these names; names of two parts lead into objects."""
    present: dict[str, str] = {}
    for entry in entries:
        for name, value in entry.items():
            if isinstance(value, dict):
                for inner, deeper in value.items():
                    if len(plain_text(deeper)) >= least:
                        present.setdefault(plain(name + inner), f"{name}.{inner}")
            elif len(plain_text(value)) >= least and not isinstance(value, bool):
                present[plain(name)] = name
    return next((present[name] for name in names if name in present and present[name] not in taken), None)


def _passage_fields(
    entries: Sequence[Record], text: str, taken: set[str], numbered: str | None, *, nested: bool
) -> PassageFields:
    def take(names: Sequence[str]) -> str | None:
        field = _named(entries, names, taken)
        if field is not None:
            taken.add(field)
        return field

    label = take(LABEL) or (numbered if numbered not in taken else None)
    taken.update([label] if label else [])
    # In rows without a list around them, "title" belongs to the document; their own is called a heading.
    heading = take(HEADING if nested else HEADING[:6])
    path = _path_fields(entries, taken)
    return PassageFields(
        text=text,
        parts=_parts_field(entries),
        id=take(ID),
        label=label,
        heading=heading,
        path=path,
        status=take(STATUS) if nested else _status_field(entries, taken),
        valid_from=take(DATE) if nested else None,
        valid_to=take(UNTIL) if nested else None,
        notes=_notes_fields(entries),
    )


def _status_field(entries: Sequence[Record], taken: set[str]) -> str | None:
    """Return the field for the state of a text if it holds words of status in each row; or None."""
    for name in _fields(entries):
        found = [status for entry in entries if (status := plain_text(entry.get(name)))]
        if plain(name) in STATE and found and all(one.lower() in fields.STATUSES for one in found):
            taken.add(name)
            return name
    return None


def _parts_field(entries: Sequence[Record]) -> str | None:
    """Return the field with a list of objects that contain text, in addition to the text field; or None."""
    for entry in entries:
        for name, value in entry.items():
            if plain(name) in PARTS and isinstance(value, list):
                parts = [part for part in value if isinstance(part, dict)]
                if parts and _named(parts, TEXT) is not None:
                    return name
    return None


def _path_fields(entries: Sequence[Record], taken: set[str]) -> list[str] | None:
    whole = next((name for name in _fields(entries) if plain(name) in WHOLE_PATH), None)
    if whole is not None:
        taken.add(whole)
        return [whole]
    found = [
        name
        for name in _fields(entries)
        if plain(name) in PATH
        and name not in taken
        and any(isinstance(entry.get(name), str) and entry[name].strip() for entry in entries)
    ]
    taken.update(found)

    def above(outer: str, inner: str) -> bool:
        """Return True if one heading changes less often than another, in entries with both."""
        both = [(plain_text(entry.get(outer)), plain_text(entry.get(inner))) for entry in entries]
        both = [pair for pair in both if all(pair)]
        left, right = (sum(one[side] != two[side] for one, two in pairwise(both)) for side in (0, 1))
        return left < right or (left == right and rank(outer) < rank(inner))

    def rank(name: str) -> int:
        return PATH.index(plain(name))

    return sorted(found, key=lambda one: sum(above(other, one) for other in found if other != one)) or None


def _notes_fields(entries: Sequence[Record]) -> list[str] | None:
    found: list[str] = []
    for entry in entries:
        for name, value in entry.items():
            if plain(name) not in NOTES or not value:
                continue
            inner = (
                next((one for one in value if isinstance(one, dict)), None)
                if isinstance(value, list)
                else value
            )
            if isinstance(inner, dict):
                field = _named([inner], (*TEXT, "description", "note", "summary"))
                if field is not None:
                    found.append(f"{name}.{field}")
            else:
                found.append(name)
    return list(dict.fromkeys(found)) or None


def _document_fields(
    records: Sequence[Record], taken: set[str], items: str | None, *, is_numbered: bool
) -> DocumentFields:
    own = set() if items else taken
    used: set[str] = set(own)

    def take(names: Sequence[str]) -> str | None:
        field = _named(records, names, used)
        if field is not None:
            used.add(field)
        return field

    title = take(TITLE) or (take(COLLECTION) if is_numbered else None)
    valid_from, valid_to, version = take(DATE), take(UNTIL), take(VERSION)
    if version is None and (items or not (valid_from or valid_to)):
        # The state of a row with its own validity is that of a provision.
        version = take(STATE)
    return DocumentFields(
        title=title,
        id=take(DOCUMENT_ID if items else ("documentid", "docid", "lawid")),
        number=take(NUMBER) or _of_decree(records),
        type=take(TYPE),
        year=take(YEAR),
        language=take(LANGUAGE),
        status=take(STATUS),
        valid_from=valid_from,
        valid_to=valid_to,
        date=take(ENACTED),
        issuer=take(ISSUER),
        version=version,
        abbreviation=take(ABBREVIATION),
        url=take(URL),
        author=take(fields.AUTHORS),
        texts=_long_texts(records, used) if items else [],
    )


def _of_decree(records: Sequence[Record]) -> str | None:
    """Return the field with the number of the decree that made an act, which is its citation number."""
    return _named(records, ("royaldecreenumber", "decreenumber", "actnumber", "metadatanumber"))


def _long_texts(records: Sequence[Record], used: set[str]) -> list[str]:
    found: list[str] = []
    for record in records[:20]:
        for name, value in record.items():
            if name in used:
                continue
            if isinstance(value, str) and len(value) >= LONG_TEXT:
                found.append(name)
            elif isinstance(value, dict):
                found += [
                    f"{name}.{inner}"
                    for inner, text in value.items()
                    if isinstance(text, str) and len(text) >= LONG_TEXT
                ]
    return list(dict.fromkeys(found))

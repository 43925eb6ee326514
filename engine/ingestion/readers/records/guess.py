"""What the fields of records mean, guessed from their names and values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from engine.ingestion.readers.identity import (
    EVERYWHERE,
    DocumentFields,
    FieldMapping,
    PassageFields,
    said,
    values,
)
from engine.ingestion.structure.headings import parse_heading
from engine.language.addresses import PROVISIONS
from engine.language.designations import FEWEST, labelled

# The names under which sources keep what a reader looks for, in the languages of the corpora we
# have seen.
#
# Names are compared in small letters without anything between their words: "number_text",
# "numberText".

_BETWEEN = re.compile(r"[\s_\-.@:]+")


def plain(name: str) -> str:
    """A field's name as it is compared."""
    return _BETWEEN.sub("", name.casefold())


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
    "heading", "articletitle", "sectiontitle", "subtitle", "caption", "title", "name", "subject", "judul",
    "überschrift", "titre", "العنوان", "标题",
)  # fmt: skip
TITLE = (
    "title", "lawname", "lawtitle", "documenttitle", "doctitle", "regulation", "regulationname",
    "document", "documentname", "docname", "law", "act", "actname", "statute", "code", "gesetz", "judul",
    "peraturan", "titel", "titre", "name", "النظام", "اسمالنظام", "القانون", "法规名称", "标题", "法律",
)  # fmt: skip
# What provisions with titles of their own are taken from.
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
YEAR = ("year", "tahun", "jahr", "année", "السنة", "年份")
LANGUAGE = ("language", "lang", "languagecode", "bahasa", "sprache", "langue")
DATE = (
    "validfrom", "effectivedate", "dateeffective", "inforcefrom", "dateinforce", "entryintoforce",
    "effectivefrom", "commencementdate", "tanggalberlaku", "inkrafttreten", "施行日期",
)  # fmt: skip
UNTIL = ("validto", "validuntil", "repealdate", "daterepealed", "effectiveto", "expirydate", "endvalidity")
ENACTED = (
    "date", "enactmentdate", "enacted", "issuedate", "dateissued", "publicationdate", "published",
    "promulgated", "signed", "dategregorian", "tanggal", "datum", "公布日期",
)  # fmt: skip
ISSUER = (
    "issuer", "issuedby", "issuingauthority", "issuingbody", "authority", "agency", "institution",
    "ministry", "publisher", "pemrakarsa", "制定机关", "جهةالإصدار",
)  # fmt: skip
VERSION = ("version", "versiondate", "consolidated", "edition")
ABBREVIATION = ("abbreviation", "shortname", "shorttitle", "jurabk", "acronym", "singkatan")
URL = ("url", "link", "href", "sourceurl", "uri")
AUTHOR = ("author", "authors", "creator")
NOTES = (
    "amendments", "amendment", "notes", "note", "annotations", "footnotes", "changes", "التعديلات",
    "ملاحظات",
)  # fmt: skip
PARTS = ("paragraphs", "subparagraphs", "clauses", "points", "subsections", "items", "lines", "الفقرات")
MARKER = ("marker", "mark", "label", "number", "num", "no")


# What the fields of a source mean, guessed from their names and from what they hold.
#
# A guess is told with the document (``metadata["fields"]``), in the words of a mapping file, so
# that a person can correct it by writing one.

# So many records are looked at.
SAMPLE = 400
# A text that nothing names is told by its length: the longest field, if its mean is at least this.
_LONG = 60
# A share of records that is nearly all of them.
_MOSTLY = 0.8
# A string of a record that is longer is text that belongs to the document.
LONG_TEXT = 200
_DEEPEST = 5
_DOTTED = re.compile(r"[A-Z]?\d{1,4}(?:\.\d{1,4}){1,4}[A-Z]?")

Record = Mapping[str, Any]


def guessed(content: Any) -> FieldMapping | None:
    """The mapping that fits a file's content: one record, or a list of them; None where nothing does."""
    best: tuple[float, FieldMapping] | None = None
    for path, records in _lists(content, "", 0):
        mapping = _mapped(path, records)
        if mapping is not None and (best is None or mapping[0] > best[0]):
            best = mapping
    return best[1] if best is not None else None


def _lists(content: Any, path: str, depth: int) -> Iterator[tuple[str, Sequence[Record]]]:
    """Where the records may be: the content itself, and each list of objects in it that are no items."""
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
    """A mapping for records in this place, and how many characters of text it reaches."""
    items = _items_path(records)
    entries: Sequence[Record] = records
    if items is not None:
        entries = [item for record in records for item in _entries(record, items)][:SAMPLE]
    text = _text_field(entries)
    if text is None:
        return None
    numbered = _designated_field(entries) if items is None else None
    reach = float(sum(len(said(value)) for entry in entries for value in values(entry, text)))
    if items is None and path and len(records) > 1 and not _names_documents(records):
        # Passages of a list inside an object: the object is the document, and the list its items.
        reach *= 0.9
    if items is None and path and len(records) == 1:
        # A text in an object of its own is what precedes the provisions, unless there is nothing else.
        reach *= 0.05
    taken = {text}
    own = _own_title(entries) if items is None else None
    if own is not None:
        # A title that each record has for itself, beside its number, is its heading and no document's.
        taken.add(own)
    passage = _passage_fields(entries, text, taken, numbered, nested=items is not None)
    if items is None and (every := _all_texts(entries, text)) != text:
        passage = passage.model_copy(update={"text": every})
    if own is not None:
        passage = passage.model_copy(update={"heading": own})
    document = _document_fields(records, taken, items, is_numbered=passage.label is not None)
    mapping = FieldMapping(records=path, items=items, document=document, passage=passage)
    # Several places can reach the same text: that which has the title knows most about it, then the outer.
    titled = mapping.document.title is not None and "." not in str(mapping.document.title)
    return reach + 3 * titled - path.count(".") - bool(path), mapping


def _designated_field(entries: Sequence[Record]) -> str | None:
    """The field whose values are numbers in a form of a rulebook's own: "SYSC 4.1.1", "AC-2"."""
    for name in _fields(entries):
        printed = [said(entry.get(name)) for entry in entries]
        designated = [
            one for one in printed if one and (labelled(one) or _DOTTED.fullmatch(one) or _is_worded(one))
        ]
        several = len(designated) >= FEWEST and len(designated) >= _MOSTLY * len(printed)
        # The articles of two books may have the same numbers.
        if several and len(set(designated)) >= (
            2 if designated and _is_worded(designated[0]) else _MOSTLY * len(designated)
        ):
            return name
    return None


def _is_worded(printed: str) -> bool:
    """Whether a text is only the number of a provision with a word or a sign for it: "§ 5"."""
    heading = parse_heading(printed)
    is_provision = heading.kind in PROVISIONS and heading.number is not None
    return is_provision and not heading.title and not printed[:1].isdigit()


def _own_title(entries: Sequence[Record]) -> str | None:
    """The title that nearly every record has for itself, where records have numbers of their own as well."""
    title = _named(entries, TITLE)
    numbered = _named(entries, LABEL) or _designated_field(entries)
    if title is None or numbered is None or title == numbered or plain(title) not in HEADING:
        return None
    printed = [said(entry.get(title)) for entry in entries if said(entry.get(title))]
    numbers = {said(entry.get(numbered)) for entry in entries}
    own = len(printed) >= FEWEST and len(set(printed)) >= _MOSTLY * len(printed)
    return title if own and len(numbers) >= _MOSTLY * len(entries) else None


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
    """The list inside records that holds most text, unless records have a text of their own."""
    own = _text_field(records)
    found: dict[str, int] = {}
    for record in records[:20]:
        for path, entries in _inner_lists(record, "", 0):
            field = _text_field(entries)
            if field is not None:
                size = sum(len(said(value)) for entry in entries for value in values(entry, field))
                found[path] = found.get(path, 0) + size
    if not found:
        return None
    best = max(found, key=lambda path: (found[path], -path.count(".")))
    if own is not None:
        mine = sum(len(said(value)) for record in records[:20] for value in values(record, own))
        # Paragraphs repeat the text of their article; a few words before the articles are no text of it.
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
    """The field that holds the text: by its name, else the longest that most entries have."""
    named = _named(entries, TEXT, least=2)
    if named is not None:
        return named
    longest: tuple[float, str] | None = None
    for name in _fields(entries):
        lengths = [len(said(entry[name])) for entry in entries if isinstance(entry.get(name), str)]
        if len(lengths) * 2 < len(entries) or plain(name) in (*HEADING, *URL):
            continue
        mean = sum(lengths) / max(1, len(lengths))
        if mean >= _LONG and " " in str(next(entry[name] for entry in entries if entry.get(name))):
            longest = max(longest or (0.0, ""), (mean, name))
    return longest[1] if longest else None


def _all_texts(entries: Sequence[Record], text: str) -> str | list[str]:
    """The text field, with the other long ones beside it where no name tells which of them is the text."""
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
    entries: Sequence[Record], wanted: Sequence[str], taken: Collection[str] = (), least: int = 1
) -> str | None:
    """The field with the first of these names that says something; names of two parts go into objects."""
    present: dict[str, str] = {}
    for entry in entries:
        for name, value in entry.items():
            if isinstance(value, dict):
                for inner, deeper in value.items():
                    if len(said(deeper)) >= least:
                        present.setdefault(plain(name + inner), f"{name}.{inner}")
            elif len(said(value)) >= least and not isinstance(value, bool):
                present[plain(name)] = name
    return next((present[name] for name in wanted if name in present and present[name] not in taken), None)


def _passage_fields(
    entries: Sequence[Record], text: str, taken: set[str], numbered: str | None, *, nested: bool
) -> PassageFields:
    def take(wanted: Sequence[str]) -> str | None:
        field = _named(entries, wanted, taken)
        if field is not None:
            taken.add(field)
        return field

    label = take(LABEL) or (numbered if numbered not in taken else None)
    taken.update([label] if label else [])
    # Of rows without a list around them, "title" tells of the document; their own is called a heading.
    heading = take(HEADING if nested else HEADING[:5])
    path = _path_fields(entries, taken)
    return PassageFields(
        text=text,
        parts=_parts_field(entries),
        id=take(ID),
        label=label,
        heading=heading,
        path=path,
        status=take(STATUS) if nested else None,
        valid_from=take(DATE) if nested else None,
        valid_to=take(UNTIL) if nested else None,
        notes=_notes_fields(entries),
    )


def _parts_field(entries: Sequence[Record]) -> str | None:
    """A list of objects beside the text that hold text under the same kind of name."""
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
        """Whether one heading changes more seldom than another, where both are there."""
        both = [(said(entry.get(outer)), said(entry.get(inner))) for entry in entries]
        both = [pair for pair in both if all(pair)]
        left, right = (sum(one[side] != two[side] for one, two in pairwise(both)) for side in (0, 1))
        return left < right or (left == right and known(outer) < known(inner))

    def known(name: str) -> int:
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

    def take(wanted: Sequence[str]) -> str | None:
        field = _named(records, wanted, used)
        if field is not None:
            used.add(field)
        return field

    title = take(TITLE) or (take(COLLECTION) if is_numbered else None)
    return DocumentFields(
        title=title,
        id=take(DOCUMENT_ID if items else ("documentid", "docid", "lawid")),
        number=take(NUMBER) or _of_decree(records),
        type=take(TYPE),
        year=take(YEAR),
        language=take(LANGUAGE),
        status=take(STATUS),
        valid_from=take(DATE),
        valid_to=take(UNTIL),
        date=take(ENACTED),
        issuer=take(ISSUER),
        version=take(VERSION),
        abbreviation=take(ABBREVIATION),
        url=take(URL),
        author=take(AUTHOR),
        texts=_long_texts(records, used) if items else [],
    )


def _of_decree(records: Sequence[Record]) -> str | None:
    """The number of the decree by which an act was made, which is the number that it is cited by."""
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

"""Read PDF files with a text layer in the order in which a person reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import BinaryIO

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.formats import ZIP, looks_like_text
from engine.ingestion.readers.pdf.furniture import remove_furniture
from engine.ingestion.readers.pdf.lines import Line, read_lines
from engine.ingestion.readers.pdf.paragraphs import (
    blocks_of_notes,
    find_title,
    measure_setting,
    separate_notes,
)
from engine.ingestion.readers.pdf.rows import Sheet, read_sheets
from engine.ingestion.readers.pdf.structure import Structure
from engine.ingestion.readers.text import read_documents
from engine.ingestion.structure.headings import slug_of

# Opening of a PDF, and its metadata

_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")
_JUNK_TITLE = re.compile(
    r"\.(?:docx?|pdf|indd|qxd|tex|exe|rtf|odt|xlsx?|pptx?|wpd|fm)\b|microsoft|powerpoint|untitled|unbenannt"
    r"|\bdocument\d*\Z|^slide\b|\s{3,}|_|\A[\W\d]*\Z",
    re.IGNORECASE,
)
# Minimum share of a stated title's words on the first pages; otherwise it belongs to another document.
_TITLE_SHARE = 0.6
_FIELDS = {"Author": "author", "Subject": "subject", "Keywords": "keywords", "Producer": "producer"}
_DEEPEST_BOOKMARK = 6
_MOST_BOOKMARKS = 5000


class UnreadableError(Exception):
    """A file that cannot be opened; the message gives the reason and the remedy."""


@contextmanager
def open_pdf(source: SourceFile) -> Iterator[pdfium.PdfDocument]:
    """Open a PDF with the first matching password.

    Raises UnreadableError for an incomplete PDF or an unknown password, FileRefusedError and OSError if it
    cannot be opened.
    """
    with source.opened() as file:
        if source.size() == 0:
            raise UnreadableError("the file is empty (0 bytes)")
        document = _open(file, source.passwords)
        try:
            if len(document) == 0:
                raise UnreadableError("the PDF has no pages")
            yield document
        finally:
            document.close()


def _open(file: BinaryIO, passwords: Sequence[str]) -> pdfium.PdfDocument:
    for password in (None, *passwords):
        try:
            return pdfium.PdfDocument(file, password=password)
        except pdfium.PdfiumError as error:
            code = error.err_code
            if code not in (raw.FPDF_ERR_PASSWORD,):
                raise UnreadableError(_reason(code, str(error))) from None
    if passwords:
        tried = (
            "the password given does"
            if len(passwords) == 1
            else f"none of the {len(passwords)} passwords given does"
        )
        raise UnreadableError(f"protected by a password, and {tried} not open it; give the right one")
    raise UnreadableError("protected by a password; give the password to read it")


def _reason(code: int | None, message: str) -> str:
    if code == raw.FPDF_ERR_SECURITY:
        return "encrypted in a way that cannot be read; save it again without protection"
    if code in (raw.FPDF_ERR_FORMAT, raw.FPDF_ERR_FILE, raw.FPDF_ERR_UNKNOWN):
        return "not a readable PDF: damaged or cut short; get it again, or save it again in a PDF program"
    return f"not a readable PDF ({message})"


def stated_metadata(document: pdfium.PdfDocument) -> dict[str, str | int]:
    """Return author, subject, keywords, producer, dates in ISO 8601, and the number of pages."""
    given = {name: stated_value(document, name) for name in document.METADATA_KEYS}
    stated: dict[str, str | int] = {name: given[key] for key, name in _FIELDS.items() if given.get(key)}
    for key, name in (("CreationDate", "created"), ("ModDate", "modified")):
        day = parse_pdf_date(given.get(key, ""))
        if day:
            stated[name] = day
    stated["pages"] = len(document)
    return stated


def stated_value(document: pdfium.PdfDocument, name: str) -> str:
    """Return the value of a metadata field; empty if it is not text."""
    try:
        value: str = document.get_metadata_value(name)
    except UnicodeDecodeError:
        return ""
    return value.replace("\x00", "").strip()


def parse_pdf_date(text: str) -> str | None:
    """Convert a PDF date ("D:20201119103834+07'00'") to ISO 8601; None if invalid."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (
        int(part or least) for part, least in zip(match.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
    )
    try:
        at = datetime(year, month, day, hour, minute, min(second, 59))
    except ValueError:
        return None
    if match[4] is None:
        return at.date().isoformat()
    zone = "+00:00" if match[7] else f"{match[8]}{match[9]}:{match[10] or '00'}" if match[8] else ""
    return at.isoformat() + zone


def stated_title(document: pdfium.PdfDocument, opening: str) -> str | None:
    """Return the title in the metadata if its words are in the ``opening`` of the text; or None."""
    title = stated_value(document, "Title")
    if not title or _JUNK_TITLE.search(title):
        return None
    words = [word for word in slug_of(title).split("-") if len(word) > 2]
    opening_words = set(slug_of_all(opening))
    if not words or sum(word in opening_words for word in words) < _TITLE_SHARE * len(words):
        return None
    return " ".join(title.split())


def slug_of_all(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.casefold())


def read_bookmarks(document: pdfium.PdfDocument) -> Mapping[tuple[int, str], int]:
    """Return the depth (from 0) of bookmarks by page (from 1) and folded title."""
    marks: dict[tuple[int, str], int] = {}
    for count, mark in enumerate(document.get_toc(max_depth=_DEEPEST_BOOKMARK)):
        if count >= _MOST_BOOKMARKS:
            break
        target = mark.get_dest()
        page = target.get_index() if target is not None else None
        title = slug_of(_name(mark.get_title))
        if page is not None and title:
            marks.setdefault((page + 1, title), mark.level)
    return marks


def read_attachments(document: pdfium.PdfDocument) -> list[str]:
    """Return the names of attached files."""
    return [_name(document.get_attachment(index).get_name) for index in range(document.count_attachments())]


def _name(get: Callable[[], str | None]) -> str:
    """Return a name inside the file; empty if it is not text."""
    try:
        return get() or ""
    except UnicodeDecodeError:
        return ""


# The reader

# Other bytes may precede the signature (ISO 32000-1, Annex H, note 13).
_SIGNATURE = re.compile(rb"^[^<{\w]*%PDF-", re.MULTILINE)
# Number of pages in memory; repeated furniture is searched among them.
_WINDOW = 150
# Minimum share of a page covered by a picture, and maximum number of characters, for a scan.
_PICTURE, _FEW = 0.5, 25
# Share of meaningless characters from which the text layer is useless.
_GARBLED = 0.3
_OPENING = 4000
_ODD, _BLANK = re.compile("[\ufffd•\x00-\x08\x0e-\x1f\x7f-\x9f]"), re.compile(r"\s")


@dataclass(slots=True)
class _Pages:
    """The lines of the pages, and the numbers of scanned and broken pages."""

    lines: list[Line] = field(default_factory=list)
    scans: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


class PdfReader:
    """Reads ``.pdf``: one document per file."""

    name = "PDF"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept files that start like a PDF, or have its suffix and are neither text nor zip."""
        named = (
            path.suffix.lower() == ".pdf"
            and not head.startswith(ZIP)
            and not (head and looks_like_text(head))
        )
        return named or _SIGNATURE.search(head[:1024]) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the document and its problems."""
        try:
            with open_pdf(source) as document:
                yield from _read(source, document)
        except UnreadableError as error:
            yield Problem(source.name, str(error))


def _read(source: SourceFile, document: pdfium.PdfDocument) -> Iterator[ReadDocument | Problem]:
    pages = _pages(document)
    if pages.broken:
        yield Problem(source.name, f"{_named(pages.broken)} cannot be read: the file is damaged there")
    if not pages.lines:
        if pages.scans:
            count = (
                f"all {len(document)} pages are pictures" if len(document) > 1 else "the page is a picture"
            )
            yield Problem(source.name, f"scanned: no text layer ({count}); run OCR first")
        elif not pages.broken:
            yield Problem(source.name, "no text: its pages are blank")
        return
    text = "\n".join(line.text for line in pages.lines)
    if _is_garbled(text):
        yield Problem(
            source.name, "its text layer is garbled: most characters have no meaning; run OCR first"
        )
        return
    if pages.scans:
        yield Problem(
            source.name, f"no text layer on {_named(pages.scans)} (scanned); run OCR to have it too"
        )
    if names := read_attachments(document):
        shown = ", ".join(name or "one without a name" for name in names)
        yield Problem(source.name, f"files attached inside are left out: {shown}")
    setting = measure_setting(pages.lines)
    lines, notes = separate_notes(pages.lines, setting)
    structure = Structure(lines, read_bookmarks(document))
    title = stated_title(document, text[:_OPENING]) or find_title(lines, setting, structure.vocabulary)
    blocks = chain(structure.blocks(), blocks_of_notes(notes, structure.vocabulary))
    yield from read_documents(source, stated_metadata(document), title, text, blocks)


def _pages(document: pdfium.PdfDocument) -> _Pages:
    pages = _Pages()
    # Of about equal size: a single page would keep its header and footer.
    windows = -(-len(document) // _WINDOW)
    borders = [len(document) * place // windows for place in range(windows + 1)]
    for first, stop in pairwise(borders):
        sheets: list[Sheet] = []
        for number in range(first, stop):
            try:
                found = list(read_sheets(document, number))
                if sum(len(run.text) for sheet in found for run in sheet.runs) < _FEW and _is_picture(
                    document, number
                ):
                    pages.scans.append(number + 1)
                sheets += found
            except pdfium.PdfiumError:
                pages.broken.append(number + 1)
        pages.lines += read_lines(remove_furniture(sheets))
    return pages


def _is_picture(document: pdfium.PdfDocument, number: int) -> bool:
    """Return True if a picture covers most of a page."""
    page = document[number]
    try:
        width, height = page.get_size()
        for picture in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4):
            left, bottom, right, top = picture.get_bounds()
            if abs((right - left) * (top - bottom)) > _PICTURE * width * height:
                return True
        return False
    finally:
        page.close()


def _is_garbled(text: str) -> bool:
    blank = len(_BLANK.findall(text))
    return len(_ODD.findall(text)) > _GARBLED * (len(text) - blank)


def _named(pages: Sequence[int]) -> str:
    """Format page numbers: "page 3", "pages 1-4 and 7"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    names = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    if len(pages) == 1:
        return f"page {names[0]}"
    return "pages " + (" and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0])

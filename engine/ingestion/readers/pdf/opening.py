"""Opening a PDF, and what its file says about the document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import BinaryIO

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.ingestion.headings import slug_of
from engine.ingestion.readers.base import SourceFile

_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")
_JUNK_TITLE = re.compile(
    r"\.(?:docx?|pdf|indd|qxd|tex|exe|rtf|odt|xlsx?|pptx?|wpd|fm)\b|microsoft|powerpoint|untitled|unbenannt"
    r"|\bdocument\d*\Z|^slide\b|\s{3,}|_|\A[\W\d]*\Z",
    re.IGNORECASE,
)
# So many of the words of a stated title stand on the first pages, or it is the title of something else.
_SAID_SHARE = 0.6
_FIELDS = {"Author": "author", "Subject": "subject", "Keywords": "keywords", "Producer": "producer"}
_DEEPEST_BOOKMARK = 6
_MOST_BOOKMARKS = 5000


class UnreadableError(Exception):
    """A file that cannot be opened; the message says why, and what to do."""


@contextmanager
def opened(source: SourceFile) -> Iterator[pdfium.PdfDocument]:
    """A PDF, with the first of its passwords that opens it.

    Raises UnreadableError for a file that is no whole PDF or needs another password; FileRefusedError and
    OSError where it cannot be opened.
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
        return "not a readable PDF: damaged or cut short; get it again, or save it anew in a PDF program"
    return f"not a readable PDF ({message})"


def stated_metadata(document: pdfium.PdfDocument) -> dict[str, str | int]:
    """Author, subject, keywords, producer, dates as ISO 8601, and the number of pages."""
    given = {name: stated_value(document, name) for name in document.METADATA_KEYS}
    stated: dict[str, str | int] = {name: given[field] for field, name in _FIELDS.items() if given.get(field)}
    for field, name in (("CreationDate", "created"), ("ModDate", "modified")):
        day = moment(given.get(field, ""))
        if day:
            stated[name] = day
    stated["pages"] = len(document)
    return stated


def stated_value(document: pdfium.PdfDocument, name: str) -> str:
    """What the file states under a name; empty where that is not text."""
    try:
        value: str = document.get_metadata_value(name)
    except UnicodeDecodeError:
        return ""
    return value.replace("\x00", "").strip()


def moment(text: str) -> str | None:
    """A date of PDF ("D:20201119103834+07'00'") in ISO 8601; None where it is none."""
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
    """The title that the file states, if it is one: its words stand in the ``opening`` of the text."""
    title = stated_value(document, "Title")
    if not title or _JUNK_TITLE.search(title):
        return None
    words = [word for word in slug_of(title).split("-") if len(word) > 2]
    said = set(slug_of_all(opening))
    if not words or sum(word in said for word in words) < _SAID_SHARE * len(words):
        return None
    return " ".join(title.split())


def slug_of_all(text: str) -> list[str]:
    """The words of a text in small letters."""
    return re.findall(r"[^\W_]+", text.casefold())


def bookmarks_of(document: pdfium.PdfDocument) -> Mapping[tuple[int, str], int]:
    """The bookmarks by page (from 1) and folded title, with their depth from 0."""
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


def attachments_of(document: pdfium.PdfDocument) -> list[str]:
    """The names of files attached inside."""
    return [_name(document.get_attachment(index).get_name) for index in range(document.count_attachments())]


def _name(get: Callable[[], str | None]) -> str:
    """A name inside the file; empty where it is not text."""
    try:
        return get() or ""
    except UnicodeDecodeError:
        return ""

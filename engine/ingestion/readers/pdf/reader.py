"""PDF with a text layer, read in the order in which a person reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.decoding import looks_like_text
from engine.ingestion.readers.formats import ZIP
from engine.ingestion.readers.pdf.furniture import without_furniture
from engine.ingestion.readers.pdf.lines import Line, lines_of
from engine.ingestion.readers.pdf.notes import blocks_of_notes, without_notes
from engine.ingestion.readers.pdf.opening import (
    UnreadableError,
    attachments_of,
    bookmarks_of,
    opened,
    stated_metadata,
    stated_title,
)
from engine.ingestion.readers.pdf.paragraphs import setting_of
from engine.ingestion.readers.pdf.sheets import Sheet, sheets_of
from engine.ingestion.readers.pdf.structure import Structure
from engine.ingestion.readers.pdf.titles import title_of
from engine.ingestion.readers.series import read_documents

# The signature may stand behind some other bytes (ISO 32000-1, Annex H, note 13).
_SIGNATURE = re.compile(rb"^[^<{\w]*%PDF-", re.MULTILINE)
# So many pages are in memory at once; what repeats on every page is looked for among them.
_WINDOW = 150
# A page with a picture over this share of it and fewer characters than this is a scan.
_PICTURE, _FEW = 0.5, 25
# More characters without meaning than this share: the text layer says nothing.
_GARBLED = 0.3
_OPENING = 4000
_ODD, _BLANK = re.compile("[\ufffd•\x00-\x08\x0e-\x1f\x7f-\x9f]"), re.compile(r"\s")


@dataclass(slots=True)
class _Pages:
    """What came of the pages: lines, and the numbers of those that are scans or broken."""

    lines: list[Line] = field(default_factory=list)
    scans: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


class PdfReader:
    """Reads ``.pdf``: one file, one document."""

    name = "PDF"

    def accepts(self, path: Path, head: bytes) -> bool:
        """A file that begins as a PDF does, or is called one and is neither text nor a zip."""
        named = (
            path.suffix.lower() == ".pdf"
            and not head.startswith(ZIP)
            and not (head and looks_like_text(head))
        )
        return named or _SIGNATURE.search(head[:1024]) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The document, and what could not be read of it."""
        try:
            with opened(source) as document:
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
    if names := attachments_of(document):
        shown = ", ".join(name or "one without a name" for name in names)
        yield Problem(source.name, f"files attached inside are left out: {shown}")
    setting = setting_of(pages.lines)
    lines, notes = without_notes(pages.lines, setting)
    structure = Structure(lines, bookmarks_of(document))
    title = stated_title(document, text[:_OPENING]) or title_of(lines, setting, structure.vocabulary)
    blocks = chain(structure.blocks(), blocks_of_notes(notes, structure.vocabulary))
    yield from read_documents(source, stated_metadata(document), title, text, blocks)


def _pages(document: pdfium.PdfDocument) -> _Pages:
    pages = _Pages()
    # Of about one size each: one page alone would keep its head and foot.
    windows = -(-len(document) // _WINDOW)
    borders = [len(document) * place // windows for place in range(windows + 1)]
    for first, stop in pairwise(borders):
        sheets: list[Sheet] = []
        for number in range(first, stop):
            try:
                found = list(sheets_of(document, number))
                if sum(len(run.text) for sheet in found for run in sheet.runs) < _FEW and _is_picture(
                    document, number
                ):
                    pages.scans.append(number + 1)
                sheets += found
            except pdfium.PdfiumError:
                pages.broken.append(number + 1)
        pages.lines += lines_of(without_furniture(sheets))
    return pages


def _is_picture(document: pdfium.PdfDocument, number: int) -> bool:
    """Whether a picture covers most of a page."""
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
    """ "page 3", "pages 1-4 and 7"."""
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

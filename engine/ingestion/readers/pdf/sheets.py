"""The text of pages as runs, without what is not text of the document."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.ingestion.readers.pdf.direction import RIGHT_TO_LEFT, is_reversed
from engine.ingestion.readers.pdf.glyphs import Glyphs, glyphs_of
from engine.ingestion.readers.pdf.rows import Run, runs_of

_BOLD_NAME = re.compile(
    r"bold|black|heavy|(?:CM|SF|EC|LM)\w*BX|[-,]B(?:d|old)?(?:It|I)?\Z|\ABold", re.IGNORECASE
)
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_LONGEST_NAME = 128
# PDFium writes into these; it may be called by one thread at a time only.
_NAME, _FLAGS = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The runs of a page that stand upright together; ``page`` counts from 1.

    ``aside`` for text that is turned against most of its page. ``backwards``: see ``direction``.
    """

    page: int
    runs: tuple[Run, ...]
    width: float
    height: float
    aside: bool = False
    backwards: bool = True


def sheets_of(document: pdfium.PdfDocument, number: int) -> Iterator[Sheet]:
    """The sheets of a page, the upright one first; none where a page has no text.

    ``number`` counts from 0. Raises pdfium.PdfiumError where the page is broken.
    """
    page = document[number]
    try:
        textpage = page.get_textpage()
        try:
            width, height = page.get_size()
            fonts: dict[tuple[bytes, int], bool] = {}
            for place, glyphs in enumerate(glyphs_of(page, textpage)):
                backwards = _is_backwards(glyphs)
                runs = runs_of(glyphs, lambda index: _is_bold(textpage, index, fonts))
                yield Sheet(number + 1, tuple(runs), width, height, place > 0, backwards)
        finally:
            textpage.close()
    finally:
        page.close()


def _is_bold(textpage: pdfium.PdfTextPage, index: int, fonts: dict[tuple[bytes, int], bool]) -> bool:
    name, flags = _NAME, _FLAGS
    raw.FPDFText_GetFontInfo(textpage, index, name, _LONGEST_NAME, flags)
    key = (name.value, flags.value)
    if key not in fonts:
        said = _BOLD_NAME.search(name.value.decode("utf-8", "replace").split("+")[-1]) is not None
        heavy = raw.FPDFText_GetFontWeight(textpage, index) >= _BOLD_WEIGHT
        fonts[key] = said or heavy or bool(flags.value & _FORCE_BOLD)
    return fonts[key]


def _is_backwards(glyphs: Glyphs) -> bool:
    """Whether glyphs of several Arabic letters came in the wrong order on this page."""
    if not RIGHT_TO_LEFT.search(glyphs.text):
        return True
    same = (glyphs.box[1:] == glyphs.box[:-1]).all(axis=1).nonzero()[0].tolist()
    return is_reversed([glyphs.text[index : index + 2] for index in same])

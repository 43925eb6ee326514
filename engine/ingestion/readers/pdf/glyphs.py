"""The characters of a page with their boxes, as PDFium gives them, made fit for being put in order.

Boxes are in points, in the plane in which the text stands upright: the rotation of the page plays no
part, that of the letters is taken out. PDFium's loose boxes are as wide as a character's advance, so that
letters of a word touch; their height stands for the size of the type.
"""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

Floats = npt.NDArray[np.float32]

# PDFium writes a hyphen at a line's end as one of these.
_HYPHENS = frozenset({0x02, 0xFFFE, 0x2010, 0x2011})
# Ligatures and Arabic letters by their shape; other compatibility characters ("²") say something.
_SHAPES = ((0xFB00, 0xFB06), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x2F00, 0x2FDF))
_PRIVATE = (0xE000, 0xF8FF)
_LONE = (0xD800, 0xDFFF)
_CONTROLS = range(0x7F, 0xA0)
# Copies of a letter printed less than this share of its height apart are one (bold by double printing).
_SAME_PLACE = 0.18
# So many characters of a page are asked for their angle before all are.
_ANGLES = 48
_RIGHT_ANGLE = math.pi / 2


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The visible characters of a page in PDFium's order; ``box`` is left, bottom, right, top.

    ``place`` is a character's index in PDFium's page. ``spaced`` tells that a space stood before it.
    """

    text: str
    box: Floats
    place: npt.NDArray[np.int32]
    spaced: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.text)


def glyphs_of(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> Iterator[Glyphs]:
    """The characters of a page, those that stand upright first, then those turned by right angles.

    Text at other angles is a stamp or a watermark and left out.
    """
    count = textpage.count_chars()
    if count <= 0:
        return
    codes = _codes(textpage, count)
    box = _boxes(textpage, count)
    kept = _visible(codes, box, page)
    turns = _turns(textpage, count)
    for turn in sorted(
        {int(turn) for turn in turns if turn >= 0}, key=lambda one: -int((turns == one).sum())
    ):
        chosen = np.flatnonzero(kept & (turns == turn))
        if chosen.size:
            yield _made(codes, _turned(box[chosen], turn), chosen)


def _made(codes: npt.NDArray[np.int32], box: Floats, chosen: npt.NDArray[np.int64]) -> Glyphs:
    text = _characters(codes[chosen])
    before = np.zeros(len(chosen), dtype=bool)
    before[1:] = np.diff(chosen) > 1
    once = _once(codes[chosen].astype(np.int64), box)
    place = chosen[once].astype(np.int32)
    # A character that stands for several ("ﬁ") is one piece of text in one box.
    lengths = np.fromiter((len(text[index]) for index in once.tolist()), dtype=np.int64, count=len(once))
    return Glyphs(
        "".join([text[index] for index in once.tolist()]),
        np.repeat(box[once], lengths, axis=0),
        np.repeat(place, lengths),
        np.repeat(before[once], lengths) if (lengths == 1).all() else _firsts(before[once], lengths),
    )


def _firsts(spaced: npt.NDArray[np.bool_], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    repeated = np.repeat(spaced, lengths)
    starts = np.zeros(len(repeated), dtype=bool)
    starts[np.cumsum(lengths) - lengths] = True
    return repeated & starts


def _codes(textpage: pdfium.PdfTextPage, count: int) -> npt.NDArray[np.int32]:
    """The code point of every character, in one call where text and characters go side by side."""
    buffer: Any = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(textpage, 0, count, buffer)
    codes: npt.NDArray[np.int32] = np.frombuffer(buffer, dtype=np.uint16)[:count].astype(np.int32)
    surrogates = (codes >= _LONE[0]) & (codes <= _LONE[1])
    if written == count + 1 and not surrogates.any() and (codes > 0).all():
        return codes
    handle = textpage.raw
    return np.fromiter(
        (raw.FPDFText_GetUnicode(handle, index) for index in range(count)), dtype=np.int64, count=count
    ).astype(np.int32)


def _boxes(textpage: pdfium.PdfTextPage, count: int) -> Floats:
    rects: Any = (raw.FS_RECTF * count)()
    handle, loose = textpage.raw, raw.FPDFText_GetLooseCharBox
    for index in range(count):
        loose(handle, index, rects[index])
    # FS_RECTF is left, top, right, bottom.
    values = np.frombuffer(rects, dtype=np.float32).reshape(count, 4)
    return np.ascontiguousarray(values[:, [0, 3, 2, 1]])


def _visible(codes: npt.NDArray[np.int32], box: Floats, page: pdfium.PdfPage) -> npt.NDArray[np.bool_]:
    """Characters that are neither white space nor made up by PDFium, and stand on the page."""
    left, bottom, right, top = page.get_bbox()
    blank = (codes <= 32) & (codes != 2) | (codes == 0xA0) | (codes == 0xAD) & (box[:, 2] <= box[:, 0])
    blank |= ((codes >= 0x2000) & (codes <= 0x200F)) | (codes == 0x3000) | (codes == 0xFEFF)
    blank |= (codes >= _LONE[0]) & (codes <= _LONE[1]) | (codes > 0x10FFFF)
    flat = box[:, 3] - box[:, 1] <= 0.01
    middle_x, middle_y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    outside = (middle_x < left) | (middle_x > right) | (middle_y < bottom) | (middle_y > top)
    finite = np.isfinite(box).all(axis=1)
    return np.asarray(~blank & ~flat & ~outside & finite)


def _characters(codes: npt.NDArray[np.int32]) -> list[str]:
    plain = (codes > 0x1F) & (codes < 0x7F) | (codes > 0x9F) & (codes < 0x2010)
    if plain.all():
        return list(map(chr, codes.tolist()))
    return [_character(code) for code in codes.tolist()]


def _character(code: int) -> str:
    if code in _HYPHENS:
        return "-"
    if 0x1F < code < 0x7F:
        return chr(code)
    # Signs of a font of its own: a box to tick, an arrow, a bullet.
    if _PRIVATE[0] <= code <= _PRIVATE[1] or code in _CONTROLS:
        return "•"
    if any(first <= code <= last for first, last in _SHAPES):
        return unicodedata.normalize("NFKC", chr(code)).strip() or " "
    return chr(code)


def _turns(textpage: pdfium.PdfTextPage, count: int) -> npt.NDArray[np.int8]:
    """How often each character is turned to the right by a right angle; -1 at any other angle."""
    handle, angle_of = textpage.raw, raw.FPDFText_GetCharAngle
    # A stamp may be short: a probe at every few hundred characters, and at both ends.
    probes = {
        *range(0, count, max(1, count // _ANGLES)),
        *range(min(count, 8)),
        *range(max(0, count - 8), count),
    }
    if all(abs(angle_of(handle, index)) < 0.02 for index in probes):
        return np.zeros(count, dtype=np.int8)
    turns = np.empty(count, dtype=np.int8)
    for index in range(count):
        quarters = angle_of(handle, index) / _RIGHT_ANGLE
        turns[index] = round(quarters) % 4 if abs(quarters - round(quarters)) < 0.06 else -1
    return turns


def _turned(box: Floats, turn: int) -> Floats:
    """Boxes in the plane in which text turned by ``turn`` right angles runs from left to right."""
    left, bottom, right, top = box.T
    planes = {
        0: (left, bottom, right, top),
        1: (-top, left, -bottom, right),
        2: (-right, -top, -left, -bottom),
        3: (bottom, -right, top, -left),
    }
    return np.stack(planes[turn], axis=1)


def _once(codes: npt.NDArray[np.int64], box: Floats) -> npt.NDArray[np.int64]:
    """Indexes without letters that are printed again on top of the same letter.

    Characters in exactly one box in a row are one glyph ("ﬀ", "لا"), not copies.
    """
    glyph = np.concatenate([[0], np.cumsum((np.diff(box, axis=0) != 0).any(axis=1))])
    firsts = np.flatnonzero(np.concatenate([[True], np.diff(glyph) > 0]))
    height = np.maximum(box[firsts, 3] - box[firsts, 1], 0.1)
    step = float(np.median(height)) * _SAME_PLACE * 2
    copies = np.zeros(len(firsts), dtype=bool)
    for shift_x, shift_y in product((0.0, 0.5), repeat=2):
        cells = (codes[firsts] << 32) + (
            (np.floor(box[firsts, 0] / step + shift_x).astype(np.int64) & 0xFFFF) << 16
        )
        cells += np.floor(box[firsts, 1] / step + shift_y).astype(np.int64) & 0xFFFF
        order = np.argsort(cells, kind="stable")
        same = np.diff(cells[order]) == 0
        if not same.any():
            continue
        placed = box[firsts][order]
        move = np.abs(np.diff(placed[:, :2], axis=0))
        # "ll" is two letters: a copy covers most of its letter.
        near = (move[:, 1] < step / 2) & (
            move[:, 0] < np.minimum(step / 2, 0.4 * (placed[1:, 2] - placed[1:, 0]))
        )
        # The sort is stable: of two copies the later one in the page's order goes.
        copies[order[1:][same & near]] = True
    return np.flatnonzero(~copies[glyph])

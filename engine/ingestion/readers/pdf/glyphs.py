"""Read the characters of a PDF page with their boxes, and order right-to-left text."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.language.characters import raised

# Right-to-left text: from visual to logical order
#
# Much simpler than the Unicode bidirectional algorithm (UAX 9), which does the reverse: letters of both
# directions, numbers, and neutral marks that take the direction of their surroundings.

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_OPENING, _CLOSING = "([{«", ")]}»"
# Characters that only stretch a word: the tatweel, and glyphs too narrow for their letter.
_TATWEEL = "\u0640"
_NARROWEST_LETTER = 0.1
_ALEFS, _LAM = frozenset("اأإآٱ"), "ل"


@dataclass(frozen=True, slots=True)
class Sign:
    """A glyph of a row: its text, its position and the height of its type."""

    text: str
    left: float
    right: float
    height: float = 0.0

    @property
    def stretches(self) -> bool:
        """True if it only stretches a word."""
        narrow = 0 < self.right - self.left < _NARROWEST_LETTER * self.height
        return self.text == _TATWEEL or (narrow and direction_class(self.text[0]) == "R")


@lru_cache(maxsize=8192)
def direction_class(character: str) -> str:
    """Return ``R`` and ``L`` for letters, ``N`` for digits, ``M`` for marks on letters, ``-`` for all
    others."""
    bidi = "" if character in raised("0123456789") else unicodedata.bidirectional(character)
    if bidi in ("R", "AL"):
        return "R"
    if bidi == "L":
        return "L"
    if bidi in ("EN", "AN"):
        return "N"
    return "M" if bidi == "NSM" else "-"


def runs_right_to_left(text: str) -> bool:
    """Return True if most letters of a text are right-to-left."""
    right = len(RIGHT_TO_LEFT.findall(text))
    return right > 0 and right * 2 >= sum(1 for letter in text if letter.isalpha())


def is_reversed(glyphs: Sequence[str]) -> bool:
    """Return True if glyphs of two letters are reversed, as shown by lam-alef, the most common one."""
    backwards = sum(1 for pair in glyphs if pair[0] in _ALEFS and pair[1:] == _LAM)
    forwards = sum(1 for pair in glyphs if pair[0] == _LAM and pair[1:2] in _ALEFS)
    return backwards >= forwards


def order_text(signs: Sequence[Sign], gap: float, *, backwards: bool) -> str:
    """Return the text of a right-to-left row.

    ``gap``: minimum width of white space between words, in points. ``backwards``: the letters of a glyph with
    several letters are in reverse order.
    """
    ordered = _with_spaces(_placed(signs), gap, backwards=backwards)
    return _upright_brackets(_numbers_forwards(ordered))


def _placed(signs: Sequence[Sign]) -> list[Sign]:
    """Order signs from right to left, with each mark after its letter."""
    letters = sorted(
        (sign for sign in signs if direction_class(sign.text[0]) != "M"),
        key=lambda sign: -(sign.left + sign.right),
    )
    if len(letters) == len(signs):
        return letters
    after: dict[int, list[Sign]] = {}
    for sign in signs:
        if direction_class(sign.text[0]) == "M":
            middle = (sign.left + sign.right) / 2
            near = min(
                range(len(letters)),
                key=lambda place: abs((letters[place].left + letters[place].right) / 2 - middle),
                default=-1,
            )
            after.setdefault(near, []).append(sign)
    placed = list(after.get(-1, []))
    for place, letter in enumerate(letters):
        placed += [letter, *after.get(place, [])]
    return placed


def _with_spaces(signs: Sequence[Sign], gap: float, *, backwards: bool) -> list[str]:
    pieces: list[str] = []
    edge: float | None = None
    for sign in signs:
        mark = direction_class(sign.text[0]) == "M"
        if edge is not None and not mark and edge - sign.right > gap:
            pieces.append(" ")
        turned = backwards and len(sign.text) > 1 and RIGHT_TO_LEFT.search(sign.text)
        if not sign.stretches:
            pieces.extend(reversed(sign.text) if turned else sign.text)
        if not mark:
            edge = sign.left if edge is None else min(edge, sign.left)
    return pieces


def _numbers_forwards(pieces: list[str]) -> list[str]:
    """Reverse ranges of numbers and of left-to-right letters."""
    kinds = [direction_class(piece) for piece in pieces]
    done: list[str] = []
    place = 0
    while place < len(pieces):
        if kinds[place] not in "LN":
            done.append(pieces[place])
            place += 1
            continue
        stop = _stretch(pieces, kinds, place)
        done.extend(reversed(pieces[place:stop]))
        place = stop
    return done


def _stretch(pieces: Sequence[str], kinds: Sequence[str], start: int) -> int:
    """Return the end of a left-to-right range: at its last letter or digit."""
    stop, place, letters = start + 1, start + 1, kinds[start] == "L"
    while place < len(pieces) and kinds[place] != "R":
        kind = kinds[place]
        if kind == "L" or (kind == "N" and (letters or _joins_numbers(pieces[stop:place]))):
            letters = letters or kind == "L"
            stop = place + 1
        place += 1
    # A number at the left end of letters, after a space: both "Law 5" and "5 Law" are one range.
    return stop


def _joins_numbers(between: Sequence[str]) -> bool:
    return not between or (len(between) == 1 and between[0] in "./,:-–%٫٬،\\")


def _upright_brackets(pieces: Sequence[str]) -> str:
    """Mirror brackets if they are then balanced better."""
    text = "".join(pieces)
    mirrored = text.translate(_MIRRORED)
    return mirrored if _balance(mirrored) > _balance(text) else text


def _balance(text: str) -> int:
    """Return the number of pairs of brackets minus that of unpaired ones."""
    depth = score = 0
    for letter in text:
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            if depth:
                depth -= 1
                score += 1
            else:
                score -= 1
    # A bracket that closes in the next row is neutral.
    return score


# Characters of a page with their boxes, from PDFium
#
# Boxes are in points, in the plane in which the text is upright: the rotation of the page is irrelevant, that
# of the letters is undone. PDFium's loose boxes are as wide as a character's advance, so that letters of a
# word touch; their height gives the size of the type.

Floats = npt.NDArray[np.float32]

# PDFium's characters for a hyphen at the end of a line.
_HYPHENS = frozenset({0x02, 0xFFFE, 0x2010, 0x2011})
# Ligatures and Arabic letter shapes; other compatibility characters ("²") are meaningful.
_SHAPES = ((0xFB00, 0xFB06), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x2F00, 0x2FDF))
_PRIVATE = (0xE000, 0xF8FF)
_LONE = (0xD800, 0xDFFF)
_CONTROLS = range(0x7F, 0xA0)
# Copies of a letter closer than this share of its height are one letter (bold by double printing).
_SAME_PLACE = 0.18
# Number of characters whose angle is sampled before all are read.
_ANGLES = 48
_RIGHT_ANGLE = math.pi / 2


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The visible characters of a page in PDFium's order; ``box``: left, bottom, right, top.

    ``place``: a character's index in PDFium's page. ``spaced``: whether a space precedes it.
    """

    text: str
    box: Floats
    place: npt.NDArray[np.int32]
    spaced: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.text)


def read_glyphs(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> Iterator[Glyphs]:
    """Yield the characters of a page: upright ones first, then those rotated by right angles.

    Text at other angles is a stamp or a watermark and is left out.
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
    # A character for several letters ("ﬁ") is one text in one box.
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
    """Return the code point of every character, in one call if text and characters correspond."""
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
    """Return the characters on the page, without white space and those that PDFium generates."""
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
    # Characters of a symbol font: a check box, an arrow, a bullet.
    if _PRIVATE[0] <= code <= _PRIVATE[1] or code in _CONTROLS:
        return "•"
    if any(first <= code <= last for first, last in _SHAPES):
        return unicodedata.normalize("NFKC", chr(code)).strip() or " "
    return chr(code)


def _turns(textpage: pdfium.PdfTextPage, count: int) -> npt.NDArray[np.int8]:
    """Return the number of right angles by which each character is rotated clockwise; -1 for other angles."""
    handle, angle_of = textpage.raw, raw.FPDFText_GetCharAngle
    # A stamp may be short: sample every few hundred characters, and both ends.
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
    """Transform boxes to the plane in which text rotated by ``turn`` right angles runs from left to right."""
    left, bottom, right, top = box.T
    planes = {
        0: (left, bottom, right, top),
        1: (-top, left, -bottom, right),
        2: (-right, -top, -left, -bottom),
        3: (bottom, -right, top, -left),
    }
    return np.stack(planes[turn], axis=1)


def _once(codes: npt.NDArray[np.int64], box: Floats) -> npt.NDArray[np.int64]:
    """Return the indexes without letters printed twice at the same position.

    Consecutive characters in the same box are one glyph ("ﬀ", "لا"), not copies.
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
        # The sort is stable: the later copy in the page's order is removed.
        copies[order[1:][same & near]] = True
    return np.flatnonzero(~copies[glyph])

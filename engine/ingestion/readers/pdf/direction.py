"""Text that runs from right to left: from the order on the page to the order in which it is read.

A much smaller thing than the Unicode bidirectional algorithm (UAX 9), which goes the other way: letters
of both kinds, numbers, and marks that take the direction of what stands around them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.language.characters import raised

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_OPENING, _CLOSING = "([{«", ")]}»"
# What only draws a word out: the tatweel, and glyphs too narrow for the letter they claim to be.
_TATWEEL = "\u0640"
_NARROWEST_LETTER = 0.1
_ALEFS, _LAM = frozenset("اأإآٱ"), "ل"


@dataclass(frozen=True, slots=True)
class Sign:
    """One glyph of a row: its text, where it stands and the height of its type."""

    text: str
    left: float
    right: float
    height: float = 0.0

    @property
    def stretches(self) -> bool:
        """Whether it only draws a word out."""
        narrow = 0 < self.right - self.left < _NARROWEST_LETTER * self.height
        return self.text == _TATWEEL or (narrow and kind_of(self.text[0]) == "R")


@lru_cache(maxsize=8192)
def kind_of(character: str) -> str:
    """``R`` and ``L`` for letters, ``N`` for digits, ``M`` for marks on letters, ``-`` for all others."""
    bidi = "" if character in raised("0123456789") else unicodedata.bidirectional(character)
    if bidi in ("R", "AL"):
        return "R"
    if bidi == "L":
        return "L"
    if bidi in ("EN", "AN"):
        return "N"
    return "M" if bidi == "NSM" else "-"


def runs_right_to_left(text: str) -> bool:
    """Whether most of a text's letters are written from right to left."""
    right = len(RIGHT_TO_LEFT.findall(text))
    return right > 0 and right * 2 >= sum(1 for letter in text if letter.isalpha())


def is_reversed(glyphs: Sequence[str]) -> bool:
    """Whether glyphs of two letters came backwards: then lam-alef does, the commonest of them."""
    backwards = sum(1 for pair in glyphs if pair[0] in _ALEFS and pair[1:] == _LAM)
    forwards = sum(1 for pair in glyphs if pair[0] == _LAM and pair[1:2] in _ALEFS)
    return backwards >= forwards


def in_reading_order(signs: Sequence[Sign], gap: float, *, backwards: bool) -> str:
    """The text of a row that runs from right to left.

    ``gap``: white space of this width and more, in points, parts words. ``backwards``: the letters of a
    glyph that stands for several come in the wrong order.
    """
    ordered = _with_spaces(_placed(signs), gap, backwards=backwards)
    return _upright_brackets(_numbers_forwards(ordered))


def _placed(signs: Sequence[Sign]) -> list[Sign]:
    """Signs from right to left, each mark behind the letter that it stands on."""
    letters = sorted(
        (sign for sign in signs if kind_of(sign.text[0]) != "M"), key=lambda sign: -(sign.left + sign.right)
    )
    if len(letters) == len(signs):
        return letters
    after: dict[int, list[Sign]] = {}
    for sign in signs:
        if kind_of(sign.text[0]) == "M":
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
        mark = kind_of(sign.text[0]) == "M"
        if edge is not None and not mark and edge - sign.right > gap:
            pieces.append(" ")
        turned = backwards and len(sign.text) > 1 and RIGHT_TO_LEFT.search(sign.text)
        if not sign.stretches:
            pieces.extend(reversed(sign.text) if turned else sign.text)
        if not mark:
            edge = sign.left if edge is None else min(edge, sign.left)
    return pieces


def _numbers_forwards(pieces: list[str]) -> list[str]:
    """Turn stretches of numbers and of letters that run from left to right."""
    kinds = [kind_of(piece) for piece in pieces]
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
    """Where a stretch from left to right ends: at the last letter or digit of its kind."""
    stop, place, letters = start + 1, start + 1, kinds[start] == "L"
    while place < len(pieces) and kinds[place] != "R":
        kind = kinds[place]
        if kind == "L" or (kind == "N" and (letters or _joins_numbers(pieces[stop:place]))):
            letters = letters or kind == "L"
            stop = place + 1
        place += 1
    # A number at the left end of a stretch of letters, a space between: "Law 5" is one, "5 Law" too.
    return stop


def _joins_numbers(between: Sequence[str]) -> bool:
    return not between or (len(between) == 1 and between[0] in "./,:-–%٫٬،\\")


def _upright_brackets(pieces: Sequence[str]) -> str:
    """Brackets that open where they should: as they are, or each as its mirror image."""
    text = "".join(pieces)
    mirrored = text.translate(_MIRRORED)
    return mirrored if _balance(mirrored) > _balance(text) else text


def _balance(text: str) -> int:
    """Pairs of brackets minus those that are alone."""
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
    # One that waits for the next row is no error, but worth nothing.
    return score

"""Which lines go on with the one before them, told by how they are set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.ingestion.readers.pdf.hyphens import Vocabulary
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.typed_numbers import is_title

# A step down that is longer than the usual one by this factor parts paragraphs.
_LONGER_STEP = 1.28
# Indents and ragged ends, as shares of the height of the type and of the width of the column.
_INDENT, _SHORT = 0.75, 0.08
_ENDS = re.compile(r"[.;:!?؟؛。；：！？…][\"”’»)\]]*\Z")
_ITEM = re.compile(
    r"(?:\(?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5}|[\u0621-\u064a])[.)]|\(\w{1,4}\)|[-–—•*])(?:\s|\Z)"
    r"|\d{1,3}(?:\.\d{1,3})+\.?\s+[^\Wa-z\d]|[(（][一二三四五六七八九十]+[)）]"
)
_ENDS_ITEM = re.compile(r"[,،]\Z")
_NEVER_FIRST = re.compile(r"[a-zà-ÿ,;.)\]،؛]")
_BLANK_WIDTH = 0.3
_USUAL_STEP = 1.25
# Of all steps from line to line those within a paragraph are the shorter ones.
_CLOSE = 0.35


@dataclass(frozen=True, slots=True)
class Setting:
    """How a document is set: the usual step from line to line and size of type.

    ``step`` is a share of the height of the type, ``height`` in points.
    """

    step: float
    height: float


def setting_of(lines: Sequence[Line]) -> Setting:
    """The setting of most of the text."""
    if not lines:
        return Setting(_USUAL_STEP, 10.0)
    heights = np.repeat([line.height for line in lines], [len(line.text) for line in lines])
    steps = [
        (upper.middle - lower.middle) / lower.height
        for upper, lower in pairwise(lines)
        if not lower.first
        and lower.page == upper.page
        and abs(upper.height - lower.height) < 0.2 * lower.height
    ]
    usual = [step for step in steps if 0.7 < step < 3]
    return Setting(float(np.quantile(usual, _CLOSE)) if usual else _USUAL_STEP, float(np.median(heights)))


def is_item(text: str) -> bool:
    """Whether a line begins an item of a list or a numbered paragraph."""
    return _ITEM.match(text) is not None


def ends_sentence(text: str) -> bool:
    """Whether a line ends a sentence or a clause of a list."""
    return _ENDS.search(text) is not None


def goes_on(upper: Line, lower: Line, setting: Setting) -> bool:
    """Whether ``lower`` belongs to the paragraph of ``upper``, the line before it."""
    if upper.cells or lower.cells:
        return upper.cells and lower.cells
    apart = lower.first or upper.page != lower.page
    if not apart and upper.middle - lower.middle > _step(upper, lower, setting):
        return False
    if abs(upper.height - lower.height) > 0.25 * max(upper.height, lower.height):
        return False
    if is_item(lower.text):
        ended = ends_sentence(upper.text) or _ENDS_ITEM.search(upper.text) is not None
        return not (ended or apart or _is_set_off(upper, lower) or _is_short(upper, lower))
    if _NEVER_FIRST.match(lower.text) and not ends_sentence(upper.text):
        return True
    if upper.centred and lower.centred:
        return upper.bold == lower.bold
    if upper.bold != lower.bold and _is_short(upper, lower):
        return False
    if is_title(upper.text) and _is_short(upper, lower):
        return False
    if not ends_sentence(upper.text):
        return not (apart and _is_short(upper, lower)) and not (upper.centred != lower.centred and upper.bold)
    return not _is_short(upper, lower) and not (_is_indented(upper, lower) and not is_item(upper.text))


def paragraph_of(lines: Sequence[Line], vocabulary: Vocabulary) -> str:
    """The text of a paragraph; rows of a table stay lines."""
    if lines[0].cells:
        return "\n".join(line.text for line in lines)
    text = ""
    for line in lines:
        text = vocabulary.join(text, line.text)
    return text


def paragraphs_of(lines: Iterable[Line], setting: Setting) -> list[list[Line]]:
    """Lines grouped into paragraphs."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and goes_on(groups[-1][-1], line, setting):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _step(upper: Line, lower: Line, setting: Setting) -> float:
    return _LONGER_STEP * setting.step * max(lower.height, min(upper.height, 1.2 * lower.height))


def _is_set_off(upper: Line, lower: Line) -> bool:
    return abs(lower.start - upper.start) > _INDENT * lower.height


def _is_indented(upper: Line, lower: Line) -> bool:
    return lower.start - upper.start > _INDENT * lower.height


def _is_short(upper: Line, lower: Line) -> bool:
    """Whether the first word of ``lower`` would have found room at the end of ``upper``."""
    width = upper.edges[1] - upper.edges[0]
    return upper.rest > lower.first_word + _BLANK_WIDTH * lower.height and upper.rest > _SHORT * width

"""Characters that nobody sees and that change what is read: where they do not belong they are made visible.

A right-to-left override turns "not liable" round on the page and not in the text (CVE-2021-42574, "Trojan
Source"); zero-width characters split a word that a search then misses; tag characters carry whole sentences.
Where such characters do their proper work they stay as they are: joiners in Arabic, Persian, Indic scripts
and emoji, direction marks beside letters of a script that runs from right to left, isolates around them.
The text of a corpus is never changed: this is for showing it (Unicode UAX #9, UTS #39).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

_EMBEDDINGS, _ISOLATES, _POP, _POP_ISOLATE = "\u202a\u202b", "\u2066\u2067\u2068", "\u202c", "\u2069"
_OVERRIDES = "\u202d\u202e"
# Those that turn what stands between them and their end from right to left.
_RIGHT_TO_LEFT = "\u202b\u2067"
_ZERO_WIDTH = "\u034f\u180e\u200b\u200c\u200d\u2060-\u2064\ufeff"
_FILLERS = "\u115f\u1160\u3164\uffa0"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
# Letters of Latin, Greek, Cyrillic, Armenian and Georgian: inside of a word no joiner stands between them.
_UNJOINED = (
    "A-Za-z0-9\u00c0-\u034e\u0350-\u058f\u10a0-\u10ff\u1c80-\u1cbf\u1e00-\u1fff\u2c60-\u2c7f\ua640-\ua69f"
)
_ALWAYS = f"[{_OVERRIDES}\u206a-\u206f\ufff9-\ufffb{_TAGS}\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
# Letters of scripts that run from right to left.
_RTL = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Most texts have none of these, and are looked at no further.
_ANY = re.compile(
    f"[{_EMBEDDINGS}{_ISOLATES}{_POP}{_POP_ISOLATE}\u061c\u200f{_ZERO_WIDTH}{_FILLERS}{_SELECTORS}]|{_ALWAYS}"
)
# The flags of England, Scotland and Wales are a black flag and tags.
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
_IN_ANY_SCRIPT = re.compile(
    rf"{_ALWAYS}"
    # Inside a word of such letters, or so many that they say something themselves.
    rf"|(?<=[{_UNJOINED}])[{_ZERO_WIDTH}]{{1,7}}(?=[{_UNJOINED}])|[{_ZERO_WIDTH}]{{8,}}"
    rf"|(?<![\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff\uffa1-\uffdc])[{_FILLERS}]"
    rf"|[{_SELECTORS}]{{2,}}|(?<=[A-Za-z ])[\U000e0100-\U000e01ef]"
)
_DIRECTING = re.compile(f"[{_EMBEDDINGS}{_ISOLATES}{_OVERRIDES}{_POP}{_POP_ISOLATE}\u061c\u200f]")
_PARAGRAPH = re.compile("[^\n\r\x1c-\x1e\x85\u2029]+")


def hidden_marks(text: str) -> list[int]:
    """Where characters stand that nobody sees and that do not belong there, in order."""
    if not _ANY.search(text):
        return []
    found = {place for match in _IN_ANY_SCRIPT.finditer(text) for place in range(*match.span())}
    for flag in _FLAG.finditer(text):
        found.difference_update(range(*flag.span()))
    for paragraph in _PARAGRAPH.finditer(text):
        found.update(_misdirecting(text, *paragraph.span()))
    return sorted(found)


def marked(text: str) -> str:
    """The text with each of them as its number: ``⟦U+202E⟧``, which can be seen and does nothing."""
    parts, end = [], 0
    for place in hidden_marks(text):
        parts += [text[end:place], f"⟦U+{ord(text[place]):04X}⟧"]
        end = place + 1
    return "".join([*parts, text[end:]]) if parts else text


def _misdirecting(text: str, start: int, end: int) -> Iterator[int]:
    """Direction marks of a paragraph that have no end or no beginning, or nothing to direct."""
    letters = [match.start() for match in _RTL.finditer(text, start, end)]
    opened: list[int] = []
    for mark in _DIRECTING.finditer(text, start, end):
        place, sign = mark.start(), mark[0]
        if sign in "\u061c\u200f":
            if not letters:
                yield place
        elif sign in _EMBEDDINGS or sign in _ISOLATES or sign in _OVERRIDES:
            opened.append(place)
        else:
            begins = _EMBEDDINGS + _OVERRIDES if sign == _POP else _ISOLATES
            if not opened or text[opened[-1]] not in begins:
                yield place
                continue
            first = opened.pop()
            nothing = bisect_left(letters, first) == bisect_left(letters, place)
            if text[first] in _OVERRIDES or (text[first] in _RIGHT_TO_LEFT and nothing):
                yield from (first, place)
    yield from opened

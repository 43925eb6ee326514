"""Whether a text runs from right to left, and which pieces of a mixed one do."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Hebrew, Arabic, Syriac, Thaana, N'Ko, and the presentation forms of the first two.
_RTL = "\u0590-\u05ff\u0600-\u06ff\u0700-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"(?P<rtl>[{_RTL}])|[^\\W\\d_]")
# From one letter that runs so to the last before a letter that does not, with the number behind it.
_BETWEEN = f"(?:(?![^\\W\\d_])[^\\n{_RTL}]|[{_RTL}])*"
_NUMBER = "(?:[ \u00a0]?(?:\\(\\d{1,4}\\)|\\d{1,4}(?!\\w|[.,]\\d)))*"
_PIECE = re.compile(f"[{_RTL}](?:{_BETWEEN}[{_RTL}])?{_NUMBER}")


def right_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    found = [match["rtl"] is not None for match in _LETTER.finditer(text)]
    return 2 * sum(found) > len(found)


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """A text in pieces that run one way each, with whether that is from right to left."""
    end = 0
    for match in _PIECE.finditer(text):
        if match.start() > end:
            yield text[end : match.start()], False
        yield match[0], True
        end = match.end()
    if end < len(text):
        yield text[end:], False

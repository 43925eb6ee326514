"""Where quotes stand in the words that they are taken from."""

from __future__ import annotations

import re

Pieces = tuple[tuple[str, bool], ...]


def quoted(text: str, *quotes: str) -> Pieces:
    """A text in pieces, of which those are marked that are quotes: of each the first place behind the one
    before, however it is spaced, as it is written or else in any case. What does not stand there is not
    marked."""
    pieces, end = [], 0
    for quote in quotes:
        words = quote.split()
        pattern, found = r"\s+".join(map(re.escape, words)), None
        if words:
            found = re.compile(pattern).search(text, end) or re.compile(pattern, re.I).search(text, end)
        if found is not None:
            pieces += [(text[end : found.start()], False), (found[0], True)]
            end = found.end()
    return tuple(piece for piece in (*pieces, (text[end:], False)) if piece[0]) or ((text, False),)

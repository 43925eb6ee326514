"""Find quotes in the texts that they are taken from."""

from __future__ import annotations

import re

Pieces = tuple[tuple[str, bool], ...]


def mark_quotes(text: str, *quotes: str) -> Pieces:
    """Split a text into pieces and mark those that are quotes.

    Each quote is searched after the one before, ignoring white space; in the given case first, then in any.
    A quote that does not occur is not marked."""
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

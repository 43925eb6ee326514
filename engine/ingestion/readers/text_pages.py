"""What pages leave behind in text that a program took out of a PDF: their numbers, headers and footers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.ingestion.readers.lines import heading_line

# So many lines at the head and at the foot of a page may be its header and footer.
_EDGE = 3
# A line is furniture if it is there on this share of the pages, and on so many at least.
_SHARE, _LEAST = 0.5, 3
_DIGITS = re.compile(r"\d+")
_NUMBER_ALONE = re.compile(
    r"\s*(?:[-–—]\s*\d{1,4}\s*[-–—]|(?:page|seite|halaman|صفحة)\s+\d{1,4}(?:\s*\W?\s*\w*\s*\d{1,4})?)\s*\Z",
    re.IGNORECASE,
)


def without_furniture(text: str) -> str:
    """The text without form feeds, lines that are a page's number, and what most pages begin or end with."""
    pages = [page.split("\n") for page in text.split("\f")]
    if len(pages) > 1:
        repeated = _repeated(pages)
        pages = [_cleared(page, repeated) for page in pages]
    kept = [line for page in pages for line in page if not _NUMBER_ALONE.match(line)]
    return "\n".join(kept)


def _repeated(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """The lines at the edges of most pages, their digits aside."""
    found: Counter[str] = Counter()
    for page in pages:
        full = [line for line in page if line.strip()]
        found.update({_masked(line) for line in (*full[:_EDGE], *full[-_EDGE:])})
    least = max(_LEAST, _SHARE * len(pages))
    return frozenset(line for line, count in found.items() if count >= least)


def _cleared(page: Sequence[str], repeated: frozenset[str]) -> list[str]:
    """A page without the lines at its head and foot that others have too, up to the first of its own."""
    kept = list(page)
    for edge in (0, -1):
        for _ in range(_EDGE):
            while kept and not kept[edge].strip():
                kept.pop(edge)
            # "Article 5" and "Article 9" at the head of two pages are no header.
            if not kept or _masked(kept[edge]) not in repeated or heading_line(kept[edge]) is not None:
                break
            kept.pop(edge)
    return kept


def _masked(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))

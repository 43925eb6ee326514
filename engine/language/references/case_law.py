"""Court decisions that a text cites by reporter: "Roe v. Wade, 410 U.S. 113", read by eyecite.

Only texts that show a volume, a reporter and a page are given to it: it is slow to load and to run.
"""

from __future__ import annotations

import logging
import re
from typing import NamedTuple

# What eyecite has to say about overlapping citations is of no use to a user.
logging.getLogger("eyecite").addHandler(logging.NullHandler())

_SIGN = re.compile(
    r"\d\s+(?!U\.\s?S\.\s?C|C\.\s?F\.\s?R|Fed\.|Stat\.)(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.|F\.\s?(?:2d|3d|4th|Supp)|[A-Z][A-Za-z.]*\.\s?(?:2d|3d|4th|5th)?)\s+\d"
)
# The names of the parties are printed right before the volume.
_LONGEST_NAMES = 160


class Decision(NamedTuple):
    """Where a citation stands, and the citation in its usual form ("410 U.S. 113")."""

    start: int
    end: int
    citation: str


def decisions(text: str) -> list[Decision]:
    """The court decisions of the United States that a text cites in full, in order."""
    if not _SIGN.search(text):
        return []
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    found: list[Decision] = []
    for one in get_citations(text):
        if not isinstance(one, FullCaseCitation):
            continue
        start, end = one.span()
        names = one.full_span()[0]
        if one.metadata.plaintiff and one.metadata.defendant and start - _LONGEST_NAMES < names < start:
            start = names
        if not found or found[-1].end <= start:
            found.append(Decision(start, end, one.corrected_citation()))
    return found

"""Whether words stand in the paragraph that is cited, where one passage holds a whole article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.answers.audit.record import Citation, Source
from engine.model import Passage

# "(5) ..." and "5. ..." at the beginning of a line, also behind the number of the article.
_PARAGRAPH = re.compile(
    r"^[^\S\n]*(?:\((?P<bracketed>\d{1,3}[a-z]?)\)|(?P<plain>\d{1,3}[a-z]?)\.)(?=\s)", re.MULTILINE
)


def stands_in(source: Source, citations: Sequence[Citation]) -> bool:
    """Whether the words of a source stand in a cited paragraph, as far as the passage tells its
    paragraphs."""
    wanted = {
        one.paragraph.split("/")[0].casefold()
        for one in citations
        if one.paragraph and source.row in one.rows
    }
    if not wanted or any(source.row in one.rows and not one.paragraph for one in citations):
        return True
    if source.passage.paragraph:
        return True
    marks = paragraphs(source.passage.text)
    if len(marks) < 2 or not wanted & {name for _, name in marks}:
        return True
    start, end = source.span.start, source.span.end
    inside = {name for place, name in marks if start <= place < end}
    before = [name for place, name in marks if place <= start]
    return bool(wanted & {*inside, *before[-1:]})


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Where each paragraph of an article begins, and its number: "(1)" where there are such, else "1."."""
    found = list(_PARAGRAPH.finditer(text))
    bracketed = [match for match in found if match["bracketed"]]
    return [
        (match.start(), (match["bracketed"] or match["plain"]).casefold()) for match in bracketed or found
    ]


def missing_paragraph(paragraph: str, passages: Sequence[Passage]) -> tuple[str, str] | None:
    """A cited paragraph that the cited article has not, and its last one; None where nothing tells."""
    number = paragraph.split("/")[0].casefold()
    if not number or not passages:
        return None
    known: list[str] = []
    for passage in passages:
        if passage.paragraph:
            known.append(passage.paragraph.split("/")[0].casefold())
        else:
            known += [name for _, name in paragraphs(passage.text)]
    if len(set(known)) < 2 or number in known or not number[:1].isdigit() or not known[-1][:1].isdigit():
        return None
    return number, max(known, key=_order)


def _order(name: str) -> tuple[int, str]:
    digits = "".join(letter for letter in name if letter.isdigit())
    return int(digits or 0), name

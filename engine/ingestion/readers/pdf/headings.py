"""Lines of a PDF that are headings: by their words, or by how they are set where words do not tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.ingestion.assembly import HeadingBlock
from engine.ingestion.headings import Heading, parse_heading, slug_of
from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.pdf.hyphens import Vocabulary
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.readers.pdf.paragraphs import Setting, ends_sentence, goes_on, is_item, paragraph_of
from engine.language.addresses import CONTAINERS
from engine.model import SectionKind

# Below a "BAB" stands the "Bagian", below it the "Paragraf".
_LEVELS = {"buku": 1, "bagian": 5, "paragraf": 6}
_INDONESIAN = re.compile(r"(?:BUKU|Buku|BAGIAN|PARAGRAF)\s+\S+.*\Z")
# The first chapter or article ends the recitals; what is attached stands beside all chapters.
_RECITALS, _OUTERMOST = 7, 1
# "Menimbang : a. ...": a heading in front of its text.
_OPENING = re.compile(r"(?P<word>Menimbang|Mengingat)\s*:\s*(?P<rest>.*)\Z", re.DOTALL)
# What is attached behind the text: the elucidation of an Indonesian law, annexes without a number.
_ATTACHED = re.compile(
    r"(?P<word>PENJELASAN|LAMPIRAN|ANNEXE?S?|APPENDIX|ANLAGEN?|ANHANG|SCHEDULES?|الملحق|ملحق)"
    r"(?P<rest>\s+(?:ATAS|PERATURAN|UNDANG-UNDANG|KEPUTUSAN|SURAT|TO|ZU|À)\b.*)?\Z",
    re.DOTALL,
)
# A table of contents: dots up to a page number.
_LEADER = re.compile(r"(?:\.\s?){4,}\s*\d*\s*\Z|…\s*\d*\s*\Z")
_LONGEST_TITLE, _TITLE_LINES = 200, 5
# How far below its heading a title stands at most, in heights of its type.
_TITLE_STEP = 2.4
# By its setting a heading is as short as this and its type as much larger than the text's.
_LONGEST_STYLED, _LARGER = 120, 1.12
# Sizes of type that differ by less are one.
_OTHER_SIZE = 1.07
_STYLED_LEVEL = 10
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST_LETTERS = 3
_BULLETS = "-–—•*"
# In a heading by its setting a number has a dot behind it or inside: "14 CFR Part 39" is no chapter 14.
_NUMBERED = re.compile(r"\d+(?:[.)]|(?:\.\d+)+)\s")
_GOES_ON = re.compile(r"[,،;–—-]\s*\Z")


def legal_heading(line: Line, before: Line | None, setting: Setting) -> tuple[HeadingBlock, str] | None:
    """The heading of a provision or container that a line is, and the text behind it on the line."""
    if line.cells or _LEADER.search(line.text):
        return None
    opening = _OPENING.match(line.text)
    if opening:
        return HeadingBlock(_RECITALS, parse_heading(opening["word"])), opening["rest"]
    if not _stands_alone(line, before, setting):
        return None
    if attached := _ATTACHED.match(line.text):
        word = attached["word"]
        heading = Heading(SectionKind.ANNEX, None, word, "", word.casefold())
        return HeadingBlock(_OUTERMOST, heading), (attached["rest"] or "").strip()
    found = _indonesian(line) or heading_line(line.text)
    if found is None:
        return None
    block, rest = found
    word = block.heading.label.split(" ")[0].casefold()
    return replace(block, level=_LEVELS.get(word, block.level)), rest


def _indonesian(line: Line) -> tuple[HeadingBlock, str] | None:
    """The levels of Indonesian laws, in capitals too."""
    heading = parse_heading(line.text) if _INDONESIAN.match(line.text) else None
    if heading is None or heading.number is None or (heading.title and not line.centred):
        return None
    return HeadingBlock(_LEVELS[heading.label.split(" ")[0].casefold()], heading), ""


def title_below(block: HeadingBlock, heading: Line, lines: Sequence[Line]) -> int:
    """How many of the lines that follow a heading are its title."""
    group = block.heading.kind in CONTAINERS | {SectionKind.SUBSECTION}
    count = 0
    last = heading
    for line in lines[:_TITLE_LINES]:
        other = heading_line(line.text) or _indonesian(line) or _ATTACHED.match(line.text)
        if other or not _is_title(heading, last, line, group=group):
            break
        count, last = count + 1, line
    return count


def with_title(block: HeadingBlock, title: str) -> HeadingBlock:
    """The heading with its title from the lines below it."""
    return replace(block, heading=replace(block.heading, title=" ".join(title.split())))


def takes_title(block: HeadingBlock) -> bool:
    """Whether a heading may have its title on the next line."""
    kinds = CONTAINERS | {SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.SUBSECTION, SectionKind.RULE}
    return not block.heading.title and block.heading.number is not None and block.heading.kind in kinds


@dataclass(frozen=True, slots=True)
class Levels:
    """The sizes of type that headings are set in, the largest first, and those that number theirs."""

    sizes: tuple[float, ...]
    numbering: frozenset[int]

    def of(self, line: Line, heading: Heading, *, numbered: bool) -> int:
        """The level of a heading: larger type stands above, then Parts, then numbered above unnumbered."""
        place = _nearest(self.sizes, line.height)
        is_part = heading.kind in CONTAINERS and heading.label != heading.number
        return _STYLED_LEVEL + 3 * place + (not is_part) * (1 + (place in self.numbering and not numbered))


def styled_levels(lines: Sequence[Line], setting: Setting) -> Levels:
    """The levels of headings by their setting."""
    styled = [line for line in lines if _is_styled(line, setting)]
    sizes: list[float] = []
    for height in sorted({line.height for line in styled}, reverse=True):
        if not sizes or sizes[-1] / height > _OTHER_SIZE:
            sizes.append(height)
    counts = Counter(_nearest(sizes, line.height) for line in styled if _NUMBERED.match(line.text))
    return Levels(tuple(sizes), frozenset(place for place, count in counts.items() if count > 1))


def _nearest(sizes: Sequence[float], height: float) -> int:
    return min(range(len(sizes)), key=lambda place: abs(sizes[place] - height))


def styled_heading(
    lines: Sequence[Line], place: int, setting: Setting, levels: Levels, vocabulary: Vocabulary
) -> tuple[HeadingBlock, int] | None:
    """The heading that begins at a line by its bold or larger type, and of how many lines it is."""
    line = lines[place]
    if not _is_styled(line, setting) or (place and goes_on(lines[place - 1], line, setting)):
        return None
    stop = place + 1
    while stop < len(lines) and goes_on(lines[stop - 1], lines[stop], setting):
        if (
            lines[stop].bold != line.bold
            or stop - place >= _TITLE_LINES
            or not _is_styled(lines[stop], setting)
        ):
            return None
        stop += 1
    if _GOES_ON.search(lines[stop - 1].text):
        return None
    text = paragraph_of(lines[place:stop], vocabulary)
    heading = _named(text)
    level = levels.of(line, heading, numbered=_NUMBERED.match(text) is not None)
    return HeadingBlock(level, heading), stop - place


def _named(text: str) -> Heading:
    heading = parse_heading(text)
    is_number = heading.number is None or not text[:1].isdigit() or _NUMBERED.match(text)
    return heading if is_number else Heading(SectionKind.HEADING, None, text, "", slug_of(text) or "heading")


def _is_styled(line: Line, setting: Setting) -> bool:
    """Whether a line is set as a heading is: bold or larger, short, and no sentence."""
    larger = line.height > _LARGER * setting.height
    return (
        (larger or line.bold)
        and not line.cells
        # Signs of a list, numbers and lines of dashes are no titles.
        and len(_LETTERS.findall(line.text)) >= _FEWEST_LETTERS
        and len(line.text) <= _LONGEST_STYLED
        and not (ends_sentence(line.text) and not line.text.endswith((":", "?")))
        and line.text[0] not in _BULLETS
        and not (is_item(line.text) and not (line.bold or line.text[0].isdigit()))
    )


def _stands_alone(line: Line, before: Line | None, setting: Setting) -> bool:
    """Whether a line is no part of the paragraph before it."""
    if before is None or line.bold or (line.centred and not before.centred):
        return True
    if line.centred and line.rest > 0.25 * (line.edges[1] - line.edges[0]):
        return True
    return not goes_on(before, line, setting)


def _is_title(heading: Line, last: Line, line: Line, *, group: bool) -> bool:
    """Whether a line is set as the title of the heading above it, of which ``last`` is the last line.

    Below the heading of a ``group`` of provisions a line in its middle is a title however long it is;
    below that of a provision it may be the first line of the text.
    """
    if line.cells or is_item(line.text) or line.text.startswith("(") or ends_sentence(line.text):
        return False
    apart = line.page != last.page or line.first
    if not apart and last.middle - line.middle > _TITLE_STEP * line.height:
        return False
    if len(line.text) > _LONGEST_TITLE or (heading.bold and not line.bold):
        return False
    width = line.edges[1] - line.edges[0]
    middles = abs((line.left + line.right) - (heading.left + heading.right)) / 2
    capitals = line.text.upper() == line.text and _LETTERS.search(line.text) is not None
    centred = middles < 1.2 * line.height
    clear = group or capitals or line.bold or min(line.start, line.rest) > 0.03 * width
    beside = line.bold and abs(line.start - heading.start) < line.height
    return beside or (centred and clear and (heading.start > 0.1 * width or capitals))

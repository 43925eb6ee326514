"""Convert lines to headings, paragraphs and tables with their pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.ingestion.readers.lines import heading_line, run_on
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.readers.pdf.paragraphs import (
    Setting,
    Vocabulary,
    continues_paragraph,
    ends_sentence,
    group_paragraphs,
    is_item,
    join_paragraph,
    measure_setting,
)
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import Heading, parse_heading, slug_of
from engine.language.addresses import CONTAINERS
from engine.model import SectionKind

# Headings by their words, or by typography if words do not show them

# The "Bagian" is below a "BAB", the "Paragraf" below it.
_LEVELS = {"buku": 1, "bagian": 5, "paragraf": 6}
_INDONESIAN = re.compile(r"(?:BUKU|Buku|BAGIAN|PARAGRAF)\s+\S+.*\Z")
# The first chapter or article ends the recitals; attachments are on the level of chapters.
_RECITALS, _OUTERMOST = 7, 1
# "Menimbang : a. ...": a heading before its text.
_OPENING = re.compile(r"(?P<word>Menimbang|Mengingat)\s*:\s*(?P<rest>.*)\Z", re.DOTALL)
# Attachments after the text: the elucidation of an Indonesian law, annexes without a number.
_ATTACHED = re.compile(
    r"(?P<word>PENJELASAN|LAMPIRAN|ANNEXE?S?|APPENDIX|ANLAGEN?|ANHANG|SCHEDULES?|الملحق|ملحق)"
    r"(?P<rest>\s+(?:ATAS|PERATURAN|UNDANG-UNDANG|KEPUTUSAN|SURAT|TO|ZU|À)\b.*)?\Z",
    re.DOTALL,
)
# A line of a table of contents: dots up to a page number.
_LEADER = re.compile(r"(?:\.\s?){4,}\s*\d*\s*\Z|…\s*\d*\s*\Z")
_LONGEST_TITLE, _TITLE_LINES = 200, 5
# Maximum distance of a title below its heading, in heights of its type.
_TITLE_STEP = 2.4
# Below the end of a sentence, a line of so few words is no line of a paragraph but its last.
_FEW_WORDS = 5
# Minimum number of words of a sentence after the number of its provision.
_FEWEST_RUN_IN = 5
# Maximum length of a heading by typography, and minimum ratio of its type to the text's.
_LONGEST_STYLED, _LARGER = 120, 1.12
# Maximum ratio of sizes of type that count as equal.
_OTHER_SIZE = 1.07
_STYLED_LEVEL = 10
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST_LETTERS = 3
_BULLETS = "-–—•*"
# In a heading by typography a number has a full stop: "14 CFR Part 39" is not chapter 14.
_NUMBERED = re.compile(r"\d+(?:[.)]|(?:\.\d+)+)\s")
_GOES_ON = re.compile(r"[,،;–—-]\s*\Z")


def legal_heading(line: Line, before: Line | None, setting: Setting) -> tuple[HeadingBlock, str] | None:
    """Return the heading of a provision or container in a line, and the text after it; or None."""
    if line.cells or _LEADER.search(line.text):
        return None
    opening = _OPENING.match(line.text)
    if opening:
        return HeadingBlock(_RECITALS, parse_heading(opening["word"])), opening["rest"]
    if not _is_separate(line, before, setting):
        return None
    if attached := _ATTACHED.match(line.text):
        word = attached["word"]
        heading = Heading(SectionKind.ANNEX, None, word, "", word.casefold())
        return HeadingBlock(_OUTERMOST, heading), (attached["rest"] or "").strip()
    found = _indonesian(line) or heading_line(line.text) or run_on(line.text)
    if found is None:
        return None
    block, rest = found
    word = block.heading.label.split(" ")[0].casefold()
    return replace(block, level=_LEVELS.get(word, block.level)), rest


def _indonesian(line: Line) -> tuple[HeadingBlock, str] | None:
    """Return the level of an Indonesian law, also in capitals; or None."""
    heading = parse_heading(line.text) if _INDONESIAN.match(line.text) else None
    if heading is None or heading.number is None or (heading.title and not line.centred):
        return None
    return HeadingBlock(_LEVELS[heading.label.split(" ")[0].casefold()], heading), ""


def title_below(block: HeadingBlock, heading: Line, lines: Sequence[Line]) -> int:
    """Return the number of lines after a heading that are its title."""
    group = block.heading.kind in CONTAINERS | {SectionKind.SUBSECTION}
    count = 0
    last = heading
    for line in lines[:_TITLE_LINES]:
        other = heading_line(line.text) or _indonesian(line) or _ATTACHED.match(line.text)
        if other or not _is_title(heading, last, line, group=group):
            break
        count, last = count + 1, line
    return count


def add_title(block: HeadingBlock, title: str) -> HeadingBlock:
    """Add the title in the lines below a heading."""
    return replace(block, heading=replace(block.heading, title=" ".join(title.split())))


def takes_title(block: HeadingBlock) -> bool:
    """Return True if the title of a heading may be on the next line."""
    kinds = CONTAINERS | {SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.SUBSECTION, SectionKind.RULE}
    return not block.heading.title and block.heading.number is not None and block.heading.kind in kinds


@dataclass(frozen=True, slots=True)
class Levels:
    """The sizes of headings' type, largest first, and those with numbered headings."""

    sizes: tuple[float, ...]
    numbering: frozenset[int]

    def of(self, line: Line, heading: Heading, *, numbered: bool) -> int:
        """Return the level of a heading: larger type first, then Parts, then numbered before unnumbered."""
        place = _nearest(self.sizes, line.height)
        is_part = heading.kind in CONTAINERS and heading.label != heading.number
        return _STYLED_LEVEL + 3 * place + (not is_part) * (1 + (place in self.numbering and not numbered))


def styled_levels(lines: Sequence[Line], setting: Setting) -> Levels:
    """Return the levels of headings by typography."""
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
    """Return the bold or larger heading that begins at a line, and its number of lines; or None."""
    line = lines[place]
    if not _is_styled(line, setting) or (place and continues_paragraph(lines[place - 1], line, setting)):
        return None
    stop = place + 1
    while stop < len(lines) and continues_paragraph(lines[stop - 1], lines[stop], setting):
        if (
            lines[stop].bold != line.bold
            or stop - place >= _TITLE_LINES
            or not _is_styled(lines[stop], setting)
        ):
            return None
        stop += 1
    if _GOES_ON.search(lines[stop - 1].text):
        return None
    text = join_paragraph(lines[place:stop], vocabulary)
    heading = _named(text)
    level = levels.of(line, heading, numbered=_NUMBERED.match(text) is not None)
    return HeadingBlock(level, heading), stop - place


def _named(text: str) -> Heading:
    heading = parse_heading(text)
    is_number = heading.number is None or not text[:1].isdigit() or _NUMBERED.match(text)
    return heading if is_number else Heading(SectionKind.HEADING, None, text, "", slug_of(text) or "heading")


def _is_styled(line: Line, setting: Setting) -> bool:
    """Return True if a line has the typography of a heading: bold or larger, short, not a sentence."""
    larger = line.height > _LARGER * setting.height
    return (
        (larger or line.bold)
        and not line.cells
        # List signs, numbers and lines of dashes are not titles.
        and len(_LETTERS.findall(line.text)) >= _FEWEST_LETTERS
        and len(line.text) <= _LONGEST_STYLED
        and not (ends_sentence(line.text) and not line.text.endswith((":", "?")))
        and line.text[0] not in _BULLETS
        and not (is_item(line.text) and not (line.bold or line.text[0].isdigit()))
    )


def _is_separate(line: Line, before: Line | None, setting: Setting) -> bool:
    """Return True if a line is not part of the paragraph before it."""
    if before is None or line.bold or (line.centred and not before.centred):
        return True
    short = line.rest > 0.25 * (line.edges[1] - line.edges[0])
    if short and line.centred:
        return True
    if (short or len(line.text.split()) <= _FEW_WORDS) and before.text.endswith((".", "。")):
        return True
    return not continues_paragraph(before, line, setting)


def _is_title(heading: Line, last: Line, line: Line, *, group: bool) -> bool:
    """Return True if a line has the typography of the title of the heading above it, which ends with
    ``last``.

    Below the heading of a ``group`` of provisions a centred line of any length is a title; below that of a
    provision it may be the first line of the text.
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
    aligned = line.bold and abs(line.start - heading.start) < line.height
    return aligned or (centred and clear and (heading.start > 0.1 * width or capitals))


# Blocks: headings, paragraphs and tables with their pages

# Minimum number of provisions from which only words, not typography, give headings.
_FEWEST_PROVISIONS = 3
_BOOKMARK_LEVEL = 8
_PROVISIONS = frozenset(
    {SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.RULE, SectionKind.CHAPTER, SectionKind.PART}
)

# Page and folded title of a bookmark, and its depth (from 0).
Bookmarks = Mapping[tuple[int, str], int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading, the text after it on its line, and its number of lines."""

    block: HeadingBlock
    rest: str = ""
    count: int = 1


@dataclass(slots=True)
class Structure:
    """The lines of a document and the data for finding its headings."""

    lines: Sequence[Line]
    bookmarks: Bookmarks = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def __post_init__(self) -> None:
        self.vocabulary.learn(line.text for line in self.lines)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the document in reading order."""
        setting = measure_setting(self.lines)
        found = self._headings(setting)
        waiting: list[Line] = []
        place = 0
        while place < len(self.lines):
            if place not in found:
                waiting.append(self.lines[place])
                place += 1
                continue
            yield from self._texts(waiting, setting)
            entry = found[place]
            yield replace(entry.block, page=self.lines[place].page)
            waiting = [replace(self.lines[place], text=entry.rest)] if entry.rest else []
            place += entry.count
        yield from self._texts(waiting, setting)

    def _joined(self, first: int, count: int) -> str:
        return join_paragraph(self.lines[first : first + count], self.vocabulary)

    def _texts(self, lines: Sequence[Line], setting: Setting) -> Iterator[TextBlock]:
        for group in group_paragraphs(lines, setting):
            yield TextBlock(join_paragraph(group, self.vocabulary), page=group[0].page)

    def _headings(self, setting: Setting) -> dict[int, _Found]:
        found = self._legal(setting)
        if sum(entry.block.heading.kind in _PROVISIONS for entry in found.values()) < _FEWEST_PROVISIONS:
            found = self._styled(setting, found)
        return found

    def _legal(self, setting: Setting) -> dict[int, _Found]:
        """Return headings by their words, with titles from the lines below them."""
        found: dict[int, _Found] = {}
        before: Line | None = None
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            heading = legal_heading(line, before, setting)
            count = 1
            if heading is not None:
                block, rest = heading
                if not rest and self._is_run_in(block.heading, place, setting):
                    rest, block = block.heading.title, add_title(block, "")
                if takes_title(block) and not rest:
                    titles = title_below(block, line, self.lines[place + 1 : place + 9])
                    count += titles
                    block = add_title(block, self._joined(place + 1, titles)) if titles else block
                found[place] = _Found(block, rest, count)
            place += count
            # The search restarts below a heading.
            before = None if heading is not None and not heading[1] else self.lines[place - 1]
        return found

    def _is_run_in(self, heading: Heading, place: int, setting: Setting) -> bool:
        """Return True if text follows a number without a full stop: "Section 2 A dock closes at nine."."""
        line, stop = self.lines[place], place + 1
        if line.bold or len(heading.title.split()) < _FEWEST_RUN_IN or heading.kind in CONTAINERS:
            return False
        while stop < len(self.lines) and continues_paragraph(self.lines[stop - 1], self.lines[stop], setting):
            if stop == place + 1 and not self.lines[stop].text[:1].islower():
                return False
            stop += 1
        return ends_sentence(self.lines[stop - 1].text)

    def _styled(self, setting: Setting, legal: Mapping[int, _Found]) -> dict[int, _Found]:
        """Return headings by typography and bookmarks, if few have words."""
        levels = styled_levels(self.lines, setting)
        found: dict[int, _Found] = {}
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            marked = self.bookmarks.get((line.page, slug_of(line.text)))
            styled = styled_heading(self.lines, place, setting, levels, self.vocabulary)
            if marked is not None:
                found[place] = _Found(HeadingBlock(_BOOKMARK_LEVEL + marked, parse_heading(line.text)))
            elif styled is not None:
                found[place] = _Found(styled[0], "", styled[1])
            elif place in legal:
                found[place] = legal[place]
            place += found[place].count if place in found else 1
        return {place: entry for place, entry in found.items() if place in legal or self._leads(place, found)}

    def _leads(self, place: int, found: Mapping[int, _Found]) -> bool:
        """Return True if text follows a heading; otherwise it would be lost, and becomes text of the next
        one."""
        after = place + found[place].count
        deeper = after in found and found[after].block.level > found[place].block.level
        return after < len(self.lines) and (after not in found or deeper)

"""From lines to blocks: headings, paragraphs and tables, each with its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.ingestion.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.headings import parse_heading, slug_of
from engine.ingestion.readers.pdf.headings import (
    legal_heading,
    styled_heading,
    styled_levels,
    takes_title,
    title_below,
    with_title,
)
from engine.ingestion.readers.pdf.hyphens import Vocabulary
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.readers.pdf.paragraphs import Setting, paragraph_of, paragraphs_of, setting_of
from engine.model import SectionKind

# A text with so many provisions has its headings by their words; how lines are set does not count then.
_FEWEST_PROVISIONS = 3
_BOOKMARK_LEVEL = 8
_PROVISIONS = frozenset(
    {SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.RULE, SectionKind.CHAPTER, SectionKind.PART}
)

# The page and the folded title of a bookmark, and how deep it is (from 0).
Bookmarks = Mapping[tuple[int, str], int]


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading, the text behind it on its line, and of how many lines it is."""

    block: HeadingBlock
    rest: str = ""
    count: int = 1


@dataclass(slots=True)
class Structure:
    """The lines of a document and what tells its headings."""

    lines: Sequence[Line]
    bookmarks: Bookmarks = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def __post_init__(self) -> None:
        self.vocabulary.learn(line.text for line in self.lines)

    def blocks(self) -> Iterator[Block]:
        """The blocks of the document in reading order."""
        setting = setting_of(self.lines)
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
        return paragraph_of(self.lines[first : first + count], self.vocabulary)

    def _texts(self, lines: Sequence[Line], setting: Setting) -> Iterator[TextBlock]:
        for group in paragraphs_of(lines, setting):
            yield TextBlock(paragraph_of(group, self.vocabulary), page=group[0].page)

    def _headings(self, setting: Setting) -> dict[int, _Found]:
        found = self._legal(setting)
        if sum(entry.block.heading.kind in _PROVISIONS for entry in found.values()) < _FEWEST_PROVISIONS:
            found = self._styled(setting, found)
        return found

    def _legal(self, setting: Setting) -> dict[int, _Found]:
        """Headings by their words, with titles from the lines below them."""
        found: dict[int, _Found] = {}
        before: Line | None = None
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            heading = legal_heading(line, before, setting)
            count = 1
            if heading is not None:
                block, rest = heading
                if takes_title(block) and not rest:
                    titles = title_below(block, line, self.lines[place + 1 : place + 9])
                    count += titles
                    block = with_title(block, self._joined(place + 1, titles)) if titles else block
                found[place] = _Found(block, rest, count)
            place += count
            # What stands below a heading begins anew.
            before = None if heading is not None and not heading[1] else self.lines[place - 1]
        return found

    def _styled(self, setting: Setting, legal: Mapping[int, _Found]) -> dict[int, _Found]:
        """Headings by their setting and by bookmarks, where few are told by their words."""
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
        """Whether anything stands below a heading: else it would be lost, and is text of the next one."""
        after = place + found[place].count
        deeper = after in found and found[after].block.level > found[place].block.level
        return after < len(self.lines) and (after not in found or deeper)

"""From lines to blocks: headings, paragraphs and tables, each with its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.ingestion.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.headings import parse_heading, slug_of
from engine.ingestion.readers.pdf.headings import (
    is_styled,
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
        found = self._legal(setting)
        kinds = [block.heading.kind for block, _ in found.values()]
        if sum(kind in _PROVISIONS for kind in kinds) < _FEWEST_PROVISIONS:
            found |= {
                place: (block, "") for place, block in self._styled(setting).items() if place not in found
            }
        waiting: list[Line] = []
        place = 0
        while place < len(self.lines):
            if place not in found:
                waiting.append(self.lines[place])
                place += 1
                continue
            yield from self._texts(waiting, setting)
            block, rest = found[place]
            titles = 0
            if takes_title(block):
                titles = title_below(self.lines[place], self.lines[place + 1 :])
                block = with_title(block, self._joined(place + 1, titles)) if titles else block
            yield replace(block, page=self.lines[place].page)
            waiting = [replace(self.lines[place], text=rest)] if rest else []
            place += 1 + titles
        yield from self._texts(waiting, setting)

    def _joined(self, first: int, count: int) -> str:
        return paragraph_of(self.lines[first : first + count], self.vocabulary)

    def _texts(self, lines: Sequence[Line], setting: Setting) -> Iterator[TextBlock]:
        for group in paragraphs_of(lines, setting):
            yield TextBlock(paragraph_of(group, self.vocabulary), page=group[0].page)

    def _legal(self, setting: Setting) -> dict[int, tuple[HeadingBlock, str]]:
        found: dict[int, tuple[HeadingBlock, str]] = {}
        for place, line in enumerate(self.lines):
            before = self.lines[place - 1] if place and place - 1 not in found else None
            heading = legal_heading(line, before, setting)
            if heading is not None:
                found[place] = heading
        return found

    def _styled(self, setting: Setting) -> dict[int, HeadingBlock]:
        levels = styled_levels(self.lines, setting)
        found: dict[int, HeadingBlock] = {}
        for place, line in enumerate(self.lines):
            marked = self.bookmarks.get((line.page, slug_of(line.text)))
            if marked is not None:
                found[place] = HeadingBlock(_BOOKMARK_LEVEL + marked, parse_heading(line.text))
                continue
            before = self.lines[place - 1] if place else None
            after = self.lines[place + 1] if place + 1 < len(self.lines) else None
            block = styled_heading(line, before, after, setting, levels)
            if block is not None and is_styled(line, setting):
                found[place] = block
        return found

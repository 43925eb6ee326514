"""Assemble headings and blocks of text into a document's sections and passages.

Readers of running text give only the headings and their levels.

Ids are ``<document id>/<path>``: ``agency-code/art-14/para-2``; ``agency-code/art-14`` for an article in a
single passage; ``agency-code/preamble/recital-3``; ``agency-code/annex-i/para-2``;
``agency-code/art-3/block-2`` for text without a number. A second article of the same number with a later date
is ``art-22@2024-01-01``. Parts of a text that is too long for one passage are ``...#2``, ``...#3``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate, chain

from engine.corpus.contents import is_bare_heading
from engine.ingestion.readers.base import ReadDocument, StatedReference
from engine.ingestion.structure.headings import Heading, maghreb_article
from engine.ingestion.structure.numbers import add_number_names, own_numbers, select_lines, typed_numbers
from engine.ingestion.structure.outline import Node, Outline, cited_as, format_levels
from engine.ingestion.structure.segmentation import Piece, numbered_paragraphs, split_piece, trim_span
from engine.language.addresses import ATTACHED, CONTAINERS, PROVISIONS, Address
from engine.model import NOTHING, Document, Passage, SectionKind, Span


@dataclass(frozen=True, slots=True)
class HeadingBlock:
    """A heading; ``level`` counts from the outside in. The dates apply to everything below it.

    ``address``: the address of the text below it, if it is more than the heading's number.
    """

    level: int
    heading: Heading
    valid_from: date | None = None
    valid_to: date | None = None
    status: str | None = None
    address: Address | None = None
    page: int | None = None
    eid: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """Characters ``start`` to ``end`` of a block refer to ``target``, a URI or "#" and an id."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of text; ``page`` counts from 1, ``eid`` is its id in an XML source.

    ``number``: the number of the paragraph that begins here according to the markup, or "" for none. None:
    without markup, the text is searched for a number.
    """

    text: str
    page: int | None = None
    eid: str | None = None
    number: str | None = None
    links: tuple[Link, ...] = ()


Block = HeadingBlock | TextBlock

# Separator between two blocks of one section's text.
_JOINT = "\n\n"
# Metadata field of a passage with its id in the XML source.
EID = "eId"
# A block that continues the previous one: an item of a list, or the rest of a sentence.
_CONTINUES = re.compile(
    r"\(?(?:\d{1,3}[a-z]?|[a-zA-Z]{1,4}|[\u0621-\u064a])[.)]\s|[(（][一二三四五六七八九十]+[)）]|[-–•*☐☒]\s|[a-zà-ÿ|]"
)
# Level of a number at the start of a paragraph: below all headings.
_INNERMOST = 99
_OPENS, _CLOSES = re.compile(r"[“„«\"]"), re.compile(r"[”“»\"]\s*[.;]?\s*\Z")
# Level of a typed number; its depth is added.
_TYPED = 90
# Consecutive lines without an empty one.
_BLOCK = re.compile(r"\S(?:[^\n]|\n(?!\s*\n))*")


@dataclass(slots=True)
class _Level:
    block: HeadingBlock
    node: Node
    opened: int
    counted: int = 0


@dataclass(slots=True)
class Assembler:
    """Assembles one document from blocks in reading order."""

    document: Document
    passages: list[Passage] = field(default_factory=list)
    _chain: list[_Level] = field(default_factory=list)
    _blocks: list[TextBlock] = field(default_factory=list)
    _slugs: set[str] = field(default_factory=set)
    _ids: set[str] = field(default_factory=set)
    _stated: list[StatedReference] = field(default_factory=list)
    _outline: Outline | None = None

    def assemble(self, blocks: Iterable[Block]) -> ReadDocument:
        """Return the document with its sections and passages."""
        self._outline = Outline(self.document.id)
        for block in _with_numbers(_with_articles(_with_quoted(list(blocks))), self.document.language):
            if isinstance(block, TextBlock):
                self._blocks.append(block)
            else:
                self._flush(block.level)
                self._enter(block)
        self._flush(0)
        sections = self._outline.finish(len(self.passages))
        numbers = chain((one.number for one in sections), (one.number for one in self.passages))
        document = add_number_names(self.document, numbers)
        return ReadDocument(document, sections, tuple(self.passages), tuple(self._stated))

    def _enter(self, block: HeadingBlock) -> None:
        while self._chain and self._chain[-1].block.level >= block.level:
            self._chain.pop()
        heading = block.heading
        attached = self._attached() is not None
        if attached and heading.number == heading.label and heading.number:
            # "2 Wages" in Schedule 7 is paragraph 2 of the schedule.
            heading = replace(heading, kind=SectionKind.PARAGRAPH)
        rooted = heading.kind in PROVISIONS and heading.number is not None and not attached
        slug = heading.slug
        if rooted and slug in self._slugs and block.valid_from is not None:
            slug = f"{slug}@{block.valid_from.isoformat()}"
        if rooted:
            self._slugs.add(slug)
        shown = " ".join(part for part in (heading.label, heading.title) if part)
        key = f"{len(self.passages)}:{shown}:{block.valid_from}"
        node = Node(key, heading.kind, heading.number, heading.title, shown, slug, rooted)
        self._chain.append(_Level(block, node, len(self.passages)))

    def _flush(self, next_level: int) -> None:
        """Make passages of the text below the last heading, before one of ``next_level``."""
        blocks, self._blocks = self._blocks, []
        if not blocks:
            if not self._is_empty_provision(next_level):
                return
            # "§ 12 (repealed)" without text: the heading itself is cited.
            blocks = [TextBlock(self._chain[-1].node.shown)]
        assert self._outline is not None
        section_id = self._outline.place([level.node for level in self._chain], len(self.passages))
        attached = self._attached()
        text, pieces = _divide(blocks, attached.counted if attached else None)
        if attached:
            numbers = [int(piece.number) for piece in pieces if piece.number and piece.number.isdigit()]
            attached.counted = max([attached.counted, *numbers])
        places = _Places(blocks, [level.block for level in self._chain])
        base = section_id or self.document.id
        names = list(_names(pieces, self._kind()))
        for piece, name in zip(pieces, names, strict=True):
            own_id = self._free(f"{base}/{name}" if name else base if section_id else f"{base}/text")
            item = piece.number is not None and not text.startswith("(", piece.start)
            for part, short in enumerate(split_piece(text, piece, language=self.document.language)):
                self._add(short, text, own_id, part, section_id, places, item=item)

    def _is_empty_provision(self, next_level: int) -> bool:
        """Return True if the last heading is a provision without text, here or below."""
        if not self._chain or self._chain[-1].block.level < next_level:
            return False
        level = self._chain[-1]
        counted = (
            level.node.kind in PROVISIONS | ATTACHED | {SectionKind.PARAGRAPH}
            and level.node.number is not None
        )
        return counted and bool(level.node.title) and level.opened == len(self.passages)

    def _address(self, piece: Piece, *, item: bool) -> tuple[Address, str]:
        """Return the address of a piece of the last section, and its citation."""
        if not self._chain:
            return Address(SectionKind.HEADING, None, piece.number), ""
        block, node = self._chain[-1].block, self._chain[-1].node
        language = self.document.language
        if block.address is not None:
            return block.address, cited_as(block.address, language)
        if node.kind is SectionKind.PREAMBLE and piece.number:
            recital = Address(SectionKind.RECITAL, piece.number)
            return recital, cited_as(recital, language)
        attached = self._attached()
        if attached and node.kind is SectionKind.PARAGRAPH:
            whole = "/".join(part for part in (node.number, piece.number) if part)
            label = attached.block.heading.label + format_levels(whole, language, item=True)
            return Address(node.kind, node.number, piece.number), label
        spoken = language if item or node.kind in PROVISIONS else "und"
        label = (block.heading.label or node.title) + format_levels(piece.number, spoken, item=item)
        return Address(node.kind, node.number, piece.number), label

    def _attached(self) -> _Level | None:
        """Return the open schedule or annex, or None."""
        return next((level for level in self._chain if level.node.kind in ATTACHED), None)

    def _kind(self) -> SectionKind:
        return self._chain[-1].node.kind if self._chain else SectionKind.HEADING

    def _free(self, wanted: str) -> str:
        found, again = wanted, 2
        while found in self._ids:
            found, again = f"{wanted}~{again}", again + 1
        self._ids.add(found)
        return found

    def _add(
        self,
        piece: Piece,
        text: str,
        own_id: str,
        part: int,
        section_id: str | None,
        places: _Places,
        *,
        item: bool,
    ) -> None:
        address, label = self._address(piece, item=item)
        page, eid = places.at(piece.start + piece.overlap)
        passage_id = own_id if part == 0 else f"{own_id}#{part + 1}"
        self._stated.extend(places.links(passage_id, text, piece))
        valid = [level.block for level in self._chain if level.block.valid_from or level.block.valid_to]
        status = [level.block.status for level in self._chain if level.block.status]
        self.passages.append(
            Passage(
                id=passage_id,
                document_id=self.document.id,
                section_id=section_id,
                position=len(self.passages),
                text=text[piece.start : piece.end],
                language=self.document.language,
                kind=address.kind,
                number=address.number,
                paragraph=address.paragraph,
                label=label,
                headings=tuple(level.node.shown for level in self._chain if _is_telling(level.node)),
                source_id=own_id,
                status=status[-1] if status else None,
                valid_from=valid[-1].valid_from if valid else None,
                valid_to=valid[-1].valid_to if valid else None,
                page=page,
                overlap=piece.overlap,
                metadata=NOTHING if eid is None else {EID: eid},
            )
        )


def _with_quoted(blocks: list[Block]) -> list[Block]:
    """Convert quoted headings of articles to text: an amendment inserts them elsewhere.

    A quotation runs from a block that begins with a quotation mark, after a colon, to one that ends with it.
    Without marks it is joined to the text that announces it: "Pasal 2 diubah sehingga berbunyi:", "Pasal 2".
    """
    opened: int | None = None
    texts = [
        block.text if isinstance(block, TextBlock) else f"{block.heading.label} {block.heading.title}".strip()
        for block in blocks
    ]
    for place, text in enumerate(texts):
        if opened is None and _OPENS.match(text) and place and texts[place - 1].rstrip().endswith(":"):
            opened = place
        if opened is not None and _CLOSES.search(text):
            blocks[opened : place + 1] = [
                one if isinstance(one, TextBlock) else TextBlock(own, one.page, one.eid)
                for one, own in zip(blocks[opened : place + 1], texts[opened:], strict=False)
            ]
            opened = None
    joined: list[Block] = []
    lead, quoting = "", False
    for block, text in zip(blocks, texts, strict=True):
        last = joined[-1] if joined else None
        if isinstance(block, HeadingBlock):
            if isinstance(last, TextBlock) and last.text.rstrip().endswith(":"):
                lead = last.text.rstrip().rpartition("\n")[2]
            quoting = _is_announced(lead, block.heading)
            lead = lead if quoting else ""
        if quoting and isinstance(last, TextBlock):
            joined[-1] = replace(last, text=f"{last.text}\n{text}")
        else:
            joined.append(block)
    return joined


def _is_announced(lead: str, heading: Heading) -> bool:
    """Return True if a text names an article: "Pasal 2", or its number after others."""
    if heading.kind not in PROVISIONS or not heading.number or heading.label == heading.number:
        return False
    word = re.escape(heading.label.removesuffix(heading.number).strip())
    number = rf"(?<![\w.-]){re.escape(heading.number)}(?![\w-]|\.\d)"
    return bool(word) and re.search(rf"(?i:{word})\w{{0,2}}\s.*?{number}", lead) is not None


def drop_title(blocks: Iterable[Block], title: str) -> list[Block]:
    """Drop the first block if others follow and it only repeats the title."""
    found = list(blocks)
    heading, text = _heading_and_text(found[0]) if len(found) > 1 else (None, "")
    words = heading.title if heading is not None and heading.kind is SectionKind.HEADING else text
    return found[1:] if " ".join(words.split()).casefold() == title.casefold() else found


def _with_numbers(blocks: list[Block], language: str) -> list[Block]:
    """Convert numbers at the start of lines and paragraphs of a document to headings."""
    if not any(isinstance(block, TextBlock) and block.number is not None for block in blocks):
        blocks = list(_with_typed_numbers(list(_with_titles(blocks))))
    return list(_with_own_numbers(blocks, language))


def _with_titles(blocks: list[Block]) -> Iterator[Block]:
    """Yield blocks with capitals below a heading as its title: "PART I", "PRELIMINARY"."""
    waiting: HeadingBlock | None = None
    for block in blocks:
        if waiting is not None and isinstance(block, TextBlock):
            text = block.text
            is_title = text.upper() == text != text.lower() and is_bare_heading(text)
            yield replace(waiting, heading=replace(waiting.heading, title=text)) if is_title else waiting
            waiting = None
            if is_title:
                continue
        if waiting is not None:
            yield waiting
            waiting = None
        kinds = CONTAINERS | PROVISIONS
        if isinstance(block, HeadingBlock) and block.heading.kind in kinds and not block.heading.title:
            waiting = block
        else:
            yield block
    if waiting is not None:
        yield waiting


def _with_typed_numbers(blocks: list[Block]) -> Iterator[Block]:
    typed = typed_numbers(list(map(_heading_and_text, blocks)))
    heads = [block for block in blocks if isinstance(block, HeadingBlock)]
    # Some formats mark the numbers that are headings, and their levels.
    levels = {
        (block.heading.number or "").count(".") + 1: block.level
        for block in heads
        if block.heading.number == block.heading.label
    }
    for place, block in enumerate(blocks):
        if place not in typed:
            yield block
            continue
        if isinstance(block, HeadingBlock):
            yield replace(block, heading=typed[place][0].heading)
            continue
        found = typed[place]
        yield from _cut(block, 0, found[0].start)
        for own, end in zip(found, [*(one.start for one in found[1:]), len(block.text)], strict=True):
            level = levels.get(own.depth, _TYPED + own.depth)
            yield HeadingBlock(level, own.heading, page=block.page, eid=block.eid)
            yield from _cut(block, own.behind, end)


def _with_articles(blocks: list[Block]) -> list[Block]:
    """Convert chapters to articles if they have text and the document has no articles."""
    found = [
        (replace(block, heading=maghreb_article(block.heading)), place)
        for place, block in enumerate(blocks)
        if isinstance(block, HeadingBlock) and block.heading.number
    ]
    made = {place: block for block, place in found if block != blocks[place]}
    bare = [place for place in made if not isinstance(blocks[min(place + 1, len(blocks) - 1)], TextBlock)]
    provisions = sum(block.heading.kind in PROVISIONS for block, _ in found)
    is_made = len(made) > 1 and provisions == len(made) and len(bare) * 10 < len(made)
    return [made.get(place, block) for place, block in enumerate(blocks)] if is_made else blocks


def _with_own_numbers(blocks: list[Block], language: str) -> Iterator[Block]:
    """Yield blocks with headings in the document's own form numbered, and numbers at the start of paragraphs
    as separate headings."""
    own = own_numbers(list(select_lines(map(_heading_and_text, blocks))), language)
    for place, block in enumerate(blocks):
        if place not in own:
            yield block
        elif isinstance(block, HeadingBlock):
            yield replace(block, heading=own[place][0])
        else:
            heading, rest = own[place]
            yield HeadingBlock(_INNERMOST, heading, page=block.page, eid=block.eid)
            yield from _cut(block, len(block.text) - len(rest), len(block.text))


def _heading_and_text(block: Block) -> tuple[Heading | None, str]:
    return (block.heading, "") if isinstance(block, HeadingBlock) else (None, block.text)


def _cut(block: TextBlock, start: int, end: int) -> Iterator[TextBlock]:
    """Yield the part of a block between two positions of its text, unless it is empty."""
    start, end = trim_span(block.text, start, end)
    links = (replace(one, start=one.start - start, end=one.end - start) for one in block.links)
    inside = tuple(one for one in links if one.start >= 0 and one.end <= end - start)
    if end > start:
        yield replace(block, text=block.text[start:end], links=inside)


class _Places:
    """The page and the source element of each character of a section's text."""

    def __init__(self, blocks: Sequence[TextBlock], above: Sequence[HeadingBlock]) -> None:
        self._blocks = blocks
        self._starts = [0, *accumulate(len(block.text) + len(_JOINT) for block in blocks[:-1])]
        self._links = [
            (start + link.start, start + link.end, link.target)
            for start, block in zip(self._starts, blocks, strict=True)
            for link in block.links
        ]
        self._eid = next((heading.eid for heading in reversed(above) if heading.eid), None)
        self._page = next((heading.page for heading in reversed(above) if heading.page), None)

    def at(self, character: int) -> tuple[int | None, str | None]:
        """Return the page and the id in XML; without its own id, text has that of a heading."""
        block = self._blocks[bisect_right(self._starts, character) - 1]
        return block.page or self._page, block.eid or self._eid

    def links(self, passage_id: str, text: str, piece: Piece) -> Iterator[StatedReference]:
        """Yield the references whose words are in a piece, except in the part that repeats the previous
        piece."""
        for left, right, target in self._links:
            if piece.start + piece.overlap <= left < right <= piece.end:
                span = Span(left - piece.start, right - piece.start)
                yield StatedReference(passage_id, span, text[left:right], target)


def _is_telling(node: Node) -> bool:
    """Return False for a heading that is only a number, which is in the passage's label."""
    return bool(node.title) or node.number is None or node.kind in CONTAINERS


def _divide(blocks: Sequence[TextBlock], after: int | None) -> tuple[str, list[Piece]]:
    """Return the text of a section and its paragraphs: the numbered ones, otherwise its blocks.

    ``after``: the last number of the schedule's paragraphs before this section.
    """
    text = _JOINT.join(block.text for block in blocks)
    if all(block.number is not None for block in blocks):
        return text, _marked(blocks, text)
    pieces = numbered_paragraphs(text, items=False, after=after)
    if len(pieces) > 1:
        first, *rest = pieces
        # Several blocks may precede (1).
        return text, [*_unnumbered(text, first), *rest] if first.number is None else pieces
    return text, list(_unnumbered(text, pieces[0]))


def _marked(blocks: Sequence[TextBlock], text: str) -> list[Piece]:
    """Return the paragraphs that the markup of a source marks, and the text before the first."""
    starts = [0, *accumulate(len(block.text) + len(_JOINT) for block in blocks[:-1])]
    begun: list[tuple[int, str | None]] = [
        (start, block.number) for start, block in zip(starts, blocks, strict=True) if block.number
    ]
    if not begun or begun[0][0] > 0:
        begun.insert(0, (0, None))
    ends = [start for start, _ in begun[1:]] + [len(text)]
    pieces: list[Piece] = []
    for (start, number), end in zip(begun, ends, strict=True):
        piece = Piece(*trim_span(text, start, end), number=number)
        pieces.extend([piece] if number else _unnumbered(text, piece))
    return pieces


def _unnumbered(text: str, whole: Piece) -> Iterator[Piece]:
    """Yield the blocks of a piece; lists stay with their introductory words."""
    start = end = whole.start
    for match in _BLOCK.finditer(text, whole.start, whole.end):
        left, right = match.span()
        if left > whole.start and not _CONTINUES.match(text, left):
            yield Piece(start, end)
            start = left
        end = right
    yield replace(whole, start=start, end=end)


def _names(pieces: Sequence[Piece], kind: SectionKind) -> Iterator[str]:
    """Yield the last part of each passage's id; empty if a section is a single passage without a number."""
    block = 0
    for piece in pieces:
        if piece.number is not None:
            yield f"{'recital' if kind is SectionKind.PREAMBLE else 'para'}-{piece.number}"
        else:
            block += 1
            yield f"block-{block}" if len(pieces) > 1 else ""

"""A file that holds several texts one after the other, each with provisions that count from 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from engine.corpus.headings import is_bare_heading
from engine.ingestion.assembly import Assembler, Block, HeadingBlock, TextBlock, without_title
from engine.ingestion.headings import EXPLANATION, parse_heading
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.front_matter import document_of
from engine.language.addresses import ATTACHED
from engine.model import SectionKind

_SAMPLE = 20_000
# What the texts of one file have in common of what the file says of itself.
_COMMON = ("language", "issuer", "valid_from", "valid_to", "status")
_FEWEST = 2


def read_documents(
    source: SourceFile,
    given: Mapping[str, Any],
    title: str | None,
    body: str,
    blocks: Iterable[Block],
    *,
    is_plain: bool = False,
) -> Iterator[ReadDocument | Problem]:
    """The documents of a file: one, and one more for each further text with articles of its own."""
    texts = list(_texts(list(blocks)))
    if title is None and len(texts) > 1:
        title = next((name for block in texts[0][1][:1] if (name := _bare(block))), None)
    first = document_of(source, given, title, body, is_plain=is_plain)
    titles = [first.title, *(own for own, _ in texts[1:])]
    common = {name: value for name, value in given.items() if name.casefold() in _COMMON}
    for number, (own, blocks) in enumerate(texts):
        document = first
        if number:
            sample = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))[:_SAMPLE]
            document = replace(
                document_of(source, common, own, sample), id=f"{first.id}~{number + 1}", title=own
            )
        if len(texts) > 1:
            document = replace(
                document, aliases=tuple(filter(None, (*document.aliases, *_short_names(number, titles))))
            )
        read = Assembler(document).assemble(without_title(blocks, document.title))
        yield read if read.passages else Problem(source.name, "the file has no text", id=document.id)


def _short_names(number: int, titles: Sequence[str]) -> Iterator[str]:
    """What a title is called for short among those of one file: "Protocol" of "Protocol on Tolls", and what
    follows the words that all of them begin with."""
    kinds = [" ".join(takewhile(lambda word: not word[:1].islower(), title.split())) for title in titles]
    if kinds.count(kinds[number]) == 1:
        yield kinds[number]
    title = titles[number]
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*titles, strict=False)))
    yield title[title[:shared].rfind(" ") + 1 if " " in title else shared :]


def _texts(blocks: list[Block]) -> Iterator[tuple[str, list[Block]]]:
    """The texts of a file, with the title of each but the first. Explanations are a part of their text."""
    title, begun, counted, last, attached = "", 0, list[int](), 0, 99
    place = 0
    while place < len(blocks):
        block = blocks[place]
        value = _value(block) if isinstance(block, HeadingBlock) else None
        if isinstance(block, HeadingBlock) and block.level <= attached:
            attached = block.level if block.heading.kind in ATTACHED else 99
        if isinstance(block, HeadingBlock) and EXPLANATION.match(block.heading.title):
            attached = -1
        if value is not None and attached == 99:
            found = None
            if value == 1 and len(set(counted)) >= _FEWEST and 1 in counted and _goes_on(blocks, place):
                found = _title_above(blocks, last, place)
            if found is not None:
                above, name = found
                if EXPLANATION.match(name):
                    blocks[above] = HeadingBlock(0, parse_heading(name))
                    place = above
                    continue
                yield title, blocks[begun:above]
                title, begun, counted = name, above + 1, []
            # A table of contents has titles alone.
            counted += [value] if _has_text(blocks, place) else []
            last = place
        place += 1
    yield title, blocks[begun:]


def _value(block: HeadingBlock) -> int | None:
    """The number of an article, or of a section with the sign of one."""
    heading = block.heading
    is_counted = heading.kind is SectionKind.ARTICLE or heading.label.startswith("§")
    match = re.match(r"\d+", heading.number or "") if is_counted else None
    return int(match[0]) if match else None


def _has_text(blocks: Sequence[Block], place: int) -> bool:
    return any(isinstance(block, TextBlock) for block in blocks[place + 1 : place + 2])


def _goes_on(blocks: Sequence[Block], place: int) -> bool:
    """Whether a provision has text, and the next one has the next number."""
    values = (_value(block) for block in blocks[place + 1 :] if isinstance(block, HeadingBlock))
    return _has_text(blocks, place) and next(filter(None, values), None) == 2


def _title_above(blocks: list[Block], last: int, place: int) -> tuple[int, str] | None:
    """The index and the words of the title between the provision at ``last`` and the one at ``place``; the
    lines of the paragraph that contains it become blocks of their own."""
    between = range(last + 1, place)
    if not any(isinstance(blocks[index], TextBlock) for index in between):
        return None
    for index in between:
        block = blocks[index]
        if isinstance(block, HeadingBlock) and (
            block.heading.kind in ATTACHED or EXPLANATION.match(block.heading.title)
        ):
            return None
        if isinstance(block, TextBlock) and EXPLANATION.match(_bare(block)):
            return index, _bare(block)
    for index in reversed(between):
        block = blocks[index]
        if isinstance(block, HeadingBlock):
            if _bare(block):
                return index, block.heading.title
            continue
        text, _, line = block.text.rpartition("\n")
        if _bare(replace(block, text=line)) and (text or index > last + 1):
            if text:
                blocks[index : index + 1] = [replace(block, text=text), replace(block, text=line)]
            return index + bool(text), line.strip()
    return None


def _bare(block: Block) -> str:
    """The words of a block that is a title; empty if it is none."""
    if isinstance(block, HeadingBlock):
        plain = block.heading.kind is SectionKind.HEADING and block.heading.number is None
        return block.heading.title if plain else ""
    text = " ".join(block.text.split())
    return text if is_bare_heading(text) and text[:1].isalpha() else ""

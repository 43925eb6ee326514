"""Read plain text with legal headings, front matter, and files with several texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from engine import bounded
from engine.corpus.contents import is_bare_heading
from engine.errors import YamlError
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.fields import DayKind, day_kind
from engine.ingestion.readers.formats import decode_text, looks_like_text
from engine.ingestion.readers.identity import make_document
from engine.ingestion.readers.lines import blocks_of, remove_page_furniture
from engine.ingestion.structure.assembly import Assembler, Block, HeadingBlock, TextBlock, drop_title
from engine.ingestion.structure.headings import EXPLANATION, parse_heading
from engine.language.addresses import ATTACHED, CONTAINERS, PROVISIONS
from engine.model import SectionKind

# Front matter: YAML at the start of a file

__all__ = ["FrontMatter", "make_document", "split_front_matter", "stated_id"]


_ID = re.compile(rb"^(?:id|slug)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_HAS_DAY = re.compile(
    rb"(?<!\d)(?:(?:1[5-9]|20|21)\d\d[-./]?[01]\d[-./]?[0-3]\d|[0-3]?\d[-./][01]?\d[-./]\d{4})(?!\d)"
)
_FENCE = re.compile(r"---[ \t]*\r?\n(.*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields at the start of a file; ``rest``: start of the text; ``problem``: an error in the fields,
    or None."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    rest: int = 0
    problem: str | None = None


def split_front_matter(text: str) -> FrontMatter:
    """Parse the YAML between two lines of dashes at the start of a text."""
    match = _FENCE.match(text)
    if match is None:
        return FrontMatter()
    try:
        content = bounded.load_yaml(match[1] or "")
    except YamlError as error:
        return FrontMatter(rest=match.end(), problem=f"front matter: {error}")
    if content is None:
        return FrontMatter(rest=match.end())
    if not isinstance(content, dict):
        return FrontMatter(rest=match.end(), problem="front matter: not a list of fields")
    return FrontMatter({str(name): value for name, value in content.items()}, match.end())


def stated_id(head: bytes, name: str) -> str | None:
    """Return the id in front matter, from the first bytes of a file.

    None if there is no id, or if neither front matter nor file name has a date: then two files with one id
    are duplicates.
    """
    if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    front, fence, _ = head.partition(b"\n---")
    match = _ID.search(front) if fence and _HAS_DAY.search(front + b"\n" + name.encode()) else None
    return match[1].decode("utf-8", "replace").strip("\"' ") if match else None


# Files with several texts in sequence, each with provisions numbered from 1

_SAMPLE = 20_000
# Metadata common to the texts of a file, besides their days.
_COMMON = ("language", "issuer", "status")
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
    """Yield the documents of a file: one, and another for each further text with its own articles."""
    texts = list(_texts(_without_contents(list(blocks))))
    if title is None and len(texts) > 1:
        title = next((name for block in texts[0][1][:1] if (name := _bare(block))), None)
    first = make_document(source, given, title, body, is_plain=is_plain)
    titles = [first.title, *(own for own, _ in texts[1:])]
    unknown = (DayKind.UNKNOWN, DayKind.FILE)
    common = {
        name: value
        for name, value in given.items()
        if name.casefold() in _COMMON or day_kind(name) not in unknown
    }
    for number, (own, blocks) in enumerate(texts):
        document = first
        if number:
            sample = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))[:_SAMPLE]
            document = replace(
                make_document(source, common, own, sample), id=f"{first.id}~{number + 1}", title=own
            )
        if len(texts) > 1:
            document = replace(
                document, aliases=tuple(filter(None, (*document.aliases, *_short_names(number, titles))))
            )
        read = Assembler(document).assemble(drop_title(blocks, document.title))
        yield read if read.passages else Problem(source.name, "the file has no text", id=document.id)


def _without_contents(blocks: list[Block]) -> list[Block]:
    """Remove a table of contents: headings of provisions without text that all occur again with text."""
    with_text = {
        _shown(block): place
        for place, block in enumerate(blocks)
        if isinstance(block, HeadingBlock) and _has_text(blocks, place)
    }
    start, last, listed = 0, 0, 0
    for place, block in enumerate(blocks):
        repeated = isinstance(block, HeadingBlock) and (
            with_text.get(_shown(block), -1) > place or block.heading.kind in CONTAINERS
        )
        if not repeated or _has_text(blocks, place):
            if listed > 1:
                return [*blocks[:start], *blocks[last + 1 :]]
            start, listed = place + 1, 0
        elif isinstance(block, HeadingBlock) and block.heading.kind in PROVISIONS and block.heading.number:
            last, listed = place, listed + 1
    return blocks


def _shown(block: HeadingBlock) -> tuple[SectionKind, str | None, str]:
    return block.heading.kind, block.heading.number, block.heading.title.casefold()


def _short_names(number: int, titles: Sequence[str]) -> Iterator[str]:
    """Yield short names of a title among those of one file: "Protocol" for "Protocol on Tolls", and the words
    after a common beginning."""
    kinds = [" ".join(takewhile(lambda word: not word[:1].islower(), title.split())) for title in titles]
    if kinds.count(kinds[number]) == 1:
        yield kinds[number]
    title = titles[number]
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*titles, strict=False)))
    yield title[title[:shared].rfind(" ") + 1 if " " in title else shared :]


def _texts(blocks: list[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Yield the texts of a file, with titles except for the first. Explanations are part of their text."""
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
            # A table of contents has only titles.
            counted += [value] if _has_text(blocks, place) else []
            last = place
        place += 1
    yield title, blocks[begun:]


def _value(block: HeadingBlock) -> int | None:
    """Return the number of an article, or of a section with a section sign; or None."""
    heading = block.heading
    is_counted = heading.kind is SectionKind.ARTICLE or heading.label.startswith("§")
    match = re.match(r"\d+", heading.number or "") if is_counted else None
    return int(match[0]) if match else None


def _has_text(blocks: Sequence[Block], place: int) -> bool:
    return any(isinstance(block, TextBlock) for block in blocks[place + 1 : place + 2])


def _goes_on(blocks: Sequence[Block], place: int) -> bool:
    """Return True if a provision has text and the next one has the next number."""
    values = (_value(block) for block in blocks[place + 1 :] if isinstance(block, HeadingBlock))
    return _has_text(blocks, place) and next(filter(None, values), None) == 2


def _title_above(blocks: list[Block], last: int, place: int) -> tuple[int, str] | None:
    """Return the index and words of the title between the provisions at ``last`` and ``place``, or None.

    The lines of its paragraph become separate blocks.
    """
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
        if parse_heading(line.strip()).kind in ATTACHED:
            return None
        if _bare(replace(block, text=line)) and (text or index > last + 1):
            if text:
                blocks[index : index + 1] = [replace(block, text=text), replace(block, text=line)]
            return index + bool(text), line.strip()
    return None


def _bare(block: Block) -> str:
    """Return the words of a block that may be a title; empty if it is not."""
    if isinstance(block, HeadingBlock):
        plain = block.heading.kind is SectionKind.HEADING and block.heading.number is None
        return block.heading.title if plain else ""
    text = " ".join(block.text.split())
    return text if is_bare_heading(text) and text[:1].isalpha() else ""


# Plain text with headings on their own lines, and any text without another reader

SUFFIXES = (".txt", ".text", ".asc")
_MARKUP = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|!--|[A-Za-z][\w.:-]*[\s>])", re.IGNORECASE)


class TextReader:
    """Reads text: one document per file, or several texts."""

    name = "plain text"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept text without markup: unknown XML would be read with its tags as words."""
        if not looks_like_text(head):
            return False
        return path.suffix.lower() in SUFFIXES or not _MARKUP.match(head)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the document; its title defaults to the file's name."""
        text, problem, line = decode_text(source.content())
        if problem:
            yield Problem(source.name, problem, line)
        front = split_front_matter(text)
        if front.problem:
            yield Problem(source.name, front.problem, 1)
        body = remove_page_furniture(text[front.rest :])
        blocks = blocks_of(body.split("\n"), unwrap=False)
        yield from read_documents(source, front.fields, None, body, blocks, is_plain=True)

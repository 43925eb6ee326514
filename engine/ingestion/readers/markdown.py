"""Read Markdown with legal headings, and texts in fields of records."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.fields import is_known_field
from engine.ingestion.readers.formats import decode_text, looks_like_text
from engine.ingestion.readers.html.blocks import blocks_of_page
from engine.ingestion.readers.html.parsing import BrokenHtmlError, find_content, parse_page
from engine.ingestion.readers.lines import blocks_of, join_lines
from engine.ingestion.readers.text import read_documents, split_front_matter
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import parse_heading
from engine.language.addresses import PROVISIONS

# Markdown with legal headings, with or without front matter
#
# Headings may end with attributes as in pandoc: ``{valid_from=2019-01-01 valid_to=2023-12-31}``. Blocks
# follow CommonMark, so ``#`` in a fenced block is not a heading. The text of a block is unchanged except for
# emphasis, comments and line breaks within paragraphs.

SUFFIXES = (".md", ".markdown")

# An underlined line is a heading in CommonMark; in laws it is a line above a rule or a table.
_PARSER = MarkdownIt("commonmark").disable("lheading")
_ATTRIBUTES = re.compile(r"\s*\{([^{}]*)\}\s*\Z")
_ATTRIBUTE = re.compile(r"([\w-]+)=(\"[^\"]*\"|\S+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
# "8*a*": an italic letter of a number. Other single stars may belong to the text: "R*121-16".
_ITALIC_LETTER = re.compile(r"(?<=\d)([*_])([a-z]{1,7})\1(?!\w)")
# Inline tags: their content is text, except for the sign of a note.
_INLINE_TAG = re.compile(
    r"</?(?:sup|sub|b|i|em|strong|u|s|small|span|font|br)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_NOTE_SIGN = re.compile(r"\[\^[\w-]{1,20}\](?!:)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(<?[^()\s]*>?(?:\s+\"[^\"]*\")?\)")
# "Fundstelle", a line, ":   BGBl I: 2006, 1897": a definition, unwrapped.
_DEFINITION = re.compile(r"([^\n:]{2,60}?) :\s{2,}(.+)\Z", re.DOTALL)
# "**Ikraftträdande:** 2022-07-01": a field in a list of such fields.
_FIELD = re.compile(r"\s*(?:[-*+]\s+)?\*\*([^*:\n]{2,40}?)\s*(?::\*\*|\*\*\s*:)\s*(\S[^\n]{0,300}?)\s*\\?\Z")


class MarkdownReader:
    """Reads ``.md``: one file, one document."""

    name = "Markdown"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept text files with a Markdown suffix."""
        return path.suffix.lower() in SUFFIXES and looks_like_text(head)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Read the document of a file; the title defaults to its first heading of level 1."""
        text, problem, line = decode_text(source.content())
        if problem:
            yield Problem(source.name, problem, line)
        front = split_front_matter(text)
        if front.problem:
            yield Problem(source.name, front.problem, 1)
        body = text[front.rest :]
        title, head, blocks = markdown_blocks(body)
        defined, blocks = _split_fields(blocks)
        head |= defined
        yield from read_documents(source, {**head, **front.fields}, title, body, blocks, is_plain=True)


def markdown_blocks(body: str) -> tuple[str | None, dict[str, str], list[Block]]:
    """Return the first heading of level 1, the fields before all other headings, and all other blocks in
    order."""
    lines = body.split("\n")
    tokens = _PARSER.parse(body)
    # If no heading is a provision, provisions may be in the text without markup.
    marked = any(parse_heading(_without_attributes(text)).kind in PROVISIONS for _, text in _headings(tokens))
    title: str | None = None
    head: dict[str, str] = {}
    blocks: list[Block] = []
    for place, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        if token.type == "heading_open":
            text, level = tokens[place + 1].content, int(token.tag[1:])
            if level == 1 and title is None:
                title = _inline(_without_attributes(text))
            else:
                blocks.append(_heading(text, level))
        elif token.type not in ("hr", "html_block"):
            own = lines[slice(*token.map)]
            above = not any(isinstance(block, HeadingBlock) for block in blocks)
            if above and (listed := _listed(own)) is not None:
                head |= listed
            else:
                blocks.extend(_text(own, token, marked=marked))
    return title, head, blocks


def _listed(lines: Sequence[str]) -> dict[str, str] | None:
    """Return the fields of a paragraph or list; None unless all lines are fields and a name is known."""
    matches = [_FIELD.match(line) for line in lines if line.strip()]
    listed = {_inline(match[1]): _inline(match[2]) for match in matches if match is not None}
    if not matches or None in matches or not any(map(is_known_field, listed)):
        return None
    return listed


def _split_fields(blocks: Sequence[Block]) -> tuple[dict[str, str], list[Block]]:
    """Split definitions before the first heading from the blocks; return them as fields, and the other
    blocks."""
    stated: dict[str, str] = {}
    other_blocks: list[Block] = []
    for place, block in enumerate(blocks):
        if isinstance(block, HeadingBlock):
            other_blocks.extend(blocks[place:])
            break
        match = _DEFINITION.match(block.text)
        if match is None:
            other_blocks.append(block)
        else:
            name, value = match[1].strip(), match[2].strip()
            stated[name] = f"{stated[name]}; {value}" if name in stated else value
    return stated, other_blocks


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            yield int(token.tag[1:]), tokens[place + 1].content


def _heading(text: str, level: int) -> HeadingBlock:
    match = _ATTRIBUTES.search(text)
    attributes = {name: value.strip('"') for name, value in _ATTRIBUTE.findall(match[1])} if match else {}
    return HeadingBlock(
        level,
        parse_heading(_inline(_without_attributes(text))),
        valid_from=fields.day_of(attributes.get("valid_from")),
        valid_to=fields.day_of(attributes.get("valid_to")),
        status=fields.status_of(attributes.get("status")),
    )


def _without_attributes(text: str) -> str:
    return _ATTRIBUTES.sub("", text)


def _text(lines: Sequence[str], token: Token, *, marked: bool) -> Iterator[Block]:
    """Yield the paragraphs of a block as in the source."""
    fenced = token.type == "fence"
    if fenced:
        lines = token.content.split("\n")
    source = textwrap.dedent("\n".join(lines)) if token.type != "paragraph_open" else "\n".join(lines)
    plain = _inline(_COMMENT.sub(" ", source))
    if not marked:
        yield from blocks_of(plain.split("\n"), unwrap=True, base=6)
        return
    for paragraph in re.split(r"\n[ \t]*\n", plain):
        if paragraph.strip():
            yield TextBlock(join_lines(paragraph.strip("\n").split("\n"), unwrap=not fenced))


def _inline(text: str) -> str:
    """Remove marks of emphasis and link addresses."""
    plain = _INLINE_TAG.sub("", _NOTE_SIGN.sub("", _LINK.sub(r"\1", text)))
    return _ITALIC_LETTER.sub(r"\2", _EMPHASIS.sub(r"\2", plain))


# Texts in fields of records, read like files

_MARKDOWN = re.compile(r"^#{1,6} \S", re.MULTILINE)
_HTML = re.compile(r"\s*<(?:!doctype|html|body|div|p|h[1-6]|article|section|table)\b[^>]*>", re.IGNORECASE)


def blocks_of_field(text: str) -> tuple[str | None, list[Block]]:
    """Return the title (or None) and the blocks of a text in HTML, Markdown or without markup."""
    if _HTML.match(text):
        try:
            return None, blocks_of_page(find_content(parse_page(text.encode("utf-8", "replace")).root))
        except BrokenHtmlError:
            pass
    if _MARKDOWN.search(text):
        title, _, blocks = markdown_blocks(text)
        return title, blocks
    return None, list(blocks_of(text.split("\n"), unwrap=False))

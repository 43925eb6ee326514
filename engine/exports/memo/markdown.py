"""A memo as Markdown: headings, quotes, footnotes and tables; texts of sources are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.exports.memo.content import OWN, Finding, Memo, Note, Words
from engine.exports.memo.outline import (
    Block,
    Bullets,
    FactList,
    Heading,
    Paragraph,
    Sources,
    Table,
    above_words,
    note_words,
    outline,
)
from engine.language.characters import attribute, markdown, pieces, right_to_left

# Further markup of some renderers: addresses, superscripts, highlights, mentions.
_MORE = re.compile(r"(?<=:)//|(?<=\bwww)\.|[@^=]", re.IGNORECASE)
# Numbers and times, which need no escapes inside a line.
_NUMBERS = re.compile(r"[\d ,:-]+")


def literal(text: str) -> str:
    """Return a text on one line, escaped so that every renderer shows it literally."""
    return _MORE.sub(lambda match: "\\" + match[0], markdown(text))


def memo_markdown(memo: Memo) -> str:
    """Return the memo, ending with a newline."""
    return "\n".join(_lines(memo)) + "\n"


def _lines(memo: Memo) -> Iterator[str]:
    yield from (f"# {_set(Words(memo.title, memo.question.language))}", "")
    for block in outline(memo, memo.status):
        yield from _written(block)
    yield from (_note(note) for note in memo.findings.notes)


def _written(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield from (f"{'#' * (level + 1)} {literal(text)}", "")
        case Paragraph(words, "warning"):
            yield f"> **{literal(words.text)}**\n"
        case Paragraph(words, "lead"):
            yield f"*{literal(words.text)}*\n"
        case Paragraph(words, "source"):
            yield from (*_block(words), "")
        case Paragraph(words):
            yield f"{literal(words.text)}\n"
        case Bullets(lines):
            yield from (*(f"- {_set(Words(line))}" for line in lines), "")
        case Sources(sources):
            for source in sources:
                yield f"- **{_set(source.name)}**"
                yield from (f"  - {_set(Words(sentence))}" for sentence in source.trails)
            yield ""
        case Table(heads, rows):
            yield from _table(heads, rows)
        case FactList(facts, None):
            yield from (*(f"- {literal(name)}: {literal(value)}" for name, value in facts), "")
        case FactList(facts, heads):
            yield from _table(heads or (), [(Words(name), Words(value, "und")) for name, value in facts])
        case Finding():
            yield from (*_finding(block), "")


def _finding(finding: Finding) -> Iterator[str]:
    behind = "".join(f"[^{number}]" for number in finding.notes)
    if finding.doubts:
        behind += f" ({literal('; '.join(finding.doubts))})"
    if not finding.own:
        yield f"- {_set(finding.words)}{behind}"
        return
    yield from _block(finding.words, behind, quoted=True)


def _block(words: Words, behind: str = "", *, quoted: bool = False) -> Iterator[str]:
    """Yield the lines of a source in their direction."""
    lines = [literal(line) for line in words.text.splitlines() if line.strip()] or [""]
    lines[-1] += behind
    sign = "> " if quoted else ""
    turned = right_to_left(words.text)
    if turned:
        yield from (f'<div dir="rtl"{_lang(words.language)}>', "")
    yield from (f"{sign}{line}\\" for line in lines[:-1])
    yield f"{sign}{lines[-1]}"
    if turned:
        yield from ("", "</div>")


def _set(words: Words) -> str:
    """Return words on a line in their direction; in the memo's own sentences each piece has its own."""
    if words.language != OWN and right_to_left(words.text):
        return _turned(words.text, words.language)
    parts = list(pieces(" ".join(words.text.split())))
    if not any(turned for _, turned in parts):
        return literal(words.text)
    return "".join(_turned(part, "und") if turned else _between(part) for part, turned in parts)


def _turned(text: str, language: str) -> str:
    return f'<span dir="rtl"{_lang(language)}>{literal(text)}</span>'


def _between(text: str) -> str:
    """Return a piece of a line with the blanks around it."""
    return " " * text.startswith(" ") + literal(text) + " " * (text.endswith(" ") and bool(text.strip()))


def _lang(language: str) -> str:
    return "" if language == "und" else f' lang="{attribute(language)}"'


def _table(heads: Sequence[str], rows: Iterable[Sequence[Words | tuple[Words, ...]]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        cells = (cell if isinstance(cell, tuple) else (cell,) for cell in row)
        yield f"| {' | '.join(' '.join(filter(None, map(_strong, cell))) for cell in cells)} |"
    yield ""


def _strong(words: Words) -> str:
    if _NUMBERS.fullmatch(words.text):
        return words.text
    return f"**{literal(words.text)}**" if words.strong else _set(words)


def _note(note: Note) -> str:
    above = f" {literal(above_words(note))}" if note.above is not None else ""
    parts = [f"{_set(Words(note.cited, note.language))}{above}.", *map(_strong, note_words(note))]
    return f"[^{note.number}]: {' '.join(parts)}"

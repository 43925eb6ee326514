"""The outline of a memo: its sections as blocks, which each form writes in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from engine.answers.audit.claims import NOTES
from engine.exports.memo.content import OWN, Check, Facts, Finding, Findings, Memo, Note, Source, Words
from engine.language.characters import attribute, markdown, pieces, right_to_left, shortened
from engine.records.phrases import plural

APPENDIX = "Ranked passages"
# Most characters of a quote in a footnote, and of a text in the table of passages.
LONGEST_QUOTED, LONGEST_CELL = 400, 220


# ``source`` keeps the lines and the direction of a text by others.
Style = Literal["plain", "lead", "more", "warning", "source"]


class Heading(NamedTuple):
    """A heading, of level 1 for a section."""

    text: str
    level: int = 1


class Paragraph(NamedTuple):
    """A paragraph."""

    words: Words
    style: Style = "plain"


class Bullets(NamedTuple):
    """A list."""

    lines: Sequence[str]


class Sources(NamedTuple):
    """Sources with their trails."""

    sources: Sequence[Source]


class Table(NamedTuple):
    """A table: a cell is words, or several joined in one; ``widths`` are in millimetres. A form of paper cuts
    texts longer than ``longest``, 0 for no limit."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Words | tuple[Words, ...]]]
    widths: Sequence[float]
    longest: int = 0


class FactList(NamedTuple):
    """Names with values; ``heads``: a form without labelled tables writes a table, else a list."""

    facts: Facts
    heads: tuple[str, str] | None = None


Block = Heading | Paragraph | Bullets | Sources | Table | FactList | Finding


def outline(memo: Memo, status: str) -> Iterator[Block]:
    """Yield the blocks of a memo behind its title; ``status`` is the evidence status in its heading."""
    for warning in memo.warnings:
        yield Paragraph(Words(warning), "warning")
    yield Heading("Question")
    yield Paragraph(memo.question, "source")
    yield Heading(f"Evidence: {status}")
    for number, sentence in enumerate(memo.evidence):
        yield Paragraph(Words(sentence), "more" if number else "plain")
    yield from _findings(memo.findings)
    if memo.remarks:
        yield Heading(NOTES)
        yield Paragraph(Words(memo.remarks, "und"), "source")
    if memo.sources:
        yield Heading("How the sources were found")
        yield Sources(memo.sources)
    yield Heading("What was not found")
    for found in memo.lacking:
        yield Heading(found.title, 2)
        yield Bullets((*found.lines, more_words(found.more)) if found.more else found.lines)
    if not memo.lacking:
        yield Paragraph(Words("Nothing is known to be missing."))
    if memo.areas:
        yield Heading("Coverage")
        areas = [(Words(one.name, "und"), Words(one.state), Words(one.words)) for one in memo.areas]
        yield Table(("Area", "State", "Evidence"), areas, (70, 25, 65))
    yield from _passages(memo)
    yield from _log(memo)
    yield Heading("Settings and origin")
    yield Paragraph(Words(settings_line(memo)))
    if memo.settings:
        changes = [tuple(Words(value, "und") for value in row) for row in memo.settings]
        yield Table(("Setting", "Here", "In the preset"), changes, (52, 54, 54))
    yield FactList(memo.facts, ("What", "Value"))
    for claim in memo.claims:
        yield Paragraph(Words(claim), "lead")


def _findings(found: Findings) -> Iterator[Block]:
    yield Heading("Findings")
    for sentence in found.lead:
        yield Paragraph(Words(sentence), "lead")
    area = ""
    for finding in found.findings:
        if finding.area and finding.area != area:
            yield Heading(finding.area, 2)
        area = finding.area
        yield finding
    for title, others in (("Limits and contradictions", found.limits), ("To read", found.to_read)):
        if others:
            yield Heading(title, 2)
            yield from others


def _passages(memo: Memo) -> Iterator[Block]:
    if not memo.rows:
        return
    yield Heading(APPENDIX)
    rows = [
        (
            Words(str(row.rank)),
            (row.title, Words(row.where)),
            Words(row.validity, strong=row.old),
            Words(row.trail),
            Words(", ".join(map(str, row.notes))),
        )
        for row in memo.rows
    ]
    heads = ("Rank", "Passage", "Force", "How it was found", "Note")
    yield Table(heads, rows, (10, 60, 22, 56, 12), LONGEST_CELL)
    parts = []
    if memo.more_rows:
        parts.append(f"{plural(memo.more_rows, 'further ranked passage')} not in this table")
    if memo.unranked > 0:
        parts.append(f"{plural(memo.unranked, 'passage')} of the pool not ranked")
    if parts:
        yield Paragraph(Words(f"{' and '.join(parts)}: they are in the record of the case."), "more")


def _log(memo: Memo) -> Iterator[Block]:
    yield Heading("Verification log")
    yield Heading("What the engine checked", 2)
    yield Bullets(memo.checks)
    if memo.steps:
        yield Heading("What users and the engine did", 2)
        steps = [(Words(one.at), Words(one.who, "und"), Words(one.words)) for one in memo.steps]
        yield Table(("UTC", "Who", "What"), steps, (34, 30, 96))
        if memo.more_steps:
            yield Paragraph(Words(more_words(memo.more_steps)), "more")
    yield Heading("Seals", 2)
    yield FactList(memo.seals)


def note_words(note: Note) -> Iterator[Words]:
    """Yield the sentences of a footnote after its citation; warnings are strong."""
    if note.old:
        yield Words(f"Not in force: {note.validity}.", strong=True)
    if note.quote:
        yield Words(f"“{one_line(note.quote)}”", note.language)
    yield Words(note.check.value, strong=note.check not in (Check.SAME, Check.NOW, Check.UNCHECKED))
    if note.now:
        yield Words("The corpus now:")
        yield Words(f"“{one_line(note.now)}”", note.language)


def above_words(note: Note) -> str:
    """Return the reference to the full citation after a short one."""
    return "" if note.above is None else f"(in full in footnote {note.above})"


def more_words(count: int) -> str:
    """Return how many items are not shown."""
    return f"and {count:,} more"


def settings_line(memo: Memo) -> str:
    """Return the preset, and whether it was changed."""
    named = f"Preset “{memo.preset}”"
    return f"{named}; changed:" if memo.settings else f"{named}, nothing changed."


def one_line(text: str, most: int = LONGEST_QUOTED) -> str:
    """Return a text in one line, cut after a word if it is long."""
    return shortened(" ".join(text.split()), most)


# A memo as Markdown: headings, quotes, footnotes and tables; texts of sources are escaped.

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

"""The outline of a memo: its sections as blocks, which each form writes in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from engine.answers.audit.claims import NOTES
from engine.exports.memo.content import Check, Facts, Finding, Findings, Memo, Note, Source, Words
from engine.language.characters import shortened
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

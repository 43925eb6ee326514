"""Notes at the foot of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from engine.ingestion.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.headings import Heading
from engine.ingestion.readers.pdf.hyphens import Vocabulary
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.readers.pdf.paragraphs import Setting, paragraph_of
from engine.language.characters import note_calls, western_digits, without_note_call
from engine.model import SectionKind

# A note is set in type as much smaller than the text's, its lines at most so many heights apart.
_SMALLER, _STEP = 0.95, 2.5
_LABEL = re.compile(r"[(\[]?(?P<number>\d{1,3})[)\]]?\.?\s+(?=\S)")


def without_notes(lines: Sequence[Line], setting: Setting) -> tuple[list[Line], list[list[Line]]]:
    """The lines of the text, without the calls of notes that were found, and the lines of each note.

    A note begins with a number that its page calls.
    """
    text: list[Line] = []
    notes: list[list[Line]] = []
    for _, group in groupby(lines, key=lambda line: line.page):
        page = list(group)
        called = Counter(number for line in page for number in note_calls(line.text))
        found: list[list[Line]] = []
        kept: list[Line] = []
        last: Line | None = None
        latest = 0
        for line in page if called else ():
            small = line.height < _SMALLER * setting.height and not line.cells
            label = _LABEL.match(line.text) if small else None
            goes_on = small and last is not None and abs(last.middle - line.middle) < _STEP * line.height
            number = western_digits(label["number"]) if label is not None else ""
            if label is not None and called[number] and int(number) > latest:
                latest = int(number)
                found.append([replace(line, text=f"[{number}] {line.text[label.end() :]}")])
            elif goes_on:
                found[-1].append(line)
            else:
                kept.append(line)
            last = None if kept and kept[-1] is line else line
        for number in (note[0].text[1:].split("]")[0] for note in found):
            if called[number] == 1:
                kept = [replace(line, text=without_note_call(line.text, number)) for line in kept]
        text += kept if called else page
        notes += found
    return text, notes


def blocks_of_notes(notes: Sequence[Sequence[Line]], vocabulary: Vocabulary) -> Iterator[Block]:
    """The notes of a document as a part of its own, behind its text."""
    if notes:
        yield HeadingBlock(0, Heading(SectionKind.HEADING, None, "Notes", "", "notes"))
    for note in notes:
        yield TextBlock(paragraph_of(note, vocabulary), page=note[0].page)

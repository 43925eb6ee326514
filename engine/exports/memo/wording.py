"""What the memo says in both of its forms."""

from __future__ import annotations

from collections.abc import Iterator

from engine.exports.checking import Check
from engine.exports.memo.content import Memo, Note, Words
from engine.language.characters import shortened
from engine.records.wording import plural

APPENDIX = "Ranked passages"
# Letters of a quote in a footnote.
LONGEST_QUOTED = 400


def note_words(note: Note) -> Iterator[tuple[Words, bool]]:
    """What a footnote says behind its citation, in sentences, each with whether it must not be missed."""
    if note.old:
        yield Words(f"Not in force: {note.validity}."), True
    if note.quote:
        yield Words(f"“{one_line(note.quote)}”", note.language), False
    yield Words(note.check.value), note.check not in (Check.SAME, Check.NOW, Check.UNCHECKED)
    if note.now:
        yield Words("The corpus now:"), False
        yield Words(f"“{one_line(note.now)}”", note.language), False


def above_words(note: Note) -> str:
    """Where the citation stands in full, behind a short one."""
    return "" if note.above is None else f"(in full in footnote {note.above})"


def more_words(count: int) -> str:
    """That there is more than is shown."""
    return f"and {count:,} more"


def rest_words(memo: Memo) -> str:
    """What of the ranking and of the pool is not in the table; empty where all is."""
    told = []
    if memo.more_rows:
        told.append(f"{plural(memo.more_rows, 'further ranked passage')} not in this table")
    if memo.unranked > 0:
        told.append(f"{plural(memo.unranked, 'passage')} of the pool not ranked")
    return f"{' and '.join(told)}: they are in the record of the case." if told else ""


def settings_line(memo: Memo) -> str:
    """The preset, and whether anything of it was changed."""
    named = f"Preset “{memo.preset}”"
    return f"{named}; changed:" if memo.settings else f"{named}, nothing changed."


def one_line(text: str, most: int = LONGEST_QUOTED) -> str:
    """Return a text in one line, cut after a word if it is long."""
    return shortened(" ".join(text.split()), most)

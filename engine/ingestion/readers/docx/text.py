"""The text of a Word paragraph as a reader of the final version sees it.

Tracked insertions are in, deletions out (the document as if all changes were accepted); comments, hidden
text and field codes are out. A foot- or endnote is "¹" where it is called, and a text of its own behind the
paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine.ingestion.readers.docx.package import Element, W
from engine.ingestion.readers.docx.styles import value_of
from engine.language.characters import raised

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

CHECKED, UNCHECKED = "☒", "☐"
# Deleted or moved away, properties, and what stands for a drawing where it cannot be drawn.
_LEFT_OUT = frozenset(
    {
        *(f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "instrText", "delText", "sdtPr", "tbl")),
        *(f"{W}{name}" for name in ("commentReference", "annotationRef", "sectPr", "rt", "delInstrText")),
        f"{_MC}Fallback",
        f"{_M}ctrlPr",
    }
)
_AS_TEXT = {
    f"{W}tab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
    f"{W}ptab": "\t",
}
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
_PARAGRAPH, _BOX = f"{W}p", f"{W}txbxContent"
_FORM_BOX, _CONTENT_BOX = f"{W}checkBox", f"{_W14}checkbox"
_SYMBOLS = {"f0fe": CHECKED, "f0fd": CHECKED, "f0a8": UNCHECKED, "f06f": UNCHECKED, "f0b7": "•", "f0d8": "•"}


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """The words of a paragraph, the notes they call, the text boxes hung on it, and page breaks in it.

    ``breaks_before``: how many of its page breaks stand in front of its first word.
    """

    text: str
    notes: tuple[str, ...] = ()
    boxes: tuple[Element, ...] = ()
    breaks: int = 0
    breaks_before: int = 0


class Notes:
    """The foot- and endnotes of a file, numbered in the order in which the text calls them."""

    def __init__(self, parts: dict[str, Element]) -> None:
        self._notes: dict[tuple[str, str], Element] = {}
        self._called: dict[tuple[str, str], int] = {}
        for kind, part in parts.items():
            for note in part:
                # Separators are notes of a type of their own.
                if isinstance(note.tag, str) and note.get(f"{W}type") in (None, "normal"):
                    self._notes[(kind, note.get(f"{W}id") or "")] = note

    def call(self, kind: str, note_id: str) -> tuple[int, str] | None:
        """The number of a note, and its text the first time; None where the file has no such note."""
        key = (kind, note_id)
        note = self._notes.get(key)
        if note is None:
            return None
        if key in self._called:
            return self._called[key], ""
        self._called[key] = len(self._called) + 1
        words = [paragraph_text(paragraph, None).text for paragraph in note.iter(_PARAGRAPH)]
        return self._called[key], " ".join(" ".join(words).split())


@dataclass(slots=True)
class _Gathered:
    notes_of: Notes | None
    pieces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    breaks: int = 0
    breaks_before: int = 0
    has_words: bool = False


def paragraph_text(paragraph: Element, notes: Notes | None) -> ParagraphText:
    """The text of a paragraph; without ``notes`` their calls are left out."""
    gathered = _Gathered(notes)
    _gather(paragraph, gathered)
    lines = "".join(gathered.pieces).split("\n")
    text = "\n".join(" ".join(line.replace("\u00ad", "").split(" ")).strip() for line in lines).strip()
    return ParagraphText(
        text, tuple(gathered.notes), tuple(gathered.boxes), gathered.breaks, gathered.breaks_before
    )


def _gather(element: Element, into: _Gathered) -> None:
    # A stack of its own: a file may nest deeper than Python calls.
    waiting: list[Iterator[Element]] = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT and not _is_hidden(child):
            if (take := _TAKERS.get(child.tag)) is not None:
                take(child, into)
            else:
                waiting.append(iter(child))


def _is_hidden(element: Element) -> bool:
    properties = element.find(f"{W}rPr") if element.tag == f"{W}r" else None
    vanish = properties.find(f"{W}vanish") if properties is not None else None
    return vanish is not None and vanish.get(f"{W}val") not in ("0", "false")


def _words(element: Element, into: _Gathered) -> None:
    if element.text:
        run = element.getparent()
        level = run.find(f"{W}rPr/{W}vertAlign") if run is not None and into.has_words else None
        is_raised = level is not None and level.get(f"{W}val") == "superscript" and element.text.isdecimal()
        into.pieces.append(raised(element.text) if is_raised else element.text)
        into.has_words = into.has_words or not element.text.isspace()


def _sign(element: Element, into: _Gathered) -> None:
    if element.tag == f"{W}br" and element.get(f"{W}type") in ("page", "column"):
        into.pieces.append(" ")
    else:
        into.pieces.append(_AS_TEXT[str(element.tag)])


def _symbol(element: Element, into: _Gathered) -> None:
    into.pieces.append(_SYMBOLS.get((element.get(f"{W}char") or "").casefold(), ""))


def _page(_: Element, into: _Gathered) -> None:
    into.breaks += 1
    if not into.has_words:
        into.breaks_before += 1


def _note(element: Element, into: _Gathered) -> None:
    if into.notes_of is None:
        return
    called = into.notes_of.call(_NOTES[str(element.tag)], element.get(f"{W}id") or "")
    if called is not None:
        number, text = called
        into.pieces.append(raised(str(number)))
        if text:
            into.notes.append(f"[{number}] {text}")


def _box(element: Element, into: _Gathered) -> None:
    into.boxes.append(element)


def _old_checkbox(element: Element, into: _Gathered) -> None:
    box = element.find(f"{W}ffData/{_FORM_BOX}")
    if box is not None:
        value = value_of(box, "checked") or value_of(box, "default")
        is_bare = box.find(f"{W}checked") is not None and value is None
        into.pieces.append(CHECKED if is_bare or value in ("1", "true", "on") else UNCHECKED)


_TAKERS: dict[str, Callable[[Element, _Gathered], None]] = {
    f"{W}t": _words,
    f"{_M}t": _words,
    f"{W}sym": _symbol,
    f"{W}lastRenderedPageBreak": _page,
    f"{W}fldChar": _old_checkbox,
    _BOX: _box,
    **dict.fromkeys(_AS_TEXT, _sign),
    **dict.fromkeys(_NOTES, _note),
}

"""Join lines to paragraphs, and find footnotes and the title of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

import numpy as np

from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import Heading
from engine.ingestion.structure.numbers import is_title
from engine.language.characters import note_calls, western_digits, without_note_call
from engine.model import SectionKind

# Joining lines: words divided at a line's end are joined

_PARTED = re.compile(r"(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)[-\u00ad]\Z")
_GOES_ON = re.compile(r"(?P<word>[^\W\d_]+)")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# "2018–" / "23–51", "https://" / "www", "and/" / "or": joined without a space.
_TIGHT = re.compile(r"(?:[\d\w][-–‑]|/|[^\W\d_]-)\Z")
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Minimum length of a repeated part in a reduplicated word: "hak-hak", "perundang-undangan".
_SHORTEST_TWIN = 3
# Longer words are not examined completely, because paragraphs grow line by line.
_LONGEST_WORD = 80


@dataclass(slots=True)
class Vocabulary:
    """The words that a document prints undivided, in lower case, with and without hyphens."""

    words: set[str] = field(default_factory=set)

    def learn(self, lines: Iterable[str]) -> None:
        """Add the words of lines, except those that may be divided at a line's end."""
        for line in lines:
            found = _WORDS.findall(line.casefold())
            self.words.update(found[1 : len(found) - 1 if line.rstrip().endswith(("-", "\u00ad")) else None])
            for word in found:
                if "-" in word:
                    self.words.add(word)

    def join(self, first: str, second: str) -> str:
        """Join two lines of a paragraph."""
        first, second = first.rstrip(), second.lstrip()
        if not first or not second:
            return first + second
        end = first[-_LONGEST_WORD:]
        parted, following = _PARTED.search(end), _GOES_ON.match(second)
        if parted and following:
            if self._is_one_word(parted["word"], following["word"]) or first.endswith("\u00ad"):
                return first[:-1] + second
            return first + second
        if _CJK.match(first[-1]) and _CJK.match(second[0]):
            return first + second
        if _TIGHT.search(end) and second[0].isalnum():
            return first + second
        return f"{first} {second}"

    def _is_one_word(self, left: str, right: str) -> bool:
        """Return True if a hyphen at a line's end only divides a word."""
        if not right[0].islower():
            return False
        start, rest = left.casefold(), right.casefold()
        if start + rest in self.words:
            return True
        if f"{start}-{rest}" in self.words or _is_twin(start, rest):
            return False
        # Two complete words ("safety-" / "related") keep their hyphen; syllables do not.
        return not (
            start in self.words and rest in self.words and min(len(start), len(rest)) > _SHORTEST_TWIN
        )


def _is_twin(start: str, rest: str) -> bool:
    return any(rest.startswith(start[-size:]) for size in range(_SHORTEST_TWIN, len(start) + 1))


# Paragraphs, by typography

# Minimum ratio of a step between paragraphs to the usual step.
_LONGER_STEP = 1.28
# Indents and ragged ends, as shares of the type's height and of the column's width.
_INDENT, _SHORT = 0.75, 0.08
_ENDS = re.compile(r"[.;:!?؟؛。；：！？…][\"”’»)\]]*\Z")
_ITEM = re.compile(
    r"(?:\(?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5}|[\u0621-\u064a])[.)]|\(\w{1,4}\)|[-–—•*])(?:\s|\Z)"
    r"|\d{1,3}(?:\.\d{1,3})+\.?\s+[^\Wa-z\d]|[(（][一二三四五六七八九十]+[)）]"
)
_ENDS_ITEM = re.compile(r"[,،]\Z")
_NEVER_FIRST = re.compile(r"[a-zà-ÿ,;.)\]،؛]")
_BLANK_WIDTH = 0.3
_USUAL_STEP = 1.25
# Quantile of all steps for those within paragraphs, which are shorter.
_CLOSE = 0.35


@dataclass(frozen=True, slots=True)
class Setting:
    """The typography of a document: usual step between lines, and size of type.

    ``step``: as a share of the type's height; ``height``: in points.
    """

    step: float
    height: float


def measure_setting(lines: Sequence[Line]) -> Setting:
    """Return the typography of most of the text."""
    if not lines:
        return Setting(_USUAL_STEP, 10.0)
    heights = np.repeat([line.height for line in lines], [len(line.text) for line in lines])
    steps = [
        (upper.middle - lower.middle) / lower.height
        for upper, lower in pairwise(lines)
        if not lower.first
        and lower.page == upper.page
        and abs(upper.height - lower.height) < 0.2 * lower.height
    ]
    usual = [step for step in steps if 0.7 < step < 3]
    return Setting(float(np.quantile(usual, _CLOSE)) if usual else _USUAL_STEP, float(np.median(heights)))


def is_item(text: str) -> bool:
    """Return True if a line begins an item of a list or a numbered paragraph."""
    return _ITEM.match(text) is not None


def ends_sentence(text: str) -> bool:
    """Return True if a line ends a sentence or a clause of a list."""
    return _ENDS.search(text) is not None


def continues_paragraph(upper: Line, lower: Line, setting: Setting) -> bool:
    """Return True if ``lower`` belongs to the paragraph of ``upper``, the line before it."""
    if upper.cells or lower.cells:
        return upper.cells and lower.cells
    apart = lower.first or upper.page != lower.page
    if not apart and upper.middle - lower.middle > _step(upper, lower, setting):
        return False
    if abs(upper.height - lower.height) > 0.25 * max(upper.height, lower.height):
        return False
    if is_item(lower.text):
        ended = ends_sentence(upper.text) or _ENDS_ITEM.search(upper.text) is not None
        return not (ended or apart or _is_set_off(upper, lower) or _is_short(upper, lower))
    if _NEVER_FIRST.match(lower.text) and not ends_sentence(upper.text):
        return True
    if upper.centred and lower.centred:
        return upper.bold == lower.bold
    if upper.bold != lower.bold and _is_short(upper, lower):
        return False
    if is_title(upper.text) and _is_short(upper, lower):
        return False
    if not ends_sentence(upper.text):
        return not (apart and _is_short(upper, lower)) and not (upper.centred != lower.centred and upper.bold)
    return not _is_short(upper, lower) and not (_is_indented(upper, lower) and not is_item(upper.text))


def join_paragraph(lines: Sequence[Line], vocabulary: Vocabulary) -> str:
    """Return the text of a paragraph; rows of a table stay lines."""
    if lines[0].cells:
        return "\n".join(line.text for line in lines)
    text = ""
    for line in lines:
        text = vocabulary.join(text, line.text)
    return text


def group_paragraphs(lines: Iterable[Line], setting: Setting) -> list[list[Line]]:
    """Group lines into paragraphs."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and continues_paragraph(groups[-1][-1], line, setting):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _step(upper: Line, lower: Line, setting: Setting) -> float:
    return _LONGER_STEP * setting.step * max(lower.height, min(upper.height, 1.2 * lower.height))


def _is_set_off(upper: Line, lower: Line) -> bool:
    return abs(lower.start - upper.start) > _INDENT * lower.height


def _is_indented(upper: Line, lower: Line) -> bool:
    return lower.start - upper.start > _INDENT * lower.height


def _is_short(upper: Line, lower: Line) -> bool:
    """Return True if the first word of ``lower`` would have fitted at the end of ``upper``."""
    width = upper.edges[1] - upper.edges[0]
    return upper.rest > lower.first_word + _BLANK_WIDTH * lower.height and upper.rest > _SHORT * width


# Footnotes

# Ratio of a note's type to the text's, and maximum distance of its lines in heights of the type.
_SMALLER, _STEP = 0.95, 2.5
_LABEL = re.compile(r"[(\[]?(?P<number>\d{1,3})[)\]]?\.?\s+(?=\S)")


def separate_notes(lines: Sequence[Line], setting: Setting) -> tuple[list[Line], list[list[Line]]]:
    """Separate the notes from the text; remove the references to notes that were found.

    A note begins with a number that its page refers to.
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
            continues_note = (
                small and last is not None and abs(last.middle - line.middle) < _STEP * line.height
            )
            number = western_digits(label["number"]) if label is not None else ""
            if label is not None and called[number] and int(number) > latest:
                latest = int(number)
                found.append([replace(line, text=f"[{number}] {line.text[label.end() :]}")])
            elif continues_note:
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
    """Yield the notes of a document as a separate part after its text."""
    if notes:
        yield HeadingBlock(0, Heading(SectionKind.HEADING, None, "Notes", "", "notes"))
    for note in notes:
        yield TextBlock(join_paragraph(note, vocabulary), page=note[0].page)


# The title on the first page

# Words at the start of an act's title.
_ACT = re.compile(
    r"(?:PERATURAN|UNDANG-UNDANG|KEPUTUSAN|SURAT EDARAN|INSTRUKSI|QANUN|KITAB)\b"
    r"|(?:قرار|مرسوم|قانون|نظام|لائحة|الائحة)\b"
    r"|(?:Commission |Council )?(?:REGULATION|DIRECTIVE|LAW|ACT|ORDER|DECREE|DECISION)\b"
    r"|(?:LOI|DÉCRET|ARRÊTÉ|RÈGLEMENT|GESETZ|VERORDNUNG)\b",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(r"DENGAN RAHMAT|MENTERI|PRESIDEN|DEWAN|KEPALA|YTH|Yth|نحن\b")
_MOST_LINES, _LONGEST = 8, 300
_LARGER = 1.15
_LETTERS = re.compile(r"[^\W\d_]")
_TOP, _FEWEST_LETTERS = 45, 4


def find_title(lines: Sequence[Line], setting: Setting, vocabulary: Vocabulary) -> str | None:
    """Return the title: where an act names itself, otherwise the largest type of the first page."""
    first = [line for line in lines[:_TOP] if line.page == lines[0].page and not line.cells] if lines else []
    for place, line in enumerate(first):
        if _ACT.match(line.text) and (line.centred or line.bold) and not ends_sentence(line.text):
            return _text(_run(first[place:]), vocabulary)
    large = [
        line
        for line in first
        if line.height > _LARGER * setting.height and len(_LETTERS.findall(line.text)) >= _FEWEST_LETTERS
    ]
    if not large:
        large = [
            line for line in first if line.bold and line.centred and len(_LETTERS.findall(line.text)) > 3
        ][:1]
    if not large:
        return None
    biggest = max(line.height for line in large)
    start = next(place for place, line in enumerate(first) if line in large and line.height > 0.95 * biggest)
    return _text(_run(first[start:], same_size=True), vocabulary)


def _run(lines: Sequence[Line], *, same_size: bool = False) -> list[Line]:
    """Return the first line and those that continue it in the middle of the page."""
    run = [lines[0]]
    for line in lines[1:_MOST_LINES]:
        last = run[-1]
        wide = last.middle - line.middle > (2.0 if same_size else 2.4) * last.height
        other = same_size and abs(line.height - last.height) > 0.1 * last.height
        aligned = abs((line.left + line.right) - (last.left + last.right)) / 2 < 2 * line.height
        if (
            wide
            or other
            or line.first
            or heading_line(line.text)
            or not (aligned or line.bold)
            or _NO_TITLE.match(line.text)
        ):
            break
        if line.bold != last.bold:
            break
        run.append(line)
        if ends_sentence(line.text):
            break
    return run


def _text(lines: Sequence[Line], vocabulary: Vocabulary) -> str | None:
    text = ""
    for line in lines:
        text = vocabulary.join(text, line.text)
    text = " ".join(text.split())[:_LONGEST].rstrip()
    return text or None

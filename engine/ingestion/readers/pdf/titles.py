"""The title of a document as its first page prints it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.pdf.hyphens import Vocabulary
from engine.ingestion.readers.pdf.lines import Line
from engine.ingestion.readers.pdf.paragraphs import Setting, ends_sentence

# What an act calls itself in the first words of its title.
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


def title_of(lines: Sequence[Line], setting: Setting, vocabulary: Vocabulary) -> str | None:
    """The title: where an act names itself, else the largest type of the first page."""
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
    """The first line and those that go on with it in the middle of the page."""
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

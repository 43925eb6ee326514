"""The forms in which lawyers write a citation, beyond what laws write of each other: the act in front ("BGB
§ 475d Abs. 2", "Code des communes, art. R142-6"), the paragraph as a Roman number ("§ 19 IV GmbHG") or behind
a full stop ("Art. 60.3 RGPD"), an act's name by its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.corpus.outside import Outside, letters_key
from engine.language.references import Mention
from engine.model import Span

# Words of a name that may stand beside a number, and characters that are looked at for it.
LONGEST, AROUND = 14, 160
_LINK = re.compile(
    r"[\s,]*(?:of\s+the|of|du|de\s+la|des|de\s+l['’]|d['’]|de|del|der|dari|من)?\s*(?:the\s+)?", re.IGNORECASE
)
_ROMAN = re.compile(r"\s+(?P<roman>[IVX]{1,5})(?![\w.])(?:\s+(?P<sentence>\d{1,2})(?!\w))?")
_WORDS = re.compile(r"\S+")
# "GmbHG", "RGPD", "DS-GVO": a word with two capitals, the numbers of its books behind.
_CAPITALS = re.compile(r"(?:[A-ZÄÖÜ][\w-]*){2,}(?:\s[IVX]{1,4}(?!\w))?")
# "Code No. 13 of 2011".
_NUMBERED = re.compile(
    r"(?:the\s+)?(?:\w+\s+){0,2}(?:No|Nr|Nomor|n°|no)\.?\s*\d+\s*(?:of|vom|Tahun|de|/)\s*\d{4}", re.IGNORECASE
)
_BELOW = re.compile(r"\s?\((?P<number>\d{1,3}[a-z]?)\)")
_VALUES = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class Form:
    """A citation as it is written. ``name`` is that of the act beside the number, empty where none is;
    ``known``: of one that the corpus has; ``paragraph`` what stands as a Roman number or in brackets
    behind."""

    span: Span
    name: str
    known: bool
    paragraph: str


def form_of(text: str, mention: Mention, reader: Outside, language: str) -> Form:
    """What belongs to a citation around the number that was found."""
    end, paragraph = mention.span.end, ""
    start = end - len(text[mention.span.start : end].lstrip(" (["))
    if mention.document is not None and not _is_roman(mention.document):
        longer = None if mention.name_at is None else _named(text, mention.name_at, reader, language)
        if longer is not None and longer[1] > end:
            return Form(Span(start, longer[1]), longer[0], True, "")
        return Form(Span(start, end), "", False, "")
    if mention.document is not None:
        end = mention.name_at or end
    roman = _ROMAN.match(text, len(text[:end].rstrip()))
    below = _BELOW.match(text, end)
    if roman is not None:
        paragraph, end = str(_number(roman["roman"])), roman.end()
    elif below is not None and not _has_paragraph(mention):
        paragraph, end = below["number"], below.end()
    behind = named_behind(text, end, reader, language)
    if behind is not None:
        return Form(Span(start, behind[1]), behind[0], behind[2], paragraph)
    before = _before(text, start, reader, language)
    if before is not None:
        return Form(Span(before[1], end), before[0], before[2], paragraph)
    if roman is not None and not text[start:].startswith("§"):
        return Form(Span(start, mention.span.end), "", False, "")
    return Form(Span(start, end), "", False, paragraph)


def _is_roman(name: str) -> bool:
    return re.match(r"[IVX]{1,5}(?!\w)", name) is not None


def _has_paragraph(mention: Mention) -> bool:
    return len(mention.targets) != 1 or mention.targets[0].address.paragraph is not None


def _named(text: str, place: int, reader: Outside, language: str) -> tuple[str, int] | None:
    """The longest name of a document that begins at a place."""
    numbered = _NUMBERED.match(text, place)
    if numbered is not None and _called(numbered[0], reader, language):
        return numbered[0], numbered.end()
    words = list(_WORDS.finditer(text, place, min(len(text), place + AROUND)))[:LONGEST]
    for count in range(len(words), 0, -1):
        name = text[place : words[count - 1].end()].rstrip(".,;:)]–- ")
        if _called(name, reader, language):
            return name, place + len(name)
    return None


def named_behind(text: str, end: int, reader: Outside, language: str) -> tuple[str, int, bool] | None:
    """The name of an act behind a number, where it ends, and whether the corpus has the act."""
    link = _LINK.match(text, end)
    place = link.end() if link is not None else end
    known = _named(text, place, reader, language)
    if known is not None:
        return known[0], known[1], True
    capital = _CAPITALS.match(text, place)
    if capital is not None and not (link is not None and "," in link[0]):
        return capital[0], capital.end(), False
    return None


def _before(text: str, start: int, reader: Outside, language: str) -> tuple[str, int, bool] | None:
    ahead = text[max(0, start - AROUND) : start]
    stripped = ahead.rstrip(" ,(")
    words = list(_WORDS.finditer(stripped))[-LONGEST:]
    for word in words:
        name = stripped[word.start() :].lstrip("([–- ")
        if letters_key(name) in reader.keys and _called(name, reader, language):
            return name, start - len(ahead) + len(stripped) - len(name), True
    return None


def _called(name: str, reader: Outside, language: str) -> bool:
    """Whether the corpus has a document of this name; a name has a capital or is none."""
    if len(name) < 2 or not any(letter.isupper() or not letter.isascii() for letter in name):
        return False
    return bool(reader.named(name, language))


def _number(roman: str) -> int:
    values = [_VALUES[letter] for letter in roman]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A citation in the words by which this product cites: a document's name and a passage's label."""

    span: Span
    rows: tuple[int, ...]


def labelled(text: str, reader: Outside) -> Iterator[Labelled]:
    """The citations of a text that are a document's name and the label of a passage of it, in order."""
    words, place = list(_WORDS.finditer(text)), 0
    while place < len(words):
        found = _labelled_at(text, words, place, reader)
        if found is None:
            place += 1
            continue
        yield found
        while place < len(words) and words[place].start() < found.span.end:
            place += 1


def _labelled_at(text: str, words: list[re.Match[str]], place: int, reader: Outside) -> Labelled | None:
    start = words[place].start() + len(words[place][0]) - len(words[place][0].lstrip('([“"«'))
    for last in range(min(place + LONGEST, len(words) - 1), place - 1, -1):
        name = text[start : words[last].end()].rstrip(",")
        documents = reader.keys.get(letters_key(name), ()) if name[:1].isupper() or not name.isascii() else ()
        for number in documents:
            labels = reader.labels(number)
            for end in range(min(last + LONGEST, len(words) - 1), last, -1):
                label = text[words[last + 1].start() : words[end].end()].rstrip('.,;)]”"»')
                rows = labels.get(letters_key(label), ())
                if rows:
                    return Labelled(Span(start, words[last + 1].start() + len(label)), rows)
    return None

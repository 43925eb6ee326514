"""Numbers in a form of the document's own, learned from its headings and the beginnings of its paragraphs.

"FC-1.1.1 Governance", "Guideline 12: Records", "RG 97.12 A fee must ...": what one line says is a number only
where several lines of the document count on in the same form. Names that the document has from them go to its
aliases: "COBS" of "COBS 3.4.1".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.ingestion.headings import Heading, slug_of
from engine.language.addresses import WORDS
from engine.language.designations import FEWEST, GLUED, GROUPED, LABEL, YEAR, letters_of
from engine.language.references.readings import recogniser
from engine.model import Document, SectionKind

# So many of the numbers of a form must be greater than the one before: they count the document's parts.
COUNTING = 0.9
# Paragraphs that are counted through a text are so many at least.
FEWEST_COUNTED = 6

_LINE = re.compile(rf"(?P<label>{LABEL}{GLUED})(?:\s*[.:–—-]\s*|\s+|\Z)(?P<rest>.*)\Z", re.DOTALL)
_COUNTED = re.compile(r"(?P<number>\d{1,3})\.?\s+(?P<rest>[^\W\d_].*)\Z", re.DOTALL)
_WORD_AND_FIGURE = re.compile(
    r"(?P<word>§|(?:[^\W\d_]|[\u0900-\u0dff\u0e00-\u0fff])[^\d\n.:;,!?()]{0,24}?)\.?\s?(?P<number>\d{1,4})(?P<letter>[a-z](?!\w))?"
    r"\s*[.:–—-]*\s+(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_WORDED = re.compile(r"[A-Z][a-z]")
_FIGURES = re.compile(r"\d+")
# A figure, or the letter of what was put in later: "1.1.2A" comes behind "1.1.2", and "FC-A.1" before
# "FC-B.1".
_STEPS = re.compile(r"\d+|(?<=\d)[A-Z](?![A-Z])|(?<=-)[A-Z](?=\.)")
_NOT_NAME = re.compile(r"[^A-Za-z]+")
_OUTER_LETTER = re.compile(r"(?<=[A-Z]-)[A-Z]\.?\Z")


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line that begins with what looks like a number."""

    place: int
    match: re.Match[str]
    is_heading: bool


# A line, and whether it is a heading of no known form: another may be one only by letters and figures.
Line = tuple[str, bool]


def own_numbers(lines: Sequence[Line | None], language: str = "en") -> dict[int, tuple[Heading, str]]:
    """The headings that lines are or begin with, by their places, and the text behind each on its line.

    A heading's own words are its title and nothing is behind it. In a language without a grammar the word
    for a
    provision is learned from the text as well.
    """
    found: dict[str, list[_Numbered]] = {}
    for place, line in enumerate(lines):
        match = _LINE.match(line[0]) if line else None
        if line is None or match is None or YEAR.search(match["label"]):
            continue
        found.setdefault(_form(match["label"]), []).append(_Numbered(place, match, line[1]))
    made = _counted_through(lines)
    if recogniser(language) is None:
        made |= _by_word(lines)
    for every in found.values():
        heads = [one for one in every if one.is_heading]
        worded = _WORDED.match(every[0].match["label"])
        named = worded and _is_named(every[0].match["label"], lines)
        if worded and not named and not (len(heads) >= FEWEST and _is_cited(every[0].match["label"], lines)):
            # "Guideline 12 applies" begins a sentence, and "Test 3" heads what nobody cites.
            continue
        sure = [
            one for one in heads if GROUPED.match(one.match["label"]) or _is_named(one.match["label"], lines)
        ]
        for one in every if _counts(every) else heads if _counts(heads) else sure:
            label, rest = one.match["label"], one.match["rest"]
            title = rest.strip(" -–—:") if one.is_heading else ""
            made[one.place] = (_heading(label, title), "" if one.is_heading else rest)
    return made


def _counted_through(lines: Sequence[Line | None]) -> dict[int, tuple[Heading, str]]:
    """The paragraphs of a text that are counted on by plain figures from heading to heading: "23. An
    APRA-regulated
    institution must ...". Where each heading begins anew they are its paragraphs and nothing more."""
    counted = [
        (place, int(match["number"]), match["rest"])
        for place, line in enumerate(lines)
        if line and not line[1] and (match := _COUNTED.match(line[0]))
    ]
    values = [value for _, value, _ in counted]
    if len(values) < FEWEST_COUNTED or values[0] != 1 or len(set(values)) < len(values):
        return {}
    if sum(after == before + 1 for before, after in pairwise(values)) < COUNTING * (len(values) - 1):
        return {}
    first, last = counted[0][0], counted[-1][0]
    if not any(line is None or line[1] for line in lines[first:last]):
        return {}
    return {
        place: (Heading(SectionKind.PARAGRAPH, str(value), "", str(value), f"para-{value}"), rest)
        for place, value, rest in counted
    }


def _by_word(lines: Sequence[Line | None]) -> dict[int, tuple[Heading, str]]:
    """The provisions of a text by the word that its paragraphs begin with, before figures that count on
    from 1:
    "มาตรา 1", "धारा 1.", "Madde 1 –", "§ 1"."""
    found: dict[str, list[tuple[int, re.Match[str]]]] = {}
    for place, line in enumerate(lines):
        match = _WORD_AND_FIGURE.match(line[0]) if line else None
        if match is not None:
            found.setdefault(match["word"], []).append((place, match))
    made: dict[int, tuple[Heading, str]] = {}
    for word, every in found.items():
        values = [int(match["number"]) for _, match in every]
        steps = [after == before + 1 for before, after in pairwise(values)]
        if len(values) < FEWEST or values[0] != 1 or sum(steps) < COUNTING * len(steps):
            continue
        kind = WORDS.get(word.casefold().rstrip("."), SectionKind.ARTICLE)
        for place, match in every:
            label = f"{word} {match['number']}{match['letter'] or ''}"
            number = label[len(word) + 1 :]
            is_heading = lines[place][1]  # type: ignore[index]
            title, rest = (match["rest"], "") if is_heading else ("", match["rest"])
            made[place] = (Heading(kind, number, title, label, slug_of(label)), rest)
    return made


def named_by_numbers(document: Document, numbers: Iterable[str | None]) -> Document:
    """A document with the letters that its numbers begin with among its names."""
    own = letters_of(dict.fromkeys(number for number in numbers if number))
    aliases = tuple(dict.fromkeys((*document.aliases, *own)))
    return document if aliases == document.aliases else replace(document, aliases=aliases)


def _form(label: str) -> str:
    """What labels have in common that count one thing: their letters."""
    head = re.split(r"\d", label, maxsplit=1)[0]
    # "FC-A.1" counts in one with "FC-1".
    return _NOT_NAME.sub("", _OUTER_LETTER.sub("", head)) or _NOT_NAME.sub("", label) or "-"


def _is_cited(label: str, lines: Sequence[Line | None]) -> bool:
    """Whether a text of the document names a part by the word of a label, inside of a line."""
    word = re.escape(label.rsplit(" ", 1)[0])
    cited = re.compile(rf"(?<=\w[\s,(]){word}s?\s\d")
    return any(line and not line[1] and cited.search(line[0]) for line in lines)


def _is_named(label: str, lines: Sequence[Line | None]) -> bool:
    """Whether a heading of its own says the words of a label: "Depositor Protection" above 3.2."""
    words = label.rsplit(" ", 1)[0]
    return " " in label and any(line and line[1] and line[0].strip() == words for line in lines)


def _place_of(label: str) -> tuple[tuple[int, int], ...]:
    """What the label of a part counts by: "FC-A.1" stands before "FC-1", "1.1.2" before "1.1.2A"."""
    steps = _STEPS.findall(label)
    return tuple((0, int(one)) if one.isdigit() else (-1, ord(one)) for one in steps)


def _counts(numbered: Sequence[_Numbered]) -> bool:
    values = [_place_of(one.match["label"]) for one in numbered]
    steps = [after > before for before, after in pairwise(values)]
    return len(set(values)) >= FEWEST and sum(steps) >= COUNTING * len(steps)


def _heading(label: str, title: str) -> Heading:
    worded = _WORDED.match(label) is not None
    deep = worded or len(_FIGURES.findall(label)) > 2
    kind = SectionKind.RULE if deep else SectionKind.SECTION
    return Heading(kind, label, title, label, slug_of(label))


def lines_of(headings: Iterable[tuple[Heading | None, str]]) -> Iterator[Line | None]:
    """The lines of a document to look at: plain headings, and texts; None for a heading with a number."""
    for heading, text in headings:
        if heading is None:
            yield text, False
        else:
            plain = heading.kind is SectionKind.HEADING and heading.number is None
            yield (heading.title, True) if plain else None

"""Find numbers of provisions that are typed before their text, or have a form of the document's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.corpus.contents import is_bare_heading
from engine.ingestion.structure.headings import Heading, bare_heading, slug_of
from engine.language.addresses import ATTACHED, CONTAINERS, PROVISIONS, WORDS
from engine.language.characters import western_digits
from engine.language.designations import FEWEST, GLUED, GROUPED, LABEL, YEAR, letters_of
from engine.language.numerals import roman_number
from engine.language.references.readings import recogniser
from engine.model import Document, SectionKind

# Typed numbers: "3. Licence.—(1)", "1.(1)", "3 Licence", "3.1 The Supplier"
#
# Acts of the Commonwealth and contracts print no other headings. In all formats, sequence and typography
# distinguish lines of provisions from items of lists.

# (3, "") for "3", (3, "A") for "3A".
_Number = tuple[tuple[int, str], ...]

_TYPED = re.compile(
    r"[ \t]*(?P<number>\d{1,3}[A-Z]{0,2}(?:\.\d{1,3}[A-Z]{0,2})*)"
    r"(?:\.?(?=\()|\.?[ \t\u00a0]+|[.．、]?(?=[\u3400-\u9fff]))(?P<rest>\S.*)"
)
# "Licence.—(1) No person", "Short title.—This Act".
_RUN_ON = re.compile(r"(?P<title>[^\n]{2,120}?)(?:\.\s?[—–-]{1,2}|[—–])\s?(?P<text>\(.+|(?<=\.[—–-])\S.+)")
_PART = re.compile(r"(\d+)([A-Z]*)")
_STEM, _ITEM_END = re.compile(r"[:：]\s*\Z"), re.compile(r"(?:[;,；，،؛]|[;,]\s+\w{1,3})\s*\Z")
_FIRST: _Number = ((1, ""),)
# Maximum gap in a sequence: repealed provisions may be missing.
_GAP = 4
# Maximum length of titles that end with a full stop, such as "Short title.".
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Typed:
    """A provision from ``start`` of a text; its own words begin at ``behind``; ``depth`` counts from 1."""

    start: int
    behind: int
    heading: Heading
    depth: int


@dataclass(slots=True)
class _Line:
    """A line of a block, or a heading; ``number``: at its start, or the whole line.

    ``stem``: the number behind the word of a heading; "2.1" is the first number below "Part 2".
    """

    block: int
    start: int
    text: str
    number: _Number = ()
    printed: str = ""
    rest: str = ""
    heading: Heading | None = None
    stem: _Number = ()


@dataclass(slots=True)
class _Run:
    """Consecutively numbered lines, starting with 1."""

    lines: list[int] = field(default_factory=list)
    path: _Number = ()
    stem: _Number = ()
    strong: int = 0
    dotted: int = 0
    is_broken: bool = False

    def qualifies(self) -> bool:
        """Return True if the lines are provisions: they have parts, or most have a title and a text."""
        if self.dotted > 1:
            return True
        return self.strong > 1 and 2 * self.strong >= len(self.lines) and not self.is_broken


def typed_numbers(blocks: Sequence[tuple[Heading | None, str]]) -> dict[int, list[Typed]]:
    """Find the provisions that the texts of a document begin with or contain, by the positions of the texts.

    ``blocks``: headings, and texts with one or more lines each.
    """
    # In documents with words for provisions, plain numbers are items of lists, and only "3.1" below
    # "Clause 3" is a provision.
    worded = any(one and one.kind in PROVISIONS and one.number != one.label for one, _ in blocks)
    lines = list(_lines(blocks, worded=worded))
    found = {index for run in _runs(lines) if run.qualifies() for index in run.lines}
    typed: dict[int, list[Typed]] = {}
    for index in sorted(found):
        line = lines[index]
        title, text = _divided(line.rest) if _goes_on(lines, index, found) else ("", line.rest)
        behind = line.start + len(line.text) - len(text)
        own = Typed(line.start, behind, bare_heading(line.printed, title), len(line.number))
        typed.setdefault(line.block, []).append(own)
    return typed


def is_title(line: str) -> bool:
    """Return True if a line is a number and a title: the numbering restarts after it."""
    match = _TYPED.fullmatch(line)
    return match is not None and not match["rest"][0].islower() and is_bare_heading(match["rest"])


def _lines(blocks: Sequence[tuple[Heading | None, str]], *, worded: bool) -> Iterator[_Line]:
    stem: _Number = ()
    for place, (heading, whole) in enumerate(blocks):
        if heading is not None:
            number = heading.number if heading.number == heading.label else None
            plain = heading.kind is SectionKind.HEADING and number is None
            whole = heading.title if plain and _TYPED.fullmatch(heading.title) else ""
            if not whole:
                if number is None and heading.number:
                    stem = _number(str(roman_number(heading.number) or heading.number))
                yield _Line(place, 0, "", _number(number or ""), heading=heading, stem=stem)
                continue
        start = 0
        for text in whole.split("\n"):
            match = _TYPED.fullmatch(western_digits(text))
            if worded and match and ("." not in match["number"] or _number(match["number"])[:1] != stem[:1]):
                # Below "1. A keeper shall:", "1.1" is an item.
                match, stem = None, ()
            # "1. the rent;" is an item of a list.
            if match and ("." in match["number"] or not match["rest"][0].islower()):
                rest = text[match.start("rest") :]
                yield _Line(place, start, text, _number(match["number"]), match["number"], rest)
            elif text.strip():
                yield _Line(place, start, text)
            start += len(text) + 1


def _number(printed: str) -> _Number:
    parts = [_PART.fullmatch(part) for part in printed.rstrip(".").split(".")]
    return tuple((int(part[1]), part[2]) for part in parts if part) if all(parts) else ()


def _runs(lines: Sequence[_Line]) -> Iterator[_Run]:
    """Yield sequences of consecutively numbered lines, without items of lists."""
    run, listed, item, is_fresh = _Run(), 0, -1, False
    for index, line in enumerate(lines):
        if line.heading is not None:
            kind = line.heading.kind
            if line.number:
                run.path, listed = line.number, 0
            elif kind in ATTACHED:
                yield run
                run = _Run()
            run.stem = line.stem
            is_fresh = kind in CONTAINERS and not line.number
            run.is_broken |= kind is SectionKind.HEADING and bool(run.lines)
            continue
        if not line.number:
            continue
        before = lines[index - 1].text if index else ""
        single, strong = len(line.number) == 1, _is_strong(lines, index)
        if single and listed and line.number == ((listed + 1, ""),):
            consecutive = item == index - 1 and lines[item].block == line.block
            if consecutive or _ITEM_END.search(before) or not _follows(run.path, line.number, strong=strong):
                listed, item = listed + 1, index
                continue
        weak = not run.dotted and 2 * run.strong <= len(run.lines) > 1
        is_again = run.lines and (
            (line.number == _FIRST and (is_fresh or weak)) or (line.number == _FIRST * 2 and is_fresh)
        )
        if is_again and (strong or not _STEM.search(before)):
            # The numbering restarts in a new Part, and after the table of contents.
            yield run
            run = _Run()
        is_stem = _STEM.search(before) and (run.path or not strong)
        follows = _follows(run.path, line.number, strong=strong) or _begins(run.stem, line.number)
        if follows and not (single and is_stem):
            run.lines.append(index)
            run.path, listed = line.number, 0
            run.strong, run.dotted = run.strong + strong, run.dotted + (not single)
        elif line.number == _FIRST:
            listed, item = 1, index
        is_fresh = False
    yield run


def _follows(path: _Number, number: _Number, *, strong: bool) -> bool:
    """Return True if a number comes next: the first part of the path's last provision, or one step
    further."""
    if number[:-1] == path or (not path and number == _FIRST * 2):
        return number[-1] == _FIRST[0] or (len(number) > 2 and number[-1][0] <= _GAP)
    depth = len(number) - 1
    if depth >= len(path) or number[:depth] != path[:depth]:
        return False
    last, new = path[depth], number[depth]
    return last < new and new[0] <= last[0] + (_GAP if strong or depth else 1)


def _begins(stem: _Number, number: _Number) -> bool:
    """Return True if a number is the first one below the heading of a Part or provision."""
    return bool(stem) and number == (*stem, *_FIRST)


def _is_strong(lines: Sequence[_Line], index: int) -> bool:
    """Return True if the typography of a line shows a provision: a title above a text, or a number before
    "(1)"."""
    rest = lines[index].rest
    title, text = _divided(rest.removesuffix(".") if len(rest) <= _SHORT else rest)
    return rest.startswith("(") or bool(title and (text or _has_text(lines, index)))


def _has_text(lines: Sequence[_Line], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else None
    if following is None or following.heading is not None or following.text[:1].islower():
        return False
    return not following.number or following.number == _FIRST


def _goes_on(lines: Sequence[_Line], index: int, found: set[int]) -> bool:
    """Return True if a text or a part follows, so that the words of a line may be a title."""
    if _divided(lines[index].rest)[1]:
        return True
    following = lines[index + 1] if index + 1 < len(lines) else None
    if following is None or following.heading is not None or following.text[:1].islower():
        return False
    return index + 1 not in found or len(following.number) > len(lines[index].number)


def _divided(rest: str) -> tuple[str, str]:
    """Split the words after a number into a title and the text after it."""
    run_on = _RUN_ON.fullmatch(rest)
    title, text = (run_on["title"], run_on["text"]) if run_on else (rest, "")
    title = title.strip()
    return (title, text) if is_bare_heading(title) and not title.startswith("(") else ("", rest)


# Numbers in the document's own form, learned from its headings and the beginnings of its paragraphs
#
# "FC-1.1.1 Governance", "Guideline 12: Records", "RG 97.12 A fee must ...": the words of a line are a number
# only if several lines are consecutively numbered in the same form. Names in the numbers become aliases:
# "COBS" from "COBS 3.4.1".

# Minimum share of increasing numbers in a form.
COUNTING = 0.9
# Minimum number of consecutively numbered paragraphs of a text.
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
# A number, or the letter of an inserted part: "1.1.2A" follows "1.1.2", and "FC-A.1" precedes "FC-B.1".
_STEPS = re.compile(r"\d+|(?<=\d)[A-Z](?![A-Z])|(?<=-)[A-Z](?=\.)")
_NOT_NAME = re.compile(r"[^A-Za-z]+")
_OUTER_LETTER = re.compile(r"(?<=[A-Z]-)[A-Z]\.?\Z")


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line that begins with a possible number."""

    place: int
    match: re.Match[str]
    is_heading: bool


# A line, and whether it is a heading of unknown form; two such headings may differ only by letters and
# digits.
Line = tuple[str, bool]


def own_numbers(lines: Sequence[Line | None], language: str = "en") -> dict[int, tuple[Heading, str]]:
    """Find the headings that lines are or begin with, by position, with the text after each on its line.

    For a complete heading, the text is empty. In a language without a grammar the word for a provision is
    learned from the text as well.
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
            # "Guideline 12 applies" begins a sentence, and "Test 3" is never cited.
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
    """Find paragraphs that are numbered by plain digits across headings: "23. An APRA-regulated institution
    must ...".

    If the numbering restarts at each heading, they are only its paragraphs.
    """
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
    """Find provisions by the word at the start of paragraphs before consecutive numbers from 1: "มาตรา 1",
    "धारा 1.", "Madde 1 –", "§ 1"."""
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


def add_number_names(document: Document, numbers: Iterable[str | None]) -> Document:
    """Add the letters that the numbers begin with to the names of a document."""
    own = letters_of(dict.fromkeys(number for number in numbers if number))
    aliases = tuple(dict.fromkeys((*document.aliases, *own)))
    return document if aliases == document.aliases else replace(document, aliases=aliases)


def _form(label: str) -> str:
    """Return the letters of a label, which are equal for labels of one sequence."""
    head = re.split(r"\d", label, maxsplit=1)[0]
    # "FC-A.1" and "FC-1" are in one sequence.
    return _NOT_NAME.sub("", _OUTER_LETTER.sub("", head)) or _NOT_NAME.sub("", label) or "-"


def _is_cited(label: str, lines: Sequence[Line | None]) -> bool:
    """Return True if a text of the document names a part by the word of a label within a line."""
    word = re.escape(label.rsplit(" ", 1)[0])
    cited = re.compile(rf"(?<=\w[\s,(]){word}s?\s\d")
    return any(line and not line[1] and cited.search(line[0]) for line in lines)


def _is_named(label: str, lines: Sequence[Line | None]) -> bool:
    """Return True if another heading has the words of a label: "Depositor Protection" above 3.2."""
    words = label.rsplit(" ", 1)[0]
    return " " in label and any(line and line[1] and line[0].strip() == words for line in lines)


def _place_of(label: str) -> tuple[tuple[int, int], ...]:
    """Return the sort key of a part's label: "FC-A.1" precedes "FC-1", "1.1.2" precedes "1.1.2A"."""
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


def select_lines(headings: Iterable[tuple[Heading | None, str]]) -> Iterator[Line | None]:
    """Yield the lines of a document to examine: plain headings, and texts; None for a heading with a
    number."""
    for heading, text in headings:
        if heading is None:
            yield text, False
        else:
            plain = heading.kind is SectionKind.HEADING and heading.number is None
            yield (heading.title, True) if plain else None

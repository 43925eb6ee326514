"""Read designations: numbers in a form of one rulebook; and record used spans of a text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from engine.languages import all_words
from engine.model import SectionKind

# Designations, such as "FC-1.1.1", "RG 97.12", "CRE20.4", "COBS 3.4.1R", "Guideline 12", "3.4.1 COBS",
# "3-4-1"; their letters name the document, or are the rulebook's own word for its parts

_COUNT = r"\d{1,4}[A-Z]{0,2}"
# Patterns: a number with its parts, the levels below it in brackets, and the letters before it.
NUMBER = rf"(?:[A-Z]\.)?{_COUNT}(?:[-–./]{_COUNT}){{0,5}}"
BELOW = r"(?:\s?\((?:\d{1,3}[A-Z]?|[a-z]{1,4}|[A-Z])\))*"
# The same without a space, at the end of a label: "AMC1 CAT.OP.MPA.150(b)".
GLUED = r"(?:\((?:\d{1,3}[A-Z]?|[a-z]{1,4})\))*"
# A part attached to a number: "AC-2a", "AT-2a.1".
PART = r"[a-z](?:\.\d{1,2}){0,3}(?!\w)"
# "COBS ", "FC-", "CAT.OP.MPA.", "AMC1 CAT.OP.MPA.": groups of letters, the first of which may be a kind of
# text.
_GROUPED = r"(?:[A-Z]{2,4}\d{0,2} )?[A-Z]{1,8}(?:\.[A-Z]{1,8}){1,4}[-. ]"
GROUPED = re.compile(_GROUPED)
LETTERS = rf"(?:{_GROUPED}|[A-Z]{{2,8}}(?:-[A-Z]{{1,4}})?[-–. /:]?|[A-Z]-)"
# "R", "G", "E", "D" after a number give the kind of text.
SUFFIX = r"(?: [RGED](?!\w))?"
NUMBER_FIRST = rf"(?P<number>{NUMBER}) (?P<name>[A-Z]{{2,8}})(?![\w-])"
YEAR = re.compile(r"(?:1[89]|20)\d\d\Z")
# Words for kinds of provisions: a number with only such a word is read by grammars.
WORDS_FOR_KINDS = frozenset(
    word for own in all_words().values() for listed in own.levels.values() for word in listed
) | {"articles", "sections", "rules", "chapters", "paragraphs"}
# Minimum number of a document's numbers that begin with letters for these to be a name of it.
FEWEST = 3
_CODE = re.compile(rf"(?P<name>{LETTERS})(?P<number>{NUMBER}{SUFFIX})")
_NUMBER_FIRST = re.compile(NUMBER_FIRST)
# A label as a pattern without groups: letters or one to three words and a number, digits separated by dashes,
# or a number with a name after it.
LABEL = (
    rf"(?:(?:{LETTERS}|[A-Z][a-z]+(?: [A-Z]?[a-z]+){{0,2}} ){NUMBER}{SUFFIX}"
    rf"|\d{{1,4}}(?:[-–/]\d{{1,4}}){{1,5}}|{NUMBER} [A-Z]{{2,8}})(?![\w%])"
)
_LABELLED = re.compile(
    rf"(?P<label>{LABEL})(?P<below>(?:\.?\s?\((?:\d{{1,3}}[A-Z]?|[a-z]{{1,4}}|[A-Z])\))*)\.?\Z"
)
PARTS = re.compile(r"[^\W\d_]+|\d+")
_LAST_FIGURES = re.compile(r"\d+\Z")
_NAME_BEHIND = re.compile(
    rf"(?P<number>{NUMBER}) (?P<name>[A-Z]{{2,8}})|(?P<plain>[\d./-]+)(?P<glued>[A-Z]{{3,8}})"
)
# "COBS 9.2.1R": the letter for the kind of text is attached to a number.
_KIND_GLUED = re.compile(r"(?<=\.\d)[RGED]\Z|(?<=\.\d\d)[RGED]\Z|(?<=\d[A-Z])[RGED]\Z")
# "CPS 220 Risk Management", "CRE20 Standardised approach": a title that begins with its designation.
_TITLED = re.compile(rf"(?P<name>(?:{LETTERS}){NUMBER})(?=\s*[:–—-]\s|\s+[A-Z(]|\Z)")
_BETWEEN_FIGURES = re.compile(r"(?<=\d)[-–/](?=\d)")
_KEY_PARTS = re.compile(r"[^\W\d_]+|\d+(?:/\d+)*")
_OWN_FORM = re.compile(r"[A-Z]{2,8}[-–. /:\d]|[A-Z]-\d|[A-Z][a-z]+ |[\dA-Z.]+ [A-Z]{2}|\d+[-/]\d")


def labelled(label: str) -> tuple[SectionKind, str, str | None] | None:
    """Parse a label in such a form: kind, designation as printed, and levels below it ("1/a").

    Returns None without a number, or if it ends in a year like the name of an act.
    """
    match = _LABELLED.match(label)
    if match is None or YEAR.search(match["label"]):
        return None
    figures = len(re.findall(r"\d+", match["label"]))
    return SectionKind.RULE if figures != 2 else SectionKind.SECTION, match["label"], path_of(match["below"])


def path_of(below: str) -> str | None:
    """Convert the levels below a number to a path: "(1)(a)" gives "1/a"."""
    return "/".join(re.findall(r"\w+", below)) or None if below else None


def key_of(designation: str) -> str:
    """Normalise a designation for comparison: letters and digits in order, ignoring separators; but "3-4" is
    not "3.4".

    A name after the number counts as before it: "3.4.1 COBS" is "COBS 3.4.1".
    """
    if behind := _NAME_BEHIND.fullmatch(designation):
        designation = f"{behind['name'] or behind['glued']} {behind['number'] or behind['plain']}"
    plain = _BETWEEN_FIGURES.sub("/", designation.upper())
    return ".".join(_KEY_PARTS.findall(plain))


def is_designation(number: str) -> bool:
    """Return True if a number has its own form, which is cited without a word before it."""
    return _OWN_FORM.match(number) is not None


def letters_of(numbers: Iterable[str]) -> Iterator[str]:
    """Yield the names that a document's numbers give it: common first letters ("COBS"), with a common first
    number ("RG 97")."""
    firsts: dict[str, Counter[str]] = {}
    for number in numbers:
        behind = _NUMBER_FIRST.fullmatch(number)
        match = behind or _CODE.match(number)
        if match is None:
            continue
        figures = PARTS.findall(match["number"])
        first = "" if behind or len(figures) < 2 else number[: match.start("number") + len(figures[0])]
        firsts.setdefault(match["name"].rstrip("-–. /:"), Counter())[first] += 1
    for name, counted in firsts.items():
        (first, count), *_ = counted.most_common(1)
        if counted.total() >= FEWEST:
            yield first if first and count == counted.total() else name


def designation_of(title: str) -> str | None:
    """Return the designation at the start of a title: "CPS 220"; None if there is none, or its number is a
    year."""
    match = _TITLED.match(title)
    return match["name"] if match and not YEAR.search(match["name"]) else None


def splits(designation: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a designation into the name of a document and a number, longest name first:
    ("RG 97", "12"), ("RG", "97.12")."""
    if behind := _NUMBER_FIRST.fullmatch(designation):
        yield behind["name"], behind["number"]
        return
    parts = [one.span() for one in PARTS.finditer(designation)]
    first = next((place for place, (start, _) in enumerate(parts) if designation[start].isdigit()), 0)
    for place in range(len(parts) - 1, first - 1, -1):
        if place:
            name, rest = designation[: parts[place - 1][1]], designation[parts[place][0] :]
            yield name, rest
            if place == first + 1 and (figures := _LAST_FIGURES.search(name)):
                # The numbers in "CRE20" begin with its own: "20.4".
                yield name, f"{figures[0]}.{rest}"
    if first:
        number = parts[first][0]
        for word in re.finditer(r"(?<= )[A-Z]", designation[:number]):
            yield designation[word.start() : parts[first - 1][1]], designation[number:]


def forms_of(number: str) -> Iterator[str]:
    """Yield the printed forms of a designation: without introductory words ("Subject to Guideline 12"), and
    with the singular of a plural ("Guidelines 12")."""
    starts = [0, *(word.end() for word in re.finditer(r" (?=[A-Z])", number))]
    for start in starts:
        # The "AMC1" of "AMC1 CAT.OP.MPA.150" is not an introductory word, and the rest of "Agency Code
        # Article 14" may be an article of another text.
        if start and (
            GROUPED.match(number) or number[start:].rpartition(" ")[0].casefold() in WORDS_FOR_KINDS
        ):
            continue
        form = number[start:]
        yield form
        if kind := _KIND_GLUED.search(form):
            yield form[: kind.start()]
        word, _, rest = form.rpartition(" ")
        if word.endswith("s") and not word.isupper():
            yield f"{word[:-1]} {rest}"


# Used spans of a text, with look-ups in logarithmic time


class Occupied:
    """Spans of a text; overlapping ones are merged."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def overlaps(self, start: int, end: int) -> bool:
        """Return True if any character from ``start`` to before ``end`` is used."""
        first, last = self._between(start, end)
        return first < last

    def add(self, start: int, end: int) -> None:
        """Mark a span as used."""
        first, last = self._between(start, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def _between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self._ends, start), bisect_left(self._starts, end)

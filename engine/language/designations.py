"""Designations: numbers that a rulebook writes in a form of its own; occupied stretches of a text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from engine.languages import all_words
from engine.model import SectionKind

# Designations: numbers that a rulebook writes in a form of its own.
#
# "FC-1.1.1", "RG 97.12", "CRE20.4", "COBS 3.4.1R", "Guideline 12", "3.4.1 COBS", "3-4-1". Their letters name
# the document, or are a word that only this rulebook has for its parts.

_COUNT = r"\d{1,4}[A-Z]{0,2}"
# Patterns: a number with its parts, what stands below it in brackets, and the letters in front of it.
NUMBER = rf"(?:[A-Z]\.)?{_COUNT}(?:[-–./]{_COUNT}){{0,5}}"
BELOW = r"(?:\s?\((?:\d{1,3}[A-Z]?|[a-z]{1,4}|[A-Z])\))*"
# The same without a blank, at the end of a label: "AMC1 CAT.OP.MPA.150(b)".
GLUED = r"(?:\((?:\d{1,3}[A-Z]?|[a-z]{1,4})\))*"
# A part glued to a number: "AC-2a", "AT-2a.1".
PART = r"[a-z](?:\.\d{1,2}){0,3}(?!\w)"
# "COBS ", "FC-", "CAT.OP.MPA.", "AMC1 CAT.OP.MPA.": letters in groups, of which the first may be a kind of
# text.
_GROUPED = r"(?:[A-Z]{2,4}\d{0,2} )?[A-Z]{1,8}(?:\.[A-Z]{1,8}){1,4}[-. ]"
GROUPED = re.compile(_GROUPED)
LETTERS = rf"(?:{_GROUPED}|[A-Z]{{2,8}}(?:-[A-Z]{{1,4}})?[-–. /:]?|[A-Z]-)"
# "R", "G", "E", "D" behind a number say what kind of text it is.
SUFFIX = r"(?: [RGED](?!\w))?"
NUMBER_FIRST = rf"(?P<number>{NUMBER}) (?P<name>[A-Z]{{2,8}})(?![\w-])"
YEAR = re.compile(r"(?:1[89]|20)\d\d\Z")
# What a kind of provision is called: with such a word alone a number is read by grammars.
WORDS_FOR_KINDS = frozenset(
    word for own in all_words().values() for listed in own.levels.values() for word in listed
) | {"articles", "sections", "rules", "chapters", "paragraphs"}
# How many numbers of a document must begin with letters for these to be a name of it.
FEWEST = 3
_CODE = re.compile(rf"(?P<name>{LETTERS})(?P<number>{NUMBER}{SUFFIX})")
_NUMBER_FIRST = re.compile(NUMBER_FIRST)
# A label as a pattern without groups: letters or one to three words and a number, figures between dashes, a
# number and a name behind it.
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
# "COBS 9.2.1R": the letter of its kind of text is glued to a number.
_KIND_GLUED = re.compile(r"(?<=\.\d)[RGED]\Z|(?<=\.\d\d)[RGED]\Z|(?<=\d[A-Z])[RGED]\Z")
# "CPS 220 Risk Management", "CRE20 Standardised approach": a title that begins with what it is cited by.
_TITLED = re.compile(rf"(?P<name>(?:{LETTERS}){NUMBER})(?=\s*[:–—-]\s|\s+[A-Z(]|\Z)")
_BETWEEN_FIGURES = re.compile(r"(?<=\d)[-–/](?=\d)")
_KEY_PARTS = re.compile(r"[^\W\d_]+|\d+(?:/\d+)*")
_OWN_FORM = re.compile(r"[A-Z]{2,8}[-–. /:\d]|[A-Z]-\d|[A-Z][a-z]+ |[\dA-Z.]+ [A-Z]{2}|\d+[-/]\d")


def labelled(label: str) -> tuple[SectionKind, str, str | None] | None:
    """The kind, the designation as printed and what stands below it ("1/a") of a label in such a form; None
    for what has no number, or ends in a year as the name of an act does."""
    match = _LABELLED.match(label)
    if match is None or YEAR.search(match["label"]):
        return None
    figures = len(re.findall(r"\d+", match["label"]))
    return SectionKind.RULE if figures != 2 else SectionKind.SECTION, match["label"], path_of(match["below"])


def path_of(below: str) -> str | None:
    """What stands below a number: "(1)(a)" is "1/a"."""
    return "/".join(re.findall(r"\w+", below)) or None if below else None


def key_of(designation: str) -> str:
    """The form by which designations are compared: letters and figures in order, however they are divided;
    but "3-4" is not "3.4".

    A name behind the number counts as in front of it: "3.4.1 COBS" is "COBS 3.4.1".
    """
    if behind := _NAME_BEHIND.fullmatch(designation):
        designation = f"{behind['name'] or behind['glued']} {behind['number'] or behind['plain']}"
    plain = _BETWEEN_FIGURES.sub("/", designation.upper())
    return ".".join(_KEY_PARTS.findall(plain))


def is_designation(number: str) -> bool:
    """Whether a number is in a form of its own, which is cited without a word in front."""
    return _OWN_FORM.match(number) is not None


def letters_of(numbers: Iterable[str]) -> Iterator[str]:
    """The names that the numbers of a document give it: the letters that several of them begin with
    ("COBS"), with the first figure where all of these share it ("RG 97")."""
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
    """What a title begins with, where that is what its document is cited by: "CPS 220"; None where it is not,
    or where the number is a year."""
    match = _TITLED.match(title)
    return match["name"] if match and not YEAR.search(match["name"]) else None


def splits(designation: str) -> Iterator[tuple[str, str]]:
    """How a designation may divide into the name of a document and a number in it, the longest name first:
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
                # The numbers of "CRE20" begin with its own: "20.4".
                yield name, f"{figures[0]}.{rest}"
    if first:
        number = parts[first][0]
        for word in re.finditer(r"(?<= )[A-Z]", designation[:number]):
            yield designation[word.start() : parts[first - 1][1]], designation[number:]


def forms_of(number: str) -> Iterator[str]:
    """A designation as it may be printed: without the words that only lead to it ("Subject to Guideline 12"),
    and with the word of one provision where several are cited ("Guidelines 12")."""
    starts = [0, *(word.end() for word in re.finditer(r" (?=[A-Z])", number))]
    for start in starts:
        # The "AMC1" of "AMC1 CAT.OP.MPA.150" is no word that leads to it, and what is left of "Agency Code
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


# Which stretches of a text are taken: asked in the logarithm of their number, however many there are.


class Occupied:
    """Stretches of a text; those that overlap become one."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any character from ``start`` to before ``end`` is taken."""
        first, last = self._between(start, end)
        return first < last

    def add(self, start: int, end: int) -> None:
        """Take a stretch."""
        first, last = self._between(start, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def _between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self._ends, start), bisect_left(self._starts, end)

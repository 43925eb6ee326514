"""Names that texts give to documents, and whether a document can be the act that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.language.characters import western_digits
from engine.language.dates import DATE
from engine.language.references.grammar import NEVER, Definition, Grammar, Mention
from engine.model import OUT_OF_FORCE, Document, Passage

# Which documents a mention may speak of, as far as that is known.


@dataclass(frozen=True, slots=True)
class Meaning:
    """Documents a mention may speak of. ``named`` says that the text names one, known or not; ``denied`` are
    those of the name that the text rules out, by another year or as a former act."""

    documents: tuple[int | None, ...]
    named: bool = False
    name_end: int | None = None
    confidence: float = 1.0
    weak: bool = False
    denied: tuple[int, ...] = ()


def named_last(mention: Mention, before: Sequence[Mention], meanings: Sequence[Meaning]) -> Meaning | None:
    """The document named last before "that Act" by a name with that word in it, else the one named last."""
    word = mention.text.split()[-1].casefold()
    named = [pair for pair in zip(before, meanings, strict=True) if pair[1].named]
    # "Id. § 5" has no such word.
    alike = [pair for pair in named if word.isalpha() and word in (pair[0].document or word).casefold()]
    return (alike or named)[-1][1] if named else None


# What the print around a document's name tells: where it goes on, and where it is none.

# "des Gesetzes vom 16. Juli 2021", "des Gesetzes über ...": what follows makes it another act than the
# text's own.
_DATED = re.compile(r"\s+vom\s+\d")
_ABOUT = re.compile(r"\s+(?:über|betreffend|zur|zum|zu|gegen|für)\s+(?:d[aei][sner]m?\s+)?[A-ZÄÖÜa-zäöü]")
_PLAIN_ACT = re.compile(
    r"(?:Gesetz(?:es|e)?|Verordnung|Übereinkommens?|Abkommens?|Vertrag(?:e?s)?|Protokolls?)\Z"
)
_THIS_GUIDANCE = re.compile(r"\s+(?:of|in|to|under)\s+this\s+Guidance\b")
_CODE = re.compile(r"\d{1,2} [A-Z]|[A-Z][a-z]*\. ?[A-Z]")
_IN = re.compile(r"\bin(?:\s+the)?\s*\Z")
_ACRONYM_ONLY = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{1,7}\s*,?\Z")


def speaks_of_guidance(mention: Mention, passage: Passage) -> bool:
    """Whether a mention is followed by "of this Guidance"."""
    return _THIS_GUIDANCE.match(passage.text, mention.span.end) is not None


def goes_on(mention: Mention, text: str) -> bool:
    """Whether the name of an act is longer than its form shows: by a date, or by what it is about."""
    name = mention.document or ""
    return bool(
        _DATED.match(text, mention.span.end)
        or (_PLAIN_ACT.match(name) and _ABOUT.match(text, mention.span.end))
    )


def name_stands_before(mention: Mention) -> bool:
    """Whether the document is named in front of the provision: "COBS Rule 3.4.2"."""
    return (
        mention.name_at is not None
        and mention.name_at < mention.targets[0].span.end
        and (mention.name_at == mention.span.start)
    )


def is_weak(mention: Mention, text: str) -> bool:
    """Capitals in front of a provision, or behind "in", that name no known document are no name."""
    if mention.document is None or mention.name_at is None or not mention.targets:
        return False
    if mention.name_at == mention.span.start:
        # "42 U.S.C." and "Cal. Civ. Code" are names even so.
        return mention.grammar == "english" and not _CODE.match(mention.document)
    if text[: mention.name_at].rstrip()[-1:] in "0123456789)" and mention.grammar == "english":
        return True
    return bool(_ACRONYM_ONLY.match(mention.document)) and _IN.search(text[: mention.name_at]) is not None


# Names that texts give to documents: 'Financial Services and Markets Regulations 2015 ("FSMR")'.

# An acronym of so many letters is the act's name in other texts too.
SHORTEST_ACRONYM = 3

# "条例", "办法": a kind of act in Chinese, and no name of one.
LONGEST_KIND = 2

_YEAR = re.compile(r"\(?\d{4}\)?")
YEAR_AT_END = re.compile(r",?\s+\(?(\d{4})\)?\Z")

_EXECUTIVE = re.compile(r"اللائحة التنفيذية (?:ل|لل)(نظام|قانون)\s+(.+)")
_OWN_REGULATION = re.compile(r"اللائحة التنفيذية (?:لهذا النظام|للنظام|لهذا القانون|للقانون)")
# "中华人民共和国专利法实施细则": its "法第五条" is Article 5 of 专利法.
_CHINESE_EXECUTIVE = re.compile(r"((?:\w*?)(法|条例))(?:实施细则|实施条例|实施办法|施行细则)\Z")
_GERMAN_EXECUTIVE = re.compile(r"(.+?)-?[Dd]urchführungsverordnung\Z")


class DefinedName(NamedTuple):
    """A name that a text gives to an act; ``everywhere`` says that the short one is a proper name."""

    name: str
    short: str
    everywhere: bool


class NameReader:
    """Reads the names that texts give to documents by a grammar's ``definitions``."""

    def __init__(self, grammar: Grammar) -> None:
        self._forms = [_Form(one) for one in grammar.definitions]

    def names(self, text: str) -> Iterator[DefinedName]:
        """The names a text gives to documents, by form and then in its order."""
        for form in self._forms:
            yield from form.names(text)


class _Form:
    """One way of defining a name, compiled."""

    def __init__(self, definition: Definition) -> None:
        self._signs = definition.signs
        self._pattern = re.compile(definition.form, re.MULTILINE)
        self._act_word = re.compile(definition.act_word) if definition.act_word else None
        self._lead = re.compile(definition.lead)
        self._maker = re.compile(definition.maker)

    def names(self, text: str) -> Iterator[DefinedName]:
        if not any(sign in text for sign in self._signs):
            return
        for match in self._pattern.finditer(text):
            name, short = match["name"].strip(), match["short"].strip()
            if self._act_word and not self._act_word.search(name):
                continue
            acronym = short.isupper() and len(short) >= SHORTEST_ACRONYM
            for variant in self._variants(name, self._act_word) if self._act_word else (name,):
                yield DefinedName(variant, short, acronym)

    def _variants(self, name: str, act_word: re.Pattern[str]) -> Iterator[str]:
        """A name without the words that only lead to it, and without its maker."""
        words = self._lead.split(name)[-1].split()
        last = max((index for index, word in enumerate(words) if act_word.search(word)), default=-1)
        if last == 0:
            # "Code of Market Conduct": the word for the act comes first, the rest belongs to it.
            yield " ".join(words)
            return
        if last < 0:
            return
        dated = last + 1 < len(words) and _YEAR.fullmatch(words[last + 1])
        whole = " ".join(words[: last + 2] if dated else words[: last + 1])
        yield whole
        if maker := self._maker.match(whole):
            yield whole[maker.end() :]


def parent_act(title: str, language: str) -> tuple[str, str] | None:
    """For a regulation made under an act: how its text calls that act, and the act's name."""
    if language.startswith("ar"):
        match = _EXECUTIVE.search(title)
        return (f"ال{match[1]}", f"{match[1]} {match[2]}") if match else None
    if language.startswith("de"):
        match = _GERMAN_EXECUTIVE.match(title)
        return ("Gesetz", f"{match[1]}gesetz") if match else None
    if language.startswith("zh"):
        match = _CHINESE_EXECUTIVE.match(title)
        return (match[2], match[1]) if match else None
    return None


def own_regulation(name: str, title: str, language: str) -> str | None:
    """The name of the executive regulation of an act, where the act's text calls it "of this Act"."""
    if language.startswith("ar") and _OWN_REGULATION.search(name):
        return f"اللائحة التنفيذية ل{title}"
    return None


def same_as(name: str, title: str, language: str) -> bool:
    """Whether a bare kind of act ("the Act", "des Gesetzes", "النظام") can only be the text's own."""
    words = title.split()
    if language.startswith("ar"):
        bare = name.strip().removeprefix("ال")
        return " " not in name.strip() and bool(words) and words[0].removeprefix("ال") == bare
    if len(name.split()) != 1:
        return False
    if language.startswith("zh"):
        return len(name) <= LONGEST_KIND and title.endswith(name)
    if language.startswith("de"):
        stem = re.sub(r"(?:es|s)\Z", "", name).casefold()
        return any(word.casefold().endswith(stem) for word in words)
    return any(word == name for word in words)


# Whether a document can be the act that a text names, by the year or number that stands beside the name and
# by words for a former act.

# What a grammar writes for a year, a whole date and the number of an act.
YEAR, DAY, NUMBER = "YYYY", "DATE", "NNNN"
# So far from a name, in characters, stand its year and the words for a former act.
AROUND = 60
# Years of the Hijri and of the Gregorian calendar are further apart than this and are not compared.
CALENDARS_APART = 300

_IDENTITY_YEAR = r"(?:1[2-9]|20|21)\d\d(?!\d|[/–-]\d)"
_ANY_YEAR = re.compile(rf"(?<![\d/.-]){_IDENTITY_YEAR}")
_LEADING_YEAR = re.compile(rf"{_IDENTITY_YEAR}\s*(?:年的?)?\s*《?")
_ACT_NUMBER = re.compile(r"(?:\bN(?:o|r|omor)\.?|\bn[°º]|رقم)\s*\(?(\d{1,4})\)?(?![\d/-])", re.IGNORECASE)


class Stated(NamedTuple):
    """The year, number and former status that a text states beside the name of an act.

    ``start`` and ``end`` enclose the statement and the name."""

    year: int | None
    number: str | None
    is_former: bool
    start: int
    end: int

    def fits(self, document: Document) -> bool:
        """Whether a document may be the act: its year and number do not differ, and it is as former."""
        if self.is_former and document.valid_to is None and document.status not in OUT_OF_FORCE:
            return False
        years, numbers = _years_and_numbers(document.title, document.aliases, document.year, document.number)
        is_other_year = self.year is not None and years and self.year not in years
        if is_other_year and all(abs(year - (self.year or 0)) < CALENDARS_APART for year in years):
            return False
        return self.number is None or not numbers or self.number in numbers


@lru_cache(maxsize=4096)
def _years_and_numbers(
    title: str, aliases: tuple[str, ...], year: int | None, number: str | None
) -> tuple[frozenset[int], frozenset[str]]:
    names = western_digits("\n".join((title, *aliases)))
    years = set(years_in(names)) or ({year} if year else set())
    numbers = set(_ACT_NUMBER.findall(names)) or ({number} if number and number.isdecimal() else set())
    return frozenset(years), frozenset(numbers)


def years_in(text: str) -> list[int]:
    """Return the years in a text that may be those of acts, in order."""
    return [int(year) for year in _ANY_YEAR.findall(western_digits(text))]


class StatementReader:
    """Reads what a text states beside the names of acts, by one grammar."""

    def __init__(self, grammar: Grammar | None) -> None:
        year_before, year_behind = (
            (grammar.year_before, grammar.year_behind) if grammar else (NEVER, rf"[\s,]*\(?{YEAR}\)?")
        )
        before, behind = (grammar.former_before, grammar.former_behind) if grammar else (NEVER, NEVER)
        self._year_before = re.compile(rf"{_filled(year_before)}\Z", re.IGNORECASE)
        self._year_behind = re.compile(rf"{_filled(year_behind)}[)）]?", re.IGNORECASE)
        self._name = re.compile(grammar.name_form if grammar else NEVER)
        self._former_before = re.compile(rf"(?<!\w)(?:{before})\s*")
        self._former_behind = re.compile(rf"[\s,(（]*(?:{behind})(?!\w)")

    def name_begin(self, text: str, position: int) -> int:
        """Return where the name of an act begins behind words for a former act, or behind a year, at a
        position; the position itself if it has no such words or no name follows them."""
        led = self._former_before.match(text, position) or _LEADING_YEAR.match(text, position)
        return led.end() if led and self._name.match(text, led.end()) else position

    def read(self, text: str, start: int, end: int) -> Stated:
        """Return what the text states beside the name from ``start`` to ``end``."""
        front = western_digits(text[max(0, start - AROUND) : start])
        behind = western_digits(text[end : end + AROUND])
        found = self._year_behind.match(behind)
        years = years_in(found[0]) if found else []
        last = found.end() if found and years else 0
        led = None if years else self._year_before.search(front)
        if led is not None:
            years = years_in(led[0])
        former = self._former_behind.match(behind, last)
        words = next((one for one in self._former_before.finditer(front) if one.end() == len(front)), None)
        begin = words or led
        return Stated(
            years[-1] if years else None,
            found.groupdict().get("number") if found else None,
            former is not None or words is not None,
            start if begin is None else start - len(front) + begin.start(),
            end + (former.end() if former else last),
        )


def _filled(pattern: str) -> str:
    return (
        pattern.replace(YEAR, _IDENTITY_YEAR).replace(DAY, DATE).replace(NUMBER, r"\(?(?P<number>\d{1,4})\)?")
    )

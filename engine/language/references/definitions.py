"""Read names that texts give to documents, and compare documents with the acts that texts name."""

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

# Documents of a mention


@dataclass(frozen=True, slots=True)
class Meaning:
    """Possible documents of a mention.

    ``named``: the text names a document, known or not. ``denied``: documents of the name that the text
    excludes by another year or as a former act.
    """

    documents: tuple[int | None, ...]
    named: bool = False
    name_end: int | None = None
    confidence: float = 1.0
    weak: bool = False
    denied: tuple[int, ...] = ()


def named_last(mention: Mention, before: Sequence[Mention], meanings: Sequence[Meaning]) -> Meaning | None:
    """Return the document named last before "that Act" by a name with this word, otherwise the last named."""
    word = mention.text.split()[-1].casefold()
    named = [pair for pair in zip(before, meanings, strict=True) if pair[1].named]
    # "Id. § 5" contains no such word.
    alike = [pair for pair in named if word.isalpha() and word in (pair[0].document or word).casefold()]
    return (alike or named)[-1][1] if named else None


# Typographic cues for the end of a document's name

# "des Gesetzes vom 16. Juli 2021", "des Gesetzes über ...": the continuation names another act than the
# text's own.
_DATED = re.compile(r"\s+vom\s+\d")
_ABOUT = re.compile(r"\s+(?:über|betreffend|zur|zum|zu|gegen|für)\s+(?:d[aei][sner]m?\s+)?[A-ZÄÖÜa-zäöü]")
_PLAIN_ACT = re.compile(
    r"(?:Gesetz(?:es|e)?|Verordnung|Übereinkommens?|Abkommens?|Vertrag(?:e?s)?|Protokolls?)\Z"
)
_THIS_GUIDANCE = re.compile(r"\s+(?:of|in|to|under)\s+this\s+Guidance\b")
_ACT_AT_END = re.compile(r"[a-z] (?:Act|Law|Regulations|Ordinance)(?:,? \(?\d{4}\)?)?,?\Z")
_CODE = re.compile(r"\d{1,2} [A-Z]|[A-Z][a-z]*\. ?[A-Z]")
_IN = re.compile(r"\bin(?:\s+the)?\s*\Z")
_ACRONYM_ONLY = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{1,7}\s*,?\Z")


def speaks_of_guidance(mention: Mention, passage: Passage) -> bool:
    """Return True if "of this Guidance" follows a mention."""
    return _THIS_GUIDANCE.match(passage.text, mention.span.end) is not None


def continues(mention: Mention, text: str) -> bool:
    """Return True if the name of an act continues after its form with a date or a subject."""
    name = mention.document or ""
    return bool(
        _DATED.match(text, mention.span.end)
        or (_PLAIN_ACT.match(name) and _ABOUT.match(text, mention.span.end))
    )


def is_name_before(mention: Mention) -> bool:
    """Return True if the document is named before the provision: "COBS Rule 3.4.2"."""
    return (
        mention.name_at is not None
        and mention.name_at < mention.targets[0].span.end
        and (mention.name_at == mention.span.start)
    )


def is_weak(mention: Mention, text: str) -> bool:
    """Return True for capitals before a provision, or after "in", that may be no name if no known document
    matches."""
    if mention.document is None or mention.name_at is None or not mention.targets:
        return False
    if mention.name_at == mention.span.start:
        # "42 U.S.C.", "Cal. Civ. Code" and "Ports Act, " are always names.
        is_name = _CODE.match(mention.document) or _ACT_AT_END.search(mention.document)
        return mention.grammar == "english" and not is_name
    if text[: mention.name_at].rstrip()[-1:] in "0123456789)" and mention.grammar == "english":
        return True
    return bool(_ACRONYM_ONLY.match(mention.document)) and _IN.search(text[: mention.name_at]) is not None


# Names that texts give to documents: 'Financial Services and Markets Regulations 2015 ("FSMR")'

# An acronym of this length is the act's name in other texts too.
SHORTEST_ACRONYM = 3

# Kinds of acts in Chinese ("条例", "办法") have at most this length and are not names.
LONGEST_KIND = 2

_YEAR = re.compile(r"\(?\d{4}\)?")
YEAR_AT_END = re.compile(r",?\s+\(?(\d{4})\)?\Z")

_EXECUTIVE = re.compile(r"اللائحة التنفيذية (?:ل|لل)(نظام|قانون)\s+(.+)")
_OWN_REGULATION = re.compile(r"اللائحة التنفيذية (?:لهذا النظام|للنظام|لهذا القانون|للقانون)")
# In "中华人民共和国专利法实施细则", "法第五条" is Article 5 of 专利法.
_CHINESE_EXECUTIVE = re.compile(r"((?:\w*?)(法|条例))(?:实施细则|实施条例|实施办法|施行细则)\Z")
_GERMAN_EXECUTIVE = re.compile(r"(.+?)-?[Dd]urchführungsverordnung\Z")


class DefinedName(NamedTuple):
    """A name that a text gives to an act; ``everywhere``: the short name is a proper name in other texts
    too."""

    name: str
    short: str
    everywhere: bool


class NameReader:
    """Reads names that texts give to documents, by the ``definitions`` of a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._forms = [_Form(one) for one in grammar.definitions]

    def names(self, text: str) -> Iterator[DefinedName]:
        """Yield the names that a text gives to documents, by form and then in text order."""
        for form in self._forms:
            yield from form.names(text)


class _Form:
    """A compiled form of definition."""

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
        """Yield a name without its introductory words, and then without its maker."""
        words = self._lead.split(name)[-1].split()
        last = max((index for index, word in enumerate(words) if act_word.search(word)), default=-1)
        if last == 0:
            # "Code of Market Conduct": the word for the act comes first and the rest belongs to the name.
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
    """Return the parent act of a regulation: its short form in the text, and its name; or None."""
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
    """Return the name of an act's executive regulation if the act calls it "of this Act"; otherwise None."""
    if language.startswith("ar") and _OWN_REGULATION.search(name):
        return f"اللائحة التنفيذية ل{title}"
    return None


def same_as(name: str, title: str, language: str) -> bool:
    """Return True if a bare kind of act ("the Act", "des Gesetzes", "النظام") can only mean the text
    itself."""
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


# Comparison of a document with the year, number and status of a named act

# Placeholders of grammars for a year, a complete date and the number of an act.
YEAR, DAY, NUMBER = "YYYY", "DATE", "NNNN"
# Maximum distance of the year and the words for a former act from the name, in characters.
AROUND = 60
# Years of the Hijri and Gregorian calendars differ by more than this and are not compared.
CALENDARS_APART = 300

_IDENTITY_YEAR = r"(?:1[2-9]|20|21)\d\d(?!\d|[/–-]\d)"
_ANY_YEAR = re.compile(rf"(?<![\d/.-]){_IDENTITY_YEAR}")
_LEADING_YEAR = re.compile(rf"{_IDENTITY_YEAR}\s*(?:年的?)?\s*《?")
# "of the Republic of Meridia", "des Kantons Bern", "du Sénégal"
_PLACE = re.compile(
    r"\s+(?:of|del?|d[ue]s?|von|der|für)(?: (?:the|la|das|den))? "
    r"(?P<place>[A-ZÀ-Ý][\w’-]+(?: (?:(?:of|del?|du|the|la) ){0,2}[A-ZÀ-Ý][\w’-]+){0,4})"
)
_ACT_NUMBER = re.compile(r"(?:\bN(?:o|r|omor)\.?|\bn[°º]|رقم)\s*\(?(\d{1,4})\)?(?![\d/-])", re.IGNORECASE)


class Stated(NamedTuple):
    """The year, number and former status that a text states for a named act.

    ``start`` and ``end`` enclose the statement and the ``name``; ``place`` is the country or region after
    it.
    """

    year: int | None
    number: str | None
    is_former: bool
    start: int
    end: int
    name: str = ""
    place: str | None = None

    def fits(self, document: Document) -> bool:
        """Return True if a document may be the act: its year, number and place agree, and it is former if
        required."""
        if self.is_former and document.valid_to is None and document.status not in OUT_OF_FORCE:
            return False
        if self.place and _is_elsewhere(self.name, self.place, document.title):
            return False
        years, numbers = _years_and_numbers(document.title, document.aliases, document.year, document.number)
        is_other_year = self.year is not None and years and self.year not in years
        if is_other_year and all(abs(year - (self.year or 0)) < CALENDARS_APART for year in years):
            return False
        return self.number is None or not numbers or self.number in numbers


def _is_elsewhere(name: str, place: str, title: str) -> bool:
    """Return True if a title has another place after the name: "Ports Act of Meridia"."""
    # The text may inflect the name: "des Steuergesetzes".
    form = rf"(?i:{re.escape(name.removesuffix('es'))})\w{{0,2}}{_PLACE.pattern}"
    found = re.search(form, title)
    if found is None:
        return False
    own, stated = found["place"].split(), place.split()
    return own[-1] not in stated and stated[-1] not in own


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
    """Reads the details that a text states for the names of acts, by one grammar."""

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

    def is_own_name(self, word: str) -> bool:
        """Return True if a single word names an act in this language: "Constitution"."""
        return " " not in word and self._name.fullmatch(word) is not None

    def name_begin(self, text: str, position: int) -> int:
        """Return the start of an act's name after words for a former act or after a year at ``position``.

        Returns ``position`` if there are no such words or no name follows them.
        """
        lead = self._former_before.match(text, position) or _LEADING_YEAR.match(text, position)
        return lead.end() if lead and self._name.match(text, lead.end()) else position

    def read(self, text: str, start: int, end: int) -> Stated:
        """Read the details around the name from ``start`` to ``end``."""
        front = western_digits(text[max(0, start - AROUND) : start])
        behind = western_digits(text[end : end + AROUND])
        place = _PLACE.match(behind)
        found = self._year_behind.match(behind, place.end() if place else 0)
        found = found or (self._year_behind.match(behind) if place else None)
        years = years_in(found[0]) if found else []
        last = found.end() if found and years else 0
        lead = None if years else self._year_before.search(front)
        if lead is not None:
            years = years_in(lead[0])
        former = self._former_behind.match(behind, last)
        words = next((one for one in self._former_before.finditer(front) if one.end() == len(front)), None)
        begin = words or lead
        return Stated(
            years[-1] if years else None,
            found.groupdict().get("number") if found else None,
            former is not None or words is not None,
            start if begin is None else start - len(front) + begin.start(),
            end + (former.end() if former else last),
            text[start:end],
            place["place"] if place else None,
        )


def _filled(pattern: str) -> str:
    return (
        pattern.replace(YEAR, _IDENTITY_YEAR).replace(DAY, DATE).replace(NUMBER, r"\(?(?P<number>\d{1,4})\)?")
    )

"""Acts of the European Union, standards and court decisions that are cited by number."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engine.language.references.names import Told, Use, Uses
from engine.languages import all_words, words
from engine.model import Document

# Acts of the European Union by number: their names in its languages, CELEX numbers and ELI
# addresses.
#
# "Regulation (EU) 2016/679", "règlement (UE) 2016/679", "Richtlinie 95/46/EG", "32016R0679" and
# "http://data.europa.eu/eli/reg/2016/679/oj" all become a CELEX number, so that an act is found
# in whatever language it is cited. Sources: "How to read a CELEX number" and the ELI templates of
# the Publications Office (https://eur-lex.europa.eu/content/help/eurlex-content/celex-
# number.html, https://eur-lex.europa.eu/eli-register/technical_information.html).

# What may stand between the word and the number: "delegated" and its like behind the word, the
# Communities in brackets, "No" in the ways it is printed.
_BETWEEN = (
    r"(?:\s+(?:délégué|déléguée|d['’]exécution|delegad[oa]|de\s+ejecución|delegat[oa]|di\s+esecuzione|de\s+execução))?"
    r"\s+(?:\((?:EU|UE|EG|EC|CE|EWG|EEC|CEE|EEG|Euratom|EGKS|CECA|ECSC)[^()]{0,16}\)\s*)?"
    r"(?:(?:No|Nr|n\.?\s?[o°ºr]?|N[o°º])\.?\s*)?"
)
_NUMBER = (
    r"\d{1,4}/\d{1,4}(?:/(?:EU|UE|EG|EC|CE|EWG|EEC|CEE|EEG|Euratom|EGKS|ECSC|CECA|JHA|JI|JAI|JBZ|GAI|GASP"
    r"|CFSP|PESC))?(?!\w)"
)
_CELEX = (
    r"(?:CELEX\s?(?:No\.?|n°|Nr\.)?\s?:?\s?)?[0-9][12]\d{3}(?:R|L|D|F|H|G|Q)\d{4}(?:\(\d{2}\)|-\d{8})?(?!\w)"
)
_ELI = r"(?:https?://data\.europa\.eu)?/?\beli/(?:reg|dir|dec|dec_framw)(?:_impl|_del)?/\d{4}/\d{1,4}(?:\(\d\))?(?:/(?:oj|\d{4}-\d{2}-\d{2}))?(?:/[a-z]{3})?"
LANGUAGES = tuple(language for language, own in all_words().items() if own.eu_acts)

_AS_CELEX = re.compile(r"(?<!\d)([0-9])([12]\d{3})([RLDFHGQ])(\d{4})(?!\d)")
_AS_ELI = re.compile(r"\beli/(reg|dir|dec_framw|dec)(?:_impl|_del)?/(\d{4})/(\d{1,4})\b")
_ELI_LETTERS = {"reg": "R", "dir": "L", "dec": "D", "dec_framw": "F"}
_AS_NUMBER = re.compile(r"(\d{1,4})/(\d{1,4})(?:/([A-Za-z]+))?")
_NUMBER_WORD = re.compile(r"(?<![^\W\d_])(?:No|Nr|n)\.?\s?[o°ºr]?\.?\s*\Z", re.IGNORECASE)
_FIRST_YEAR = 1952


@cache
def eu_act_form(language: str) -> str | None:
    """The regular expression of an EU act's name in a language; None where its words are not known."""
    if language not in LANGUAGES:
        return None
    kinds = "|".join(f"(?i:{word})" for word in words(language).eu_acts.values())
    return rf"(?:(?:{kinds}){_BETWEEN}{_NUMBER}|{_CELEX}|{_ELI})"


@cache
def _reader(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    if language not in LANGUAGES:
        return ()
    return tuple(
        (letter, re.compile(rf"(?:{word}){_BETWEEN}(?={_NUMBER})", re.IGNORECASE))
        for letter, word in words(language).eu_acts.items()
    )


def celex_of(name: str, language: str) -> str | None:
    """The CELEX number of the act that a name, a CELEX number or an ELI address means.

    A consolidated version ("02016R0679-20160504") is the act it consolidates. None where the name is
    none of an EU act by number, or its year and number cannot be told apart.
    """
    celex = _AS_CELEX.search(name)
    if celex:
        sector = "3" if celex[1] == "0" else celex[1]
        return f"{sector}{celex[2]}{celex[3]}{celex[4]}"
    eli = _AS_ELI.search(name)
    if eli:
        return f"3{eli[2]}{_ELI_LETTERS[eli[1]]}{int(eli[3]):04d}"
    for letter, word in _reader(language):
        found = word.match(name)
        if found:
            return _numbered(letter, name, found.end())
    return None


def _numbered(letter: str, name: str, position: int) -> str | None:
    match = _AS_NUMBER.match(name, position)
    if match is None:
        return None
    first, second = match[1], match[2]
    # Until 2014 a regulation was "No 575/2013", number first; a directive "2002/58/EC" never was.
    counted = _NUMBER_WORD.search(name, 0, position) is not None
    regulation = letter == "R" and (_year(first) is None or len(first) < len(second) == 4)
    year, number = (second, first) if _year(second) and (counted or regulation) else (first, second)
    value = _year(year)
    return None if value is None else f"3{value}{letter}{int(number):04d}"


def _year(text: str) -> int | None:
    """A year printed with four digits, or with two as it was until 1998."""
    value = int(text)
    if len(text) == 2:
        value += 1900
    return value if _FIRST_YEAR <= value < 2100 else None


class EuActs:
    """The documents of a corpus that are EU acts, by their CELEX numbers."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each act that is asked for."""
        self._uses = uses
        self._documents: dict[str, list[int]] = {}
        for number, document in enumerate(documents):
            names = (str(document.metadata.get("celex") or ""), document.title, *document.aliases)
            celex = next((found for name in names if (found := celex_of(name, document.language))), None)
            if celex:
                self._documents.setdefault(celex, []).append(number)

    def meant(self, name: str, language: str) -> tuple[int, ...] | None:
        """The documents that a name means, none for an act from outside; None where it names no EU act."""
        celex = celex_of(name, language) if any(letter.isdigit() for letter in name) else None
        if celex is None:
            return None
        if self._uses is not None:
            self._uses.add(("celex", celex))
        return tuple(self._documents.get(celex, ()))

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """Who means each act."""
        for celex, found in self._documents.items():
            yield ("celex", celex), told(found)


# Standards by their designation: who publishes them, number, edition and, as some print it, the
# title.
#
# "GRI 306: Waste 2020", "GRI Standard 306", "ISO 14001:2015", "ISO/IEC 27001", "IFRS S2", "DIN EN
# ISO 9001": such names need no word of a language, so every grammar reads them. One with a year
# means that edition and no other; one without means the latest (ISO/IEC Directives, Part 2, 2021,
# clause 10: undated references).

# Publishers, and the prefixes of those that take a standard over. What is also a word or a rulebook's own
# acronym in some text ("EN", "BS", "AS") counts only in front of another.
_TAKEN_OVER = r"(?:(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM|SN|IS|SNI|SASO|GSO)\s)?(?:EN\s)?"
_PUBLISHER = (
    r"(?:ISO(?:/(?:IEC|IEEE|ASTM|TS|TR|PAS|IEC/IEEE|IEC\sTS))?|IEC(?:/(?:IEEE|TS|TR))?|IEEE|DIN|ÖNORM|ETSI|ASTM|ANSI|NIST\sSP"
    r"|GB/T|SNI|SASO|GSO|AS/NZS|GRI|SASB|ESRS|IFRS|IAS|IFRIC|ISAE|ISRS|ISQM)"
)
_STANDARDS_NUMBER = r"(?:[A-Z]{1,2}-?)?\d{1,6}(?:[-.]\d{1,4}){0,3}"
_YEAR = r"(?:19|20)\d\d"
# ":2015", "-2020", "(2016)", " 2016" as people write it; "+A1:2019" behind it; ": Waste 2020" with the title
# between.
_EDITION = (
    rf"(?:\s?:\s?{_YEAR}(?:\+A\d+(?::{_YEAR})?)?|\s\({_YEAR}\)|\s{_YEAR}(?![\w/-])"
    rf"|:\s[A-Z][\w ,’'&-]{{1,60}}?\s{_YEAR})"
)
FORM = (
    rf"(?<![A-Za-z0-9./-])(?:{_TAKEN_OVER}{_PUBLISHER}(?:\s[Ss]tandards?)?|(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM)\sEN)"
    rf"[\s-](?:No\.\s)?{_STANDARDS_NUMBER}{_EDITION}?(?![A-Za-z0-9]|/\d|[.,]\d|\s[Ss]eries\b)"
)
# Every designation has one of these.
SIGN = (
    r"(?:ISO|IEC|IEEE|DIN|NF|BS|UNE|UNI|NEN|ÖNORM|ETSI|ASTM|ANSI|NIST|GB/T|SNI|SASO|GSO|AS/NZS|GRI|SASB|ESRS|IFRS"
    r"|IAS|IFRIC|ISAE|ISRS|ISQM)(?=[\s/-])"
)
# Characters before and behind the sign in which the whole is read.
REACH = 90

_READ = re.compile(
    rf"(?:.*?\s)??(?P<publisher>[A-ZÖ]{{2,6}}(?:/[A-Z]{{1,4}}){{0,2}}(?:\sSP)?)(?:\s[Ss]tandards?)?[\s-](?:No\.\s)?"
    rf"(?P<number>{_STANDARDS_NUMBER})(?P<edition>{_EDITION})?\Z",
    re.DOTALL,
)
# What a standard's own title goes on with: its subject behind a sign, or, behind a year, in capitals.
_SUBJECT = re.compile(r"\s*(?:\([EF]\)\s*)?[:–—-]|\s*\([EF]\)\s*\Z")
_CAPITAL = re.compile(r"\s+[A-Z]")
# A text about a standard is none.
_ABOUT = re.compile(
    r"\b(?:certificat\w*|reports?|audits?|manuals?|guid\w*|checklists?|polic\w*|implement\w*|training|handbooks?|notes?|memo)\b",
    re.IGNORECASE,
)
# Who publishes them, where the letters do not say it. By their own names for themselves.
PUBLISHERS = {
    "ISO": "International Organization for Standardization",
    "IEC": "International Electrotechnical Commission",
    "GRI": "Global Reporting Initiative",
    "IFRS": "IFRS Foundation",
    "IAS": "IFRS Foundation",
    "IFRIC": "IFRS Foundation",
    "SASB": "IFRS Foundation",
    "ESRS": "EFRAG",
    "NIST SP": "National Institute of Standards and Technology",
    "ETSI": "European Telecommunications Standards Institute",
}
# Of these the letters are the publisher's own name, not that of a series.
OWN_LETTERS = frozenset(("ISO", "IEC", "GRI", "ETSI"))
# Their disclosures are numbered in the standard: "GRI 306-1" stands in GRI 306.
_NUMBERED_INSIDE = frozenset(("GRI", "ESRS"))
_FORM = re.compile(FORM)
_YEARS = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


@dataclass(frozen=True, slots=True)
class Standard:
    """A designation: "ISO/IEC", "27001" and the edition's year, None where none is given."""

    publisher: str
    number: str
    year: int | None = None

    @property
    def issuer(self) -> str:
        """Who publishes it, by name where that is known, else by its letters."""
        return PUBLISHERS.get(self.publisher) or PUBLISHERS.get(self.publisher.split("/")[0], self.publisher)

    @property
    def name(self) -> str:
        """Its name whatever the edition; of a disclosure in it, that of the standard: "GRI 306"."""
        inside = self.publisher in _NUMBERED_INSIDE
        return f"{self.publisher} {self.number.split('-')[0] if inside else self.number}"

    @property
    def key(self) -> tuple[str, str]:
        """What all editions share."""
        return self.publisher, self.number


def standard_of(name: str) -> Standard | None:
    """The standard that a name designates; None where it is no designation."""
    name = name.strip(" ,\n")
    read = _READ.fullmatch(name)
    if read is None or not _FORM.fullmatch(name):
        return None
    publisher, number = _plain(read["publisher"]), read["number"]
    years = _YEARS.findall(read["edition"] or "")
    if not years:
        # "19001-2016"
        number, _, behind = number.rpartition("-") if _YEARS.fullmatch(number[-4:]) else (number, "", "")
        years = [behind] if behind else []
    # An amendment's year behind the edition's is none of an edition: "2015+A1:2024".
    first = "+A" in (read["edition"] or "")
    return Standard(publisher, number, int(years[0 if first else -1]) if years else None)


def standard_titled(title: str) -> tuple[Standard, int] | None:
    """The standard whose own title or name this is, and where its designation ends; None for another text,
    such as a report on it."""
    found = _FORM.match(title)
    standard = standard_of(found[0]) if found else None
    if found is None or standard is None:
        return None
    rest = title[found.end() :]
    goes_on = _SUBJECT.match(rest) or (standard.year and _CAPITAL.match(rest))
    own = not rest.strip() or (goes_on and not _ABOUT.search(rest))
    return (standard, found.end()) if own else None


def _plain(publisher: str) -> str:
    return " ".join(publisher.split())


class Standards:
    """The documents of a corpus that are editions of standards, by designation."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each standard that is asked for."""
        self._uses = uses
        self._editions: dict[tuple[str, str], list[tuple[int | None, int]]] = {}
        for number, document in enumerate(documents):
            for key in dict.fromkeys(one.key for one in _own(document)):
                self._editions.setdefault(key, []).append((_edition_of(document), number))

    def editions(self, standard: Standard) -> tuple[int, ...]:
        """All editions of a standard that there are, the latest first."""
        known = self._editions.get(standard.key, [])
        return tuple(number for _, number in sorted(known, key=lambda one: (-(one[0] or 0), one[1])))

    def meant(self, name: str) -> tuple[int, ...] | None:
        """The documents that a name means: those of its year, or of the latest there is where it gives none.

        None where it designates no standard, empty for one, or an edition, that the corpus has not.
        """
        wanted = standard_of(name)
        if wanted is None:
            return None
        editions = self._known(wanted.key)
        if not editions and wanted.publisher in _NUMBERED_INSIDE:
            editions = self._known((wanted.publisher, wanted.number.split("-")[0]))
        year = wanted.year or max((one for one, _ in editions if one is not None), default=None)
        return tuple(number for one, number in editions if one == year)

    def _known(self, key: tuple[str, str]) -> list[tuple[int | None, int]]:
        if self._uses is not None:
            self._uses.add(("standard", *key))
        return self._editions.get(key, [])

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """Who is an edition of each standard."""
        for key, editions in self._editions.items():
            found = [(year, told([number])) for year, number in editions]
            yield ("standard", *key), repr(found)


def _own(document: Document) -> list[Standard]:
    """The standards that its title, its number or another name says it is."""
    names = (document.title, document.number or "", *document.aliases)
    return [found[0] for name in names if (found := standard_titled(name))]


def _edition_of(document: Document) -> int | None:
    """The year of an edition: that of its title or other names, else its own."""
    named = next((one.year for one in _own(document) if one.year), None)
    return named or document.year or (document.valid_from.year if document.valid_from else None)


# Court decisions that a text cites by reporter: "Roe v. Wade, 410 U.S. 113", read by eyecite.
#
# Only texts that show a volume, a reporter and a page are given to it: it is slow to load and to
# run.

# What eyecite has to say about overlapping citations is of no use to a user.
logging.getLogger("eyecite").addHandler(logging.NullHandler())

_SIGN = re.compile(
    r"\d\s+(?!U\.\s?S\.\s?C|C\.\s?F\.\s?R|Fed\.|Stat\.)(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.|F\.\s?(?:2d|3d|4th|Supp)|[A-Z][A-Za-z.]*\.\s?(?:2d|3d|4th|5th)?)\s+\d"
)
# The names of the parties are printed right before the volume.
_LONGEST_NAMES = 160


class Decision(NamedTuple):
    """Where a citation stands, and the citation in its usual form ("410 U.S. 113")."""

    start: int
    end: int
    citation: str


def decisions(text: str) -> list[Decision]:
    """The court decisions of the United States that a text cites in full, in order."""
    if not _SIGN.search(text):
        return []
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    found: list[Decision] = []
    for one in get_citations(text):
        if not isinstance(one, FullCaseCitation):
            continue
        start, end = one.span()
        names = one.full_span()[0]
        if one.metadata.plaintiff and one.metadata.defendant and start - _LONGEST_NAMES < names < start:
            start = names
        if not found or found[-1].end <= start:
            found.append(Decision(start, end, one.corrected_citation()))
    return found

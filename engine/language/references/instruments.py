"""Read EU acts, standards and court decisions that are cited by number."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engine.language.references.names import Describe, Use, Uses
from engine.languages import all_words, words
from engine.model import Document

# EU acts: "Regulation (EU) 2016/679", "règlement (UE) 2016/679", "Richtlinie 95/46/EG", "32016R0679" and
# "http://data.europa.eu/eli/reg/2016/679/oj" become CELEX numbers, so that an act is found in every language.
# Sources: "How to read a CELEX number" and the ELI templates of the Publications Office
# (https://eur-lex.europa.eu/content/help/eurlex-content/celex-number.html,
# https://eur-lex.europa.eu/eli-register/technical_information.html).

# Between the word and the number: "delegated" and similar words, the Communities in brackets, forms of "No".
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
    """Return the regular expression of EU acts in a language; None if its words are unknown."""
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
    """Return the CELEX number of a name, a CELEX number or an ELI URL.

    A consolidated version ("02016R0679-20160504") gives the act. Returns None if the name is not an EU act by
    number, or if its year and number cannot be distinguished.
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
    # Until 2014 regulations put the number first ("No 575/2013"); directives did not ("2002/58/EC").
    counted = _NUMBER_WORD.search(name, 0, position) is not None
    regulation = letter == "R" and (_year(first) is None or len(first) < len(second) == 4)
    year, number = (second, first) if _year(second) and (counted or regulation) else (first, second)
    value = _year(year)
    return None if value is None else f"3{value}{letter}{int(number):04d}"


def _year(text: str) -> int | None:
    """Parse a year with four digits, or with two as used until 1998."""
    value = int(text)
    if len(text) == 2:
        value += 1900
    return value if _FIRST_YEAR <= value < 2100 else None


class EuActs:
    """An index of the EU acts in a corpus by CELEX number."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` records each look-up of an act."""
        self._uses = uses
        self._documents: dict[str, list[int]] = {}
        for number, document in enumerate(documents):
            names = (str(document.metadata.get("celex") or ""), document.title, *document.aliases)
            celex = next((found for name in names if (found := celex_of(name, document.language))), None)
            if celex:
                self._documents.setdefault(celex, []).append(number)

    def find(self, name: str, language: str) -> tuple[int, ...] | None:
        """Find the documents of a name; empty for an act outside the corpus, None if it is not an EU act."""
        celex = celex_of(name, language) if any(letter.isdigit() for letter in name) else None
        if celex is None:
            return None
        if self._uses is not None:
            self._uses.add(("celex", celex))
        return tuple(self._documents.get(celex, ()))

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield the documents of each act."""
        for celex, found in self._documents.items():
            yield ("celex", celex), describe(found)


# Standards: publisher, number, edition and sometimes the title
#
# "GRI 306: Waste 2020", "GRI Standard 306", "ISO 14001:2015", "ISO/IEC 27001", "IFRS S2", "DIN EN ISO 9001"
# are independent of the language, so every grammar reads them. A year selects that edition; without one the
# latest is meant (ISO/IEC Directives, Part 2, 2021, clause 10: undated references).

# Publishers, and prefixes of adopting bodies. Prefixes that are also words or acronyms ("EN", "BS", "AS")
# count only before a publisher.
_TAKEN_OVER = r"(?:(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM|SN|IS|SNI|SASO|GSO)\s)?(?:EN\s)?"
_PUBLISHER = (
    r"(?:ISO(?:/(?:IEC|IEEE|ASTM|TS|TR|PAS|IEC/IEEE|IEC\sTS))?|IEC(?:/(?:IEEE|TS|TR))?|IEEE|DIN|ÖNORM|ETSI|ASTM|ANSI|NIST\sSP"
    r"|GB/T|SNI|SASO|GSO|AS/NZS|GRI|SASB|ESRS|IFRS|IAS|IFRIC|ISAE|ISRS|ISQM)"
)
_STANDARDS_NUMBER = r"(?:[A-Z]{1,2}-?)?\d{1,6}(?:[-.]\d{1,4}){0,3}"
_YEAR = r"(?:19|20)\d\d"
# ":2015", "-2020", "(2016)", " 2016" in informal use; "+A1:2019" after it; ": Waste 2020" with the title
# between.
_EDITION = (
    rf"(?:\s?:\s?{_YEAR}(?:\+A\d+(?::{_YEAR})?)?|\s\({_YEAR}\)|\s{_YEAR}(?![\w/-])"
    rf"|:\s[A-Z][\w ,’'&-]{{1,60}}?\s{_YEAR})"
)
FORM = (
    rf"(?<![A-Za-z0-9./-])(?:{_TAKEN_OVER}{_PUBLISHER}(?:\s[Ss]tandards?)?|(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM)\sEN)"
    rf"[\s-](?:No\.\s)?{_STANDARDS_NUMBER}{_EDITION}?(?![A-Za-z0-9]|/\d|[.,]\d|\s[Ss]eries\b)"
)
# Every designation contains one of these.
SIGN = (
    r"(?:ISO|IEC|IEEE|DIN|NF|BS|UNE|UNI|NEN|ÖNORM|ETSI|ASTM|ANSI|NIST|GB/T|SNI|SASO|GSO|AS/NZS|GRI|SASB|ESRS|IFRS"
    r"|IAS|IFRIC|ISAE|ISRS|ISQM)(?=[\s/-])"
)
# Number of characters before and after the sign to search.
REACH = 90

_READ = re.compile(
    rf"(?:.*?\s)??(?P<publisher>[A-ZÖ]{{2,6}}(?:/[A-Z]{{1,4}}){{0,2}}(?:\sSP)?)(?:\s[Ss]tandards?)?[\s-](?:No\.\s)?"
    rf"(?P<number>{_STANDARDS_NUMBER})(?P<edition>{_EDITION})?\Z",
    re.DOTALL,
)
# Continuation of a standard's own title: its subject after a sign, or in capitals after a year.
_SUBJECT = re.compile(r"\s*(?:\([EF]\)\s*)?[:–—-]|\s*\([EF]\)\s*\Z")
_CAPITAL = re.compile(r"\s+[A-Z]")
# Titles of texts about a standard.
_ABOUT = re.compile(
    r"\b(?:certificat\w*|reports?|audits?|manuals?|guid\w*|checklists?|polic\w*|implement\w*|training|handbooks?|notes?|memo)\b",
    re.IGNORECASE,
)
# Publishers whose letters are not their names; names as they use them.
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
# Publishers whose letters are their own name, not that of a series.
OWN_LETTERS = frozenset(("ISO", "IEC", "GRI", "ETSI"))
# Publishers that number disclosures within a standard: "GRI 306-1" is in GRI 306.
_NUMBERED_INSIDE = frozenset(("GRI", "ESRS"))
_FORM = re.compile(FORM)
_YEARS = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


@dataclass(frozen=True, slots=True)
class Standard:
    """A designation: "ISO/IEC", "27001" and the year of the edition, or None."""

    publisher: str
    number: str
    year: int | None = None

    @property
    def issuer(self) -> str:
        """Name of the publisher if known, otherwise its letters."""
        return PUBLISHERS.get(self.publisher) or PUBLISHERS.get(self.publisher.split("/")[0], self.publisher)

    @property
    def name(self) -> str:
        """Name without the edition; for a disclosure, the name of its standard: "GRI 306"."""
        inside = self.publisher in _NUMBERED_INSIDE
        return f"{self.publisher} {self.number.split('-')[0] if inside else self.number}"

    @property
    def key(self) -> tuple[str, str]:
        """Key that all editions share."""
        return self.publisher, self.number


def standard_of(name: str) -> Standard | None:
    """Parse the designation of a standard; None if it is not one."""
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
    # The year of an amendment after that of the edition does not count: "2015+A1:2024".
    first = "+A" in (read["edition"] or "")
    return Standard(publisher, number, int(years[0 if first else -1]) if years else None)


def standard_titled(title: str) -> tuple[Standard, int] | None:
    """Return the standard that a title or name belongs to, and the end of its designation.

    Returns None for other texts, such as a report on the standard.
    """
    found = _FORM.match(title)
    standard = standard_of(found[0]) if found else None
    if found is None or standard is None:
        return None
    rest = title[found.end() :]
    continues = _SUBJECT.match(rest) or (standard.year and _CAPITAL.match(rest))
    own = not rest.strip() or (continues and not _ABOUT.search(rest))
    return (standard, found.end()) if own else None


def _plain(publisher: str) -> str:
    return " ".join(publisher.split())


class Standards:
    """An index of the editions of standards in a corpus by designation."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` records each look-up of a standard."""
        self._uses = uses
        self._editions: dict[tuple[str, str], list[tuple[int | None, int]]] = {}
        for number, document in enumerate(documents):
            for key in dict.fromkeys(one.key for one in _own(document)):
                self._editions.setdefault(key, []).append((_edition_of(document), number))

    def editions(self, standard: Standard) -> tuple[int, ...]:
        """Return all editions of a standard in the corpus, latest first."""
        known = self._editions.get(standard.key, [])
        return tuple(number for _, number in sorted(known, key=lambda one: (-(one[0] or 0), one[1])))

    def find(self, name: str) -> tuple[int, ...] | None:
        """Find the documents of a name: of its year, or of the latest edition if it has none.

        Returns None if the name is not a standard; empty if the corpus lacks the standard or edition.
        """
        standard = standard_of(name)
        if standard is None:
            return None
        editions = self._find_editions(standard.key)
        if not editions and standard.publisher in _NUMBERED_INSIDE:
            editions = self._find_editions((standard.publisher, standard.number.split("-")[0]))
        year = standard.year or max((one for one, _ in editions if one is not None), default=None)
        return tuple(number for one, number in editions if one == year)

    def _find_editions(self, key: tuple[str, str]) -> list[tuple[int | None, int]]:
        if self._uses is not None:
            self._uses.add(("standard", *key))
        return self._editions.get(key, [])

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield the editions of each standard."""
        for key, editions in self._editions.items():
            found = [(year, describe([number])) for year, number in editions]
            yield ("standard", *key), repr(found)


def _own(document: Document) -> list[Standard]:
    """Return the standards that the title, number or another name of a document designates."""
    names = (document.title, document.number or "", *document.aliases)
    return [found[0] for name in names if (found := standard_titled(name))]


def _edition_of(document: Document) -> int | None:
    """Return the year of an edition: from its title or other names, otherwise the document's year."""
    named = next((one.year for one in _own(document) if one.year), None)
    return named or document.year or (document.valid_from.year if document.valid_from else None)


# US court decisions cited by reporter: "Roe v. Wade, 410 U.S. 113", read by eyecite
#
# Only texts with a volume, a reporter and a page are passed to eyecite, which is slow to load and to run.

# Warnings of eyecite about overlapping citations do not help the user.
logging.getLogger("eyecite").addHandler(logging.NullHandler())

_SIGN = re.compile(
    r"\d\s+(?!U\.\s?S\.\s?C|C\.\s?F\.\s?R|Fed\.|Stat\.)(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.|F\.\s?(?:2d|3d|4th|Supp)|[A-Z][A-Za-z.]*\.\s?(?:2d|3d|4th|5th)?)\s+\d"
)
# Maximum length of the parties' names before the volume.
_LONGEST_NAMES = 160


class Decision(NamedTuple):
    """Span of a citation, and its standard form ("410 U.S. 113")."""

    start: int
    end: int
    citation: str


def decisions(text: str) -> list[Decision]:
    """Return the US court decisions that a text cites in full, in order."""
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

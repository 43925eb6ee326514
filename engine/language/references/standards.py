"""Standards by their designation: who publishes them, number, edition and, as some print it, the title.

"GRI 306: Waste 2020", "GRI Standard 306", "ISO 14001:2015", "ISO/IEC 27001", "IFRS S2", "DIN EN ISO 9001":
such names need no word of a language, so every grammar reads them. One with a year means that edition and no
other; one without means the latest (ISO/IEC Directives, Part 2, 2021, clause 10: undated references).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.language.references.uses import Told, Use, Uses
from engine.model import Document

# Publishers, and the prefixes of those that take a standard over. What is also a word or a rulebook's own
# acronym in some text ("EN", "BS", "AS") counts only in front of another.
_TAKEN_OVER = r"(?:(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM|SN|IS|SNI|SASO|GSO)\s)?(?:EN\s)?"
_PUBLISHER = (
    r"(?:ISO(?:/(?:IEC|IEEE|ASTM|TS|TR|PAS|IEC/IEEE|IEC\sTS))?|IEC(?:/(?:IEEE|TS|TR))?|IEEE|DIN|ÖNORM|ETSI|ASTM|ANSI|NIST\sSP"
    r"|GB/T|SNI|SASO|GSO|AS/NZS|GRI|SASB|ESRS|IFRS|IAS|IFRIC|ISAE|ISRS|ISQM)"
)
_NUMBER = r"(?:[A-Z]{1,2}-?)?\d{1,6}(?:[-.]\d{1,4}){0,3}"
_YEAR = r"(?:19|20)\d\d"
# ":2015", "-2020", "(2016)", " 2016" as people write it; "+A1:2019" behind it; ": Waste 2020" with the title
# between.
_EDITION = (
    rf"(?:\s?:\s?{_YEAR}(?:\+A\d+(?::{_YEAR})?)?|\s\({_YEAR}\)|\s{_YEAR}(?![\w/-])"
    rf"|:\s[A-Z][\w ,’'&-]{{1,60}}?\s{_YEAR})"
)
FORM = (
    rf"(?<![A-Za-z0-9./-])(?:{_TAKEN_OVER}{_PUBLISHER}(?:\s[Ss]tandards?)?|(?:DIN|NF|BS|UNE|UNI|NEN|ÖNORM)\sEN)"
    rf"[\s-](?:No\.\s)?{_NUMBER}{_EDITION}?(?![A-Za-z0-9]|/\d|[.,]\d|\s[Ss]eries\b)"
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
    rf"(?P<number>{_NUMBER})(?P<edition>{_EDITION})?\Z",
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

"""Acts told apart by the decree that made them: "نظام الشركات الصادر بالمرسوم الملكي رقم (م/3) لسنة 1437".

One name serves an act and the one it replaced; the number and year of the decree say which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.language.references.uses import Told, Use, Uses
from engine.language.script import fold_arabic, visible, western_digits
from engine.model import Document

# Fields of a document's metadata in which sources say what made it, besides ``Document.issuer``.
MADE_BY = ("issuing_authority", "issued_by", "decree")

_SPACE = r"[\s،,]"
# Read in folded text: one form of alef and of ya, western digits.
_DECREE = re.compile(
    r"(?:ال)?(?P<kind>مرسوم (?:ال)?ملكي|امر (?:ال)?(?:ملكي|سامي)|قرار مجلس الوزراء|مرسوم بقانون(?: اتحادي)?"
    r"|قانون (?:ال)?اتحادي)(?: الكريم)?\s*(?:(?:ذي|ذو) الرقم|رقم)?\s*\(?\s*"
    r"(?P<number>(?:[ء-ي]{1,2}\s*/\s*)?\d+(?:\s*/\s*\d+)*)\s*\)?"
    rf"(?:{_SPACE}*(?:و|ب|في|ال)*(?:تاريخ)?\s*(?P<date>\d{{1,4}}\s*[/-]\s*\d{{1,2}}\s*[/-]\s*\d{{1,4}})"
    rf"|{_SPACE}*لسنة\s*(?P<year>\d{{4}}))?"
)
_KINDS = frozenset(("نظام", "قانون", "لائحة", "تنظيم", "قواعد"))
_YEAR = re.compile(r"\d{4}")


class Decree(NamedTuple):
    """A decree: its kind, its number and the year it counts in, None where the text does not say."""

    kind: str
    number: str
    year: int | None


def decrees_in(text: str) -> Iterator[Decree]:
    """The decrees that a text cites by number, in its order."""
    folded = " ".join(fold_arabic(western_digits(visible(text))).split())
    for match in _DECREE.finditer(folded):
        year = _YEAR.search(match["year"] or match["date"] or "")
        number = re.sub(r"\s", "", match["number"])
        yield Decree(match["kind"].replace("ال", ""), number, int(year[0]) if year else None)


class Decrees:
    """Which documents of a corpus were made by which decree."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each decree that is asked for."""
        self._documents, self._uses = documents, uses
        self._made_by: dict[int, tuple[Decree, ...]] = {}
        self._made: dict[Decree, list[int]] = {}
        for number, document in enumerate(documents):
            if document.language.startswith("ar"):
                self._read(number, document)

    def _read(self, number: int, document: Document) -> None:
        said = [
            document.title,
            document.issuer,
            *document.aliases,
            *(document.metadata.get(field) for field in MADE_BY),
        ]
        found = dict.fromkeys(decree for text in said if isinstance(text, str) for decree in decrees_in(text))
        if found:
            self._made_by[number] = tuple(found)
        for decree in found:
            self._made.setdefault(decree, []).append(number)

    def meant(self, name: str, candidates: Sequence[int | None]) -> tuple[int | None, ...] | None:
        """The documents that a name with a decree means; None where the name says no decree.

        ``candidates`` are those that the name alone means: of these stay the ones that the decree made, or
        of which it is not known what made them. Where none stays, it is what the decree made.
        """
        named = tuple(decrees_in(name))
        if not named:
            return None
        if self._uses is not None:
            self._uses.update(("decree", repr(decree)) for decree in named)
        fitting = tuple(one for one in candidates if one is not None and self._fits(one, named))
        made = (number for decree in named for number in self._made.get(decree, ()))
        kind = _kind(name)
        # One decision may pass an act and its regulation: the name says which of the two is meant.
        return fitting or tuple(
            dict.fromkeys(one for one in made if kind in (None, _kind(self._documents[one].title)))
        )

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """What each decree made."""
        for decree, found in self._made.items():
            yield ("decree", repr(decree)), repr([told([number]) for number in found])

    def made_by(self, document: int) -> tuple[Decree, ...]:
        """The decrees that made a document, as far as that is known."""
        return self._made_by.get(document, ())

    def _fits(self, document: int, named: Sequence[Decree]) -> bool:
        known = self._made_by.get(document)
        return known is None or any(_same(one, other) for one in known for other in named)


def _kind(name: str) -> str | None:
    """The word for the kind of act that a name begins with; None where it begins with the decree."""
    word = name.split()[0].removeprefix("ال")
    return word if word in _KINDS else None


def _same(one: Decree, other: Decree) -> bool:
    years = {one.year, other.year} - {None}
    return one[:2] == other[:2] and len(years) < 2

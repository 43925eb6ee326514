"""Names of documents in texts: where a name ends, which documents, versions and decrees it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from engine.language.aliases import NAME_WORD, name_key
from engine.language.characters import fold_arabic, visible, western_digits
from engine.model import Document

# Which of several versions of one act a text means: the newest there was when it was written.


def of_its_time(found: Sequence[int], own: int, documents: Sequence[Document]) -> tuple[int, ...]:
    """Of versions of one act the newest that is not later than the citing document.

    Everything that was given where the documents are not versions of one act, where any of them or the
    citing one has no date, and where all are later: then nothing tells which is meant.
    """
    if len(found) < 2 or own in found:
        return tuple(found)
    titles = {(name_key(documents[one].title), documents[one].language) for one in found}
    dates = {one: made_on(documents[one]) for one in found}
    written = made_on(documents[own])
    if len(titles) > 1 or written is None or None in dates.values():
        return tuple(found)
    before = {one: made for one, made in dates.items() if made is not None and made <= written}
    newest = max(before.values(), default=None)
    return tuple(one for one, made in before.items() if made == newest) or tuple(found)


def made_on(document: Document) -> date | None:
    """The day of a version: that of its coming into force, the one that names it, or the one that its source
    gives as its last change; None where nothing tells it."""
    if document.valid_from is not None:
        return document.valid_from
    for told in (document.version, document.metadata.get("last_updated")):
        try:
            return date.fromisoformat(str(told or ""))
        except ValueError:
            continue
    return None


# What a text's references were resolved by, of all that a corpus says as a whole.
#
# A *use* is a question to what is known of all documents together: which of them a name means, an
# act of the Union, a standard, a decree. Whoever keeps references keeps their uses with the
# answers of that day; while all answers are the same, the references are.

# A question: its kind, and what was asked for.
Use = tuple[str, ...]
Uses = set[Use]
# What the meanings of a name are told by: None is an act from outside.
Told = Callable[[Sequence[int | None]], str]


class Answering(Protocol):
    """What is known of all documents together, by question."""

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """What each question has for an answer, where it has one."""
        ...


def told_by(documents: Sequence[Document], made_by: Callable[[int], object]) -> Told:
    """What tells documents apart as meanings of a name, in their order: all that resolving looks at when it
    takes the one or chooses among several. ``made_by``: what is known of the decrees that made one."""

    def known(number: int | None) -> tuple[object, ...]:
        if number is None:
            return ()
        document = documents[number]
        return document.id, document.language, document.title, made_by(number)

    def told(found: Sequence[int | None]) -> str:
        if len(found) < 2:
            return repr([known(number) for number in found])
        return repr([(known(one), None if one is None else made_on(documents[one])) for one in found])

    return told


# Which documents a name means, and where the name ends.
#
# A name is matched by its stems, the longest name winning, so that "des Bürgerlichen Gesetzbuchs"
# and "the Financial Services and Markets Regulations 2015" are found from the word they begin
# with.

# A name of more words is a sentence; where every letter counts as a word it may have more.
LONGEST_NAME = 24
LONGEST_UNSPACED = 60
# How many letters before a provision the name of its act may begin, in a script without spaces.
LONGEST_IN_FRONT = 40

# The documents a name means, and where it ends.
Matched = tuple[tuple[int | None, ...], int]

# Between the words of a name: spaces, brackets, commas, quotes and dashes; no sentence ends inside.
_GAP = re.compile(r"[\s(),\"'“”„’«»《》〈〉（）、°–—/&-]{0,6}(?:Nr\.|No\.)?\s*\Z")

# The Indonesian word for an act breaks at its hyphen at the end of a line, and scans lose the hyphen.
_BROKEN = "undang-undang"
_BROKEN_PIECES = (("undang", "undang"), ("undangundang",))


# By so many of its first words is a name kept apart from others, as far as it is told who asked for it.
_TOLD_APART = 3


class Names:
    """An index of names; a name may mean several documents, or (None) one outside the corpus."""

    def __init__(self, table: str = "", uses: Uses | None = None) -> None:
        """``uses`` hears of each name that is asked for, under the name of this ``table``."""
        self._table, self._uses = table, uses
        self._documents: dict[tuple[str, ...], dict[int | None, None]] = {}
        self._lengths: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, name: str, document: int | None, language: str) -> None:
        """Lets ``name`` mean ``document`` (its position in the corpus)."""
        key = name_key(name, language)
        if not key or len(key) > (LONGEST_UNSPACED if "\u3400" <= key[0] <= "\u9fff" else LONGEST_NAME):
            return
        self._put(key, document)
        if key[0] == _BROKEN:
            for pieces in _BROKEN_PIECES:
                self._put((*pieces, *key[1:]), document)

    def _put(self, key: tuple[str, ...], document: int | None) -> None:
        self._documents.setdefault(key, {})[document] = None
        lengths = self._lengths.setdefault(key[0], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def meanings(self, name: str, language: str) -> tuple[int | None, ...]:
        """What a whole name means; empty where it is unknown."""
        key = name_key(name, language)
        self._ask(key[:_TOLD_APART])
        return tuple(self._documents.get(key, ()))

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """What every question has for an answer that has one: who means a name, and whether any name begins
        with a word, and goes on how far."""
        alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for key in self._documents:
            alike.setdefault(key[:_TOLD_APART], []).append(key)
        for shown, keys in alike.items():
            found = [(key, told(tuple(self._documents[key]))) for key in sorted(keys)]
            yield ("name", self._table, *shown), repr(found)
        for word, lengths in self._lengths.items():
            yield ("word", self._table, word), str(min(lengths[0], _TOLD_APART))

    def _ask(self, key: tuple[str, ...]) -> None:
        if self._uses is not None and key:
            self._uses.add(("name", self._table, *key))

    def match(self, text: str, position: int, language: str) -> Matched | None:
        """The longest known name that begins at ``position``, and where it ends in the text."""
        keys: list[str] = []
        ends: list[int] = []
        lengths: list[int] | None = None
        last = position
        for found in NAME_WORD.finditer(text, position, position + 300):
            if found.start() > last and not _GAP.match(text, last, found.start()):
                break
            last = found.end()
            key = name_key(found[0], language)
            if not key:
                # "No. 6": the point belongs to the word.
                last += text[last : last + 1] == "."
                continue
            if lengths is None:
                lengths = self._lengths.get(key[0])
                if self._uses is not None:
                    self._uses.add(("word", self._table, key[0]))
                if lengths is None:
                    return None
            keys.append(key[0])
            ends.append(found.end())
            if len(keys) >= lengths[0]:
                break
        for shown in range(1, min(len(keys), _TOLD_APART) + 1):
            self._ask(tuple(keys[:shown]))
        for length in lengths or ():
            if length <= len(keys):
                documents = self._documents.get(tuple(keys[:length]))
                if documents:
                    return tuple(documents), ends[length - 1]
        return None


def name_in_front(name: str, at: int, longest: Callable[[int], Matched | None]) -> Matched | None:
    """The known name that a printed one in Chinese is, or ends with.

    Without spaces, where a name begins shows only when it is known: "适用外资银行管理条例". ``at`` is
    where ``name`` begins, ``longest`` gives the longest known name at a place.
    """
    closing = name.find("》")
    if closing > 0:
        matched = longest(at + 1)
        return (matched[0], at + closing + 1) if matched and matched[1] >= at + closing else None
    end = at + len(name.rstrip("的中"))
    found = (longest(start) for start in range(max(0, end - LONGEST_IN_FRONT), end))
    return next((matched for matched in found if matched and matched[1] == end), None)


def merged_groups(groups: Iterable[tuple[str, ...]], names: Names, language: str) -> None:
    """Lets all names of a group mean what one of them already means, or else an act from outside."""
    for group in groups:
        meant = {document: None for name in group for document in names.meanings(name, language)}
        for name in group:
            for document in meant or (None,):
                names.add(name, document, language)


# Guidance by its subject: "the Guidance on Mining" is the one whose title holds all words of that
# name.

_GUIDANCE = re.compile(r"\b(?:Guidance|Guidelines|Guidance Note)\b")
_LINKS = frozenset(("on", "for", "of", "in", "and", "to"))


class Topics:
    """The documents of a corpus by the words of their titles."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each name that is asked for, by the longest of its words."""
        self._uses = uses
        self._titles = [set(name_key(document.title, document.language)) for document in documents]

    def meant(self, name: str, language: str) -> tuple[int, ...]:
        """The one guidance whose title holds all words of a name: "the Guidance on Mining"."""
        if not _GUIDANCE.search(name):
            return ()
        wanted = set(name_key(name, language)) - _LINKS
        if len(wanted) < 2:
            return ()
        if self._uses is not None:
            self._uses.add(("topic", max(wanted, key=lambda word: (len(word), word))))
        found = [number for number, title in enumerate(self._titles) if wanted <= title]
        return tuple(found) if len(found) == 1 else ()

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """The titles that hold each word, and whose they are."""
        titles: dict[str, list[tuple[list[str], str]]] = {}
        for number, words in enumerate(self._titles):
            for word in words:
                titles.setdefault(word, []).append((sorted(words), told([number])))
        for word, found in titles.items():
            yield ("topic", word), repr(found)


# Acts told apart by the decree that made them: "نظام الشركات الصادر بالمرسوم الملكي رقم (م/3)
# لسنة 1437".
#
# One name serves an act and the one it replaced; the number and year of the decree say which is
# meant.

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

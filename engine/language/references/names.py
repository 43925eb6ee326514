"""Match names of documents in texts, and choose the documents, versions and decrees that they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from engine.language.aliases import NAME_WORD, name_key
from engine.language.characters import fold_arabic, visible, western_digits
from engine.model import Document

# Versions of one act: the newest when the citing text was written


def latest_versions(found: Sequence[int], own: int, documents: Sequence[Document]) -> tuple[int, ...]:
    """Select the newest versions of one act that are not later than the citing document.

    Returns all documents if they are not versions of one act, if one of them or the citing document has no
    date, or if all are later: then the version is unknown.
    """
    if len(found) < 2 or own in found:
        return tuple(found)
    titles = {(name_key(documents[one].title), documents[one].language) for one in found}
    dates = {one: version_date(documents[one]) for one in found}
    written = version_date(documents[own])
    if len(titles) > 1 or written is None or None in dates.values():
        return tuple(found)
    before = {one: made for one, made in dates.items() if made is not None and made <= written}
    newest = max(before.values(), default=None)
    return tuple(one for one, made in before.items() if made == newest) or tuple(found)


def version_date(document: Document) -> date | None:
    """Return the date of a version: its commencement, the date in its version field, or its last change; or
    None."""
    if document.valid_from is not None:
        return document.valid_from
    for value in (document.version, document.metadata.get("last_updated")):
        try:
            return date.fromisoformat(str(value or ""))
        except ValueError:
            continue
    return None


# Look-ups among all documents
#
# A *use* is a look-up that depends on the whole corpus: the documents of a name, an EU act, a standard, a
# decree. Stored references are stored with their uses and the answers; they are valid while all answers are
# the same.

# A look-up: its kind and its key.
Use = tuple[str, ...]
Uses = set[Use]
# Describes the meanings of a name; None is an act outside the corpus.
Describe = Callable[[Sequence[int | None]], str]


class AnswerTable(Protocol):
    """A table of look-ups among all documents."""

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield (use, answer) for every key of the table."""
        ...


def make_describer(documents: Sequence[Document], made_by: Callable[[int], object]) -> Describe:
    """Make a function that describes documents by every property that resolving compares.

    ``made_by`` returns the decrees that made a document.
    """

    def identity(number: int | None) -> tuple[object, ...]:
        if number is None:
            return ()
        document = documents[number]
        return document.id, document.language, document.title, made_by(number)

    def describe(found: Sequence[int | None]) -> str:
        if len(found) < 2:
            return repr([identity(number) for number in found])
        return repr([(identity(one), None if one is None else version_date(documents[one])) for one in found])

    return describe


# Matching of names
#
# Names are compared by their stems and the longest match wins, so that "des Bürgerlichen Gesetzbuchs" and
# "the Financial Services and Markets Regulations 2015" are found at their first word.

# Maximum number of words in a name; more in scripts where every character counts as a word.
LONGEST_NAME = 24
LONGEST_UNSPACED = 60
# Maximum number of characters before a provision for the name of its act, in scripts without spaces.
LONGEST_IN_FRONT = 40

# The documents of a name, and the end of the name.
Matched = tuple[tuple[int | None, ...], int]

# Between the words of a name: spaces, brackets, commas, quotes and dashes, but no end of a sentence.
_GAP = re.compile(r"[\s(),\"'“”„’«»《》〈〉（）、°–—/&-]{0,6}(?:Nr\.|No\.)?\s*\Z")

# A word of a name, which may be broken at a hyphen: "Erneuerbare-Energien-", "Gesetzes".
_WORD = re.compile(rf"(?:{NAME_WORD.pattern})(?:-\s+(?=[A-ZÄÖÜ])(?:{NAME_WORD.pattern}))*")
_LINE_END = re.compile(r"-\s+")
# The Indonesian word for an act may be broken at its hyphen at a line end; scans lose the hyphen.
_BROKEN = "undang-undang"
_BROKEN_PIECES = (("undang", "undang"), ("undangundang",))


# Uses of names are recorded by this number of first words.
_KEY_WORDS = 3


class Names:
    """An index of names. A name may mean several documents, or (None) one outside the corpus."""

    def __init__(self, table: str = "", uses: Uses | None = None) -> None:
        """``uses`` records the look-ups, under the name of this ``table``."""
        self._table, self._uses = table, uses
        self._documents: dict[tuple[str, ...], dict[int | None, None]] = {}
        self._lengths: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, name: str, document: int | None, language: str) -> None:
        """Add ``name`` for ``document`` (its position in the corpus)."""
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
        """Return the meanings of a complete name; empty if unknown."""
        key = name_key(name, language)
        self._record_use(key[:_KEY_WORDS])
        return tuple(self._documents.get(key, ()))

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield the answers of all look-ups: the meanings of names, and the maximum length of names by first
        word."""
        alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for key in self._documents:
            alike.setdefault(key[:_KEY_WORDS], []).append(key)
        for prefix, keys in alike.items():
            found = [(key, describe(tuple(self._documents[key]))) for key in sorted(keys)]
            yield ("name", self._table, *prefix), repr(found)
        for word, lengths in self._lengths.items():
            yield ("word", self._table, word), str(min(lengths[0], _KEY_WORDS))

    def _record_use(self, key: tuple[str, ...]) -> None:
        if self._uses is not None and key:
            self._uses.add(("name", self._table, *key))

    def match(self, text: str, position: int, language: str) -> Matched | None:
        """Find the longest known name that begins at ``position``, with its end in the text."""
        keys: list[str] = []
        ends: list[int] = []
        lengths: list[int] | None = None
        last = position
        for found in _WORD.finditer(text, position, position + 300):
            if found.start() > last and not _GAP.match(text, last, found.start()):
                break
            last = found.end()
            key = name_key(_LINE_END.sub("-", found[0]), language)
            if not key:
                # "No. 6": the full stop belongs to the word.
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
        for count in range(1, min(len(keys), _KEY_WORDS) + 1):
            self._record_use(tuple(keys[:count]))
        for length in lengths or ():
            if length <= len(keys):
                documents = self._documents.get(tuple(keys[:length]))
                if documents:
                    return tuple(documents), ends[length - 1]
        return None


def name_in_front(name: str, at: int, longest: Callable[[int], Matched | None]) -> Matched | None:
    """Find the known name that equals a printed Chinese name or ends it.

    Without spaces only known names show where a name begins: "适用外资银行管理条例". ``at`` is the start of
    ``name``; ``longest`` returns the longest known name at a position.
    """
    closing = name.find("》")
    if closing > 0:
        matched = longest(at + 1)
        return (matched[0], at + closing + 1) if matched and matched[1] >= at + closing else None
    end = at + len(name.rstrip("的中"))
    found = (longest(start) for start in range(max(0, end - LONGEST_IN_FRONT), end))
    return next((matched for matched in found if matched and matched[1] == end), None)


def add_known_groups(groups: Iterable[tuple[str, ...]], names: Names, language: str) -> None:
    """Add all names of each group for the documents that one of them means, or for an act outside the
    corpus."""
    for group in groups:
        meanings = {document: None for name in group for document in names.meanings(name, language)}
        for name in group:
            for document in meanings or (None,):
                names.add(name, document, language)


# Guidance by subject: "the Guidance on Mining" means the one guidance with all these words in its title

_GUIDANCE = re.compile(r"\b(?:Guidance|Guidelines|Guidance Note)\b")
_LINKS = frozenset(("on", "for", "of", "in", "and", "to"))


class Topics:
    """An index of documents by the words of their titles."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` records each look-up by its longest word."""
        self._uses = uses
        self._titles = [set(name_key(document.title, document.language)) for document in documents]

    def find(self, name: str, language: str) -> tuple[int, ...]:
        """Find the one guidance whose title contains all words of a name: "the Guidance on Mining"."""
        if not _GUIDANCE.search(name):
            return ()
        name_words = set(name_key(name, language)) - _LINKS
        if len(name_words) < 2:
            return ()
        if self._uses is not None:
            self._uses.add(("topic", max(name_words, key=lambda word: (len(word), word))))
        found = [number for number, title in enumerate(self._titles) if name_words <= title]
        return tuple(found) if len(found) == 1 else ()

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield the titles that contain each word, with their documents."""
        titles: dict[str, list[tuple[list[str], str]]] = {}
        for number, words in enumerate(self._titles):
            for word in words:
                titles.setdefault(word, []).append((sorted(words), describe([number])))
        for word, found in titles.items():
            yield ("topic", word), repr(found)


# Acts distinguished by the decrees that made them: "نظام الشركات الصادر بالمرسوم الملكي رقم (م/3) لسنة 1437"
#
# An act and its successor may share a name; the number and year of the decree distinguish them.

# Metadata fields with the decree, in addition to ``Document.issuer``.
MADE_BY = ("issuing_authority", "issued_by", "decree")

_SPACE = r"[\s،,]"
# Applied to normalised text: one form of alef and of ya, western digits.
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
    """A decree: its kind, number and year; the year is None if the text does not state it."""

    kind: str
    number: str
    year: int | None


def decrees_in(text: str) -> Iterator[Decree]:
    """Yield the decrees that a text cites by number, in order."""
    folded = " ".join(fold_arabic(western_digits(visible(text))).split())
    for match in _DECREE.finditer(folded):
        year = _YEAR.search(match["year"] or match["date"] or "")
        number = re.sub(r"\s", "", match["number"])
        yield Decree(match["kind"].replace("ال", ""), number, int(year[0]) if year else None)


class Decrees:
    """An index of the documents that decrees made."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` records each look-up of a decree."""
        self._documents, self._uses = documents, uses
        self._made_by: dict[int, tuple[Decree, ...]] = {}
        self._made: dict[Decree, list[int]] = {}
        for number, document in enumerate(documents):
            if document.language.startswith("ar"):
                self._read(number, document)

    def _read(self, number: int, document: Document) -> None:
        texts = [
            document.title,
            document.issuer,
            *document.aliases,
            *(document.metadata.get(field) for field in MADE_BY),
        ]
        found = dict.fromkeys(
            decree for text in texts if isinstance(text, str) for decree in decrees_in(text)
        )
        if found:
            self._made_by[number] = tuple(found)
        for decree in found:
            self._made.setdefault(decree, []).append(number)

    def find(self, name: str, candidates: Sequence[int | None]) -> tuple[int | None, ...] | None:
        """Find the documents that a name with a decree means; None if the name contains no decree.

        ``candidates``: meanings of the name alone. Returns those that the decree made or whose decree is
        unknown; if there are none, the documents that the decree made.
        """
        named = tuple(decrees_in(name))
        if not named:
            return None
        if self._uses is not None:
            self._uses.update(("decree", repr(decree)) for decree in named)
        fitting = tuple(one for one in candidates if one is not None and self._fits(one, named))
        made = (number for decree in named for number in self._made.get(decree, ()))
        kind = _kind(name)
        # One decision may pass an act and its regulation: the name distinguishes them.
        return fitting or tuple(
            dict.fromkeys(one for one in made if kind in (None, _kind(self._documents[one].title)))
        )

    def answers(self, describe: Describe) -> Iterator[tuple[Use, str]]:
        """Yield the documents that each decree made."""
        for decree, found in self._made.items():
            yield ("decree", repr(decree)), repr([describe([number]) for number in found])

    def made_by(self, document: int) -> tuple[Decree, ...]:
        """Return the known decrees that made a document."""
        return self._made_by.get(document, ())

    def _fits(self, document: int, named: Sequence[Decree]) -> bool:
        known = self._made_by.get(document)
        return known is None or any(_same(one, other) for one in known for other in named)


def _kind(name: str) -> str | None:
    """Return the word for the kind of act at the start of a name; None if the name starts with the decree."""
    word = name.split()[0].removeprefix("ال")
    return word if word in _KINDS else None


def _same(one: Decree, other: Decree) -> bool:
    years = {one.year, other.year} - {None}
    return one[:2] == other[:2] and len(years) < 2

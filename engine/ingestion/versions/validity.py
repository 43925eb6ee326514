"""Find when documents are in force, from metadata fields, file names and clauses; report unread dates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import PurePath

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem, ReadDocument
from engine.ingestion.readers.fields import DayKind, day_kind, leaves
from engine.language.addresses import PROVISIONS, WORDS, number_key
from engine.language.analysis import STEMMERS
from engine.language.characters import LANGUAGE_SCRIPTS
from engine.language.dates import Clause, ClauseKind, clauses_in
from engine.language.references.readings import recogniser
from engine.model import Document, Passage, Relation, Section, SectionKind, Span

# Days of versions, from metadata fields and file names
FILE_NAME = "the file's name"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_MONTH, _DAY_OF_MONTH = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
# "2021-01-01", "2021_01_01", "20210101", "01.01.2021": a complete date that is not part of a longer number.
_WHOLE = re.compile(
    rf"(?<!\d)(?:(?P<y>{_YEAR})(?P<s>[-_.]?)(?P<m>{_MONTH})(?P=s)(?P<d>{_DAY_OF_MONTH})"
    rf"|(?P<d2>{_DAY_OF_MONTH})(?P<s2>[-_.])(?P<m2>{_MONTH})(?P=s2)(?P<y2>{_YEAR}))(?!\d)"
)
# A folder or a complete file name that is a year or a month: "2021/bgb.md", "bgb/2021-07.md".
_PERIOD = re.compile(rf"(?P<y>{_YEAR})(?:[-_.]?(?P<m>{_MONTH}))?\Z")
_EDGES = " \t_-.@,()[]"
# The day at the end of an identifier: of a consolidation ("-20160504"), of an expression ("@2020-01-01").
_AT_END = re.compile(rf"[-_/@.:]+{_WHOLE.pattern}/?\Z")
# Minimum share of distinct values for a field that distinguishes versions.
_DISTINCT = 0.6
# Minimum share of the members that have the field.
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A path without its date: ``place`` contains the folders, ``name`` the file name; ``day`` may be
    None."""

    place: str
    name: str
    day: date | None


def named_file(path: str) -> NamedFile:
    """Parse the date in a path: "laws/2021/bgb.md" is "bgb" in "laws", dated 1 January 2021.

    A year or a month alone counts only if it is a folder or the complete name: "act-1986.md" is an act of
    1986, not a version.
    """
    pure = PurePath(path)
    name = pure.name
    for _ in range(2):
        # "law.md.gz"; the dots of "01.01.2021" do not start a suffix.
        stem, dot, suffix = name.rpartition(".")
        name = stem if dot and stem and not suffix[:1].isdigit() else name
    day, name = _taken(name)
    folders = []
    for part in pure.parts[:-1]:
        found, rest = _taken(part)
        day = day or found
        folders.append(rest if found else part)
    return NamedFile("/".join(folders), name or (folders[-1] if folders else ""), day)


def _taken(part: str) -> tuple[date | None, str]:
    """Return the date in a part of a path, and the part without it."""
    for match in reversed(list(_WHOLE.finditer(part))):
        day = _made(match["y"] or match["y2"], match["m"] or match["m2"], match["d"] or match["d2"])
        if day is not None:
            return day, f"{part[: match.start()]}{part[match.end() :]}".strip(_EDGES)
    if (period := _PERIOD.match(part)) is not None:
        return _made(period["y"], period["m"] or "1", "1"), ""
    return None, part


def _made(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def remove_day(identifier: str) -> str:
    """Remove the date of a version from the end of an identifier."""
    return _AT_END.sub("", identifier.strip())


def stated_days(document: Document, file: NamedFile | None) -> dict[str, date]:
    """Return the start dates in the metadata and the file name of a document, by field name; end dates are
    left out."""
    days: dict[str, date] = {}
    for name, value in leaves(document.metadata):
        own = fields.day_of(value)
        if own is not None and day_kind(name.rpartition(".")[2]) is not DayKind.END:
            days[name] = own
    stated = {"valid_from": document.valid_from, "version": fields.day_of(document.version)}
    days |= {name: day for name, day in stated.items() if day is not None}
    if file is not None and file.day is not None:
        days[FILE_NAME] = file.day
    return days


def kind_of_day(name: str) -> DayKind:
    """Return the kind of date of a name from ``stated_days``."""
    return DayKind.FILE_NAME if name == FILE_NAME else day_kind(name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The date of each member of a family, or None; ``name``: the field that distinguishes the members, or
    None."""

    days: Sequence[date | None]
    name: str | None


def choose_days(dates: Sequence[Mapping[str, date]]) -> Chosen:
    """Choose the field that distinguishes the versions of one text.

    Candidates are the fields with distinct dates in most members. Fields named as the date of a version come
    first, then fields with unknown names, then publication, then file dates. Ties go to the field with most
    distinct dates. A member without this field gets the most reliable of its other dates.
    """
    names = sorted({name for own in dates for name in own})
    best: tuple[tuple[int, int, int, int, str], str] | None = None
    for name in names:
        days = [own[name] for own in dates if name in own]
        different = len(set(days))
        if len(days) < _COVERED * len(dates) or different < max(2, _DISTINCT * len(days)):
            continue
        kind = kind_of_day(name)
        # Effect, state and file name all date a version: among them the most distinct dates come first.
        tier = 0 if kind <= DayKind.FILE_NAME else int(kind)
        key = (tier, -different, int(kind), -len(days), name)
        best = min(best or (key, name), (key, name))
    chosen = best[1] if best is not None else None
    return Chosen([_day(own, chosen) for own in dates], chosen)


def _day(own: Mapping[str, date], chosen: str | None) -> date | None:
    if chosen is not None and chosen in own:
        return own[chosen]
    ranked = sorted((int(kind_of_day(name)), name) for name in own if kind_of_day(name) < DayKind.FILE)
    return own[ranked[0][1]] if ranked else None


# Dates from clauses and from references that repeal or supersede
#
# ``date_document`` reads one document; ``last_day`` reads a reference that repeals or supersedes another
# text; ``families`` compares the versions of one text.
#
# Metadata takes precedence over clauses, unless its start date is only that of enactment or publication: a
# commencement clause is more exact.

ENDING = frozenset({Relation.REPEALS, Relation.SUPERSEDES})

_ONE_DAY = timedelta(days=1)
_ENACTMENTS = ("enacted", "published", "created", "ausfertigungsdatum")
# "Sections 1 to 7": a word followed only by numbers and their separators.
_BETWEEN = r"\s*(?:,|;|and|to|und|bis|et|à|au|dan|sampai dengan|s\.d\.|و|إلى|至|和|、|-|–)\s*"
_ONE = r"(?:第)?\(?[0-9]+[A-Za-z]{0,2}\)?(?:条)?|[IVXLC]+"
_SCOPE = re.compile(
    rf"(?P<word>[^\W\d]+\.?|§{{1,2}})?\s*(?P<numbers>(?:{_ONE})(?:{_BETWEEN}(?:{_ONE}))*)\Z", re.IGNORECASE
)
_TO = re.compile(r"\b(?:to|bis|à|au|sampai dengan|s\.d\.)\b|إلى|至|-|–", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+[A-Za-z]{0,2}|[IVXLC]+", re.IGNORECASE)
_PLURALS = {"§§": "§", "sections": "section", "articles": "article", "rules": "rule", "parts": "part"}
_PLURALS |= {"chapters": "chapter", "schedules": "schedule", "artikeln": "artikel", "regulations": "rule"}


def date_document(read: ReadDocument) -> ReadDocument:
    """Return the document with the dates that its own clauses give to it and its provisions."""
    found = [
        (passage, clause)
        for passage in read.passages
        for clause in clauses_in(passage.text, passage.language)
    ]
    if not found:
        return read
    published = fields.day_of(read.document.metadata.get("published"))
    document = _document_dated(read.document, [clause for _, clause in found], published)
    starts: dict[int, date] = {}
    ends: dict[int, date] = {}
    for passage, clause in found:
        day = clause.first_day(published)
        if clause.scope is None or day is None or clause.kind is ClauseKind.APPLIES:
            continue
        words = passage.text[clause.scope.start : clause.scope.end]
        for position in find_named_provisions(words, read.sections, read.passages):
            if clause.kind is ClauseKind.COMMENCES:
                starts.setdefault(position, day)
            else:
                ends.setdefault(position, day - _ONE_DAY)
    passages = tuple(
        replace(
            passage,
            valid_from=passage.valid_from or starts.get(position),
            valid_to=passage.valid_to or ends.get(position),
        )
        if position in starts or position in ends
        else passage
        for position, passage in enumerate(read.passages)
    )
    return replace(read, document=document, passages=passages)


def _document_dated(document: Document, clauses: Sequence[Clause], published: date | None) -> Document:
    whole = [clause for clause in clauses if clause.scope is None]
    begins = _days(whole, ClauseKind.COMMENCES, published)
    ends = _days(whole, ClauseKind.CEASES, published)
    applies = _days(whole, ClauseKind.APPLIES, published)
    changes: dict[str, object] = {}
    if begins and (document.valid_from is None or _is_enactment(document)):
        changes["valid_from"] = min(begins)
    if ends and document.valid_to is None:
        changes["valid_to"] = max(ends) - _ONE_DAY
    if applies:
        changes["metadata"] = {**document.metadata, "applies_from": min(applies).isoformat()}
    return replace(document, **changes) if changes else document  # type: ignore[arg-type]


def _days(clauses: Sequence[Clause], kind: ClauseKind, published: date | None) -> list[date]:
    days = (clause.first_day(published) for clause in clauses if clause.kind is kind)
    return [day for day in days if day is not None]


def _is_enactment(document: Document) -> bool:
    """Return True if the start date is only the date of enactment or publication."""
    fields_by_name = {name.casefold(): value for name, value in document.metadata.items()}
    return any(fields.day_of(fields_by_name.get(name)) == document.valid_from for name in _ENACTMENTS)


def find_named_provisions(
    words: str, sections: Sequence[Section], passages: Sequence[Passage]
) -> Iterator[int]:
    """Yield positions of the passages that a scope ("Sections 1 to 7") names in its document; none if
    unclear."""
    match = _SCOPE.match(words.partition("(")[0].strip())
    if match is None:
        return
    word = (match["word"] or "").casefold()
    kind = SectionKind.ARTICLE if "第" in words else WORDS.get(_PLURALS.get(word, word))
    if kind is None:
        return
    counted = kind in PROVISIONS
    order = list(
        dict.fromkeys(
            number_key(passage.number)
            for passage in passages
            if counted and passage.number and passage.kind in PROVISIONS
        )
    ) or [number_key(section.number) for section in sections if section.kind is kind and section.number]
    named = set(_expanded(match["numbers"], order))
    if counted:
        yield from (
            position
            for position, passage in enumerate(passages)
            if passage.number and passage.kind in PROVISIONS and number_key(passage.number) in named
        )
        return
    for section in sections:
        if section.kind is kind and section.number and number_key(section.number) in named:
            yield from range(section.first, section.stop)


def _expanded(numbers: str, order: Sequence[str]) -> Iterator[str]:
    """Yield the numbers of a list; a range yields every number of the document between its ends."""
    last: str | None = None
    position = 0
    for match in _NUMBER.finditer(numbers):
        number = number_key(match[0])
        between = numbers[position : match.start()]
        if last is not None and _TO.search(between) and last in order and number in order:
            yield from order[order.index(last) : order.index(number) + 1]
        yield number
        last, position = number, match.end()


@dataclass(frozen=True, slots=True)
class EndingReference:
    """A reference that ends its target.

    ``starts`` is the first day in force of the citing text. ``clauses`` are the dated endings in the citing
    passage.
    """

    span: Span
    starts: date | None
    clauses: Sequence[Clause] = ()


def last_day(ender: EndingReference) -> date | None:
    """Return the last day on which the target of a reference was in force, or None if unknown.

    A date in the sentence takes precedence ("is repealed with effect from 25 May 2018"), then the day on
    which the repealing text came into force.
    """
    for clause in ender.clauses:
        inside = clause.span.start <= ender.span.start and ender.span.end <= clause.span.end
        if clause.kind is ClauseKind.CEASES and inside and clause.day is not None:
            return clause.day - _ONE_DAY
    return ender.starts - _ONE_DAY if ender.starts is not None else None


def ending_clauses(text: str, language: str) -> list[Clause]:
    """Return the clauses of a passage that end another text on a given day."""
    return [
        clause
        for clause in clauses_in(text, language)
        if clause.kind is ClauseKind.CEASES and clause.scope is not None and clause.day is not None
    ]


# Notes on dates and languages that could not be read

# Shorter texts may be too short for language detection.
_TELLING = 3
_KNOWN = (DayKind.EFFECT, DayKind.STATE)
# Languages written without spaces are split into character bigrams, which need no stemmer.
_UNSPACED = frozenset(
    code for code, scripts in LANGUAGE_SCRIPTS.items() if {"han", "kana", "hangul", "thai"} & {*scripts}
)
_MAPPING = "say with --mapping (document: {{valid_from: {name}}}) if it is the day of effect"


def report_unread_dates(
    documents: Sequence[Document],
    paths: Sequence[str | None],
    versions: Collection[int],
    passages: Sequence[int],
) -> Iterator[Problem]:
    """Yield one note for each field with unread dates and for each language without a grammar.

    ``versions``: numbers of documents dated by their families. ``passages``: number of passages of each
    document.
    """
    unknown: dict[str, list[int]] = defaultdict(list)
    unreadable: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, document in enumerate(documents):
        if paths[number] is None or number in versions:
            continue
        days = [
            (name, value) for name, value in leaves(document.metadata) if fields.day_of(value) is not None
        ]
        kinds = {day_kind(name.rpartition(".")[2]) for name, _ in days}
        if document.valid_from is None and document.version is None and not kinds & {*_KNOWN}:
            for name, _ in days:
                if day_kind(name.rpartition(".")[2]) is DayKind.UNKNOWN:
                    unknown[name].append(number)
        for name, value in leaves(document.metadata):
            effect = day_kind(name.rpartition(".")[2]) is DayKind.EFFECT
            has_digits = isinstance(value, str) and any(letter.isdigit() for letter in value)
            if effect and has_digits and fields.day_of(value) is None:
                unreadable[name].append((number, str(value)[:60]))
    for name, numbers in sorted(unknown.items()):
        reason = (
            f"{name!r} holds a day and is not understood{_in(len(numbers))}; {_MAPPING.format(name=name)}"
        )
        yield Problem(_where(numbers[0], documents, paths), reason, is_note=True)
    for name, found in sorted(unreadable.items()):
        number, value = found[0]
        reason = (
            f"{name}: {value!r} is no day{_in(len(found))}: its text is taken to hold at any time; write "
            "days as 2010-03-01"
        )
        yield Problem(_where(number, documents, paths), reason, is_note=True)
    yield from _languages(documents, paths, passages)


def _languages(
    documents: Sequence[Document], paths: Sequence[str | None], passages: Sequence[int]
) -> Iterator[Problem]:
    first: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        base = document.language.split("-")[0]
        if base == "und" and passages[number] < _TELLING:
            continue
        if recogniser(base) is None:
            first[base].append(number)
    for code, numbers in sorted(first.items()):
        named = "no language was detected" if code == "und" else f"the language {code!r} has no grammar"
        advice = "; state it as language in its fields" if code == "und" else ""
        plain = code not in STEMMERS and code not in _UNSPACED
        words = "its words are searched as they are written, and " if plain else ""
        reason = f"{named}{_in(len(numbers))}: {words}what it cites by number is not followed{advice}"
        yield Problem(_where(numbers[0], documents, paths), reason, is_note=True)


def _in(count: int) -> str:
    return f" (in {count:,} documents, this one first)" if count > 1 else ""


def _where(number: int, documents: Sequence[Document], paths: Sequence[str | None]) -> str:
    return paths[number] or documents[number].source or documents[number].id

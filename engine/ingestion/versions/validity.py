"""When documents are in force: days in fields and names, clauses, and days that were not understood."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import PurePath

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem, ReadDocument
from engine.ingestion.readers.fields import Told, leaves, told_by
from engine.language.addresses import PROVISIONS, WORDS, number_key
from engine.language.analysis import STEMMERS
from engine.language.characters import LANGUAGE_SCRIPTS
from engine.language.dates import Clause, ClauseKind, clauses_in
from engine.language.references.readings import recogniser
from engine.model import Document, Passage, Relation, Section, SectionKind, Span

# Of which day a document is one version: what its fields tell under many names, and its file's
# name.

FILE_NAME = "the file's name"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_MONTH, _DAY_OF_MONTH = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
# "2021-01-01", "2021_01_01", "20210101", "01.01.2021": a whole day, not part of a longer number.
_WHOLE = re.compile(
    rf"(?<!\d)(?:(?P<y>{_YEAR})(?P<s>[-_.]?)(?P<m>{_MONTH})(?P=s)(?P<d>{_DAY_OF_MONTH})"
    rf"|(?P<d2>{_DAY_OF_MONTH})(?P<s2>[-_.])(?P<m2>{_MONTH})(?P=s2)(?P<y2>{_YEAR}))(?!\d)"
)
# A folder, or a whole name, that is a year or a month: "2021/bgb.md", "bgb/2021-07.md".
_PERIOD = re.compile(rf"(?P<y>{_YEAR})(?:[-_.]?(?P<m>{_MONTH}))?\Z")
_EDGES = " \t_-.@,()[]"
# The day at the end of an identifier: of a consolidation ("-20160504"), of an expression ("@2020-01-01").
_AT_END = re.compile(rf"[-_/@.:]+{_WHOLE.pattern}/?\Z")
# What shares a field's value with more members than this share of them does not tell versions apart.
_DISTINCT = 0.6
# A field that fewer than this share of the members have is not what tells them apart.
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A path without its day: ``place`` are its folders, ``name`` the file's; ``day`` None: it has none."""

    place: str
    name: str
    day: date | None


def named_file(path: str) -> NamedFile:
    """What a path says: "laws/2021/bgb.md" is the "bgb" in "laws" of 1 January 2021.

    A year or a month alone counts only where it is a folder or the whole name: "act-1986.md" is an act of
    1986, not a version.
    """
    pure = PurePath(path)
    name = pure.name
    for _ in range(2):
        # "law.md.gz"; the dots of "01.01.2021" are none of a suffix.
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
    """The day of a part of a path, and the part without it."""
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


def without_day(identifier: str) -> str:
    """An identifier without the day of a version at its end."""
    return _AT_END.sub("", identifier.strip())


def days_told(document: Document, file: NamedFile | None) -> dict[str, date]:
    """The days that a document's fields and its file's name tell, by the name of each field; no ends."""
    told: dict[str, date] = {}
    for name, value in leaves(document.metadata):
        own = fields.day_of(value)
        if own is not None and told_by(name.rpartition(".")[2]) is not Told.END:
            told[name] = own
    stated = {"valid_from": document.valid_from, "version": fields.day_of(document.version)}
    told |= {name: day for name, day in stated.items() if day is not None}
    if file is not None and file.day is not None:
        told[FILE_NAME] = file.day
    return told


def kind_of(name: str) -> Told:
    """What kind of day a name of ``days_told`` tells."""
    return Told.FILE_NAME if name == FILE_NAME else told_by(name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class Chosen:
    """The day of each member of a family, None where nothing tells it; ``name``: the field that tells them
    apart, None where none does."""

    days: Sequence[date | None]
    name: str | None


def choose(told: Sequence[Mapping[str, date]]) -> Chosen:
    """Which field tells the versions of one text apart, by what each of them tells.

    Of the fields that most members have with days of their own: one whose name says that it is the day of a
    version, then one of an unknown name, then publication, then the file's own making. Of several of them
    the one that tells most members apart. A member without it has the surest of its other days.
    """
    names = sorted({name for own in told for name in own})
    best: tuple[tuple[int, int, int, int, str], str] | None = None
    for name in names:
        days = [own[name] for own in told if name in own]
        different = len(set(days))
        if len(days) < _COVERED * len(told) or different < max(2, _DISTINCT * len(days)):
            continue
        kind = kind_of(name)
        # Effect, state and file name are all days of a version: there, what tells more apart comes first.
        tier = 0 if kind <= Told.FILE_NAME else int(kind)
        key = (tier, -different, int(kind), -len(days), name)
        best = min(best or (key, name), (key, name))
    chosen = best[1] if best is not None else None
    return Chosen([_day(own, chosen) for own in told], chosen)


def _day(own: Mapping[str, date], chosen: str | None) -> date | None:
    if chosen is not None and chosen in own:
        return own[chosen]
    ranked = sorted((int(kind_of(name)), name) for name in own if kind_of(name) < Told.FILE)
    return own[ranked[0][1]] if ranked else None


# When documents and passages are in force: what their own clauses say, and what later texts
# ended.
#
# ``dated`` looks at one document alone, ``last_day`` at a reference by which one text repeals
# another or takes its place; versions of one text stand in ``families``.
#
# What a source states in its fields counts before what its text says, but for a start that is
# only the day of enactment or publication: there, a clause of commencement is more exact.

ENDING = frozenset({Relation.REPEALS, Relation.SUPERSEDES})

_ONE_DAY = timedelta(days=1)
_ENACTMENTS = ("enacted", "published", "created", "ausfertigungsdatum")
# "Sections 1 to 7": a word, then nothing but numbers and what stands between them.
_BETWEEN = r"\s*(?:,|;|and|to|und|bis|et|à|au|dan|sampai dengan|s\.d\.|و|إلى|至|和|、|-|–)\s*"
_ONE = r"(?:第)?\(?[0-9]+[A-Za-z]{0,2}\)?(?:条)?|[IVXLC]+"
_SCOPE = re.compile(
    rf"(?P<word>[^\W\d]+\.?|§{{1,2}})?\s*(?P<numbers>(?:{_ONE})(?:{_BETWEEN}(?:{_ONE}))*)\Z", re.IGNORECASE
)
_TO = re.compile(r"\b(?:to|bis|à|au|sampai dengan|s\.d\.)\b|إلى|至|-|–", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+[A-Za-z]{0,2}|[IVXLC]+", re.IGNORECASE)
_PLURALS = {"§§": "§", "sections": "section", "articles": "article", "rules": "rule", "parts": "part"}
_PLURALS |= {"chapters": "chapter", "schedules": "schedule", "artikeln": "artikel", "regulations": "rule"}


def dated(read: ReadDocument) -> ReadDocument:
    """The document with the dates that its own clauses give to it and to its provisions."""
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
        for position in provisions_named(words, read.sections, read.passages):
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
    """Whether the start that is known is only the day of enactment or publication."""
    known = {name.casefold(): value for name, value in document.metadata.items()}
    return any(fields.day_of(known.get(name)) == document.valid_from for name in _ENACTMENTS)


def provisions_named(words: str, sections: Sequence[Section], passages: Sequence[Passage]) -> Iterator[int]:
    """Positions of the passages that "Sections 1 to 7" names in its own document; none in doubt."""
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
    """The numbers of a list; a range holds all that the document has between its ends."""
    last: str | None = None
    place = 0
    for match in _NUMBER.finditer(numbers):
        number = number_key(match[0])
        between = numbers[place : match.start()]
        if last is not None and _TO.search(between) and last in order and number in order:
            yield from order[order.index(last) : order.index(number) + 1]
        yield number
        last, place = number, match.end()


@dataclass(frozen=True, slots=True)
class Ender:
    """A reference that ends what it names.

    ``starts`` is the day from which the text that makes it is in force. ``clauses`` are the endings with a
    day that the citing passage spells out.
    """

    span: Span
    starts: date | None
    clauses: Sequence[Clause] = ()


def last_day(ender: Ender) -> date | None:
    """The last day on which the target of a reference was in force, None where no day is known.

    The day that the sentence names counts first ("is repealed with effect from 25 May 2018"), else the
    day on which the repealing text itself came into force.
    """
    for clause in ender.clauses:
        inside = clause.span.start <= ender.span.start and ender.span.end <= clause.span.end
        if clause.kind is ClauseKind.CEASES and inside and clause.day is not None:
            return clause.day - _ONE_DAY
    return ender.starts - _ONE_DAY if ender.starts is not None else None


def ending_clauses(text: str, language: str) -> list[Clause]:
    """The clauses of a passage that end another text on a day."""
    return [
        clause
        for clause in clauses_in(text, language)
        if clause.kind is ClauseKind.CEASES and clause.scope is not None and clause.day is not None
    ]


# What of the days and languages of a corpus was not understood, and what a person can do about
# it.

# A text of fewer passages need not tell its language.
_TELLING = 3
_KNOWN = (Told.EFFECT, Told.STATE)
# Written without blanks: cut into pairs of letters, which needs no stemmer.
_UNSPACED = frozenset(
    code for code, scripts in LANGUAGE_SCRIPTS.items() if {"han", "kana", "hangul", "thai"} & {*scripts}
)
_MAPPING = "say with --mapping (document: {{valid_from: {name}}}) if it is the day of effect"


def unread(
    documents: Sequence[Document],
    paths: Sequence[str | None],
    versions: Collection[int],
    passages: Sequence[int],
) -> Iterator[Problem]:
    """One note for each field of which days were not understood, and for each language without a grammar.

    ``versions`` are the numbers of documents whose days are known by their families, ``passages`` how many
    each document has.
    """
    unknown: dict[str, list[int]] = defaultdict(list)
    unreadable: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, document in enumerate(documents):
        if paths[number] is None or number in versions:
            continue
        days = [
            (name, value) for name, value in leaves(document.metadata) if fields.day_of(value) is not None
        ]
        kinds = {told_by(name.rpartition(".")[2]) for name, _ in days}
        if document.valid_from is None and document.version is None and not kinds & {*_KNOWN}:
            for name, _ in days:
                if told_by(name.rpartition(".")[2]) is Told.UNKNOWN:
                    unknown[name].append(number)
        for name, value in leaves(document.metadata):
            effect = told_by(name.rpartition(".")[2]) is Told.EFFECT
            written = isinstance(value, str) and any(letter.isdigit() for letter in value)
            if effect and written and fields.day_of(value) is None:
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
        named = "no language was told" if code == "und" else f"the language {code!r} has no grammar"
        advice = "; state it as language in its fields" if code == "und" else ""
        plain = code not in STEMMERS and code not in _UNSPACED
        words = "its words are searched as they are written, and " if plain else ""
        reason = f"{named}{_in(len(numbers))}: {words}what it cites by number is not followed{advice}"
        yield Problem(_where(numbers[0], documents, paths), reason, is_note=True)


def _in(count: int) -> str:
    return f" (in {count:,} documents, this one first)" if count > 1 else ""


def _where(number: int, documents: Sequence[Document], paths: Sequence[str | None]) -> str:
    return paths[number] or documents[number].source or documents[number].id

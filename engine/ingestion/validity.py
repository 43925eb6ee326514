"""When documents and passages are in force: what their own clauses say, and what later texts ended.

``dated`` looks at one document alone, ``last_day`` at a reference by which one text repeals another or takes
its place; versions of one text stand in ``families``.

What a source states in its fields counts before what its text says, but for a start that is only the day
of enactment or publication: there, a clause of commencement is more exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import ReadDocument
from engine.language.addresses import PROVISIONS, WORDS, number_key
from engine.language.dates import Clause, ClauseKind, clauses_in
from engine.model import Document, Passage, Relation, Section, SectionKind, Span

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

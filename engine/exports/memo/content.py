"""The content of a memo: sections, notes, names of passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from engine.answers.record import Citation
from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.exports.checking import Check, Checker
from engine.records.phrases import full_citation, short_citation
from engine.records.record import CaseRecord, PassagePart

# The memo before it has a form.

# The language of the memo's own words; they may contain names in other scripts.
OWN = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text with its language, ``OWN`` for the memo's own words."""

    text: str
    language: str = OWN


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: the source of words and the result of checking them.

    ``number`` counts from 1 in order of first reference. ``cited`` is the full citation, or the short one if
    ``above`` is the number of an earlier note with the full one. ``quote`` is the quoted text unless the memo
    contains it, ``now`` the corpus's text if it differs. ``validity`` is set if the source is not in force
    (``old``).
    """

    number: int
    passage_id: str
    cited: str
    language: str
    check: Check
    quote: str = ""
    now: str = ""
    validity: str = ""
    old: bool = False
    above: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or passage with the numbers of its notes.

    ``own``: the words are those of the source; ``area`` is the part of the question that it answers.
    """

    words: Words
    notes: tuple[int, ...]
    own: bool = True
    area: str = ""
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a memo.

    ``lead`` describes them and their certainty. ``limits`` are sources that limit or contradict each other,
    ``to_read`` further reading. ``composed``: they are sentences chosen from the corpus, not passages of the
    record. ``checked`` are the results of the check of claims.
    """

    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    limits: tuple[Finding, ...] = ()
    to_read: tuple[Finding, ...] = ()
    composed: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The name of a passage and its trails as sentences."""

    name: Words
    trails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A ranked passage as a row of a table; ``notes`` cite it."""

    rank: int
    title: Words
    where: str
    validity: str
    old: bool
    trail: str
    notes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Lines under a title, and the number ``more`` that are not shown."""

    title: str
    lines: tuple[str, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Area:
    """The coverage of an area in words."""

    name: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a case: time (UTC), user, description."""

    at: str
    who: str
    words: str


Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Memo:
    """The complete content of a memo.

    ``status`` is the evidence status in a word, ``evidence`` in sentences; ``warnings`` come first.
    ``more_rows`` ranked passages and ``unranked`` ones of the pool are not in ``rows``. ``facts`` describe
    the question, ``settings`` the changes of the preset. ``begun`` is the time of the question.
    """

    title: str
    matter: str
    question: Words
    status: str
    evidence: tuple[str, ...]
    warnings: tuple[str, ...]
    findings: Findings
    remarks: str
    sources: tuple[Source, ...]
    lacking: tuple[Listed, ...]
    areas: tuple[Area, ...]
    rows: tuple[Row, ...]
    more_rows: int
    unranked: int
    checks: tuple[str, ...]
    steps: tuple[Step, ...]
    more_steps: int
    seals: Facts
    preset: str
    settings: tuple[tuple[str, str, str], ...]
    facts: Facts
    claims: tuple[str, ...]
    begun: datetime


# Names of the passages in a memo or page.


class PassageNames:
    """Short citations of passages by id: from the corpus if available, else from the record, else the id."""

    def __init__(self, case: CaseRecord, corpus: Corpus | None, ids: Iterable[str] = ()) -> None:
        self._names = {one.id: one.name for one in reversed(case.passages)}
        wanted = list(dict.fromkeys((*self._names, *ids)))
        if corpus is None or not wanted:
            return
        for name, found in find_passages(corpus, wanted).items():
            self._names[name] = " ".join(short_citation(*found).split())

    def __call__(self, passage_id: str) -> str:
        """Return the name of a passage for a sentence."""
        return self._names.get(passage_id, passage_id)


def named_ids(case: CaseRecord) -> set[str]:
    """Return the ids in trails, assembled texts and equal texts of the ranking."""
    found = {one for passage in case.passages for one in (*passage.ids, *passage.same_words)}
    return found | {
        hop.source for one in case.passages for trail in one.trails for hop in trail if hop.source
    }


# Footnotes: each quote has one, with the full citation at the first of a passage.


class Notes:
    """Numbers footnotes in the order of first use."""

    def __init__(self, checker: Checker, name: PassageNames) -> None:
        self._checker, self._name = checker, name
        self._made: dict[tuple[tuple[str, ...], str], Note] = {}
        self._first: dict[str, int] = {}

    def of_citation(self, citation: Citation) -> int:
        """Return the note number of a citation of an answer."""
        ids = tuple(passage for passage, _ in citation.places)
        return self._note(
            ids, citation.quote, citation.cited, citation.language, citation.validity, citation.old
        )

    def of_passage(self, passage: PassagePart) -> int:
        """Return the note number of a passage of the record, quoted in full."""
        found = self._checker.source(passage.id)
        if found is not None:
            cited = " ".join(full_citation(*found).split())
        else:
            cited = ", ".join(filter(None, (passage.title or passage.document, passage.where)))
            cited += f" [{passage.id}]"
        validity = passage.validity or ""
        return self._note(passage.ids, passage.text, cited, passage.language, validity, passage.out_of_force)

    def made(self, shown: Collection[str]) -> tuple[Note, ...]:
        """Return all notes by number, without the quotes that the memo shows as ``shown``."""
        read = {" ".join(text.split()) for text in shown}
        return tuple(
            replace(note, quote="") if " ".join(note.quote.split()) in read else note
            for note in self._made.values()
        )

    def _note(
        self, ids: tuple[str, ...], quote: str, cited: str, language: str, validity: str, old: bool
    ) -> int:
        known = self._made.get((ids, quote))
        if known is not None:
            return known.number
        found, number = self._checker.quoted(quote, ids), len(self._made) + 1
        above = self._first.setdefault(ids[0], number)
        self._made[ids, quote] = Note(
            number,
            ids[0],
            cited if above == number else self._name(ids[0]),
            language,
            found.check,
            quote,
            found.now,
            validity,
            old,
            None if above == number else above,
        )
        return number

"""The content of a memo: sections, notes, names of passages, and the check of quotes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from engine.answers.record import Citation, Located, verify
from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.investigation.presentation import text_of
from engine.model import Document, Passage
from engine.records.phrases import full_citation, short_citation
from engine.records.record import CaseRecord, PassagePart

# Verification of a case's quotes against its record and the current corpus.


class Check(StrEnum):
    """The result of checking a quote, as a sentence for a footnote."""

    SAME = "Checked against the text: word for word."
    NOW = (
        "Checked against the text as the corpus has it now; these words are not in the case, and the "
        "corpus is not known to be the same since."
    )
    DIFFERS = "DIFFERS: the corpus has a different text here now."
    RECORDED = "DIFFERS: the case recorded a different text here."
    NOT_FOUND = "COULD NOT BE CHECKED: this passage is not in the opened corpus."
    UNCHECKED = "Could not be checked: no corpus was opened. The quote is from the record."

    @property
    def holds(self) -> bool:
        """True if the quote was found in the corpus."""
        return self in (Check.SAME, Check.NOW)

    @property
    def differs(self) -> bool:
        """True if corpus and record differ."""
        return self in (Check.DIFFERS, Check.RECORDED)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result; ``now`` is the corpus's text if it differs from the quote."""

    check: Check
    now: str = ""


class Checker:
    """Checks quotes of a case. ``unchanged``: the corpus is in the same state as when the case ran."""

    def __init__(self, case: CaseRecord, corpus: Corpus | None, *, unchanged: bool) -> None:
        self.case, self.corpus, self.unchanged = case, corpus, unchanged

    def quoted(self, quote: str, ids: tuple[str, ...]) -> Checked:
        """Check a quote from consecutive passages of a document. Raises as the corpus does."""
        if self.corpus is None:
            return Checked(Check.UNCHECKED)
        passages = self._passages(ids)
        if passages is None:
            return Checked(Check.NOT_FOUND)
        pieces = _pieces(quote, passages)
        if not pieces:
            return Checked(Check.DIFFERS, text_of(passages))
        held = [self._recorded(passage_id, words) for passage_id, words in pieces]
        if False in held:
            return Checked(Check.RECORDED)
        return Checked(Check.SAME if None not in held or self.unchanged else Check.NOW)

    def changed(self) -> list[str]:
        """Return the ids of ranked passages whose exact text is no longer in the corpus."""
        return [
            one.id
            for one in self.case.passages
            if self.corpus is not None
            and ((found := self._passages(one.ids)) is None or text_of(found) != one.text)
        ]

    def source(self, passage_id: str) -> tuple[Passage, Document] | None:
        """Return a passage of the corpus with its document, None if unavailable."""
        return None if self.corpus is None else find_passages(self.corpus, [passage_id]).get(passage_id)

    def _passages(self, ids: tuple[str, ...]) -> list[Passage] | None:
        if self.corpus is None:
            return None
        rows = self.corpus.rows(list(ids))
        return None if (rows < 0).any() else list(self.corpus.passages(rows))

    def _recorded(self, passage_id: str, words: str) -> bool | None:
        """Return whether the record's text of a passage contains words; None if it lacks the passage."""
        found = self.case.passage_of(passage_id)
        return None if found is None else " ".join(words.split()) in " ".join(found.text.split())


def _pieces(quote: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
    """Return the parts of a quote in each passage, with their ids; empty if they are not found."""
    found = verify(quote, passages)
    if isinstance(found, Located):
        texts = {passage.id: passage.text for passage in passages}
        return [(one, texts[one][span.start : span.end]) for one, span in found.places]
    # Too short to verify as a quote, but it may be the complete passage.
    return [(passage.id, passage.text) for passage in passages] if quote == text_of(passages) else []


# The content of a memo: sections, notes, names of passages.

# The memo before it has a form.

# The language of the memo's own words; they may contain names in other scripts.
OWN = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text with its language, ``OWN`` for the memo's own words; ``strong`` text is a warning."""

    text: str
    language: str = OWN
    strong: bool = False


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
    ``to_read`` further reading.
    """

    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    limits: tuple[Finding, ...] = ()
    to_read: tuple[Finding, ...] = ()


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

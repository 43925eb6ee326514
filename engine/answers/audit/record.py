"""What an audit found: claims with verdicts, quotes, citations, reasons, notes and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from engine.answers.conflicts import Amended, Amending
from engine.corpus.grades import Grades, words_of
from engine.language.statements import Alignment, Change, Changed, Token
from engine.llm import Usage
from engine.model import RELATION_VERBS, Document, Grade, Passage, Span
from engine.records.phrases import plural, short_citation

# What an audit found: claims with their verdicts, quotes, citations and reasons.


class Finding(StrEnum):
    """What the corpus says of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    RELATED = "related"
    OUTDATED = "outdated"
    AMENDED = "amended"
    WRONG_PINPOINT = "wrong pinpoint"
    NO_PROVISION = "no such provision"
    UNCLEAR_CITATION = "citation not understood"
    NOT_IN_CORPUS = "not in corpus"


# Findings of which the sources say what the claim says, in force or not, cited rightly or not.
SAID = (Finding.SUPPORTED, Finding.WRONG_PINPOINT, Finding.OUTDATED)
# Those of which a passage carries the claim, the cited one where it cites.
CARRIED = (Finding.SUPPORTED, Finding.OUTDATED)


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference in the audited text. ``rows`` are the passages it leads to; ``status`` is resolved,
    ambiguous or unresolved; ``known``: the text names a document that the corpus has. ``paragraph`` is
    what it names below the provision ("2/a"), ``told`` what is wrong with it, empty where nothing is."""

    span: Span
    text: str
    status: str
    rows: tuple[int, ...] = ()
    known: bool = False
    paragraph: str = ""
    told: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the audited text, with its place there and the references it makes."""

    number: int
    span: Span
    text: str
    language: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A passage held against a claim: the words of it that speak of the claim, verbatim, and how the words of
    the claim stand in them.

    ``near`` is how much they are about what the claim is about (0..1). ``in_force``: on the day of the audit.
    ``grade`` is that of its document, None where it has none. ``amended`` is what later texts make of the
    passage: the claim is compared with the amended words, and with the old ones where ``in_force`` is false.
    ``doubtful``: with the amendments that are not certain it may say something else.
    """

    row: int
    passage: Passage
    document: Document
    span: Span
    quote: str
    alignment: Alignment | None
    near: float
    in_force: bool
    cited: bool = False
    grade: Grade | None = None
    amended: Amended | None = None
    doubtful: bool = False

    @property
    def says(self) -> bool:
        """Whether the words say the claim."""
        return self.alignment is not None and self.alignment.complete

    @property
    def differs(self) -> bool:
        """Whether the words say otherwise of the same subject and act."""
        return self.alignment is not None and self.alignment.contrary

    def moved(self, row: int, passage: Passage, document: Document) -> Source:
        """The first words of what took the place of this source, not compared with anything."""
        span = Span(0, len(passage.text))
        return replace(
            self,
            row=row,
            passage=passage,
            document=document,
            span=span,
            quote=passage.text,
            alignment=None,
            in_force=True,
            amended=None,
            doubtful=False,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A model's second reading of one claim. ``decided``: it changed the finding; else ``refused`` says why
    it could not, and what it said is an opinion."""

    finding: Finding
    quote: str
    passage_id: str
    explanation: str
    decided: bool
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with what was found. ``sources`` come best first; the first is the one that the finding rests
    on.

    ``citations`` are those of the claim's references that are its own, and no words of the source.
    ``grounded``: a passage carries the claim and, where the claim cites, a cited one does. ``independent``
    counts documents that support it and are no versions, translations or amendments of each other.
    ``grade`` is the best grade of the sources that support it, None where none of them has one; ``graded`` is
    false where that is none or below what was asked for: then the claim passes as neither said nor carried.
    """

    claim: Claim
    finding: Finding
    reason: str
    sources: tuple[Source, ...] = ()
    differences: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    right: Source | None = None
    successor: Source | None = None
    grounded: bool = False
    independent: int = 0
    grade: Grade | None = None
    graded: bool = True
    reading: Reading | None = None

    @property
    def correct(self) -> bool | None:
        """Whether the sources say so; None where nothing is told of that, or where they are not of the grade
        that was asked for: a person has to read."""
        if self.finding in (Finding.SUPPORTED, Finding.WRONG_PINPOINT):
            return True if self.graded else None
        return False if self.finding in (Finding.CONTRADICTED, Finding.OUTDATED) else None


@dataclass(frozen=True, slots=True)
class Audit:
    """An audited text. ``citations`` are the references that stand outside of the claims. ``notes`` tell what
    was left out or off; ``spent`` is what a language model used. ``minimum`` is the lowest grade that sources
    may have, None for any; ``grades`` the version of the corpus's table of grades."""

    text: str
    corpus: str
    day: date
    checked: tuple[Checked, ...]
    notes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    milliseconds: float = 0.0
    model: str = ""
    spent: Usage = field(default_factory=Usage)
    minimum: Grade | None = None
    grades: int = 0

    @property
    def dead(self) -> tuple[Citation, ...]:
        """The citations of the whole text with which something is wrong, in order."""
        every = [*(cited for one in self.checked for cited in one.citations), *self.citations]
        return tuple(sorted((one for one in every if one.told), key=lambda one: one.span.start))

    @property
    def below(self) -> tuple[Checked, ...]:
        """The claims that sources say which have no grade, or a lower one than was asked for."""
        return tuple(one for one in self.checked if not one.graded and one.finding in SAID)

    @property
    def changed_by_model(self) -> tuple[Checked, ...]:
        """The claims of which a model's second reading changed the finding."""
        return tuple(one for one in self.checked if one.reading is not None and one.reading.decided)


# The grades of the sources of an audit.


def with_grades(checked: Checked, grades: Grades) -> Checked:
    """A claim whose sources bear the grades of their documents."""

    def graded(source: Source) -> Source:
        return replace(source, grade=grades.of(source.document))

    return replace(
        checked,
        sources=tuple(map(graded, checked.sources)),
        right=None if checked.right is None else graded(checked.right),
        successor=None if checked.successor is None else graded(checked.successor),
    )


# What is to be said of an audit as a whole: what was off and which verdicts that concerns, and
# what a lowest grade left out.

MOST_NAMED = 12
_MEANING_OFF = "dense search is off"
# Verdicts that a passage in other words might have changed.
_MAY_CHANGE = (Finding.NOT_IN_CORPUS, Finding.RELATED)


def with_reach(notes: Iterable[str], checked: Sequence[Checked]) -> Iterator[str]:
    """Notes of the search; where passages are not searched by meaning, with the claims that this concerns."""
    for note in notes:
        yield f"{note}; {_concerned(checked)}" if note.startswith(_MEANING_OFF) else note


def _concerned(checked: Sequence[Checked]) -> str:
    numbers = [one.claim.number for one in checked if one.finding in _MAY_CHANGE]
    if not numbers:
        return "no verdict on this text is of that kind"
    return f"of this text that concerns {_named(numbers)}"


def grade_notes(checked: Sequence[Checked], minimum: Grade | None) -> Iterator[str]:
    """What a lowest grade did to the claims of a text, none of them passed in silence."""
    if minimum is None:
        return
    below = [one for one in checked if not one.graded and one.finding in SAID]
    for grade in dict.fromkeys(one.grade for one in below):
        numbers = [one.claim.number for one in below if one.grade is grade]
        rests = "rests" if len(numbers) == 1 else "rest"
        yield (
            f"{_named(numbers)} {rests} on sources with {words_of(grade)}, and grade {minimum.value} was "
            "asked for: not counted as said or grounded"
        )


def _named(numbers: Sequence[int]) -> str:
    more = " …" if len(numbers) > MOST_NAMED else ""
    return f"{plural(len(numbers), 'claim')} ({', '.join(map(str, numbers[:MOST_NAMED]))}{more})"


# How an audit is put into words: findings, sources.


@dataclass(frozen=True, slots=True)
class Told:
    """A finding as people read it: a word, a sign that needs no colour, what it means."""

    word: str
    sign: str
    meaning: str


TOLD = {
    Finding.SUPPORTED: Told("Supported", "✓", "a source in force says so"),
    Finding.CONTRADICTED: Told("Contradicted", "✕", "a source says otherwise of the same"),
    Finding.RELATED: Told(
        "Related: read it", "◐", "sources speak of it; whether they say so, a person tells"
    ),
    Finding.OUTDATED: Told("Outdated", "↺", "only a text that is no longer in force says so"),
    Finding.AMENDED: Told(
        "Amended: read both", "⇄", "a later text amends the source in a way that a person has to read"
    ),
    Finding.WRONG_PINPOINT: Told("Wrong pinpoint", "⚲", "another provision than the cited one says so"),
    Finding.NO_PROVISION: Told("No such provision", "⊘", "the cited provision does not exist"),
    Finding.UNCLEAR_CITATION: Told("Citation not understood", "?", "what it cites was not found out"),
    Finding.NOT_IN_CORPUS: Told("Not in corpus", "∅", "no passage of the corpus speaks of it"),
}


def key_of(finding: Finding) -> str:
    """A finding as a name in JSON and CSS."""
    return finding.value.replace(" ", "_")


def citation_of(source: Source) -> str:
    """How a source is cited."""
    return short_citation(source.passage, source.document)


def difference(source: Source) -> list[str]:
    """What a source says otherwise than the claim it was compared with, each in words."""
    return [] if source.alignment is None else _differences(source.alignment)


def _differences(found: Alignment) -> list[str]:
    return [_otherwise(one) for one in found.changed]


def as_amended(source: Source) -> str:
    """What amended the words of a source; empty where nothing did."""
    by = () if source.amended is None else source.amended.by
    return f", as amended by {' and '.join(one.words for one in by)}" if by else ""


def doubt_of(amending: Amending) -> str:
    """Why an amendment cannot be put into what it amends with certainty."""
    told = f"{amending.words} {RELATION_VERBS[amending.reference.relation]} it"
    if amending.since is None:
        return f"{told} from a day that is not known: read both"
    return f"{told}, and how it reads then is not certain: read both"


_DENIED = "one of the two denies it: “{}”"


def _otherwise(one: Changed) -> str:
    if one.claim is None or one.source is None:
        token = one.claim or one.source
        return _DENIED.format(token.word) if token is not None else ""
    if one.change is Change.JOINT:
        return f"the source says “{one.source.opened} {one.source.word}”, the claim “{one.claim.opened}”"
    return f"the source says “{one.source.word}”, the claim says “{one.claim.word}”"


def otherwise(found: Alignment | None) -> str:
    """Why a source that is about the same is no support, in words, by how the claim stands in it."""
    if found is None:
        return "it may be about the same; the words differ"
    told = _differences(found)
    instead = dict.fromkeys((own.word, theirs.word) for own, theirs in found.instead)
    told += [f"it says it of “{theirs}”, not of “{own}”" for own, theirs in list(instead)[:2]]
    if found.exchanged:
        words = ", ".join(f"“{word}”" for word in _words(found.exchanged)[:4])
        told.append(f"{words}: in another part of the sentence, so who does what to whom may differ")
    if found.dropped:
        words = " … ".join(_words(found.dropped)[:6])
        told.append(f"the claim leaves out what it is bound to: “{words}”")
    missing = _words(t for t in found.missing if all(t is not own for own, _ in found.instead[:2]))
    if missing:
        told.append(f"it does not say: {', '.join(missing[:6])}")
    if found.loose and not told:
        told.append(f"it says it in other words: {', '.join(_words(found.loose)[:6])}")
    return "; ".join(told) or "it says only a part of it"


def _words(tokens: Iterable[Token]) -> list[str]:
    """The words of tokens, each once: in a script without spaces several are of one."""
    return list(dict.fromkeys(token.word for token in tokens))


def remarks(one: Checked) -> list[str]:
    """What else is to be said of a claim: grade, independence, a second reading."""
    found = []
    if not one.graded:
        low = "" if one.grade is None else ", below the one asked for"
        counted = ": not counted" if one.finding in SAID else ""
        found.append(f"rests on sources with {words_of(one.grade)}{low}{counted}")
    if one.finding is Finding.SUPPORTED:
        found.append(plural(one.independent, "independent source"))
    reading = one.reading
    if reading is not None and reading.decided:
        found.append(f"changed by the model's second reading: {reading.explanation}")
    elif reading is not None and reading.refused:
        told = TOLD[reading.finding].word.lower()
        found.append(f"the model reads it as {told} ({reading.explanation}); not counted: {reading.refused}")
    return found

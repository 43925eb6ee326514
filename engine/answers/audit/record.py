"""What an audit found: claims with their verdicts, quotes, citations and reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from engine.answers.amending import Amended
from engine.language.statements import Alignment
from engine.llm import Usage
from engine.model import Document, Grade, Passage, Span


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

"""What an audit found: claims with their verdicts, quotes, citations and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from engine.language.statements import Comparison
from engine.llm import Usage
from engine.model import Document, Passage, Span


class Finding(StrEnum):
    """What the corpus says of a claim."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    CONTRADICTED = "contradicted"
    OUTDATED = "outdated"
    WRONG_PINPOINT = "wrong pinpoint"
    NOT_IN_CORPUS = "not in corpus"


# Findings of which the sources say what the claim says, in force or not, cited rightly or not.
SAID = (Finding.SUPPORTED, Finding.WRONG_PINPOINT, Finding.OUTDATED)


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference in the audited text. ``rows`` are the passages it leads to; ``status`` is resolved,
    ambiguous or unresolved; ``known``: the text names a document that the corpus has."""

    span: Span
    text: str
    status: str
    rows: tuple[int, ...] = ()
    known: bool = False


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
    """A passage held against a claim: the words of it that speak of the claim, verbatim, and how they
    compare.

    ``related`` is the estimated probability that the words are about what the claim is about, ``subject`` the
    same from their content alone, quantities aside, ``says`` that they say all of it; all 0..1. ``values``
    are the features that these were estimated from. ``in_force``: on the day of the audit.
    """

    row: int
    passage: Passage
    document: Document
    span: Span
    quote: str
    comparison: Comparison
    related: float
    subject: float
    says: float
    values: Mapping[str, float] = field(hash=False)
    in_force: bool
    cited: bool = False

    @property
    def differs(self) -> bool:
        """Whether the words differ from the claim in something that has a name."""
        return self.comparison.differs

    def moved(self, row: int, passage: Passage, document: Document) -> Source:
        """The first words of what took the place of this source, not compared with anything."""
        span = Span(0, len(passage.text))
        return replace(
            self, row=row, passage=passage, document=document, span=span, quote=passage.text, in_force=True
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

    ``grounded``: a passage carries the claim and, where the claim cites, a cited one does. ``independent``
    counts documents that support it and are no versions, translations or amendments of each other.
    ``grade`` is the lowest grade of the sources that support it, None where no one graded them; ``graded``
    is false where that is below what was asked for.
    """

    claim: Claim
    finding: Finding
    reason: str
    sources: tuple[Source, ...] = ()
    differences: tuple[str, ...] = ()
    right: Source | None = None
    successor: Source | None = None
    grounded: bool = False
    independent: int = 0
    grade: float | None = None
    graded: bool = True
    reading: Reading | None = None

    @property
    def correct(self) -> bool | None:
        """Whether the sources say so; None where the corpus says nothing of it."""
        if self.finding is Finding.NOT_IN_CORPUS:
            return None
        return self.finding in (Finding.SUPPORTED, Finding.WRONG_PINPOINT)


@dataclass(frozen=True, slots=True)
class Audit:
    """An audited text. ``notes`` tell what was left out or off; ``spent`` is what a language model used."""

    text: str
    corpus: str
    day: date
    checked: tuple[Checked, ...]
    notes: tuple[str, ...] = ()
    milliseconds: float = 0.0
    model: str = ""
    spent: Usage = field(default_factory=Usage)

    def count(self, finding: Finding) -> int:
        """How many claims have a finding."""
        return sum(one.finding is finding for one in self.checked)

    @property
    def correct(self) -> int:
        """How many claims the sources bear out as the law is on the day."""
        return sum(one.correct is True for one in self.checked)

    @property
    def grounded(self) -> int:
        """How many claims are carried by a passage, the cited one where they cite."""
        return sum(one.grounded for one in self.checked)

    @property
    def changed_by_model(self) -> tuple[Checked, ...]:
        """The claims of which a model's second reading changed the finding."""
        return tuple(one for one in self.checked if one.reading is not None and one.reading.decided)

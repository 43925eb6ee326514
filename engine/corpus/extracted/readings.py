"""Readings of a model and reviewers' verdicts on them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from engine.corpus.embedded.publication import EXTRACTED_NAME, VALIDATIONS_NAME
from engine.corpus.journal import Journals, add_line, load_lines
from engine.model import Relation, Span

# A proposal is a statement about a text for a user to check. It leads from the passage with the words to
# another passage ("makes an exception to") or to a concept ("defines", "mentions"). Concepts belong to their
# document.

# Possible relations between two passages, and between a passage and a concept.
LINK_RELATIONS = (
    Relation.DEFINES,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
)
CONCEPT_RELATIONS = (Relation.DEFINES, Relation.MENTIONS, Relation.APPLIES_TO)


class Proposal(BaseModel):
    """A relation stated in a text, with the words that state it.

    ``quote`` is verbatim from the passage ``source_id``, the ``occurrence``-th (from 0) there. ``target_id``
    is a passage, for a grammar also a section or document; ``concept`` is a name as written in the text. One
    of the two is given. ``said_by`` names the model or the grammar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str = Field(min_length=1)
    quote: str = Field(min_length=1)
    occurrence: int = Field(default=0, ge=0)
    relation: Relation
    target_id: str | None = None
    concept: str = ""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    said_by: str = ""

    @model_validator(mode="after")
    def _one_target(self) -> Proposal:
        if (self.target_id is None) == (not self.concept):
            raise ValueError("a proposal leads either to a passage or to a concept")
        return self

    @cached_property
    def key(self) -> str:
        """A key that is equal for the same statement, whatever its origin and confidence."""
        parts = (self.source_id, self.quote, self.occurrence, self.relation.value, self.target_id, self.name)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    @property
    def name(self) -> str:
        """The concept in normalised form: folded case, single blanks."""
        return concept_key(self.concept)


def concept_key(name: str) -> str:
    """Return the normalised form of a concept's name."""
    return " ".join(name.casefold().split())


def locate(proposal: Proposal, text: str) -> Span | None:
    """Return the span of the quote in its passage's text; None if the text no longer contains it."""
    place = -1
    for _ in range(proposal.occurrence + 1):
        place = text.find(proposal.quote, place + 1)
        if place < 0:
            return None
    return Span(place, place + len(proposal.quote))


def occurrence_at(text: str, quote: str, start: int) -> int:
    """Return the occurrence, from 0, of some words that begins at an offset in a text."""
    count, place = 0, text.find(quote)
    while 0 <= place < start:
        count, place = count + 1, text.find(quote, place + 1)
    return count


# The journal ``extracted.jsonl``: windows of text that a model has read, with its proposals. A line is added
# after each window, so that a killed process loses only the windows in flight. After the last window of a
# document a line lists them all: proposals from former readings no longer count.


class WindowRead(BaseModel):
    """A window read by a model. ``key`` depends on its content, the model and the version of the prompt.

    ``refused`` counts rejected answers by reason; ``calls``, ``tokens`` and ``money`` are the costs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["window"] = "window"
    key: str = Field(min_length=1)
    document: str
    model: str
    proposals: tuple[Proposal, ...] = ()
    refused: dict[str, int] = {}
    calls: int = 0
    tokens: int = 0
    money: float | None = 0.0
    when: str = ""


class DocumentRead(BaseModel):
    """A document read completely by a model; ``windows`` are the keys of its windows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["document"] = "document"
    document: str
    model: str
    windows: tuple[str, ...]
    when: str = ""


Reading = WindowRead | DocumentRead
_LINE: TypeAdapter[Reading] = TypeAdapter(Annotated[Reading, Field(discriminator="kind")])


def load_readings(place: Path | str | Journals) -> list[Reading]:
    """Return all lines in order. Raises as ``load_lines``."""
    return load_lines(place, EXTRACTED_NAME, _LINE.validate_json, "a reading")


def add_reading(folder: Path | str, reading: Reading) -> None:
    """Append a reading with the current time. Raises as ``add_line``."""
    add_line(folder, EXTRACTED_NAME, reading)


def windows_read(readings: Iterable[Reading]) -> Mapping[str, WindowRead]:
    """Return the last reading of each window, by key."""
    return {reading.key: reading for reading in readings if isinstance(reading, WindowRead)}


def proposals(readings: Iterable[Reading]) -> dict[str, Proposal]:
    """Return the proposals of all readings, by key; among equal ones that with the highest confidence.

    For a document read completely, only the windows of that reading and later ones count.
    """
    current: dict[str, dict[str, WindowRead]] = {}
    for reading in readings:
        own = current.setdefault(reading.document, {})
        if isinstance(reading, WindowRead):
            own[reading.key] = reading
        else:
            kept = {key: own[key] for key in reading.windows if key in own}
            current[reading.document] = kept
    found: dict[str, Proposal] = {}
    for windows in current.values():
        for window in windows.values():
            for proposal in window.proposals:
                known = found.get(proposal.key)
                if known is None or proposal.confidence > known.confidence:
                    found[proposal.key] = proposal
    return found


# The journal ``validations.jsonl``: users' verdicts on proposals. A line contains the complete proposal, so
# that it remains meaningful after changes of text, model or grammar. The journal is append-only; the last
# line on a proposal counts.

Origin = Literal["model", "grammar"]
LONGEST_NOTE, LONGEST_NAME = 2_000, 200


class Judgement(StrEnum):
    """A user's verdict on a proposal."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


class Validation(BaseModel):
    """A verdict. ``correction`` is the corrected proposal, for ``CORRECTED`` only.

    ``withdrawn`` withdraws the previous verdict. ``when`` is ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    proposal: Proposal
    origin: Origin
    judgement: Judgement
    correction: Proposal | None = None
    note: str = Field(default="", max_length=LONGEST_NOTE)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    withdrawn: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Validation:
        if (self.judgement is Judgement.CORRECTED) != (self.correction is not None):
            raise ValueError("a corrected proposal is required for a correction, and only then")
        return self

    @property
    def holds(self) -> Proposal | None:
        """Return the valid proposal by this verdict; None for none."""
        if self.judgement is Judgement.REJECTED:
            return None
        return self.correction or self.proposal


def load_validations(place: Path | str | Journals) -> list[Validation]:
    """Return all verdicts in order. Raises as ``load_lines``."""
    return load_lines(place, VALIDATIONS_NAME, Validation.model_validate_json, "a verdict")


def current_verdicts(validations: Iterable[Validation]) -> dict[str, Validation]:
    """Return the verdict in force on each proposal, by key."""
    last = {validation.proposal.key: validation for validation in validations}
    return {key: validation for key, validation in last.items() if not validation.withdrawn}


def add_validation(place: Path | str | Journals, validation: Validation) -> Validation:
    """Append a verdict with the current time. Raises as ``add_line``."""
    return add_line(place, VALIDATIONS_NAME, validation)

"""Links that a model read in texts: proposed, read, validated by reviewers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from engine.corpus.embedded.publication import EXTRACTED_NAME, VALIDATIONS_NAME
from engine.corpus.journal import Journals, append_line, journals_at
from engine.errors import CorpusError
from engine.model import Relation, Span

# One statement about a text that a person may check: whoever made it, it only proposes.
#
# A proposal goes from the passage whose words say so, either to another passage ("makes an
# exception to") or to a concept ("defines", "mentions"). Concepts belong to their document: each
# defines for itself.

# What may hold between two passages, and between a passage and a concept.
LINK_RELATIONS = (
    Relation.DEFINES,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
)
CONCEPT_RELATIONS = (Relation.DEFINES, Relation.MENTIONS, Relation.APPLIES_TO)


class Proposal(BaseModel):
    """A relation that a text states, with the words that state it.

    ``quote`` is verbatim from the passage ``source_id``, its ``occurrence``-th (from 0) there. ``target_id``
    is a passage, for what a grammar read a section or document too; ``concept`` is a name as the text
    writes it. One of the two is given. ``said_by`` names the model or the grammar.
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
            raise ValueError("a proposal leads to a passage or to a concept, and not to both")
        return self

    @cached_property
    def key(self) -> str:
        """The same for the same statement, whoever made it and however sure."""
        parts = (self.source_id, self.quote, self.occurrence, self.relation.value, self.target_id, self.name)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    @property
    def name(self) -> str:
        """The concept as names are compared: in any case of letters, spaces once."""
        return concept_key(self.concept)


def concept_key(name: str) -> str:
    """How two names of a concept are compared."""
    return " ".join(name.casefold().split())


def located(proposal: Proposal, text: str) -> Span | None:
    """Where the quote stands in its passage's text; None where the text no longer says so."""
    place = -1
    for _ in range(proposal.occurrence + 1):
        place = text.find(proposal.quote, place + 1)
        if place < 0:
            return None
    return Span(place, place + len(proposal.quote))


def occurrence_at(text: str, quote: str, start: int) -> int:
    """Which occurrence of some words in a text begins at a place, from 0."""
    count, place = 0, text.find(quote)
    while 0 <= place < start:
        count, place = count + 1, text.find(quote, place + 1)
    return count


# ``extracted.jsonl`` in a corpus folder: which stretches of text a model has read, and what it
# proposed.
#
# A line is added when a window has been read, with everything that came of it, so that a process
# that is killed loses at most the windows in flight. When all windows of a document have been
# read a line says so: what earlier readings of other windows proposed no longer counts.


class WindowRead(BaseModel):
    """A window that a model has read. ``key`` is made of its content, the model and the prompt's version.

    ``refused`` counts by reason what the model said and does not count; ``calls``, ``tokens`` and
    ``money`` are what reading took.
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
    """A document of which a model has read every window; ``windows`` are their keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["document"] = "document"
    document: str
    model: str
    windows: tuple[str, ...]
    when: str = ""


Reading = WindowRead | DocumentRead
_LINE: TypeAdapter[Reading] = TypeAdapter(Annotated[Reading, Field(discriminator="kind")])


def load_readings(place: Path | str | Journals) -> list[Reading]:
    """All lines in order; none where no model has read. A last line without its end does not count.

    Raises CorpusError, naming the line, for anything else that is no reading.
    """
    journals = journals_at(place)
    found: list[Reading] = []
    for number, line in enumerate(journals.lines(EXTRACTED_NAME), start=1):
        try:
            found.append(_LINE.validate_json(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise CorpusError(
                f"{journals.named(EXTRACTED_NAME)}:{number}: not what a model read ({reason}); "
                "mend or remove the line"
            ) from error
    return found


def add_reading(folder: Path | str, reading: Reading) -> None:
    """Add a line; durable once this returns. Raises CorpusError where the folder cannot be written."""
    dated = reading.model_copy(update={"when": datetime.now(UTC).isoformat(timespec="seconds")})
    path = Path(folder) / EXTRACTED_NAME
    append_line(path, dated.model_dump_json().encode())


def windows_read(readings: Iterable[Reading]) -> Mapping[str, WindowRead]:
    """The windows that have been read, by key; the last reading of each."""
    return {reading.key: reading for reading in readings if isinstance(reading, WindowRead)}


def proposals(readings: Iterable[Reading]) -> dict[str, Proposal]:
    """What counts of everything that was read, by key: of two that say the same, the surer.

    Of a document that was read to its end only the windows of that reading count, and those read since.
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


# The journal ``validations.jsonl`` of a corpus: what people say of proposals, whoever made them.
#
# A line holds the whole proposal with the verdict on it, so that a verdict means something even
# when the text, the model or the grammar has changed. Lines are only added; the last one on a
# proposal counts.

Origin = Literal["model", "grammar"]
LONGEST_NOTE, LONGEST_NAME = 2_000, 200


class Judgement(StrEnum):
    """A person's verdict on a proposal."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


class Validation(BaseModel):
    """A verdict. ``correction`` is the proposal as it should be, for ``CORRECTED`` alone.

    ``withdrawn`` takes back what was said before. ``when`` is ISO 8601.
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
            raise ValueError("a correction, and nothing else, says how it should be")
        return self

    @property
    def holds(self) -> Proposal | None:
        """What is true by this verdict; None where it is nothing."""
        if self.judgement is Judgement.REJECTED:
            return None
        return self.correction or self.proposal


def load_validations(place: Path | str | Journals) -> list[Validation]:
    """All verdicts in the order they were made; none where nobody has judged.

    A last line without its end does not count. Raises CorpusError, naming the line, for anything else
    that is no verdict.
    """
    journals, found = journals_at(place), []
    for number, line in enumerate(journals.lines(VALIDATIONS_NAME), start=1):
        try:
            found.append(Validation.model_validate_json(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            where = f"{journals.named(VALIDATIONS_NAME)}:{number}"
            raise CorpusError(f"{where}: not a verdict ({reason}); mend or remove the line") from error
    return found


def judged(validations: Iterable[Validation]) -> dict[str, Validation]:
    """The verdict that counts on each proposal, by key: the last, unless it was withdrawn."""
    last = {validation.proposal.key: validation for validation in validations}
    return {key: validation for key, validation in last.items() if not validation.withdrawn}


def add_validation(place: Path | str | Journals, validation: Validation) -> Validation:
    """Add a verdict, dated; durable once this returns. Several processes may add at once.

    Raises CorpusError where it cannot be written.
    """
    dated = validation.model_copy(update={"when": datetime.now(UTC).isoformat(timespec="seconds")})
    journals_at(place).add(VALIDATIONS_NAME, dated.model_dump_json().encode())
    return dated

"""Users' judgements next to a corpus: confirmed claims, decided references, learned weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.corpus.embedded.publication import CONFIRMATIONS_NAME, DECISIONS_NAME, WEIGHTS_NAME
from engine.corpus.journal import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Journals,
    add_line,
    load_lines,
    signed_line,
    signed_name,
)
from engine.errors import CorpusError, InputError
from engine.model import Span

# The journal ``confirmations.jsonl``: users' confirmations of verdicts on claims of checked texts. A line
# contains the words of the claim, the passage it was compared with, the SHA-256 of its text, and the verdict.
# It applies wherever the same claim is compared with the same text. The journal is append-only and
# independent of the state of the data; the last line on a claim and passage counts.

LONGEST_CLAIM = 10_000
LONGEST_FINDING = 60


class Review(StrEnum):
    """A user's judgement of a verdict."""

    CONFIRMED = "confirmed"
    OVERRULED = "overruled"


class Confirmation(BaseModel):
    """A user's confirmation or correction of a verdict.

    ``claim`` is the claim with single blanks; ``passage_id`` and ``sha256`` identify the text it was compared
    with, both empty without one; ``finding`` is the verdict, ``instead`` its replacement, for ``OVERRULED``
    only. ``withdrawn`` withdraws the previous line. ``when`` is ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: str = Field(min_length=1, max_length=LONGEST_CLAIM)
    passage_id: str = Field(max_length=1000)
    sha256: str = Field(max_length=64, pattern="^([0-9a-f]{64})?$")
    finding: str = Field(min_length=1, max_length=LONGEST_FINDING)
    review: Review
    instead: str = Field(default="", max_length=LONGEST_FINDING)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    withdrawn: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Confirmation:
        if (self.review is Review.OVERRULED) != bool(self.instead):
            raise ValueError("a replacement is required to overrule a verdict, and only then")
        if self.instead == self.finding:
            raise ValueError("the verdict is the same; confirm it instead")
        return self


def same_words(text: str) -> str:
    """Return the words of a claim with single blanks, as confirmations compare them."""
    return " ".join(text.split())


def digest_of(text: str) -> str:
    """Return the SHA-256 of a passage's text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def load_confirmations(place: Path | str | Journals) -> list[Confirmation]:
    """Return all confirmations in order. Raises as ``load_lines``."""
    return load_lines(place, CONFIRMATIONS_NAME, Confirmation.model_validate_json, "a confirmation")


def current_confirmations(lines: Iterable[Confirmation]) -> dict[tuple[str, str], Confirmation]:
    """Return the confirmations in force, by claim and passage id."""
    last = {(line.claim, line.passage_id): line for line in lines}
    return {key: line for key, line in last.items() if not line.withdrawn}


def add_confirmation(place: Path | str | Journals, confirmation: Confirmation) -> Confirmation:
    """Append a confirmation with the current time. Raises as ``add_line``."""
    return add_line(place, CONFIRMATIONS_NAME, confirmation)


def make_confirmation(
    claim: str,
    held: tuple[str, str],
    finding: str,
    *,
    instead: str = "",
    note: str = "",
    reviewer: str = "",
) -> Confirmation:
    """Return a confirmation of a verdict, or with ``instead`` a correction.

    ``held`` are id and SHA-256 of the text that the claim was compared with. Raises InputError if invalid.
    """
    review = Review.OVERRULED if instead else Review.CONFIRMED
    try:
        return Confirmation(
            claim=same_words(claim), passage_id=held[0], sha256=held[1], finding=finding, review=review,
            instead=instead, note=signed_line(note, LONGEST_NOTE, "note"),
            reviewer=signed_name(reviewer),
        )  # fmt: skip
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(str(first["msg"]).removeprefix("Value error, ")) from error


# Users' decisions about references: which of several targets is meant, or that a text is no reference. They
# are in ``decisions.jsonl`` in the corpus folder, append-only; the last one on a reference counts. They are
# independent of the state of the data: an ingestion applies them again wherever the passage still contains
# the same words.


class Place(NamedTuple):
    """The location of a reference: its words in a passage, and which occurrence of them (from 0).

    It stays valid if other parts of the text change.
    """

    source_id: str
    text: str
    occurrence: int


class Decision(BaseModel):
    """A user's decision on a reference.

    ``target_id`` is the id of the intended passage, section or document; None if the words are no reference.
    ``withdrawn`` withdraws the previous decision. ``when`` is ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    occurrence: int = Field(ge=0)
    target_id: str | None
    note: str = ""
    when: str = ""
    withdrawn: bool = False

    @property
    def place(self) -> Place:
        """The location of the reference."""
        return Place(self.source_id, self.text, self.occurrence)


def locate_reference(source_id: str, passage_text: str, span: Span) -> Place:
    """Return the location of a reference with a span in its passage's text."""
    words = passage_text[span.start : span.end]
    occurrence, position = 0, passage_text.find(words)
    while 0 <= position < span.start:
        occurrence, position = occurrence + 1, passage_text.find(words, position + 1)
    return Place(source_id, words, occurrence)


def load_decisions(folder: Path | str) -> list[Decision]:
    """Return all decisions in order. Raises as ``load_lines``."""
    return load_lines(folder, DECISIONS_NAME, Decision.model_validate_json, "a decision")


def current_decisions(decisions: Iterable[Decision]) -> Mapping[Place, Decision]:
    """Return the decision in force for each location."""
    last = {decision.place: decision for decision in decisions}
    return {place: decision for place, decision in last.items() if not decision.withdrawn}


def add_decision(
    folder: Path | str,
    place: Place,
    target_id: str | None,
    *,
    note: str = "",
    withdrawn: bool = False,
) -> Decision:
    """Append a decision; durable on return. Several processes may append concurrently.

    It takes effect with ``engine.corpus.embedded.writing.apply_decisions`` or the next ingestion. Raises
    CorpusError if the folder cannot be written, or the location has no words.
    """
    try:
        line = Decision(**place._asdict(), target_id=target_id, note=note, withdrawn=withdrawn)
    except ValidationError as error:
        first = error.errors()[0]
        raise CorpusError(f"not a decision: {first['loc'][0]}: {first['msg']}") from error
    return add_line(folder, DECISIONS_NAME, line)


# The journal ``weights.jsonl``: learned weights, and which of them rank a corpus. A line stores weights,
# adopts stored ones by id, or returns to the shipped ones; the last line that adopts or returns counts. The
# journal is append-only and next to the corpus, not in it.

# Most bytes of stored weights in a line, and most such lines; the owner of a corpus may learn repeatedly.
LONGEST_KEPT, MOST_KEPT = 20_000_000, 100


class Act(StrEnum):
    """The effect of a line."""

    KEPT = "kept"
    ADOPTED = "adopted"
    SHIPPED = "shipped"


class WeightsLine(BaseModel):
    """A line that stores weights (``learned`` with ``figures`` to show), adopts them by ``id``, or returns to
    the shipped.

    ``reviewer`` did it, ``when`` is ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    act: Act
    id: str = Field(default="", max_length=64)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    figures: dict[str, Any] = Field(default_factory=dict)
    learned: str = Field(default="", max_length=LONGEST_KEPT)


def latest_act(lines: Sequence[WeightsLine]) -> WeightsLine | None:
    """Return the line that determines the weights in use: the last that adopts or returns; None for none."""
    return next((line for line in reversed(lines) if line.act is not Act.KEPT), None)


def load_weights(place: Path | str | Journals) -> list[WeightsLine]:
    """Return all lines in order. Raises as ``load_lines``."""
    return load_lines(place, WEIGHTS_NAME, WeightsLine.model_validate_json, "learned weights")


def add_weights(journals: Journals, line: WeightsLine, reviewer: str) -> None:
    """Append a line with reviewer and time; durable on return. Raises CorpusError, InputError."""
    add_line(journals, WEIGHTS_NAME, line.model_copy(update={"reviewer": signed_name(reviewer)}))

"""Judgements of people beside a corpus: confirmed claims, decided references, learned weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.corpus.embedded.publication import CONFIRMATIONS_NAME, DECISIONS_NAME, WEIGHTS_NAME
from engine.corpus.journal import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Journals,
    append_line,
    complete_lines,
    journals_at,
    signed_line,
    signed_name,
)
from engine.errors import CorpusError, InputError
from engine.model import Span

# The journal ``confirmations.jsonl``: what people say of the verdicts on claims of checked texts.
#
# A line holds the words of the claim, the passage that it was held against with the SHA-256 of
# its words, and the verdict, so that it holds wherever the same claim is held against the same
# words, and nowhere else. Lines are only added; the last one on a claim and a passage counts.
# They belong to the corpus and not to one state of its data.

LONGEST_CLAIM = 10_000
LONGEST_FINDING = 60


class Review(StrEnum):
    """What a person says of a verdict."""

    CONFIRMED = "confirmed"
    OVERRULED = "overruled"


class Confirmation(BaseModel):
    """A person's word on a verdict. ``claim`` are the words of the claim with single blanks, ``passage_id``
    and ``sha256`` what it was held against, both empty where it was against nothing; ``finding`` is the
    verdict, ``instead`` the one that the person gives, for ``OVERRULED`` alone.

    ``withdrawn`` takes back what was said before. ``when`` is ISO 8601.
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
            raise ValueError("who overrules a verdict, and nobody else, says what it is instead")
        if self.instead == self.finding:
            raise ValueError("the verdict is the same; confirm it instead")
        return self


def same_words(text: str) -> str:
    """The words of a claim as confirmations compare them: with single blanks."""
    return " ".join(text.split())


def digest_of(text: str) -> str:
    """The SHA-256 of a passage's words, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def load_confirmations(place: Path | str | Journals) -> list[Confirmation]:
    """All that was said, in order; nothing where nobody has said anything.

    Raises CorpusError, naming the line, for what is no confirmation.
    """
    journals, found = journals_at(place), []
    for number, line in enumerate(journals.lines(CONFIRMATIONS_NAME), start=1):
        try:
            found.append(Confirmation.model_validate_json(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            where = f"{journals.named(CONFIRMATIONS_NAME)}:{number}"
            raise CorpusError(f"{where}: not a confirmation ({reason}); mend or remove the line") from error
    return found


def standing_confirmations(lines: Iterable[Confirmation]) -> dict[tuple[str, str], Confirmation]:
    """What counts of each claim held against a passage, by its words and the passage's id: the last that was
    said, unless it was withdrawn."""
    last = {(line.claim, line.passage_id): line for line in lines}
    return {key: line for key, line in last.items() if not line.withdrawn}


def add_confirmation(place: Path | str | Journals, confirmation: Confirmation) -> Confirmation:
    """Add what a person says, dated; durable once this returns. Several processes may add at once.

    Raises CorpusError where it cannot be written.
    """
    dated = confirmation.model_copy(update={"when": datetime.now(UTC).isoformat(timespec="seconds")})
    journals_at(place).add(CONFIRMATIONS_NAME, dated.model_dump_json().encode())
    return dated


def made_confirmation(
    claim: str,
    held: tuple[str, str],
    finding: str,
    *,
    instead: str = "",
    note: str = "",
    reviewer: str = "",
) -> Confirmation:
    """A confirmation of a verdict, or with ``instead`` one that overrules it; ``held`` are id and SHA-256 of
    what the claim was held against. Raises InputError where it is none."""
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


# What people have decided about references: which of several targets is meant, or that none is.
#
# The decisions of a corpus stand in ``decisions.jsonl`` in its folder, one a line, only ever
# added to; the last one on a reference counts. They belong to the corpus, not to one state of it:
# an ingestion keeps them and puts them in force again wherever their passage still says the same
# words.


class Place(NamedTuple):
    """Where a reference stands: the words of a passage that make it, and which occurrence of them (from
    0) in its text it is. Holds as long as the words do, whatever else in the text changes."""

    source_id: str
    text: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word on one reference.

    ``target_id`` is the id of the passage, section or document that is meant; None says that the words
    are no reference at all. ``withdrawn`` takes back what was decided before. ``when`` is ISO 8601.
    """

    source_id: str
    text: str
    occurrence: int
    target_id: str | None
    note: str = ""
    when: str = ""
    withdrawn: bool = False

    @property
    def place(self) -> Place:
        """What the decision is about."""
        return Place(self.source_id, self.text, self.occurrence)


class _Line(BaseModel):
    """A decision as it stands in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    occurrence: int = Field(ge=0)
    target_id: str | None
    note: str = ""
    when: str = ""
    withdrawn: bool = False


def place_of(source_id: str, passage_text: str, span: Span) -> Place:
    """The place of a reference with a span in its passage's text."""
    words = passage_text[span.start : span.end]
    occurrence, position = 0, passage_text.find(words)
    while 0 <= position < span.start:
        occurrence, position = occurrence + 1, passage_text.find(words, position + 1)
    return Place(source_id, words, occurrence)


def load_decisions(folder: Path | str) -> list[Decision]:
    """All decisions in the order they were made; none where nobody has decided anything.

    A last line without its end was cut by a crash and does not count. Raises CorpusError, naming the
    line, for anything else that is no decision.
    """
    path = Path(folder) / DECISIONS_NAME
    found = []
    for number, line in enumerate(complete_lines(path), start=1):
        try:
            found.append(Decision(**_Line.model_validate_json(line).model_dump()))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise CorpusError(
                f"{path}:{number}: not a decision ({reason}); mend or remove the line"
            ) from error
    return found


def standing(decisions: Iterable[Decision]) -> Mapping[Place, Decision]:
    """The decision that counts for each place: the last, unless it was withdrawn."""
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
    """Add a decision to a corpus folder; durable once this returns. Several processes may add at once.

    It shows in the corpus after ``engine.corpus.embedded.writing.apply_decisions``, or the next
    ingestion. Raises CorpusError where the folder cannot be written, or the place has no words.
    """
    when = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        line = _Line(**place._asdict(), target_id=target_id, note=note, when=when, withdrawn=withdrawn)
    except ValidationError as error:
        first = error.errors()[0]
        raise CorpusError(f"not a decision: {first['loc'][0]}: {first['msg']}") from error
    path = Path(folder) / DECISIONS_NAME
    append_line(path, line.model_dump_json().encode())
    return Decision(**line.model_dump())


# The journal ``weights.jsonl``: what was learned of verdicts, and by which of it a corpus is
# ranked.
#
# A line keeps learned weights, adopts kept ones by their id, or goes back to the shipped ones.
# Lines are only added; the last that adopts or goes back counts. They lie beside a corpus and not
# in it.

# Characters of what a line keeps, and how many lines may keep something: whoever owns a corpus may learn anew
# as often as they like.
LONGEST_KEPT, MOST_KEPT = 20_000_000, 100


class Act(StrEnum):
    """What a line does."""

    KEPT = "kept"
    ADOPTED = "adopted"
    SHIPPED = "shipped"


class WeightsLine(BaseModel):
    """A line: learned weights that are kept (``learned``, with the ``figures`` that they were shown with),
    adopted by ``id``, or left for the shipped ones. ``reviewer`` did it, ``when`` is ISO 8601."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    act: Act
    id: str = Field(default="", max_length=64)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    figures: dict[str, Any] = Field(default_factory=dict)
    learned: str = Field(default="", max_length=LONGEST_KEPT)


def acted(lines: Sequence[WeightsLine]) -> WeightsLine | None:
    """What decides by which weights is ranked: the last line that adopts or goes back; None for none."""
    return next((line for line in reversed(lines) if line.act is not Act.KEPT), None)


def load_weights(place: Path | str | Journals) -> list[WeightsLine]:
    """All lines, in order. Raises CorpusError, naming the line, for what is none."""
    journals, found = journals_at(place), []
    for number, line in enumerate(journals.lines(WEIGHTS_NAME), start=1):
        try:
            found.append(WeightsLine.model_validate_json(line))
        except ValidationError as error:
            where = f"{journals.named(WEIGHTS_NAME)}:{number}"
            reason = error.errors()[0]["msg"]
            raise CorpusError(f"{where}: no learned weights ({reason}); mend or remove the line") from error
    return found


def add_weights(journals: Journals, line: WeightsLine, reviewer: str) -> None:
    """Add a line, signed and dated; durable once this returns. Raises CorpusError, InputError."""
    dated = {
        "reviewer": signed_name(reviewer),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    journals.add(WEIGHTS_NAME, line.model_copy(update=dated).model_dump_json().encode())

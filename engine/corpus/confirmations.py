"""The journal ``confirmations.jsonl``: what people say of the verdicts on claims of checked texts.

A line holds the words of the claim, the passage that it was held against with the SHA-256 of its words, and
the verdict, so that it holds wherever the same claim is held against the same words, and nowhere else. Lines
are only added; the last one on a claim and a passage counts. They belong to the corpus and not to one state
of its data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.corpus.embedded.publication import CONFIRMATIONS_NAME
from engine.corpus.journal import Journals, journals_at
from engine.corpus.signing import LONGEST_NAME, LONGEST_NOTE, signed_line, signed_name
from engine.errors import CorpusError, InputError

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

"""The journal ``validations.jsonl`` of a corpus: what people say of proposals, whoever made them.

A line holds the whole proposal with the verdict on it, so that a verdict means something even when the
text, the model or the grammar has changed. Lines are only added; the last one on a proposal counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.extracted.proposal import Proposal
from engine.corpus.journal import Journals, journals_at
from engine.errors import CorpusError

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

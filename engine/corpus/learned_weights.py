"""The journal ``weights.jsonl``: what was learned of verdicts, and by which of it a corpus is ranked.

A line keeps learned weights, adopts kept ones by their id, or goes back to the shipped ones. Lines are only
added; the last that adopts or goes back counts. They lie beside a corpus and not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.corpus.embedded.publication import WEIGHTS_NAME
from engine.corpus.journal import Journals, journals_at
from engine.corpus.signing import LONGEST_NAME, signed_name
from engine.errors import CorpusError

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

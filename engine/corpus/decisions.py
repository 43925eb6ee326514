"""What people have decided about references: which of several targets is meant, or that none is.

The decisions of a corpus stand in ``decisions.jsonl`` in its folder, one a line, only ever added to; the
last one on a reference counts. They belong to the corpus, not to one state of it: an ingestion keeps
them and puts them in force again wherever their passage still says the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.corpus.embedded.publication import DECISIONS_NAME
from engine.corpus.journal import append_line, complete_lines
from engine.errors import CorpusError
from engine.model import Span


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

    It shows in the corpus after ``engine.corpus.embedded.applying.apply_decisions``, or the next
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

"""``extracted.jsonl`` in a corpus folder: which stretches of text a model has read, and what it proposed.

A line is added when a window has been read, with everything that came of it, so that a process that is
killed loses at most the windows in flight. When all windows of a document have been read a line says so:
what earlier readings of other windows proposed no longer counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from engine.corpus.embedded.publication import EXTRACTED_NAME
from engine.corpus.extracted.proposal import Proposal
from engine.corpus.journal import Journals, append_line, journals_at
from engine.errors import CorpusError


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

"""Verdicts in files: validated drafts, and the definitions that all formats share."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from engine import files
from engine.errors import FileRefusedError, SourceError, in_words
from engine.evaluation.questions import topic_of
from engine.review.agreement import SCALES
from engine.review.model import Assessment, ItemKind, SourceType, Verdict

LONGEST_ID: Final = 1_000
LONGEST_NAME: Final = 200
LONGEST_TEXT: Final = 20_000
LONGEST_ENGINE: Final = 40


@dataclass(frozen=True, slots=True)
class Draft:
    """A verdict on an item as a file gives it. ``key`` or ``passage_id`` identify the item in the case, or
    for the question, that the file names; missing fields are empty. ``question_id`` is that of TREC formats.
    ``at`` is UTC in ISO 8601. ``seconds``, ``settles``, ``sha256``, ``fingerprint`` and ``engine`` are as in
    ``Assessment``. ``where`` names file and line for errors."""

    kind: ItemKind
    verdict: Verdict
    case_id: str = ""
    question_id: str = ""
    question: str = ""
    key: str = ""
    passage_id: str = ""
    source_id: str = ""
    relation: str = ""
    reviewer: str = ""
    reason: str = ""
    note: str = ""
    at: str = ""
    source: SourceType = SourceType.HUMAN
    seconds: float | None = None
    settles: bool = False
    sha256: str = ""
    fingerprint: str = ""
    engine: str = ""
    where: str = field(default="", compare=False, repr=False)


def verdict_of(word: str, kind: ItemKind) -> Verdict:
    """Return a verdict by its word. Raises ValueError, listing the known ones, for an unknown word."""
    for verdict in SCALES[kind]:
        if verdict.value == word.strip().lower():
            return verdict
    known = ", ".join(repr(verdict.value) for verdict in SCALES[kind])
    raise ValueError(f"unknown verdict {word!r} of a {kind.value}; known: {known}")


def draft(values: Mapping[Any, Any], where: str) -> Draft:
    """Make a verdict from fields of ``Draft``; others, and null values, are ignored. Raises SourceError,
    which begins with ``where``, for an invalid field and if no item is named."""
    given = {name: value for name, value in values.items() if value is not None}
    try:
        fields = _Fields.model_validate(given)
        verdict = verdict_of(fields.verdict, fields.kind)
    except ValidationError as error:
        raise refused(where, error) from error
    except ValueError as error:
        raise SourceError(f"{where}: {error}") from error
    return Draft(**{**fields.model_dump(), "verdict": verdict, "where": where})


def refused(where: str, error: ValidationError) -> SourceError:
    """Return the error for invalid values; it names the first of them."""
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    reason = first["msg"].removeprefix("Value error, ")
    return SourceError(f"{where}: {field}: {reason}" if field else f"{where}: {reason}")


def verdict_fields(one: Assessment) -> dict[str, str | int | float | None]:
    """Return an assessment and its item as the fields that ``draft`` reads, and the item's origin.
    ``approved`` is 1 or 0."""
    item = one.item
    return {
        "case_id": item.case_id,
        "question_id": topic_of(one.question),
        "question": one.question,
        "kind": item.kind.value,
        "key": item.key,
        "passage_id": item.passage_id,
        "document_id": item.document_id,
        "source_id": item.source_id,
        "relation": item.relation,
        "strategy": item.strategy,
        "round": item.round,
        "distance": item.distance,
        "rank": item.rank,
        "score": item.score,
        "language": item.language,
        "document_type": item.document_type,
        "verdict": one.verdict.value,
        "approved": int(one.is_approval),
        "reason": one.reason,
        "note": one.note,
        "reviewer": one.reviewer,
        "source": one.source.value,
        "at": one.at,
        "seconds": one.seconds,
        "settles": int(one.settles),
        "criteria": one.criteria,
        "sha256": one.sha256,
        "fingerprint": one.fingerprint,
        "engine": one.engine,
    }


def _moment(value: object) -> object:
    if not isinstance(value, str) or not value:
        return value
    try:
        found = datetime.fromisoformat(value)
        return (found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValueError(f"not an ISO 8601 time: {value[:40]!r}") from error


def _writable(text: str) -> str:
    if "\0" in text:
        raise ValueError("contains characters that are not text")
    return text


Id = Annotated[str, Field(max_length=LONGEST_ID), AfterValidator(_writable)]
Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_writable)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_writable)]
Digest = Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="ignore")

    kind: ItemKind = ItemKind.PASSAGE
    verdict: Name
    case_id: Id = ""
    question_id: Id = ""
    question: Text = ""
    key: Id = ""
    passage_id: Id = ""
    source_id: Id = ""
    relation: Id = ""
    reviewer: Name = ""
    reason: Text = ""
    note: Text = ""
    at: Annotated[str, BeforeValidator(_moment)] = ""
    source: SourceType = SourceType.HUMAN
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    settles: bool = False
    sha256: Digest = ""
    fingerprint: Annotated[str, Field(max_length=64), AfterValidator(_writable)] = ""
    engine: Annotated[str, Field(max_length=LONGEST_ENGINE), AfterValidator(_writable)] = ""

    @model_validator(mode="after")
    def _names_an_item(self) -> _Fields:
        if not self.key and not self.passage_id:
            raise ValueError("names no item: neither a key nor a passage_id")
        return self


# Files of other programs are opened and bounded before anything in them is parsed.
LARGEST: Final = 64_000_000
MOST: Final = 200_000
# First bytes of ZIP and gzip files.
_PACKED: Final = (b"PK\x03\x04", b"\x1f\x8b")


def text_of(path: Path) -> str:
    """Read a UTF-8 file of at most ``LARGEST`` bytes. Raises SourceError."""
    try:
        data = files.read_named(path, LARGEST)
        if data.startswith(_PACKED):
            raise SourceError(f"{path}: a compressed file; unpack it first")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not in UTF-8, at byte {error.start}; save it as UTF-8") from error
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"{path}: cannot be read ({in_words(error)})") from error


def json_lines(path: Path, most: int = MOST) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a file with one a line, each with its position for errors; empty lines are
    ignored. Raises SourceError for a line that is not an object, and for more than ``most``."""
    for number, line in enumerate(io.StringIO(text_of(path)), 1):
        where = f"{path}, line {number}"
        bounded(number, path, most)
        if line.strip():
            value = _value(line, where)
            if not isinstance(value, dict):
                raise SourceError(f"{where}: not a JSON object")
            yield where, value


def bounded(number: int, path: Path, most: int) -> None:
    """Raise SourceError if a file has more verdicts than ``most``; ``number`` counts them from 1."""
    if number > most:
        raise SourceError(f"{path}: more than {most:,} verdicts; split the file")


def _value(text: str, where: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: not JSON ({error})") from error


class Reader(Protocol):
    """Reads a file."""

    def __call__(self, path: Path, most: int = MOST) -> list[Draft]:
        """Return its verdicts."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: ``name`` is used in commands, ``title`` on the page, ``meaning`` names its readers or
    writers.

    ``read`` returns the verdicts of a file in order, up to a maximum; it raises SourceError naming file and
    line of invalid input. ``write`` returns the bytes of a file with the ``suffix`` for the current
    assessments; None if the format can only be read.
    """

    name: str
    title: str
    meaning: str
    suffix: str
    media_type: str
    read: Reader
    write: Callable[[Iterable[Assessment]], bytes] | None = None

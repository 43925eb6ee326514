"""Cases in files: written, read and bundled; their form."""

from __future__ import annotations

import base64
import binascii
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from engine import files
from engine.corpus.journal import check_name
from engine.errors import FileRefusedError, InputError, UnpackingError, in_words
from engine.records.record import FORMAT, READ, CaseRecord, Count, Moment, Part, first_fault, read_record
from engine.records.store.chain import (
    APART,
    LONGEST_NAME,
    UNDONE,
    Event,
    SealedCase,
    digest,
    faults,
    verdicts_sealed,
    written,
)
from engine.records.store.rows import rows_of, summary_of
from engine.records.store.writing import HandedCase
from engine.review.model import VERDICTS, Item, SourceType, Verdict
from engine.unpacking import inflate

# Saved cases: what stands in such a file, its schema, and how it is sealed, checked and taken in.


# The file of a saved case, format 2: the record with the part ``case``. Its JSON Schema is made
# from this.
#
# ``case.schema.json`` beside it is what ``schema_bytes`` gives; a test holds the two together.

SCHEMA = Path(__file__).with_name("case.schema.json")
SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


def _named(text: str) -> str:
    try:
        if text:
            check_name(text, "a case", LONGEST_NAME)
    except InputError as error:
        raise ValueError(str(error)) from error
    return text


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256")]
CaseId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{15,31}$")]


class EventPart(Part):
    """Something that happened to the case. ``state``: the digest of the record that it left, null where it
    left it as it was; ``hash`` seals the event together with the one before it."""

    number: Count
    at: Moment
    who: Annotated[str, Field(max_length=200)]
    kind: Annotated[str, Field(max_length=40)]
    data: dict[str, Any]
    state: Digest | None
    hash: Digest


class VerdictPart(Part):
    """What stands of what a reviewer, or a program, said of an item of the case, as the item was shown."""

    item: Item
    verdict: Verdict
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    at: Moment
    reason: Annotated[str, Field(max_length=20_000)]
    note: Annotated[str, Field(max_length=20_000)]
    sha256: Digest
    fingerprint: Annotated[str, Field(max_length=64)]
    engine: Annotated[str, Field(max_length=40)]
    source: SourceType
    seconds: Annotated[float, Field(ge=0)] | None
    settles: bool

    @model_validator(mode="after")
    def _is_of_its_kind(self) -> VerdictPart:
        if self.verdict is Verdict.LATER or self.verdict not in VERDICTS[self.item.kind]:
            raise ValueError(f"{self.verdict.value!r} is no verdict on a {self.item.kind.value}")
        return self


class CasePart(Part):
    """What is said of the case beside its record, and the chain that proves both.

    ``digest`` is that of the record, ``head`` the hash of the last event. ``earlier`` are records that steps
    have changed since, by their digests, compressed by zlib and written in base64. ``verdicts`` are there
    where they were asked for; ``verdicts_seal`` is the digest of the list of ``head``, ``id`` and them.
    """

    id: CaseId
    application: Annotated[str, Field(max_length=20)]
    fingerprint: Annotated[str, Field(max_length=64, description="State of the corpus")]
    engine: Annotated[str, Field(max_length=40, description="Version of the program that ran it")]
    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_named)]
    notes: Annotated[str, Field(max_length=20_000)]
    verdict: Annotated[str, Field(max_length=40)] | None
    verdict_right: bool | None
    digest: Digest
    head: Digest
    events: Annotated[list[EventPart], Field(min_length=1, max_length=100_000)]
    earlier: dict[str, str]
    verdicts: list[VerdictPart] = Field(default=[], max_length=200_000)
    verdicts_seal: Digest | Literal[""] = ""


class SavedCase(CaseRecord):
    """A case of Redstring, saved: format 2."""

    case: CasePart


def schema_bytes() -> bytes:
    """The JSON Schema (draft 2020-12) of a saved case."""
    made = {"$schema": SCHEMA_ID, **SavedCase.model_json_schema()}
    return orjson.dumps(made, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


# A case as its file has it: the record, and a part ``case`` with what is said of it and the chain
# of events.
#
# The digest of a record is that of its JSON without ``case``, without spaces, keys in their
# order.

CASE = "case"
_LEVEL = 6


def case_file(record: Mapping[str, Any], case: SealedCase) -> dict[str, Any]:
    """A case as its file has it, as plain values."""
    part = {
        "id": case.id,
        **{name: getattr(case, name) for name in APART},
        "digest": digest(written(record)),
        "head": case.head,
        "events": [event.values() for event in case.events],
        "earlier": {
            name: base64.b64encode(zlib.compress(state, _LEVEL)).decode()
            for name, state in case.earlier.items()
        },
    }
    if case.verdicts:
        part |= {"verdicts": list(case.verdicts), "verdicts_seal": verdicts_sealed(case)}
    return {**record, CASE: part}


def case_bytes(record: Mapping[str, Any], case: SealedCase, *, lines: bool = True) -> bytes:
    """The bytes of its file; ``lines``: as a person can read them, else all in one line."""
    form = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if lines else 0)
    return orjson.dumps(case_file(record, case), option=form)


# The file of a saved case, read to be proved or taken in: nothing of it is believed.

# The largest file, and the most that the records in it may come to, in bytes.
LARGEST, LARGEST_STATES = 256_000_000, 1_000_000_000
Model = TypeVar("Model", bound=BaseModel)


class SavedFile(NamedTuple):
    """What a file holds. ``case`` is None in one of format 1, which has no chain."""

    record: dict[str, Any]
    case: SealedCase | None


def saved_file(path: Path) -> SavedFile:
    """What a file holds, checked field by field, so that it can be kept; whether it was changed is not
    looked at. Raises InputError naming file and field for a file that is no saved case."""
    try:
        values = orjson.loads(files.read_named(path, LARGEST))
    except (OSError, FileRefusedError) as error:
        raise InputError(f"{path}: not a saved investigation: {in_words(error)}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: not a saved investigation: no JSON: {error}") from error
    return file_of(values, str(path))


def file_of(values: Any, where: str) -> SavedFile:
    """The same for plain values."""
    if not isinstance(values, dict) or values.get("format") not in READ:
        known = " or ".join(map(str, READ))
        raise InputError(f"{where}: not a saved investigation of format {known}")
    record = {name: value for name, value in values.items() if name != CASE}
    if record["format"] == FORMAT:
        _check(CaseRecord, record, where)
        if CASE not in values:
            raise InputError(f"{where}: damaged: case: Field required")
    else:
        read_record(record, where)
    _check_rows(record, where)
    return SavedFile(record, _case(values[CASE], where) if CASE in values else None)


def changes_of(saved: SavedFile, where: str) -> list[str]:
    """What of a file is not as it was written, in words. Raises InputError for one that has no chain."""
    if saved.case is None:
        raise InputError(
            f"{where}: saved in format {saved.record['format']}, which has no chain: whether it was changed "
            "cannot be told"
        )
    return faults(saved.record, saved.case)


def _case(values: Any, where: str) -> SealedCase:
    part = _check(CasePart, values, f"{where}: case")
    events = tuple(Event(**event.model_dump()) for event in part.events)
    for event in events:
        if event.kind == UNDONE and type(event.data.get("event")) is not int:
            raise InputError(f"{where}: damaged: case.events.{event.number}.data: it names no event")
    if part.head != events[-1].hash:
        raise InputError(f"{where}: damaged: case.head: not the hash of the last event")
    named = {name: getattr(part, name) for name in APART}
    return SealedCase(
        part.id,
        **named,
        events=events,
        earlier=_earlier(part.earlier, where),
        verdicts=_verdicts(part, values.get("verdicts", []), where),
        verdicts_seal=part.verdicts_seal,
    )


def _verdicts(part: CasePart, values: list[dict[str, Any]], where: str) -> tuple[dict[str, Any], ...]:
    """The verdicts as they stand in the file, each of this case, and one of each reviewer on an item."""
    if any(one.item.case_id != part.id for one in part.verdicts):
        raise InputError(f"{where}: damaged: case.verdicts: one is of another case")
    if len({(one.item.key, one.reviewer) for one in part.verdicts}) < len(part.verdicts):
        raise InputError(f"{where}: damaged: case.verdicts: a reviewer says two things of an item")
    return tuple(values)


def _earlier(packed: Mapping[str, str], where: str) -> dict[str, bytes]:
    """Earlier records by their digests; one whose bytes have another digest is none of them."""
    room, found = LARGEST_STATES, {}
    for name, text in packed.items():
        try:
            state: bytes | None = inflate(base64.b64decode(text, validate=True), room)
        except (binascii.Error, ValueError, UnpackingError):
            state = None
        if state is None or digest(state) != name:
            raise InputError(f"{where}: damaged: case.earlier: {name[:64]!r} is not what it was")
        room -= len(state)
        found[name] = state
    return found


def _check_rows(record: Mapping[str, Any], where: str) -> None:
    """That the tables can be made of a record: its hops end in its pool, its numbers are numbers."""
    try:
        rows_of(record)
        summary_of(record)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"{where}: damaged: its parts do not fit together ({error})") from error


def _check(model: type[Model], values: Any, where: str) -> Model:
    try:
        return model.model_validate_json(orjson.dumps(values), strict=True)
    except ValidationError as error:
        raise InputError(f"{where}: damaged: {first_fault(error)}") from error


# Several cases in one file: a ZIP of their files, or JSON lines with a case each.

ZIP, LINES = ".zip", ".jsonl"


def write_bundle(path: Path, cases: Iterable[HandedCase]) -> int:
    """Write cases into a file that ends in .zip or .jsonl, readable for its owner alone, whole or not at
    all; returns how many there were. Raises InputError for another ending, and where it cannot be written."""
    write = {ZIP: _zip, LINES: _lines}.get(path.suffix.lower())
    if write is None:
        raise InputError(f"{path}: many cases are written as FILE{ZIP} or FILE{LINES}")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.touch(0o600)
            count = write(whole, cases)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    return count


def _zip(path: Path, cases: Iterable[HandedCase]) -> int:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for record, case in cases:
            bundle.writestr(f"{case.id}.json", case_bytes(record, case))
        return len(bundle.namelist())


def _lines(path: Path, cases: Iterable[HandedCase]) -> int:
    count = 0
    with path.open("wb") as file:
        for record, case in cases:
            file.write(case_bytes(record, case, lines=False))
            count += 1
    return count

"""The file of a saved case, format 2: the record with the part ``case``. Its JSON Schema is made from this.

``case.schema.json`` beside it is what ``schema_bytes`` gives; a test holds the two together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, model_validator

from engine.corpus.journal import check_name
from engine.errors import InputError
from engine.records.record import CaseRecord, Count, Moment, Part
from engine.records.store.sealing import LONGEST_NAME
from engine.review.model import VERDICTS, Item, SourceType, Verdict

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

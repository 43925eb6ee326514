"""Requests, checked before anything is done: each field has its type and bound, each fault is one line."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from engine.errors import InputError
from engine.model import Grade

LONGEST_QUESTION = 4000

LONGEST_GRADE = 20


def _lowest(given: object) -> object:
    """A grade in either case of letters; none where nothing was given."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    return given.strip().upper() if isinstance(given, str) and len(given) < LONGEST_GRADE else ""


# The lowest grade that sources may have.
LowestGrade = Annotated[Grade | None, BeforeValidator(_lowest)]
CorpusName = Annotated[str, Field(max_length=200)]
# What is to be done, the browser's token, the address, the number of a job: nobody writes these.
Key = Annotated[str, Field(max_length=80)]
# Settings by name, as a control or a program holds them.
_Text = Annotated[StrictStr, Field(max_length=10_000)]
_Names = Annotated[list[Annotated[StrictStr, Field(max_length=1000)]], Field(max_length=1000)]
_Value = StrictBool | StrictInt | StrictFloat | _Text | _Names | None
Held = Mapping[Annotated[str, Field(max_length=60)], _Value]
MOST_HELD = 200
# Bytes of a file that is sent within a request.
FILE_BYTES = 4_000_000


class Request(BaseModel):
    """What somebody sends: no field that is not known, and no value of it is repeated in an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class SentFile(Request):
    """A file as the browser sends it: its name, its bytes in base 64."""

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)

    def content(self) -> bytes:
        """Its bytes. Raises InputError for what is no base 64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise InputError(f"{self.name}: did not arrive whole; send it again") from error


Sent = TypeVar("Sent", bound=BaseModel)


def checked(form: type[Sent], values: object) -> Sent:
    """The request that the values are. Raises InputError, which names the field, in one line."""
    try:
        return form.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
    # Names of fields that are not known are the sender's own: short ones.
    where = first["loc"]
    # A field, and what of it; of a list's entry its own field, too.
    depth = 3 if len(where) > 1 and isinstance(where[1], int) else 2
    place = ".".join(str(part)[:40] for part in where[:depth])
    most = first.get("ctx", {}).get("max_length", 0)
    told = {
        "extra_forbidden": "not known here",
        "string_too_long": f"longer than the {most:,} characters taken here",
        "too_long": f"more than the {most:,} taken here",
    }
    raise InputError(f"{place or 'request'}: {told.get(first['type'], first['msg'])}")

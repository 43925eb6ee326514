"""Requests of verbs, checked before anything runs: each field has its type, bound and description."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, TypeVar

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
MOST_SETTINGS = 200
# Bytes of a file that is sent within a request.
FILE_BYTES = 4_000_000


def _parse_grade(given: object) -> object:
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    return given.strip().upper() if isinstance(given, str) and len(given) < LONGEST_GRADE else ""


def _empty_as_none(given: object) -> object:
    return None if given == "" else given


# Lowest grade of a source, in upper or lower case; None for any.
LowestGrade = Annotated[Grade | None, BeforeValidator(_parse_grade)]
CorpusName = Annotated[str, Field(max_length=200)]
# An action, a token of a browser, the number of a job: text that no person writes.
Key = Annotated[str, Field(max_length=80)]
# Of an argument that may be an empty text.
Blank = BeforeValidator(_empty_as_none)
Day = Annotated[date | None, Blank]
Detail = Annotated[
    Literal["slim", "full"],
    Field(description="slim: in short, under 40,000 characters; full: everything."),
]
# Settings by name, as a control or a program sends them.
_Text = Annotated[StrictStr, Field(max_length=10_000)]
_Names = Annotated[list[Annotated[StrictStr, Field(max_length=1000)]], Field(max_length=1000)]
_Value = StrictBool | StrictInt | StrictFloat | _Text | _Names | None
SettingValues = Mapping[Annotated[str, Field(max_length=60)], _Value]


class Request(BaseModel):
    """Arguments of a verb. Unknown fields are refused; errors do not repeat values."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line takes a field. Without one it is ``--field-name``.

    ``many``: "+" or "*" for several values behind the flag, "append" for a flag that may be repeated.
    ``is_settings``: one flag for each setting of an investigation. ``before_action``: it belongs to the
    group of the command ("ontology --corpus DIR check").
    """

    metavar: str = ""
    flag: str = ""
    positional: bool = False
    many: Literal["", "+", "*", "append"] = ""
    group: str = ""
    is_hidden: bool = False
    is_settings: bool = False
    before_action: bool = False

    def __call__(self, schema: dict[str, Any]) -> None:
        """Change nothing in the JSON schema: pydantic calls this as ``json_schema_extra``."""


def option(default: Any, description: str = "", metavar: str = "", **more: Any) -> Any:
    """Return a field of a request with its option on the command line; ``...`` as default: required.

    ``more`` are fields of ``Option`` and bounds of the value. The description may be that of its type.
    """
    own = {name: more.pop(name) for name in Option.__dataclass_fields__ if name in more}
    if description:
        more["description"] = description
    return Field(default, json_schema_extra=Option(metavar, **own), **more)


def argument(default: Any, description: str, metavar: str, **more: Any) -> Any:
    """Return a field of a request that the command line takes by its position."""
    return option(default, description, metavar, positional=True, **more)


# Fields that several verbs have.
Question = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_QUESTION,
        description="The question, up to 4,000 characters, in any language.",
    ),
]  # fmt: skip
OfCorpus = Annotated[CorpusName, Field(description="Name of a corpus; empty for the first.")]
CaseId = Annotated[
    str,
    Field(
        min_length=1, max_length=100, description="Id of a case, as investigate gives it and cases lists it."
    ),
]
CORPUS_PLACE = "folder of the corpus, or its address postgresql://HOST/DATABASE?corpus=NAME"


def corpus_option(default: Any = ..., more: str = "") -> Any:
    """Return the option ``--corpus``: a folder or an address; ``more`` follows in its description."""
    return option(default, CORPUS_PLACE + more, "DIR")


class ModelOptions(Request):
    """Options that name a language model."""

    llm: str | None = option(
        None,
        "language model: openai:MODEL@URL?context=8192&input=0.15&output=0.60, or none; default: "
        "REDSTRING_LLM, else none",
        "SPEC",
    )
    llm_key: str | None = option(
        None,
        "its key; - reads it from standard input. Others on this machine can see a command line: "
        "REDSTRING_LLM_KEY is safer",
        "KEY",
    )


class SettingsOptions(Request):
    """Options for the preset and every setting of an investigation."""

    preset: str = option("auto", "auto, quick, balanced, thorough or detective", "P")
    settings: Mapping[str, str] = option({}, is_settings=True)


class SentFile(Request):
    """A file as the browser sends it: its name, its bytes in base 64."""

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)

    def content(self) -> bytes:
        """Return its bytes. Raises InputError for invalid base 64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise InputError(f"{self.name}: did not arrive whole; send it again") from error


Sent = TypeVar("Sent", bound=BaseModel)


def parse_request(
    form: type[Sent], values: object, shown: Callable[[str], str] = lambda field: field
) -> Sent:
    """Return the request that the values make; ``shown`` gives the name of a field for errors.

    Raises InputError, which names the field, in one line.
    """
    try:
        return form.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
    # Names of unknown fields are the sender's own: short ones.
    where = first["loc"]
    # A field, and a part of it; of an entry of a list its own field, too.
    depth = 3 if len(where) > 1 and isinstance(where[1], int) else 2
    field = ".".join(str(part)[:40] for part in where[:depth])
    context = first.get("ctx", {})
    most = context.get("max_length", 0)
    reasons = {
        "extra_forbidden": "not known here",
        "string_too_long": f"longer than the {most:,} characters taken here",
        "too_long": f"more than the {most:,} taken here",
    }
    kind = first["type"]
    reason = "not a day: write it like 2026-01-31" if kind.startswith("date_") else first["msg"]
    raise InputError(f"{shown(field) or 'request'}: {reasons.get(kind, reason)}")

"""Marks on the fields of values that are stored as they are: ranges, rounding, no unknown fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, with_config

# A value that records and files of users contain: unknown fields and infinite numbers are errors.
stored = with_config(ConfigDict(extra="forbid", allow_inf_nan=False))


@dataclass(frozen=True, slots=True)
class Digits:
    """Marks a number that is rounded to some digits when it is written."""

    count: int


Rounded = Annotated[float, Digits(6)]
Estimate = Annotated[float, Digits(4)]
Milliseconds = Annotated[float, Digits(2)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Year = Annotated[int, Field(ge=1, le=9999)]

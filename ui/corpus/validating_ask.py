"""What the panel of links asks: which are wanted, what a person says of one, what a model may cost."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.extraction.checklist import Filter, Order
from ui.asked import Request


class Wanted(Request):
    """Which items are to be checked, and in which order."""

    origin: Literal["", "model", "grammar"] = ""
    sort: str = Field(default="", max_length=60)
    document: int | None = Field(default=None, ge=0)
    low: float = Field(default=0.0, ge=0.0, le=1.0)
    high: float = Field(default=1.0, ge=0.0, le=1.0)
    state: Literal["", "open", "judged", "stale"] = ""
    order: Order = Order.RANDOM

    @property
    def filter(self) -> Filter:
        """As the engine takes it."""
        return Filter(self.origin, self.sort, self.document, self.low, self.high, self.state)


class Said(Request):
    """What a person says of one item. What is empty is as it was; ``at`` is where the words begin."""

    key: str = Field(min_length=1, max_length=64)
    judgement: Literal["accepted", "corrected", "rejected"] = "accepted"
    relation: str = Field(default="", max_length=40)
    target: str = Field(default="", max_length=1000)
    concept: str = Field(default="", max_length=200)
    quote: str = Field(default="", max_length=4000)
    at: int | None = Field(default=None, ge=0)
    note: str = Field(default="", max_length=2000)
    reviewer: str = Field(default="", max_length=100)


class Reading(Request):
    """What a model is to read: all documents or one, within so many calls; ``agreed`` are the windows whose
    cost the person has seen."""

    document: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=1)
    agreed: int = Field(default=0, ge=0)

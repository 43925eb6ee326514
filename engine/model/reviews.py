"""People's verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.model.findings import Hop


class Verdict(StrEnum):
    """A person's judgement."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"
    WRONG_LINK = "wrong_link"


@dataclass(frozen=True, slots=True)
class Review:
    """A person's verdict on a passage, or on the hop by which it was reached."""

    passage_id: str
    verdict: Verdict
    hop: Hop | None = None
    note: str = ""

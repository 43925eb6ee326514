"""One statement about a text that a person may check: whoever made it, it only proposes.

A proposal goes from the passage whose words say so, either to another passage ("makes an exception to")
or to a concept ("defines", "mentions"). Concepts belong to their document: each defines for itself.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.model import Relation, Span

# What may hold between two passages, and between a passage and a concept.
LINK_RELATIONS = (
    Relation.DEFINES,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
)
CONCEPT_RELATIONS = (Relation.DEFINES, Relation.MENTIONS, Relation.APPLIES_TO)


class Proposal(BaseModel):
    """A relation that a text states, with the words that state it.

    ``quote`` is verbatim from the passage ``source_id``, its ``occurrence``-th (from 0) there. ``target_id``
    is a passage, for what a grammar read a section or document too; ``concept`` is a name as the text
    writes it. One of the two is given. ``said_by`` names the model or the grammar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str = Field(min_length=1)
    quote: str = Field(min_length=1)
    occurrence: int = Field(default=0, ge=0)
    relation: Relation
    target_id: str | None = None
    concept: str = ""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    said_by: str = ""

    @model_validator(mode="after")
    def _one_target(self) -> Proposal:
        if (self.target_id is None) == (not self.concept):
            raise ValueError("a proposal leads to a passage or to a concept, and not to both")
        return self

    @cached_property
    def key(self) -> str:
        """The same for the same statement, whoever made it and however sure."""
        parts = (self.source_id, self.quote, self.occurrence, self.relation.value, self.target_id, self.name)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    @property
    def name(self) -> str:
        """The concept as names are compared: in any case of letters, spaces once."""
        return concept_key(self.concept)


def concept_key(name: str) -> str:
    """How two names of a concept are compared."""
    return " ".join(name.casefold().split())


def located(proposal: Proposal, text: str) -> Span | None:
    """Where the quote stands in its passage's text; None where the text no longer says so."""
    place = -1
    for _ in range(proposal.occurrence + 1):
        place = text.find(proposal.quote, place + 1)
        if place < 0:
            return None
    return Span(place, place + len(proposal.quote))


def occurrence_at(text: str, quote: str, start: int) -> int:
    """Which occurrence of some words in a text begins at a place, from 0."""
    count, place = 0, text.find(quote)
    while 0 <= place < start:
        count, place = count + 1, text.find(quote, place + 1)
    return count

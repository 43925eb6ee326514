"""How provisions relate, and what can be said of a reference."""

from __future__ import annotations

from enum import StrEnum


class Relation(StrEnum):
    """How one provision relates to another; the last two exist on trails only, never in a text."""

    CITES = "cites"
    AMENDS = "amends"
    REPEALS = "repeals"
    SUPERSEDES = "supersedes"
    DEFINES = "defines"
    EXCEPTION_TO = "exception_to"
    EXTENDS = "extends"
    APPLIES_TO = "applies_to"
    BASED_ON = "based_on"
    PART_OF = "part_of"
    NEXT_TO = "next_to"
    MENTIONS = "mentions"
    SIMILAR_TO = "similar_to"
    MATCHES = "matches"


class Direction(StrEnum):
    """Which way a relation was followed: from the seed outwards, or back to the seed."""

    OUT = "out"
    IN = "in"


class Status(StrEnum):
    """What the resolver could say of a reference. Ambiguity is a status, never a guess."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"

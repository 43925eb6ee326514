"""How provisions relate, and what can be said of a reference."""

from __future__ import annotations

from enum import StrEnum


class Relation(StrEnum):
    """How one provision relates to another. ``SIMILAR_TO`` and ``MATCHES`` exist on trails only, the three
    behind them between the things of an ontology and those of a corpus; texts make none of the five.

    Of two rules that meet, the source is the exception (``EXCEPTION_TO``: "notwithstanding Rule 5"), or its
    target prevails (``SUBJECT_TO``: "subject to Rule 5", "except as provided in Rule 5"), or both hold
    (``WITHOUT_PREJUDICE_TO``). Of terms, the target ``DEFINES`` what the source uses, and the source
    ``INTERPRETS`` what the target uses.
    """

    CITES = "cites"
    AMENDS = "amends"
    REPEALS = "repeals"
    SUPERSEDES = "supersedes"
    DEFINES = "defines"
    INTERPRETS = "interprets"
    EXCEPTION_TO = "exception_to"
    SUBJECT_TO = "subject_to"
    WITHOUT_PREJUDICE_TO = "without_prejudice_to"
    EXTENDS = "extends"
    APPLIES_TO = "applies_to"
    BASED_ON = "based_on"
    PART_OF = "part_of"
    NEXT_TO = "next_to"
    MENTIONS = "mentions"
    SIMILAR_TO = "similar_to"
    MATCHES = "matches"
    BELONGS_TO = "belongs_to"
    REQUIRES = "requires"
    PARENT_OF = "parent_of"


class Direction(StrEnum):
    """Which way a relation was followed: from the seed outwards, or back to the seed."""

    OUT = "out"
    IN = "in"


class Status(StrEnum):
    """What the resolver could say of a reference. Ambiguity is a status, never a guess."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"

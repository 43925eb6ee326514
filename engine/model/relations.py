"""How provisions relate, and what can be said of a reference."""

from __future__ import annotations

from collections.abc import Mapping
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


# What the source of a link does to its target, in words: "Article 15 makes an exception to Article 14".
RELATION_VERBS: Mapping[Relation, str] = {
    Relation.CITES: "cites",
    Relation.AMENDS: "amends",
    Relation.REPEALS: "repeals",
    Relation.SUPERSEDES: "supersedes",
    Relation.DEFINES: "takes a term from",
    Relation.INTERPRETS: "explains a term of",
    Relation.EXCEPTION_TO: "makes an exception to",
    Relation.SUBJECT_TO: "is subject to",
    Relation.WITHOUT_PREJUDICE_TO: "applies without prejudice to",
    Relation.EXTENDS: "extends",
    Relation.APPLIES_TO: "applies to",
    Relation.BASED_ON: "is based on",
    Relation.PART_OF: "is part of",
    Relation.NEXT_TO: "is next to",
    Relation.MENTIONS: "mentions",
    Relation.SIMILAR_TO: "is similar to",
    Relation.MATCHES: "matches",
    Relation.BELONGS_TO: "belongs to",
    Relation.REQUIRES: "requires evidence of",
    Relation.PARENT_OF: "is wider than",
}

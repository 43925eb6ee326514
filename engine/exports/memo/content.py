"""A memo as one object: what a case hands to whoever relies on it, before it has a form."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.exports.checking import Check

# The language of what the memo says itself; names in other scripts may stand in it.
OWN = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text with the language that it is in, ``OWN`` for what the memo says itself."""

    text: str
    language: str = OWN


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: where words stand, and what came of checking them. ``number`` counts from 1 in the order in
    which notes are first referred to.

    ``cited`` is the full citation, or the short one where ``above`` is the number of an earlier note that has
    it in full. ``quote`` are the words of the source where they do not stand in the memo itself, ``now`` what
    the corpus has instead of them. ``validity`` is told where the source is not in force (``old``).
    """

    number: int
    passage_id: str
    cited: str
    language: str
    check: Check
    quote: str = ""
    now: str = ""
    validity: str = ""
    old: bool = False
    above: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or passage with the numbers of its notes. ``own``: the words are the source's own; ``area``
    is the part of the question that it serves."""

    words: Words
    notes: tuple[int, ...]
    own: bool = True
    area: str = ""
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """``lead`` says what they are and how sure. ``limits`` are sources that limit or contradict each other,
    ``to_read`` what is worth reading besides. ``composed``: they are sentences that were chosen from the
    corpus, not passages of the record. ``checked`` are the results of the check of claims, in words."""

    lead: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    limits: tuple[Finding, ...] = ()
    to_read: tuple[Finding, ...] = ()
    composed: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """How a passage was found: its name, and its trails in sentences."""

    name: Words
    trails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A ranked passage in a line of a table; ``notes`` are those that cite it."""

    rank: int
    title: Words
    where: str
    validity: str
    old: bool
    trail: str
    notes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Lines under a title, ``more`` that are not shown."""

    title: str
    lines: tuple[str, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Area:
    """Coverage of an area in words."""

    name: str
    state: str
    told: str


@dataclass(frozen=True, slots=True)
class Step:
    """What happened to a case: when (UTC), who, what."""

    at: str
    who: str
    told: str


Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Memo:
    """Everything that a memo says. ``status`` is the evidence in a word, ``evidence`` in a sentence;
    ``warnings`` come before anything else. ``more_rows`` ranked passages and ``unranked`` ones of the pool
    are not in ``rows``. ``facts`` say what was asked of what and when, ``settings`` what was changed of the
    preset. ``begun`` is when the question was asked."""

    title: str
    matter: str
    question: Words
    status: str
    evidence: tuple[str, ...]
    warnings: tuple[str, ...]
    findings: Findings
    remarks: str
    sources: tuple[Source, ...]
    lacking: tuple[Listed, ...]
    areas: tuple[Area, ...]
    rows: tuple[Row, ...]
    more_rows: int
    unranked: int
    checks: tuple[str, ...]
    steps: tuple[Step, ...]
    more_steps: int
    seals: Facts
    preset: str
    settings: tuple[tuple[str, str, str], ...]
    facts: Facts
    claims: tuple[str, ...]
    begun: datetime

"""Which cases are meant: summaries, filters, means."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import RowMapping, Select, select

from engine.records.store import EVERYBODY, Owner
from engine.records.store.tables import CASES, MATTERS

COLUMNS = [
    column
    for column in CASES.c
    if column.name not in ("number", "searched", "settings", "parts", "notes", "head", "opened")
]
# Figures of which a list of averages has the means.
AVERAGED = (
    *("coverage_score", "mean_similarity", "top_similarity", "reference_coverage", "round_efficiency"),
    *("completeness", "passages", "milliseconds"),
)


@dataclass(frozen=True, slots=True)
class Matter:
    """Cases that belong together. ``owner`` is a hash of whose it is, empty for the machine's own."""

    id: str
    owner: str
    name: str
    created: str


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case in a list. Times are UTC in ISO 8601; figures are None where nothing was measured."""

    id: str
    matter: str
    application: str
    name: str
    is_shared: bool
    started: str
    completed: str
    changed: str
    question: str
    language: str
    corpus: str
    fingerprint: str
    engine: str
    day: str | None
    rounds: int
    stop_reason: str
    passages: int
    pool: int
    completeness: float | None
    mean_similarity: float | None
    top_similarity: float | None
    coverage_score: float | None
    reference_coverage: float | None
    round_efficiency: float | None
    coherence: float | None
    milliseconds: float
    model: str
    model_calls: int
    tokens: int
    money: float | None
    evidence: str
    verdict: str | None
    verdict_right: bool | None
    events: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases to list: ``words`` all have to stand in question, name or notes; days are those of the
    start, bounds included."""

    words: str = ""
    corpus: str = ""
    evidence: str = ""
    verdict: str = ""
    since: str = ""
    until: str = ""
    coverage_below: float | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Some cases of a list, the newest first, and how many there are in all."""

    cases: tuple[CaseSummary, ...]
    total: int


def matching(found: Select[Any], wanted: Wanted, matter: Matter | None, owner: Owner) -> Select[Any]:
    """The cases of a selection that are wanted, of one matter or of all of somebody's."""
    found = found.where(CASES.c.matter.in_(matters_of(owner)))
    if matter is not None:
        found = found.where(CASES.c.matter == matter.id)
    for word in wanted.words.casefold().split():
        found = found.where(CASES.c.searched.contains(word, autoescape=True))
    for column, value in ((CASES.c.corpus, wanted.corpus), (CASES.c.evidence, wanted.evidence)):
        if value:
            found = found.where(column == value)
    if wanted.verdict:
        found = found.where(CASES.c.verdict == wanted.verdict)
    if wanted.since:
        found = found.where(CASES.c.started >= wanted.since)
    if wanted.until:
        # The whole of that day.
        found = found.where(CASES.c.started < wanted.until + "U")
    if wanted.coverage_below is not None:
        found = found.where(CASES.c.coverage_score < wanted.coverage_below)
    return found


def matters_of(owner: Owner) -> Select[Any]:
    """The ids of the matters of somebody."""
    found = select(MATTERS.c.id)
    return found if owner is EVERYBODY else found.where(MATTERS.c.owner == owner)


def summary_from(row: RowMapping) -> CaseSummary:
    """A case from its row."""
    return CaseSummary(**{one.name: row[one.name] for one in fields(CaseSummary)})

"""Lists and statistics of the cases in a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, and_, case, func, select

from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import engine_version
from engine.records.store.database import (
    COLUMNS,
    CaseDatabase,
    CaseFilter,
    CaseSummary,
    Matter,
    Page,
    apply_filter,
    summary_from,
)
from engine.records.store.tables import AVERAGED, CASES, COSTS, HOPS, MATTERS, PASSAGES

# Averages over many cases. Views of the database contain the same figures for SQL users: ``low_coverage``,
# ``by_verdict``, ``over_time``, and per matter ``matter_by_verdict`` and ``matter_over_time``.

# The default bound for low coverage.
LOW = 0.7
# The day on which a case was started.
DAY = func.substr(CASES.c.started, 1, len("2026-01-31"))


def lowest_coverage(below: float, matter: Matter | None, owner: Owner, limit: int | None) -> Select[Any]:
    """Select cases with a coverage below a bound, lowest first."""
    found = apply_filter(select(*COLUMNS), CaseFilter(coverage_below=below), matter, owner)
    return found.order_by(CASES.c.coverage_score, CASES.c.id).limit(limit)


def averages(by: ColumnElement[Any], name: str, matter: Matter | None, owner: Owner) -> Select[Any]:
    """Select the number of cases and their means for each value of ``by``, as column ``name``."""
    column = by.label(name)
    means = [func.avg(CASES.c[figure]).label(figure) for figure in AVERAGED]
    found = select(column, func.count().label("cases"), *means)
    return apply_filter(found, CaseFilter(), matter, owner).group_by(column).order_by(column)


def float_means(rows: Iterable[RowMapping]) -> list[dict[str, Any]]:
    """Return rows of ``averages`` with means as floats in every database."""
    return [
        {key: float(value) if key in AVERAGED and value is not None else value for key, value in row.items()}
        for row in rows
    ]


# Statistics over many cases: the yield of strategies, costs, coverage against verdicts.

Read = Callable[[Select[Any]], Sequence[RowMapping]]
# Newest cases whose passages and hops are counted; a case has hundreds of passages and thousands of hops.
NEWEST = 100
# Coverage is counted in bins of a tenth; the last includes full coverage.
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Choices:
    """Values to filter cases by, in alphabetical order."""

    corpora: tuple[str, ...]
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThreadYield:
    """The yield of a strategy in means per case.

    ``pool``: passages that it was the first to add to the pool; ``ranked``: those of them that are ranked;
    ``reached``: ranked passages with a trail through it.
    """

    strategy: str
    pool: float
    ranked: float
    reached: float


@dataclass(frozen=True, slots=True)
class Yields:
    """The yield of all strategies over the newest ``cases``, most ranked passages first."""

    cases: int
    threads: tuple[ThreadYield, ...]


@dataclass(frozen=True, slots=True)
class TaskCost:
    """The use of language models for one kind of task over all cases.

    ``money`` is None if a price is unknown, ``milliseconds`` the total response time.
    """

    task: str
    cases: int
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    milliseconds: float
    money: float | None


@dataclass(frozen=True, slots=True)
class Tenth:
    """Number of cases with a verdict and a coverage from ``tenth`` / 10 to below (``tenth`` + 1) / 10."""

    verdict: str | None
    tenth: int
    cases: int


@dataclass(frozen=True, slots=True)
class Statements:
    """How often users called the engine's evidence status right, wrong, or did not judge it."""

    evidence: str
    right: int
    wrong: int
    unsaid: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics over the cases of a matter, or of all matters of an owner; ``read`` runs a query."""

    read: Read
    matter: Matter | None
    owner: Owner

    def choices(self) -> Choices:
        """Return the corpora and verdicts of cases."""
        return Choices(self._distinct(CASES.c.corpus), self._distinct(CASES.c.verdict))

    def yields(self, newest: int = NEWEST) -> Yields:
        """Return the yield of each strategy in the newest cases."""
        found = self._of(select(CASES.c.number))
        chosen = found.order_by(CASES.c.started.desc(), CASES.c.id).limit(newest).subquery()
        cases = int(self.read(select(func.count().label("cases")).select_from(chosen))[0]["cases"])
        first = (
            select(
                PASSAGES.c.strategy, func.count().label("pool"), func.count(PASSAGES.c.rank).label("ranked")
            )
            .join(chosen, chosen.c.number == PASSAGES.c.case_number)
            .group_by(PASSAGES.c.strategy)
        )
        same = and_(PASSAGES.c.case_number == HOPS.c.case_number, PASSAGES.c.number == HOPS.c.target)
        ranked_hops = (
            select(HOPS.c.case_number, HOPS.c.target, HOPS.c.strategy)
            .join(chosen, chosen.c.number == HOPS.c.case_number)
            .join(PASSAGES, same)
            .where(PASSAGES.c.rank.is_not(None))
            .distinct()
            .subquery()
        )
        trails = select(ranked_hops.c.strategy, func.count().label("reached")).group_by(
            ranked_hops.c.strategy
        )
        first_found = {row["strategy"]: row for row in self.read(first)}
        reached = {row["strategy"]: int(row["reached"]) for row in self.read(trails)}
        threads = [
            ThreadYield(
                name,
                first_found[name]["pool"] / cases if name in first_found else 0.0,
                first_found[name]["ranked"] / cases if name in first_found else 0.0,
                reached.get(name, 0) / cases,
            )
            for name in {*first_found, *reached}
        ]
        return Yields(
            cases, tuple(sorted(threads, key=lambda one: (-one.ranked, -one.reached, one.strategy)))
        )

    def costs(self) -> tuple[TaskCost, ...]:
        """Return the use of language models by task, most tokens first."""
        summed = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "milliseconds", "money")
        found = select(
            COSTS.c.task,
            func.count(COSTS.c.case_number.distinct()).label("cases"),
            func.count().label("rows"),
            func.count(COSTS.c.money).label("priced"),
            *(func.sum(COSTS.c[name]).label(name) for name in summed),
        ).join(CASES, CASES.c.number == COSTS.c.case_number)
        rows = self.read(self._of(found).group_by(COSTS.c.task))
        tasks = [
            TaskCost(
                task=row["task"],
                cases=row["cases"],
                calls=int(row["calls"]),
                prompt_tokens=int(row["prompt_tokens"]),
                cached_tokens=int(row["cached_tokens"]),
                completion_tokens=int(row["completion_tokens"]),
                milliseconds=float(row["milliseconds"]),
                money=float(row["money"]) if row["priced"] == row["rows"] else None,
            )
            for row in rows
        ]
        return tuple(sorted(tasks, key=lambda one: (-one.prompt_tokens - one.completion_tokens, one.task)))

    def coverage_by_verdict(self) -> tuple[Tenth, ...]:
        """Return the distribution of coverage for each verdict, over cases with measured coverage."""
        # Databases round numbers differently, so the bounds are explicit.
        bounds = [(CASES.c.coverage_score < (tenth + 1) / TENTHS, tenth) for tenth in range(TENTHS - 1)]
        tenth = case(*bounds, else_=TENTHS - 1).label("tenth")
        found = select(CASES.c.verdict, tenth, func.count().label("cases"))
        found = self._of(found).where(CASES.c.coverage_score.is_not(None))
        rows = self.read(found.group_by(CASES.c.verdict, tenth))
        return tuple(sorted((Tenth(**row) for row in rows), key=lambda one: (one.verdict or "", one.tenth)))

    def statements(self) -> tuple[Statements, ...]:
        """Return the users' judgements for each evidence status, most frequent first."""
        found = select(CASES.c.evidence, CASES.c.verdict_right, func.count().label("cases"))
        rows = self.read(self._of(found).group_by(CASES.c.evidence, CASES.c.verdict_right))
        counted: dict[str, dict[bool | None, int]] = {}
        for row in rows:
            right = row["verdict_right"]
            counted.setdefault(row["evidence"], {})[None if right is None else bool(right)] = row["cases"]
        all_of = [
            Statements(name, right.get(True, 0), right.get(False, 0), right.get(None, 0))
            for name, right in counted.items()
        ]
        return tuple(sorted(all_of, key=lambda one: (-one.right - one.wrong - one.unsaid, one.evidence)))

    def _of(self, found: Select[Any]) -> Select[Any]:
        return apply_filter(found, CaseFilter(), self.matter, self.owner)

    def _distinct(self, column: Any) -> tuple[str, ...]:
        found = self._of(select(column.label("value"))).where(column.is_not(None))
        return tuple(sorted(row["value"] for row in self.read(found.distinct())))


# Lists of cases and matters.


class CaseLists(CaseDatabase):
    """Lists of cases and matters, and their statistics."""

    def matters(self, owner: Owner = "") -> list[Matter]:
        """Return all matters of an owner by name."""
        query = select(MATTERS).order_by(MATTERS.c.name)
        if owner is not EVERYBODY:
            query = query.where(MATTERS.c.owner == owner)
        return [Matter(**row) for row in self._read(query)]

    def counted(self, owner: Owner = "") -> list[tuple[Matter, int]]:
        """Return all matters of an owner by name, each with its number of cases."""
        query = (
            select(*MATTERS.c, func.count(CASES.c.number).label("cases"))
            .outerjoin(CASES, CASES.c.matter == MATTERS.c.id)
            .group_by(*MATTERS.c)
            .order_by(MATTERS.c.name, MATTERS.c.owner)
        )
        if owner is not EVERYBODY:
            query = query.where(MATTERS.c.owner == owner)
        found = [dict(row) for row in self._read(query)]
        return [(Matter(**row), count) for row in found for count in (int(row.pop("cases")),)]

    def listed(self, wanted: CaseFilter, matter: Matter | None = None, owner: Owner = "") -> Page:
        """Return a page of cases, newest first, of one matter or of all matters of an owner."""
        found = apply_filter(select(*COLUMNS), wanted, matter, owner)
        count = apply_filter(select(func.count()).select_from(CASES), wanted, matter, owner)
        newest = found.order_by(CASES.c.started.desc(), CASES.c.id)
        with self._reading() as connection:
            rows = connection.execute(newest.limit(wanted.limit).offset(wanted.offset)).mappings().all()
            total = int(connection.execute(count).scalar_one())
        return Page(tuple(map(summary_from, rows)), total)

    def ids(self, matter: Matter | None = None, owner: Owner = "") -> list[str]:
        """Return the ids of the cases of a matter, or of all matters of an owner, oldest first."""
        found = apply_filter(select(CASES.c.id), CaseFilter(), matter, owner)
        return [row["id"] for row in self._read(found.order_by(CASES.c.number))]

    def newest_ids(self, matter: Matter, owner: Owner = "") -> list[str]:
        """Return the ids of the newest case for each question, corpus and ``as_of`` day, oldest first."""
        columns = (CASES.c.id, CASES.c.question, CASES.c.corpus, CASES.c.settings)
        found = self._read(
            apply_filter(select(*columns), CaseFilter(), matter, owner).order_by(CASES.c.number)
        )
        last = {(row["question"], row["corpus"], row["settings"].get("as_of")): row["id"] for row in found}
        newest = set(last.values())
        return [row["id"] for row in found if row["id"] in newest]

    def same(
        self, matter: Matter, question: str, settings: Mapping[str, Any], fingerprint: str, weights: str = ""
    ) -> str | None:
        """Return the id of a case that this version ran with the same inputs; None if there is none."""
        query = select(CASES.c.id, CASES.c.settings).where(
            CASES.c.matter == matter.id,
            CASES.c.question == question,
            CASES.c.fingerprint == fingerprint,
            CASES.c.engine == engine_version(),
        )
        found = self._read(query.order_by(CASES.c.started.desc()))
        same = (row["id"] for row in found if row["settings"] == settings)
        return next((one for one in same if self._state(one).get("weights", "") == weights), None)

    def low_coverage(
        self,
        below: float = LOW,
        matter: Matter | None = None,
        owner: Owner = "",
        *,
        limit: int | None = None,
    ) -> tuple[CaseSummary, ...]:
        """Return cases with a coverage below a bound, lowest first; at most ``limit``."""
        return tuple(map(summary_from, self._read(lowest_coverage(below, matter, owner, limit))))

    def by_verdict(self, matter: Matter | None = None, owner: Owner = "") -> list[dict[str, Any]]:
        """Return the number of cases and their mean figures for each verdict."""
        return float_means(self._read(averages(CASES.c.verdict, "verdict", matter, owner)))

    def over_time(self, matter: Matter | None = None, owner: Owner = "") -> list[dict[str, Any]]:
        """Return the number of cases and their mean figures for each day."""
        return float_means(self._read(averages(DAY, "day", matter, owner)))

    def by_matter(self, owner: Owner = "") -> list[dict[str, Any]]:
        """Return the number of cases and their mean figures for each matter id."""
        return float_means(self._read(averages(CASES.c.matter, "matter", None, owner)))

    def figures(self, matter: Matter | None = None, owner: Owner = "") -> Figures:
        """Return the statistics over the cases of one matter, or of all matters of an owner."""
        return Figures(self._read, matter, owner)

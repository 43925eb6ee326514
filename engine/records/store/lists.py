"""Lists and figures of the cases in a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, and_, case, func, select

from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import engine_version
from engine.records.store.database import (
    AVERAGED,
    COLUMNS,
    CaseDatabase,
    CaseSummary,
    Matter,
    Page,
    Wanted,
    matching,
    summary_from,
)
from engine.records.store.tables import CASES, COSTS, HOPS, MATTERS, PASSAGES

# Figures over many cases. Ready views in the database say the same to whoever asks in SQL:
# ``low_coverage``, ``by_verdict``, ``over_time``, and per matter ``matter_by_verdict`` and
# ``matter_over_time``.

# A case whose coverage is below is one of low coverage, unless somebody says otherwise.
LOW = 0.7
# The day on which a case was asked.
DAY = func.substr(CASES.c.started, 1, len("2026-01-31"))


def least_covered(below: float, matter: Matter | None, owner: Owner, limit: int | None) -> Select[Any]:
    """Cases of which less is covered, the least first."""
    found = matching(select(*COLUMNS), Wanted(coverage_below=below), matter, owner)
    return found.order_by(CASES.c.coverage_score, CASES.c.id).limit(limit)


def averages(by: ColumnElement[Any], name: str, matter: Matter | None, owner: Owner) -> Select[Any]:
    """For each value of ``by``, which is called ``name``, how many cases have it, and their means."""
    column = by.label(name)
    means = [func.avg(CASES.c[figure]).label(figure) for figure in AVERAGED]
    found = select(column, func.count().label("cases"), *means)
    return matching(found, Wanted(), matter, owner).group_by(column).order_by(column)


def as_plain(rows: Iterable[RowMapping]) -> list[dict[str, Any]]:
    """Rows of ``averages`` with means that are numbers in every database."""
    return [
        {key: float(value) if key in AVERAGED and value is not None else value for key, value in row.items()}
        for row in rows
    ]


# Figures over many cases: what threads yield, what was spent, how coverage and verdicts agree.
#
# ``CaseStore.figures`` gives them for the cases of one matter, or of all of somebody's.

Read = Callable[[Select[Any]], Sequence[RowMapping]]
# Cases whose passages and hops are counted: each has hundreds of the ones and thousands of the others.
NEWEST = 100
# Coverage is counted in tenths; the last holds what is covered in full.
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Choices:
    """What cases can be chosen by, in alphabetical order."""

    corpora: tuple[str, ...]
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThreadYield:
    """What a thread brings to a case, as means per case: passages that it was the first to bring into the
    pool, those of them that are ranked, and ranked passages to which any trail of it leads."""

    strategy: str
    pool: float
    ranked: float
    reached: float


@dataclass(frozen=True, slots=True)
class Yields:
    """The yield of all threads over the newest ``cases``, the most ranked first."""

    cases: int
    threads: tuple[ThreadYield, ...]


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What language models were asked for one kind of task, over all cases. ``money`` is None where the price
    of any of it is unknown, ``milliseconds`` is the time that answers took."""

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
    """How many cases of a verdict have a coverage of ``tenth`` / 10 or more, and less than one tenth more."""

    verdict: str | None
    tenth: int
    cases: int


@dataclass(frozen=True, slots=True)
class Statements:
    """How often people called what the engine said of the evidence right or wrong, or said nothing."""

    evidence: str
    right: int
    wrong: int
    unsaid: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures over the cases of a matter, or of all of somebody's. ``read`` gives the rows of a selection."""

    read: Read
    matter: Matter | None
    owner: Owner

    def choices(self) -> Choices:
        """The corpora and verdicts of cases."""
        return Choices(self._distinct(CASES.c.corpus), self._distinct(CASES.c.verdict))

    def yields(self, newest: int = NEWEST) -> Yields:
        """What each thread brought to the newest cases."""
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
        led = (
            select(HOPS.c.case_number, HOPS.c.target, HOPS.c.strategy)
            .join(chosen, chosen.c.number == HOPS.c.case_number)
            .join(PASSAGES, same)
            .where(PASSAGES.c.rank.is_not(None))
            .distinct()
            .subquery()
        )
        trails = select(led.c.strategy, func.count().label("reached")).group_by(led.c.strategy)
        brought = {row["strategy"]: row for row in self.read(first)}
        reached = {row["strategy"]: int(row["reached"]) for row in self.read(trails)}
        threads = [
            ThreadYield(
                name,
                brought[name]["pool"] / cases if name in brought else 0.0,
                brought[name]["ranked"] / cases if name in brought else 0.0,
                reached.get(name, 0) / cases,
            )
            for name in {*brought, *reached}
        ]
        return Yields(
            cases, tuple(sorted(threads, key=lambda one: (-one.ranked, -one.reached, one.strategy)))
        )

    def costs(self) -> tuple[TaskCost, ...]:
        """What was asked of language models, by task, the most tokens first."""
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
        """How coverage is spread over the cases of each verdict, without those in which it was not
        measured."""
        # A number is rounded one way by one database and another way by another, so tenths are spelled out.
        bounds = [(CASES.c.coverage_score < (tenth + 1) / TENTHS, tenth) for tenth in range(TENTHS - 1)]
        tenth = case(*bounds, else_=TENTHS - 1).label("tenth")
        found = select(CASES.c.verdict, tenth, func.count().label("cases"))
        found = self._of(found).where(CASES.c.coverage_score.is_not(None))
        rows = self.read(found.group_by(CASES.c.verdict, tenth))
        return tuple(sorted((Tenth(**row) for row in rows), key=lambda one: (one.verdict or "", one.tenth)))

    def statements(self) -> tuple[Statements, ...]:
        """For each evidence status what people said of it, the most frequent first."""
        found = select(CASES.c.evidence, CASES.c.verdict_right, func.count().label("cases"))
        rows = self.read(self._of(found).group_by(CASES.c.evidence, CASES.c.verdict_right))
        counted: dict[str, dict[bool | None, int]] = {}
        for row in rows:
            said = row["verdict_right"]
            counted.setdefault(row["evidence"], {})[None if said is None else bool(said)] = row["cases"]
        all_of = [
            Statements(name, said.get(True, 0), said.get(False, 0), said.get(None, 0))
            for name, said in counted.items()
        ]
        return tuple(sorted(all_of, key=lambda one: (-one.right - one.wrong - one.unsaid, one.evidence)))

    def _of(self, found: Select[Any]) -> Select[Any]:
        return matching(found, Wanted(), self.matter, self.owner)

    def _distinct(self, column: Any) -> tuple[str, ...]:
        found = self._of(select(column.label("value"))).where(column.is_not(None))
        return tuple(sorted(row["value"] for row in self.read(found.distinct())))


# Lists of cases and matters, and figures over many of them.


class CaseLists(CaseDatabase):
    """Which cases are there, and what they come to."""

    def matters(self, owner: Owner = "") -> list[Matter]:
        """All matters of somebody, by name."""
        wanted = select(MATTERS).order_by(MATTERS.c.name)
        if owner is not EVERYBODY:
            wanted = wanted.where(MATTERS.c.owner == owner)
        return [Matter(**row) for row in self._read(wanted)]

    def counted(self, owner: Owner = "") -> list[tuple[Matter, int]]:
        """All matters of somebody, by name, each with the number of its cases."""
        wanted = (
            select(*MATTERS.c, func.count(CASES.c.number).label("cases"))
            .outerjoin(CASES, CASES.c.matter == MATTERS.c.id)
            .group_by(*MATTERS.c)
            .order_by(MATTERS.c.name, MATTERS.c.owner)
        )
        if owner is not EVERYBODY:
            wanted = wanted.where(MATTERS.c.owner == owner)
        found = [dict(row) for row in self._read(wanted)]
        return [(Matter(**row), count) for row in found for count in (int(row.pop("cases")),)]

    def listed(self, wanted: Wanted, matter: Matter | None = None, owner: Owner = "") -> Page:
        """Cases, the newest first, of one matter, or of all of somebody's."""
        found = matching(select(*COLUMNS), wanted, matter, owner)
        count = matching(select(func.count()).select_from(CASES), wanted, matter, owner)
        newest = found.order_by(CASES.c.started.desc(), CASES.c.id)
        with self._reading() as connection:
            rows = connection.execute(newest.limit(wanted.limit).offset(wanted.offset)).mappings().all()
            total = int(connection.execute(count).scalar_one())
        return Page(tuple(map(summary_from, rows)), total)

    def ids(self, matter: Matter | None = None, owner: Owner = "") -> list[str]:
        """The ids of the cases of a matter, or of all of somebody's, the oldest first."""
        found = matching(select(CASES.c.id), Wanted(), matter, owner)
        return [row["id"] for row in self._read(found.order_by(CASES.c.number))]

    def newest_ids(self, matter: Matter, owner: Owner = "") -> list[str]:
        """The ids of the cases of a matter, the oldest first; of those that ask the same corpus the same
        question, as of the same day where one is named, the newest alone."""
        columns = (CASES.c.id, CASES.c.question, CASES.c.corpus, CASES.c.settings)
        found = self._read(matching(select(*columns), Wanted(), matter, owner).order_by(CASES.c.number))
        last = {(row["question"], row["corpus"], row["settings"].get("as_of")): row["id"] for row in found}
        kept = set(last.values())
        return [row["id"] for row in found if row["id"] in kept]

    def same(
        self, matter: Matter, question: str, settings: Mapping[str, Any], fingerprint: str, weights: str = ""
    ) -> str | None:
        """A case of a matter that this program has asked already, with these settings and learned weights, of
        a corpus in this state; None where there is none."""
        wanted = select(CASES.c.id, CASES.c.settings).where(
            CASES.c.matter == matter.id,
            CASES.c.question == question,
            CASES.c.fingerprint == fingerprint,
            CASES.c.engine == engine_version(),
        )
        found = self._read(wanted.order_by(CASES.c.started.desc()))
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
        """Cases in which less of what they need is covered, the least first; at most ``limit``."""
        return tuple(map(summary_from, self._read(least_covered(below, matter, owner, limit))))

    def by_verdict(self, matter: Matter | None = None, owner: Owner = "") -> list[dict[str, Any]]:
        """For each verdict how many cases have it, and the means of their figures."""
        return as_plain(self._read(averages(CASES.c.verdict, "verdict", matter, owner)))

    def over_time(self, matter: Matter | None = None, owner: Owner = "") -> list[dict[str, Any]]:
        """For each day how many cases were asked, and the means of their figures."""
        return as_plain(self._read(averages(DAY, "day", matter, owner)))

    def by_matter(self, owner: Owner = "") -> list[dict[str, Any]]:
        """For each matter, by its id, how many cases it has, and the means of their figures."""
        return as_plain(self._read(averages(CASES.c.matter, "matter", None, owner)))

    def figures(self, matter: Matter | None = None, owner: Owner = "") -> Figures:
        """More figures over the cases of one matter, or of all of somebody's."""
        return Figures(self._read, matter, owner)

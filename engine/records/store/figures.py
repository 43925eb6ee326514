"""Figures over many cases: what threads yield, what was spent, how coverage and verdicts agree.

``CaseStore.figures`` gives them for the cases of one matter, or of all of somebody's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, Select, and_, case, func, select

from engine.records.store import Owner
from engine.records.store.listing import Matter, Wanted, matching
from engine.records.store.tables import CASES, COSTS, HOPS, PASSAGES

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

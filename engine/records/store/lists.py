"""Lists of cases and matters, and figures over many of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select

from engine.records.store import EVERYBODY, Owner
from engine.records.store.database import CaseDatabase
from engine.records.store.figures import Figures
from engine.records.store.listing import COLUMNS, CaseSummary, Matter, Page, Wanted, matching, summary_from
from engine.records.store.sealing import engine_version
from engine.records.store.statistics import DAY, LOW, as_plain, averages, least_covered
from engine.records.store.tables import CASES, MATTERS


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

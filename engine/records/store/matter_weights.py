"""What was learned of the verdicts of a matter: kept with its cases, adopted for those that are asked in it.

What was learned names the passages that were judged, so it ranks nobody else's cases. It is of one corpus, by
its name, and goes with its matter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, and_, delete, func, insert, select

from engine.corpus.journal import signed_name
from engine.corpus.judgements import Act, WeightsLine, acted
from engine.errors import DamagedError, InputError
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import packed_experience, unpacked_experience
from engine.records.store.database import CaseDatabase
from engine.records.store.listing import Matter
from engine.records.store.review_tables import WEIGHTS
from engine.records.store.sealing import now
from engine.records.store.tables import MATTERS

# Weights that are kept of a matter, of all its corpora together, and bytes of each.
MOST_KEPT, LONGEST_KEPT = 20, 4_000_000
# What was read of the database, of all matters together.
_REMEMBERED = 8


class MatterWeights(CaseDatabase):
    """The learned weights of the matters of a database, by its address; see ``CaseStore`` for what is raised.

    Who has a ``Matter`` may change what is learned of it: whoever serves it says who gets that.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._read_before: OrderedDict[str, Experience] = OrderedDict()
        self._lock = Lock()

    def check_room(self, matter: Matter) -> None:
        """Raises InputError where as many weights are kept of a matter as may be, or where it is gone."""
        with self._reading() as connection:
            _check_room(connection, matter)

    def keep(
        self, matter: Matter, corpus: str, learned: Experience, figures: Mapping[str, Any], *, who: str
    ) -> str:
        """Keep what was learned of a corpus, by its name, with the figures that it is shown with; returns its
        id. Nothing is ranked by it before it is adopted. Raises InputError where there is no room for it, or
        where the matter is gone."""
        row = _row(Act.KEPT, matter, corpus, learned.id, who)
        row |= {"figures": dict(figures), "learned": packed_experience(learned, LONGEST_KEPT)}
        with self._writing() as connection:
            _check_room(connection, matter, locked=True)
            connection.execute(insert(WEIGHTS), row)
        return learned.id

    def adopt(self, matter: Matter, weights: str, *, who: str) -> None:
        """Rank the cases that are asked in a matter by kept weights, from now on. Raises InputError where the
        matter has none of this id."""
        with self._writing() as connection:
            _check_there(connection, matter, locked=True)
            of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
            corpus = connection.execute(select(WEIGHTS.c.corpus).where(*of)).scalar_one_or_none()
            if corpus is None:
                raise _unknown(matter, weights)
            _act(connection, _row(Act.ADOPTED, matter, corpus, weights, who))

    def ship(self, matter: Matter, corpus: str, *, who: str) -> None:
        """Go back to the weights of the corpus."""
        with self._writing() as connection:
            _check_there(connection, matter, locked=True)
            _act(connection, _row(Act.SHIPPED, matter, corpus, "", who))

    def delete(self, matter: Matter, weights: str) -> None:
        """Delete kept weights. Raises InputError where the matter has none of this id, or is ranked by
        them."""
        own = and_(WEIGHTS.c.matter == matter.id, WEIGHTS.c.id == weights)
        with self._writing() as connection:
            acts = list(connection.execute(select(WEIGHTS.c.act).where(own)).scalars())
            if Act.KEPT.value not in acts:
                raise _unknown(matter, weights)
            if Act.ADOPTED.value in acts:
                raise InputError("cases are ranked by these weights: go back first")
            connection.execute(delete(WEIGHTS).where(own))

    def lines(self, matter: Matter, corpus: str) -> list[WeightsLine]:
        """What is kept of a corpus in a matter, and by what is ranked, in the order in which it was done,
        without what was learned itself."""
        columns = WEIGHTS.c.act, WEIGHTS.c.id, WEIGHTS.c.who, WEIGHTS.c.at, WEIGHTS.c.figures
        of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.corpus == corpus
        try:
            return [
                WeightsLine(
                    act=row["act"], id=row["id"], reviewer=row["who"], when=row["at"], figures=row["figures"]
                )
                for row in self._read(select(*columns).where(*of).order_by(WEIGHTS.c.number))
            ]
        except ValidationError:
            raise DamagedError("weights") from None

    def corpora(self, matter: Matter) -> list[str]:
        """The names of the corpora of which weights are kept in a matter."""
        wanted = select(WEIGHTS.c.corpus).where(WEIGHTS.c.matter == matter.id).distinct()
        return [row["corpus"] for row in self._read(wanted.order_by(WEIGHTS.c.corpus))]

    def adopted(self, matter: Matter, corpus: str) -> Experience | None:
        """What the cases of a matter are ranked by that ask a corpus, by its name; None for its own
        weights. Raises InputError where it cannot be read."""
        line = acted(self.lines(matter, corpus))
        return None if line is None or not line.id else self.experience(matter.id, line.id)

    def experience(self, matter_id: str, weights: str) -> Experience | None:
        """What is kept under an id in a matter, by its id; None where nothing is. Raises InputError where it
        cannot be read."""
        of = WEIGHTS.c.matter == matter_id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
        if not self._read(select(WEIGHTS.c.number).where(*of)):
            return None
        with self._lock:
            found = self._read_before.get(weights)
        if found is None:
            (row,) = self._read(select(WEIGHTS.c.learned).where(*of)) or ({"learned": None},)
            if row["learned"] is None:
                return None
            try:
                found = unpacked_experience(row["learned"])
            except ValueError as error:
                raise InputError(
                    f"the learned weights {weights!r} cannot be read ({error}): go back, or delete them"
                ) from error
        with self._lock:
            self._read_before[weights] = found
            self._read_before.move_to_end(weights)
            while len(self._read_before) > _REMEMBERED:
                self._read_before.popitem(last=False)
        return found


def _row(act: Act, matter: Matter, corpus: str, weights: str, who: str) -> dict[str, Any]:
    name = signed_name(who)
    told = {"matter": matter.id, "corpus": corpus, "act": act.value, "id": weights, "who": name, "at": now()}
    return told | {"figures": {}, "learned": None}


def _act(connection: Connection, row: dict[str, Any]) -> None:
    """Adopt or go back; what was done so before with the same corpus counts no more."""
    before = and_(WEIGHTS.c.matter == row["matter"], WEIGHTS.c.corpus == row["corpus"])
    connection.execute(delete(WEIGHTS).where(before, WEIGHTS.c.act != Act.KEPT.value))
    connection.execute(insert(WEIGHTS), row)


def _check_there(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    """Raises InputError where a matter is gone; ``locked``: nobody else changes its weights meanwhile."""
    wanted = select(MATTERS.c.id).where(MATTERS.c.id == matter.id)
    if connection.execute(wanted.with_for_update() if locked else wanted).first() is None:
        raise InputError("the matter is gone, and what was learned of it")


def _check_room(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    _check_there(connection, matter, locked=locked)
    of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value
    if connection.execute(select(func.count()).select_from(WEIGHTS).where(*of)).scalar_one() >= MOST_KEPT:
        raise InputError(f"{MOST_KEPT} learned weights are kept of this matter, the most: delete some")


def _unknown(matter: Matter, weights: str) -> InputError:
    return InputError(f"there are no learned weights {weights[:40]!r} in the matter {matter.name[:40]!r}")

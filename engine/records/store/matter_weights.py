"""Weights learned from the verdicts of a matter.

Learned weights name the judged passages, so they rank only cases of their own matter. They belong to one
corpus, by its name, and are deleted with their matter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, and_, delete, func, insert, select

from engine.corpus.journal import signed_name
from engine.corpus.judgements import Act, WeightsLine, latest_act
from engine.errors import DamagedError, InputError
from engine.investigation.ranking.additive import Experience, packed_experience, unpacked_experience
from engine.records.store.chain import now
from engine.records.store.database import CaseDatabase, Matter
from engine.records.store.opening import WEIGHTS
from engine.records.store.tables import MATTERS

# Most stored weights of a matter, over all corpora, and most bytes of each.
MOST_KEPT, LONGEST_KEPT = 20, 4_000_000
# Size of the cache of weights read from the database.
_CACHE_SIZE = 8


class MatterWeights(CaseDatabase):
    """The learned weights of matters in a database, opened by its URL; raises as ``CaseStore``.

    Access to a ``Matter`` permits changing its weights: callers control who gets one.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._cache: OrderedDict[str, Experience] = OrderedDict()
        self._lock = Lock()

    def check_room(self, matter: Matter) -> None:
        """Raise InputError if a matter has as many weights as allowed, or was deleted."""
        with self._reading() as connection:
            _check_capacity(connection, matter)

    def keep(
        self, matter: Matter, corpus: str, learned: Experience, figures: Mapping[str, Any], *, who: str
    ) -> str:
        """Store weights learned on a corpus with the figures to show; return their id.

        They have no effect until they are adopted. Raises InputError if the matter is full or was deleted.
        """
        row = _row(Act.KEPT, matter, corpus, learned.id, who)
        row |= {"figures": dict(figures), "learned": packed_experience(learned, LONGEST_KEPT)}
        with self._writing() as connection:
            _check_capacity(connection, matter, locked=True)
            connection.execute(insert(WEIGHTS), row)
        return learned.id

    def adopt(self, matter: Matter, weights: str, *, who: str) -> None:
        """Use stored weights for new cases of a matter. Raises InputError if they do not exist."""
        with self._writing() as connection:
            _check_exists(connection, matter, locked=True)
            of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
            corpus = connection.execute(select(WEIGHTS.c.corpus).where(*of)).scalar_one_or_none()
            if corpus is None:
                raise _unknown(matter, weights)
            _act(connection, _row(Act.ADOPTED, matter, corpus, weights, who))

    def ship(self, matter: Matter, corpus: str, *, who: str) -> None:
        """Return to the weights of the corpus."""
        with self._writing() as connection:
            _check_exists(connection, matter, locked=True)
            _act(connection, _row(Act.SHIPPED, matter, corpus, "", who))

    def delete(self, matter: Matter, weights: str) -> None:
        """Delete stored weights. Raises InputError if they do not exist or are in use."""
        own = and_(WEIGHTS.c.matter == matter.id, WEIGHTS.c.id == weights)
        with self._writing() as connection:
            acts = list(connection.execute(select(WEIGHTS.c.act).where(own)).scalars())
            if Act.KEPT.value not in acts:
                raise _unknown(matter, weights)
            if Act.ADOPTED.value in acts:
                raise InputError("cases are ranked by these weights: reset the ranking first")
            connection.execute(delete(WEIGHTS).where(own))

    def lines(self, matter: Matter, corpus: str) -> list[WeightsLine]:
        """Return the log of a corpus's weights in a matter, oldest first, without the weights themselves."""
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
        """Return the names of the corpora for which a matter has weights."""
        query = select(WEIGHTS.c.corpus).where(WEIGHTS.c.matter == matter.id).distinct()
        return [row["corpus"] for row in self._read(query.order_by(WEIGHTS.c.corpus))]

    def adopted(self, matter: Matter, corpus: str) -> Experience | None:
        """Return the weights in use for a corpus in a matter, None for the corpus's own.

        Raises InputError if they cannot be read.
        """
        line = latest_act(self.lines(matter, corpus))
        return None if line is None or not line.id else self.experience(matter.id, line.id)

    def experience(self, matter_id: str, weights: str) -> Experience | None:
        """Return weights by their id, None if there are none. Raises InputError if they cannot be read."""
        of = WEIGHTS.c.matter == matter_id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
        if not self._read(select(WEIGHTS.c.number).where(*of)):
            return None
        with self._lock:
            found = self._cache.get(weights)
        if found is None:
            (row,) = self._read(select(WEIGHTS.c.learned).where(*of)) or ({"learned": None},)
            if row["learned"] is None:
                return None
            try:
                found = unpacked_experience(row["learned"])
            except ValueError as error:
                raise InputError(
                    f"the learned weights {weights!r} cannot be read ({error}): "
                    "reset the ranking, or delete them"
                ) from error
        with self._lock:
            self._cache[weights] = found
            self._cache.move_to_end(weights)
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return found


def _row(act: Act, matter: Matter, corpus: str, weights: str, who: str) -> dict[str, Any]:
    name = signed_name(who)
    row = {"matter": matter.id, "corpus": corpus, "act": act.value, "id": weights, "who": name, "at": now()}
    return row | {"figures": {}, "learned": None}


def _act(connection: Connection, row: dict[str, Any]) -> None:
    """Adopt weights or reset; this replaces earlier adoptions for the same corpus."""
    before = and_(WEIGHTS.c.matter == row["matter"], WEIGHTS.c.corpus == row["corpus"])
    connection.execute(delete(WEIGHTS).where(before, WEIGHTS.c.act != Act.KEPT.value))
    connection.execute(insert(WEIGHTS), row)


def _check_exists(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    """Raise InputError if a matter was deleted; ``locked`` locks its row until the end of the transaction."""
    query = select(MATTERS.c.id).where(MATTERS.c.id == matter.id)
    if connection.execute(query.with_for_update() if locked else query).first() is None:
        raise InputError("the matter and its learned weights were deleted")


def _check_capacity(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    _check_exists(connection, matter, locked=locked)
    of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value
    if connection.execute(select(func.count()).select_from(WEIGHTS).where(*of)).scalar_one() >= MOST_KEPT:
        raise InputError(f"this matter has {MOST_KEPT} learned weights, the most allowed: delete some")


def _unknown(matter: Matter, weights: str) -> InputError:
    return InputError(f"there are no learned weights {weights[:40]!r} in the matter {matter.name[:40]!r}")

"""Verdicts that were given elsewhere, kept with the cases: all of a file or nothing of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, and_, bindparam, insert, select, update

from engine.errors import InputError, SourceError
from engine.records.store import Owner
from engine.records.store.database import CaseDatabase, UnknownCaseError
from engine.records.store.listing import matters_of
from engine.records.store.review_tables import ASSESSMENTS, QUEUE_ITEMS, QUEUES
from engine.records.store.sealing import in_utc
from engine.records.store.tables import CASES
from engine.review.exchange.drafts import Draft
from engine.review.kept import LONGEST_NAME, moment, no_queue, plain_item, recount, reviewer_named, words_of
from engine.review.model import Item

# Clocks differ; what was said later than tomorrow was not said.
AHEAD: Final = 86_400.0
# Behind the names of others, where somebody brings what they said.
BROUGHT: Final = " (from a file of {})"
# Of what is not here so many lines are named.
_NAMED: Final = 3
# Ids that one query names.
_AT_ONCE: Final = 500
Triple = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of taking verdicts in: ``kept`` so many; ``known`` were kept before, also where they were
    changed or taken back since; ``older`` were said before what the same reviewer has said of the item here;
    of those kept ``reworded`` are of other words than the item has here."""

    kept: int = 0
    known: int = 0
    older: int = 0
    reworded: int = 0


def taken_words(taken: Taken, missing: Sequence[Draft]) -> list[str]:
    """What came of it, in a line each; ``missing`` are the verdicts whose items are not here."""
    told = [f"{taken.kept:,} verdicts kept"]
    told += [f"{taken.known:,} were here before"] if taken.known else []
    told += [f"{taken.older:,} are older than what the same reviewer says here"] if taken.older else []
    told += [f"{taken.reworded:,} of those kept are of other words than stand here"] if taken.reworded else []
    if missing:
        places = ((one.where.rpartition(", ")[2], one.passage_id or one.key) for one in missing[:_NAMED])
        named = "; ".join(f"{line}, {item}" for line, item in places)
        more = " …" if len(missing) > _NAMED else ""
        told.append(f"{len(missing):,} are of what is not here: {named}{more}")
    return told


@dataclass(slots=True)
class _Journal:
    """What was said of some cases: by whom, and when last."""

    said: set[tuple[Triple, str, str, str]] = field(default_factory=set)
    timed: set[tuple[Triple, str, str, str, str]] = field(default_factory=set)
    last: dict[Triple, str] = field(default_factory=dict)

    def add(self, one: RowMapping | dict[str, Any]) -> None:
        triple = (one["case_number"], one["key"], one["reviewer"])
        words = (one["verdict"], one["reason"], one["note"])
        if one["withdraws"] is None:
            # What names no reason repeats what was said with one.
            self.said |= {(triple, *words), (triple, one["verdict"], "", "")}
            self.timed.add((triple, *words, one["at"]))
        self.last[triple] = max(self.last.get(triple, ""), one["at"])


class ReviewTaking(CaseDatabase):
    """Takes verdicts in, and says whether any are to come."""

    def is_waiting(self, case_id: str) -> bool:
        """Whether a queue waits for a verdict on an item of a case."""
        of_case = and_(QUEUE_ITEMS.c.case_number == CASES.c.number, CASES.c.id == case_id)
        waits = select(QUEUE_ITEMS.c.number).where(of_case, QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted)
        return bool(self._read(waits.limit(1)))

    def take_in(
        self,
        given: Sequence[tuple[Draft, Item]],
        *,
        by: str = "",
        queue: str = "",
        owner: Owner = "",
        signed: str = "",
    ) -> Taken:
        """Keep verdicts as a file says that they were given, all of them or none; ``by`` gave those that name
        nobody. ``queue``: they count among its own.

        With ``signed``, the name of whoever brings the file, verdicts of others are kept under their names
        with this one behind: nobody speaks in another's name. Raises SourceError, naming the line, for a
        verdict of nobody or of a day to come; InputError where a case or the queue is not there.
        """
        rows = sorted(
            (_row(one, item, by) | {"queue": queue or None} for one, item in given), key=lambda row: row["at"]
        )
        kept: list[dict[str, Any]] = []
        known = older = 0
        with self._writing() as connection:
            if queue and connection.execute(select(QUEUES.c.id).where(QUEUES.c.id == queue)).first() is None:
                raise no_queue(queue)
            cases = _cases(connection, {row["case_id"] for row in rows}, owner)
            journal = _journal(connection, [case["number"] for case in cases.values()])
            for row in rows:
                case = cases[row["case_id"]]
                names = _names(row["reviewer"], signed)
                found = [row | {"case_number": case["number"], "reviewer": name} for name in names]
                if any(_is_known(journal, one) for one in found):
                    known += 1
                    continue
                one = found[-1]
                if one["at"] < journal.last.get(_triple(one), ""):
                    older += 1
                    continue
                kept.append(_whole(one, case))
                journal.add(kept[-1])
            _put(connection, kept)
        reworded = sum(one["sha256"] != _digest(one["item"]["text"]) for one in kept)
        return Taken(len(kept), known, older, reworded)


def _row(one: Draft, item: Item, by: str) -> dict[str, Any]:
    """What a file says of an item, as the table has it; ``timed``: it says when."""
    reviewer = one.reviewer if one.reviewer.strip() else by
    if not reviewer.strip():
        raise SourceError(f"{one.where}: says not who judged it: name a reviewer (--by)")
    at = in_utc(datetime.fromisoformat(one.at)) if one.at else moment()
    if at > moment(AHEAD):
        raise SourceError(f"{one.where}: at: {one.at} is still to come")
    try:
        said = {
            "reviewer": reviewer_named(reviewer),
            "reason": words_of(one.reason, "reason"),
            "note": words_of(one.note, "note"),
        }
    except InputError as error:
        raise SourceError(f"{one.where}: {error}") from error
    return said | {
        "case_id": item.case_id,
        "key": item.key,
        "kind": item.kind.value,
        "item": plain_item(item),
        "verdict": one.verdict.value,
        "source": one.source.value,
        "at": at,
        "timed": bool(one.at),
        "sha256": one.sha256 or _digest(item.text),
        "fingerprint": one.fingerprint,
        "engine": one.engine,
        # Which criteria they were given by elsewhere says nothing of the criteria here.
        "criteria": 0,
        "seconds": one.seconds,
        "withdraws": None,
        "settles": one.settles,
        "stands": True,
    }


def _names(reviewer: str, signed: str) -> tuple[str, ...]:
    """Under which names a verdict may be here already; the last is that under which it is kept."""
    behind = BROUGHT.format(signed)
    if not signed or reviewer == signed or reviewer.endswith(behind):
        return (reviewer,)
    return (reviewer, f"{reviewer[: LONGEST_NAME - len(behind)]}{behind}")


def names_with(connection: Connection, name: str, new: str) -> dict[str, str]:
    """The names of reviewers in which somebody's is, also as of who brought what others said, each with
    another in its place."""
    found = {name: new}
    for one in connection.execute(select(ASSESSMENTS.c.reviewer).distinct()).scalars():
        head, mark, tail = one.removesuffix(")").rpartition(BROUGHT.partition("{")[0])
        if mark and name in (head, tail):
            found[one] = (new if head == name else head) + BROUGHT.format(new if tail == name else tail)
    return found


def _is_known(journal: _Journal, one: dict[str, Any]) -> bool:
    said = (_triple(one), one["verdict"], one["reason"], one["note"])
    return (*said, one["at"]) in journal.timed if one["timed"] else said in journal.said


def _triple(one: dict[str, Any]) -> Triple:
    return (one["case_number"], one["key"], one["reviewer"])


def _whole(one: dict[str, Any], case: RowMapping) -> dict[str, Any]:
    """A row of the table; what the file does not say of the case is that of the case here."""
    row = {name: value for name, value in one.items() if name not in ("case_id", "timed")}
    return row | {name: one[name] or case[name] for name in ("fingerprint", "engine")}


def _cases(connection: Connection, ids: set[str], owner: Owner) -> dict[str, RowMapping]:
    """Cases of somebody by their ids, held until the end. Raises InputError for one that is not there."""
    found: dict[str, RowMapping] = {}
    for some in _pieces(sorted(ids)):
        own = and_(CASES.c.id.in_(some), CASES.c.matter.in_(matters_of(owner)))
        # In an order that is the same for all, so that no two wait for each other.
        wanted = select(CASES).where(own).order_by(CASES.c.number).with_for_update()
        found |= {row["id"]: row for row in connection.execute(wanted).mappings()}
    if missing := sorted(ids - found.keys()):
        raise UnknownCaseError(missing[0])
    return found


def _journal(connection: Connection, numbers: Sequence[int]) -> _Journal:
    names = ("case_number", "key", "reviewer", "verdict", "reason", "note", "at", "withdraws")
    found = _Journal()
    for some in _pieces(numbers):
        wanted = select(*(ASSESSMENTS.c[name] for name in names)).where(ASSESSMENTS.c.case_number.in_(some))
        for row in connection.execute(wanted).mappings():
            found.add(row)
    return found


def _put(connection: Connection, kept: Sequence[dict[str, Any]]) -> None:
    """Put rows behind all others, in their order; what their reviewers said of the items before stands no
    more."""
    if not kept:
        return
    last = {_triple(row): number for number, row in enumerate(kept)}
    rows = [row | {"stands": last[_triple(row)] == number} for number, row in enumerate(kept)]
    names = ("case_number", "key", "reviewer")
    before = and_(*(ASSESSMENTS.c[name] == bindparam(f"of_{name}") for name in names), ASSESSMENTS.c.stands)
    connection.execute(
        update(ASSESSMENTS).where(before).values(stands=False),
        [{f"of_{name}": row[name] for name in names} for row in rows if row["stands"]],
    )
    connection.execute(insert(ASSESSMENTS), rows)
    said = {(row["case_number"], row["key"]) for row in rows}
    for some in _pieces(sorted({number for number, _ in said})):
        queued = select(QUEUE_ITEMS.c.case_number, QUEUE_ITEMS.c.key).where(
            QUEUE_ITEMS.c.case_number.in_(some)
        )
        for case_number, key in sorted({(one.case_number, one.key) for one in connection.execute(queued)}):
            if (case_number, key) in said:
                recount(connection, case_number, key)


def _pieces(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()

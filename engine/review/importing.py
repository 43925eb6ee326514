"""Import verdicts given elsewhere into a case store: all verdicts of a file or none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, and_, bindparam, insert, select, update

from engine.errors import InputError, SourceError
from engine.evaluation.questions import topic_of
from engine.records.store import Owner
from engine.records.store.chain import in_utc
from engine.records.store.database import CaseDatabase, UnknownCaseError, matters_of
from engine.records.store.opening import ASSESSMENTS, QUEUE_ITEMS, QUEUES
from engine.records.store.tables import CASES
from engine.review.drafts import Draft
from engine.review.model import Item, ItemKind
from engine.review.queues import (
    LONGEST_NAME,
    check_reviewer,
    check_text,
    plain_item,
    recount,
    timestamp,
    unknown_queue_error,
)

# Match the verdicts of a file with the items of cases.

# Key of the only case: then a file need not name it.
_ONLY: Final = ""
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchedVerdicts:
    """``found`` are verdicts with their items; one that names a question applies to each case of this
    question that has the passage. ``missing`` are verdicts without an item here."""

    found: Sequence[tuple[Draft, Item]]
    missing: Sequence[Draft]


def match_verdicts(drafts: Iterable[Draft], items: Iterable[tuple[Item, str]]) -> MatchedVerdicts:
    """Match verdicts with items, each given with the question of its case.

    A verdict that names a case applies to it alone. A question is named by its words, their digest
    (``topic_of``) or the id of a case. Raises SourceError, naming the line, for a verdict that names neither
    if there are several cases.
    """
    by_case = _by_name(items)
    found: list[tuple[Draft, Item]] = []
    missing: list[Draft] = []
    for one in drafts:
        own = _items_of(one, by_case)
        found += ((one, item) for item in own)
        missing += [] if own else [one]
    return MatchedVerdicts(found, missing)


def _by_name(items: Iterable[tuple[Item, str]]) -> dict[str, dict[Name, list[Item]]]:
    """Return items by names of their case, and by their names within it."""
    by_case: dict[str, dict[Name, list[Item]]] = {}
    pairs = list(items)
    is_one = len({item.case_id for item, _ in pairs}) == 1
    for item, question in pairs:
        for case in (item.case_id, topic_of(question), *([_ONLY] if is_one else [])):
            within = by_case.setdefault(case, {})
            for name in dict.fromkeys(_item_names(item)):
                within.setdefault(name, []).append(item)
    return by_case


def _item_names(item: Item) -> Iterable[Name]:
    yield (item.kind, "key", item.key)
    # Items with identical words are judged together.
    yield from ((item.kind, "key", key) for key in item.copies)
    if item.kind is ItemKind.PASSAGE:
        yield (item.kind, item.passage_id)
        yield from ((item.kind, key.removeprefix(f"{item.kind}:")) for key in item.copies)
    if item.kind is ItemKind.HOP:
        yield (item.kind, item.source_id, item.relation, item.passage_id)


def _items_of(one: Draft, by_case: dict[str, dict[Name, list[Item]]]) -> list[Item]:
    named: list[Name] = [(one.kind, "key", one.key)] if one.key else []
    if one.kind is ItemKind.PASSAGE:
        named.append((one.kind, one.passage_id))
    if one.kind is ItemKind.HOP:
        named.append((one.kind, one.source_id, one.relation, one.passage_id))
    for case in _cases_of(one, by_case):
        within = by_case.get(case, {})
        for name in named:
            if name in within:
                return within[name]
    return []


def _cases_of(one: Draft, by_case: dict[str, dict[Name, list[Item]]]) -> list[str]:
    if one.case_id:
        return [one.case_id]
    if one.question_id or one.question:
        return [one.question_id, topic_of(one.question)] if one.question else [one.question_id]
    if by_case and _ONLY not in by_case:
        raise SourceError(f"{one.where}: names neither a case nor a question, and there are several here")
    return [_ONLY]


def find_cases(drafts: Iterable[Draft], cases: Mapping[str, str]) -> list[str]:
    """Return the cases, of those given as ids with questions, that verdicts may belong to."""
    names: set[str] = set()
    for one in drafts:
        own = {one.case_id} if one.case_id else {one.question_id, topic_of(one.question)}
        if not (one.case_id or one.question_id or one.question):
            return list(cases)
        names |= own
    return [case for case, question in cases.items() if case in names or topic_of(question) in names]


# Ignore verdicts dated more than this many seconds ahead (clock skew).
MAX_CLOCK_SKEW: Final = 86_400.0
# Suffix for reviewers of imported verdicts.
IMPORTED_SUFFIX: Final = " (from a file of {})"
# Maximum missing items listed.
_NAMED: Final = 3
# Ids in one query.
_AT_ONCE: Final = 500
Triple = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Counts of an import: verdicts ``kept``; ``known`` before, even if changed or withdrawn since; ``older``
    than the same reviewer's verdict here; and of those kept ``reworded``, on a different text of the item."""

    kept: int = 0
    known: int = 0
    older: int = 0
    reworded: int = 0


def import_summary(taken: ImportResult, missing: Sequence[Draft]) -> list[str]:
    """Return the result of an import as lines; ``missing`` are the verdicts whose items are not here."""
    lines = [f"{taken.kept:,} verdicts kept"]
    lines += [f"{taken.known:,} were here before"] if taken.known else []
    lines += [f"{taken.older:,} are older than the same reviewer's verdict here"] if taken.older else []
    lines += (
        [f"{taken.reworded:,} of those kept are on other words than those here"] if taken.reworded else []
    )
    if missing:
        places = ((one.where.rpartition(", ")[2], one.passage_id or one.key) for one in missing[:_NAMED])
        named = "; ".join(f"{line}, {item}" for line, item in places)
        more = " …" if len(missing) > _NAMED else ""
        lines.append(f"{len(missing):,} are on items that are not here: {named}{more}")
    return lines


@dataclass(slots=True)
class _GivenVerdicts:
    """The assessments of some cases: verdicts, reviewers, and times of the latest."""

    given: set[tuple[Triple, str, str, str]] = field(default_factory=set)
    timed: set[tuple[Triple, str, str, str, str]] = field(default_factory=set)
    last: dict[Triple, str] = field(default_factory=dict)

    def add(self, one: RowMapping | dict[str, Any]) -> None:
        triple = (one["case_number"], one["key"], one["reviewer"])
        words = (one["verdict"], one["reason"], one["note"])
        if one["withdraws"] is None:
            # A verdict without a reason repeats the same one with a reason.
            self.given |= {(triple, *words), (triple, one["verdict"], "", "")}
            self.timed.add((triple, *words, one["at"]))
        self.last[triple] = max(self.last.get(triple, ""), one["at"])


class VerdictImport(CaseDatabase):
    """Imports verdicts, and reports whether a queue waits for any."""

    def is_waiting(self, case_id: str) -> bool:
        """True if a queue waits for a verdict on an item of a case."""
        of_case = and_(QUEUE_ITEMS.c.case_number == CASES.c.number, CASES.c.id == case_id)
        waits = select(QUEUE_ITEMS.c.number).where(of_case, QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted)
        return bool(self._read(waits.limit(1)))

    def import_verdicts(
        self,
        verdicts: Sequence[tuple[Draft, Item]],
        *,
        by: str = "",
        queue: str = "",
        owner: Owner = "",
        signed: str = "",
    ) -> ImportResult:
        """Store verdicts as given in a file, all of them or none.

        ``by`` is the reviewer of verdicts without a name. ``queue``: they count as verdicts of this queue.
        ``signed`` is the name of the person who imports the file: verdicts of others are stored under their
        names with a suffix, to prevent impersonation. Raises SourceError, naming the line, for
        a verdict without a reviewer or with a date in the future, and InputError for an unknown case or
        queue.
        """
        rows = sorted(
            (_row(one, item, by) | {"queue": queue or None} for one, item in verdicts),
            key=lambda row: row["at"],
        )
        added: list[dict[str, Any]] = []
        already_known = older = 0
        with self._writing() as connection:
            if queue and connection.execute(select(QUEUES.c.id).where(QUEUES.c.id == queue)).first() is None:
                raise unknown_queue_error(queue)
            cases = _cases(connection, {row["case_id"] for row in rows}, owner)
            journal = _read_given(connection, [case["number"] for case in cases.values()])
            for row in rows:
                case = cases[row["case_id"]]
                names = _names(row["reviewer"], signed)
                found = [row | {"case_number": case["number"], "reviewer": name} for name in names]
                if any(_is_known(journal, one) for one in found):
                    already_known += 1
                    continue
                one = found[-1]
                if one["at"] < journal.last.get(_triple(one), ""):
                    older += 1
                    continue
                added.append(_full_row(one, case))
                journal.add(added[-1])
            _append(connection, added)
        reworded = sum(one["sha256"] != _digest(one["item"]["text"]) for one in added)
        return ImportResult(len(added), already_known, older, reworded)


def _row(one: Draft, item: Item, by: str) -> dict[str, Any]:
    """Return the table row of a verdict; ``timed``: the file gives its time."""
    reviewer = one.reviewer if one.reviewer.strip() else by
    if not reviewer.strip():
        raise SourceError(f"{one.where}: no reviewer: name one (--by)")
    at = in_utc(datetime.fromisoformat(one.at)) if one.at else timestamp()
    if at > timestamp(MAX_CLOCK_SKEW):
        raise SourceError(f"{one.where}: at: {one.at} is in the future")
    try:
        values = {
            "reviewer": check_reviewer(reviewer),
            "reason": check_text(one.reason, "reason"),
            "note": check_text(one.note, "note"),
        }
    except InputError as error:
        raise SourceError(f"{one.where}: {error}") from error
    return values | {
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
        # The criteria of another store do not relate to the criteria here.
        "criteria": 0,
        "seconds": one.seconds,
        "withdraws": None,
        "settles": one.settles,
        "is_current": True,
    }


def _names(reviewer: str, signed: str) -> tuple[str, ...]:
    """Return the names under which a verdict may be here already; it is stored under the last."""
    suffix = IMPORTED_SUFFIX.format(signed)
    if not signed or reviewer == signed or reviewer.endswith(suffix):
        return (reviewer,)
    return (reviewer, f"{reviewer[: LONGEST_NAME - len(suffix)]}{suffix}")


def names_after_rename(connection: Connection, name: str, new: str) -> dict[str, str]:
    """Map all reviewer names that contain a person's name, also in the suffix of imported verdicts, to the
    names after renaming that person."""
    found = {name: new}
    for one in connection.execute(select(ASSESSMENTS.c.reviewer).distinct()).scalars():
        head, mark, tail = one.removesuffix(")").rpartition(IMPORTED_SUFFIX.partition("{")[0])
        if mark and name in (head, tail):
            found[one] = (new if head == name else head) + IMPORTED_SUFFIX.format(
                new if tail == name else tail
            )
    return found


def _is_known(journal: _GivenVerdicts, one: dict[str, Any]) -> bool:
    given = (_triple(one), one["verdict"], one["reason"], one["note"])
    return (*given, one["at"]) in journal.timed if one["timed"] else given in journal.given


def _triple(one: dict[str, Any]) -> Triple:
    return (one["case_number"], one["key"], one["reviewer"])


def _full_row(one: dict[str, Any], case: RowMapping) -> dict[str, Any]:
    """Return the row for the table; values that the file lacks come from the case."""
    row = {name: value for name, value in one.items() if name not in ("case_id", "timed")}
    return row | {name: one[name] or case[name] for name in ("fingerprint", "engine")}


def _cases(connection: Connection, ids: set[str], owner: Owner) -> dict[str, RowMapping]:
    """Return the owner's cases by id, locked until the end. Raises InputError for an unknown one."""
    found: dict[str, RowMapping] = {}
    for some in _pieces(sorted(ids)):
        own = and_(CASES.c.id.in_(some), CASES.c.matter.in_(matters_of(owner)))
        # The same order for all, so that no two transactions wait for each other.
        query = select(CASES).where(own).order_by(CASES.c.number).with_for_update()
        found |= {row["id"]: row for row in connection.execute(query).mappings()}
    if missing := sorted(ids - found.keys()):
        raise UnknownCaseError(missing[0])
    return found


def _read_given(connection: Connection, numbers: Sequence[int]) -> _GivenVerdicts:
    names = ("case_number", "key", "reviewer", "verdict", "reason", "note", "at", "withdraws")
    found = _GivenVerdicts()
    for some in _pieces(numbers):
        query = select(*(ASSESSMENTS.c[name] for name in names)).where(ASSESSMENTS.c.case_number.in_(some))
        for row in connection.execute(query).mappings():
            found.add(row)
    return found


def _append(connection: Connection, added: Sequence[dict[str, Any]]) -> None:
    """Append rows; earlier verdicts of the same reviewers on these items are superseded."""
    if not added:
        return
    last = {_triple(row): number for number, row in enumerate(added)}
    rows = [row | {"is_current": last[_triple(row)] == number} for number, row in enumerate(added)]
    names = ("case_number", "key", "reviewer")
    before = and_(
        *(ASSESSMENTS.c[name] == bindparam(f"of_{name}") for name in names), ASSESSMENTS.c.is_current
    )
    connection.execute(
        update(ASSESSMENTS).where(before).values(is_current=False),
        [{f"of_{name}": row[name] for name in names} for row in rows if row["is_current"]],
    )
    connection.execute(insert(ASSESSMENTS), rows)
    judged = {(row["case_number"], row["key"]) for row in rows}
    for some in _pieces(sorted({number for number, _ in judged})):
        queued = select(QUEUE_ITEMS.c.case_number, QUEUE_ITEMS.c.key).where(
            QUEUE_ITEMS.c.case_number.in_(some)
        )
        for case_number, key in sorted({(one.case_number, one.key) for one in connection.execute(queued)}):
            if (case_number, key) in judged:
                recount(connection, case_number, key)


def _pieces(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()

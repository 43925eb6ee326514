"""Verdicts of a file, tied to the items of cases that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.errors import SourceError
from engine.evaluation.questions import topic_of
from engine.review.exchange.drafts import Draft
from engine.review.model import Item, ItemKind

# Of one case: then a file need not say which.
_ONLY: Final = ""
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """``found``: verdicts with their items; one that names a question is of each case that asks it and has
    the passage. ``missing`` are those whose items are not here."""

    found: Sequence[tuple[Draft, Item]]
    missing: Sequence[Draft]


def placed(drafts: Iterable[Draft], items: Iterable[tuple[Item, str]]) -> Placed:
    """Tie verdicts to items, each of which comes with the question of its case.

    A verdict that names a case is of that case alone. One that names a question names it by its words, by
    their digest (``topic_of``) or by the id of a case. Raises SourceError, naming the line, for one that
    names neither where there are several cases.
    """
    known = _by_name(items)
    found: list[tuple[Draft, Item]] = []
    missing: list[Draft] = []
    for one in drafts:
        own = _items_of(one, known)
        found += ((one, item) for item in own)
        missing += [] if own else [one]
    return Placed(found, missing)


def _by_name(items: Iterable[tuple[Item, str]]) -> dict[str, dict[Name, list[Item]]]:
    """Items by what names their case, and by what names them within it."""
    known: dict[str, dict[Name, list[Item]]] = {}
    told = list(items)
    is_one = len({item.case_id for item, _ in told}) == 1
    for item, question in told:
        for case in (item.case_id, topic_of(question), *([_ONLY] if is_one else [])):
            within = known.setdefault(case, {})
            for name in dict.fromkeys(_names(item)):
                within.setdefault(name, []).append(item)
    return known


def _names(item: Item) -> Iterable[Name]:
    yield (item.kind, "key", item.key)
    # What has the same words is judged with it.
    yield from ((item.kind, "key", key) for key in item.copies)
    if item.kind is ItemKind.PASSAGE:
        yield (item.kind, item.passage_id)
        yield from ((item.kind, key.removeprefix(f"{item.kind}:")) for key in item.copies)
    if item.kind is ItemKind.HOP:
        yield (item.kind, item.source_id, item.relation, item.passage_id)


def _items_of(one: Draft, known: dict[str, dict[Name, list[Item]]]) -> list[Item]:
    named: list[Name] = [(one.kind, "key", one.key)] if one.key else []
    if one.kind is ItemKind.PASSAGE:
        named.append((one.kind, one.passage_id))
    if one.kind is ItemKind.HOP:
        named.append((one.kind, one.source_id, one.relation, one.passage_id))
    for case in _cases_of(one, known):
        within = known.get(case, {})
        for name in named:
            if name in within:
                return within[name]
    return []


def _cases_of(one: Draft, known: dict[str, dict[Name, list[Item]]]) -> list[str]:
    if one.case_id:
        return [one.case_id]
    if one.question_id or one.question:
        return [one.question_id, topic_of(one.question)] if one.question else [one.question_id]
    if known and _ONLY not in known:
        raise SourceError(f"{one.where}: names neither a case nor a question, and there are several here")
    return [_ONLY]


def cases_named(drafts: Iterable[Draft], cases: Mapping[str, str]) -> list[str]:
    """Of cases, given by their ids with their questions, those that verdicts may be of."""
    names: set[str] = set()
    for one in drafts:
        own = {one.case_id} if one.case_id else {one.question_id, topic_of(one.question)}
        if not (one.case_id or one.question_id or one.question):
            return list(cases)
        names |= own
    return [case for case, question in cases.items() if case in names or topic_of(question) in names]

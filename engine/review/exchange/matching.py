"""Match the verdicts of a file with the items of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.errors import SourceError
from engine.evaluation.questions import topic_of
from engine.review.exchange.drafts import Draft
from engine.review.model import Item, ItemKind

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
            for name in dict.fromkeys(_names(item)):
                within.setdefault(name, []).append(item)
    return by_case


def _names(item: Item) -> Iterable[Name]:
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

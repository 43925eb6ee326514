"""What there is to check in a corpus: a model's proposals, a sample of the grammar's, and old verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from engine.corpus.extracted.proposal import Proposal, located
from engine.corpus.extracted.readings import load_readings, proposals
from engine.corpus.extracted.validations import Origin, Validation, judged, load_validations
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError
from engine.extraction.precision import sort_of
from engine.extraction.stated import stated
from engine.model import Relation, Span

# What a model is this sure of tells least about whether it is right.
DOUBT = 0.5


class Order(StrEnum):
    """Which of them a person sees first."""

    RANDOM = "random"
    UNCERTAIN = "uncertain"
    DOCUMENT = "document"


class State(StrEnum):
    """Where an item stands."""

    OPEN = "open"
    JUDGED = "judged"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Item:
    """A proposal to check. ``row`` is its passage's, ``span`` its words there; -1, None where they are gone.

    ``document`` is the number of its document, -1 where that is gone.
    """

    proposal: Proposal
    origin: Origin
    row: int
    document: int
    span: Span | None
    validation: Validation | None = None

    @property
    def state(self) -> State:
        """Stale: the passage no longer says these words, so that the proposal is not used."""
        if self.span is None:
            return State.STALE
        return State.OPEN if self.validation is None else State.JUDGED


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items are wanted; None or empty for any. ``low`` and ``high`` bound the confidence."""

    origin: str = ""
    sort: str = ""
    document: int | None = None
    low: float = 0.0
    high: float = 1.0
    state: str = ""

    def takes(self, item: Item) -> bool:
        """Whether an item is wanted."""
        return (
            (not self.origin or item.origin == self.origin)
            and (not self.sort or sort_of(item.proposal) == self.sort)
            and (self.document is None or item.document == self.document)
            and self.low <= item.proposal.confidence <= self.high
            and (not self.state or item.state == self.state)
        )


class Checklist:
    """All items of a corpus by key, in the order of the corpus."""

    def __init__(self, items: Iterable[Item]) -> None:
        """``items`` in the order of the corpus."""
        self.items: Mapping[str, Item] = {item.proposal.key: item for item in items}

    @cached_property
    def defining(self) -> Mapping[tuple[int, str], Proposal]:
        """What defines a concept, by its document's number and its name; the first that nobody rejected."""
        found: dict[tuple[int, str], Proposal] = {}
        for item in self.items.values():
            held = item.proposal if item.validation is None else item.validation.holds
            if held is not None and held.concept and held.relation is Relation.DEFINES and item.span:
                found.setdefault((item.document, held.name), held)
        return found

    def chosen(self, wanted: Filter, order: Order) -> list[Item]:
        """The items that a filter takes, in an order."""
        return sorted(filter(wanted.takes, self.items.values()), key=_ORDERS[order])

    def with_verdicts(self, verdicts: Mapping[str, Validation]) -> Checklist:
        """The same items with other verdicts."""
        return Checklist(
            item
            if item.validation is None and key not in verdicts
            else replace(item, validation=verdicts.get(key))
            for key, item in self.items.items()
        )


def checklist(corpus: Corpus) -> Checklist:
    """What there is to check in a corpus as it stands. Raises CorpusError where a file cannot be read."""
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for verdicts")
    verdicts = judged(load_validations(corpus.journals))
    found: dict[str, tuple[Proposal, Origin]] = {}
    for one in verdicts.values():
        found[one.proposal.key] = (one.proposal, one.origin)
    for proposal in stated(corpus):
        found[proposal.key] = (proposal, "grammar")
    # What a model and a grammar both say is the grammar's, which said it first and for nothing.
    for key, proposal in proposals(load_readings(corpus.journals)).items():
        found.setdefault(key, (proposal, "model"))
    return Checklist(_items(corpus, list(found.values()), verdicts))


def _items(
    corpus: Corpus, found: Sequence[tuple[Proposal, Origin]], verdicts: Mapping[str, Validation]
) -> list[Item]:
    rows = corpus.rows([proposal.source_id for proposal, _ in found])
    there = np.unique(rows[rows >= 0]).astype(np.int32)
    texts = {int(row): passage.text for row, passage in zip(there, corpus.passages(there), strict=True)}
    documents = dict(zip(there.tolist(), corpus.document_numbers(there).tolist(), strict=True))
    targets = corpus.rows([proposal.target_id or "" for proposal, _ in found]).tolist()
    items = []
    for (proposal, origin), row, target in zip(found, rows.tolist(), targets, strict=True):
        span = None if row < 0 else located(proposal, texts[row])
        # A model's target is a passage: where that is gone the proposal leads nowhere.
        gone = origin == "model" and proposal.target_id is not None and target < 0
        span = None if gone else span
        document = documents.get(row, -1)
        items.append(Item(proposal, origin, row, document, span, verdicts.get(proposal.key)))
    return sorted(items, key=_ORDERS[Order.DOCUMENT])


def _start(item: Item) -> int:
    return item.span.start if item.span is not None else -1


def _shuffled(item: Item) -> str:
    """A place in a random order that stays the same whatever else is in the list."""
    return hashlib.sha256(f"order {item.proposal.key}".encode()).hexdigest()


_ORDERS: Mapping[Order, Callable[[Item], tuple[float | str, ...]]] = {
    Order.RANDOM: lambda item: (_shuffled(item),),
    Order.UNCERTAIN: lambda item: (abs(item.proposal.confidence - DOUBT), _shuffled(item)),
    Order.DOCUMENT: lambda item: (item.row < 0, item.row, _start(item), item.proposal.key),
}

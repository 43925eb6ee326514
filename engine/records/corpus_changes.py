"""What differs between two states of a corpus: passages, their words and their dates, and links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.model import Direction, Relation

# So many passages are read at once.
BATCH = 2_000


class Link(NamedTuple):
    """Which passage says it, what it leads to, and as what."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """Ids of passages that are in the first alone (``gone``), in the second alone (``new``), in both with
    other words or with other dates or another status; links between passages of either."""

    gone: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    reworded: frozenset[str] = frozenset()
    redated: frozenset[str] = frozenset()
    links_gone: frozenset[Link] = frozenset()
    links_new: frozenset[Link] = frozenset()

    def __bool__(self) -> bool:
        passages = self.gone or self.new or self.reworded or self.redated
        return bool(passages or self.links_gone or self.links_new)


@dataclass(slots=True)
class _State:
    words: dict[str, str] = field(default_factory=dict)
    dates: dict[str, tuple[object, ...]] = field(default_factory=dict)


def changes_between(first: Corpus, second: Corpus) -> CorpusChanges:
    """Read both from beginning to end and compare; passages are the same where their ids are."""
    old, new = _state(first), _state(second)
    both = old.words.keys() & new.words.keys()
    before, after = set(links_of(first)), set(links_of(second))
    return CorpusChanges(
        gone=frozenset(old.words.keys() - both),
        new=frozenset(new.words.keys() - both),
        reworded=frozenset(one for one in both if old.words[one] != new.words[one]),
        redated=frozenset(one for one in both if old.dates[one] != new.dates[one]),
        links_gone=frozenset(before - after),
        links_new=frozenset(after - before),
    )


def links_of(corpus: Corpus, rows: Rows | None = None) -> Iterator[Link]:
    """The links that passages make, of all passages or of some."""
    relations = tuple(Relation)
    for some in _batches(np.arange(len(corpus), dtype=np.int32) if rows is None else rows):
        found = corpus.neighbours(some, None, Direction.OUT)
        sources, targets = corpus.ids(some[found.origins]), corpus.ids(found.rows)
        for source, target, relation in zip(sources, targets, found.relations.tolist(), strict=True):
            yield Link(source, target, relations[relation])


def _state(corpus: Corpus) -> _State:
    state, documents = _State(), corpus.documents()
    for some in _batches(np.arange(len(corpus), dtype=np.int32)):
        numbers = corpus.document_numbers(some).tolist()
        for passage, number in zip(corpus.passages(some), numbers, strict=True):
            document = documents[number]
            state.words[passage.id] = passage.text
            state.dates[passage.id] = (
                passage.valid_from or document.valid_from,
                passage.valid_to or document.valid_to,
                passage.status or document.status,
            )
    return state


def _batches(rows: Rows) -> Iterator[Rows]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]

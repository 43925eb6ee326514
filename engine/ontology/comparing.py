"""How much of one ontology another one has: areas matched by the passages that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.protocol import Area, Corpus
from engine.language.analyzer import analyzer
from engine.ontology.covering import Index


@dataclass(frozen=True, slots=True)
class Matched:
    """An area and the one of the other ontology that it is matched with. ``jaccard`` is the share of the
    passages of either that both cover, ``keywords`` the share of its keywords the other has (by stems)."""

    area: str
    other: str | None
    jaccard: float
    keywords: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """``nmi`` is the normalised mutual information (arithmetic mean, Strehl and Ghosh 2002) between the areas
    that passages belong to most, over the ``shared`` passages that both ontologies cover; ``covered`` are the
    shares of the corpus that each covers."""

    matched: tuple[Matched, ...]
    nmi: float
    shared: int
    covered: tuple[float, float]

    @property
    def jaccard(self) -> float:
        """Mean over the areas, 0 for one that has no match."""
        return float(np.mean([one.jaccard for one in self.matched])) if self.matched else 0.0


def compare(corpus: Corpus, reference: Sequence[Area], proposed: Sequence[Area]) -> Comparison:
    """Match each area of a reference with at most one proposed area, best together (Kuhn 1955)."""
    index = Index(corpus)
    left, right = ([index.counts(area) for area in areas] for areas in (reference, proposed))
    table = np.zeros((len(reference), len(proposed)))
    for row, own in enumerate(left):
        for column, other in enumerate(right):
            either = int(((own > 0) | (other > 0)).sum())
            table[row, column] = int(((own > 0) & (other > 0)).sum()) / either if either else 0.0
    rows, columns = scipy.optimize.linear_sum_assignment(-table)
    partner = {int(row): int(column) for row, column in zip(rows, columns, strict=True)}
    matched = tuple(
        Matched(
            area.id,
            proposed[partner[row]].id,
            float(table[row, partner[row]]),
            _recall(area, proposed[partner[row]]),
        )
        if row in partner
        else Matched(area.id, None, 0.0, 0.0)
        for row, area in enumerate(reference)
    )
    owners = [_most(counts, len(corpus)) for counts in (left, right)]
    both = (owners[0] >= 0) & (owners[1] >= 0)
    covered = (float((owners[0] >= 0).mean()), float((owners[1] >= 0).mean()))
    return Comparison(matched, mutual_information(owners[0][both], owners[1][both]), int(both.sum()), covered)


def mutual_information(left: NDArray[np.int32], right: NDArray[np.int32]) -> float:
    """Normalised mutual information of two divisions of the same things, 0..1."""
    if not len(left):
        return 0.0
    table = np.zeros((int(left.max()) + 1, int(right.max()) + 1))
    np.add.at(table, (left, right), 1.0)
    joint = table / table.sum()
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    mutual = float((joint[seen] * np.log(joint[seen] / expected[seen])).sum())
    mean = (_entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0))) / 2
    return mutual / mean if mean > 0 else 1.0


def _entropy(shares: NDArray[np.float64]) -> float:
    seen = shares[shares > 0]
    return float(-(seen * np.log(seen)).sum())


def _most(counts: Sequence[NDArray[np.int32]], passages: int) -> NDArray[np.int32]:
    """The area whose keywords each passage holds most of, the first of equals; -1 where it holds none."""
    if not counts:
        return np.full(passages, -1, np.int32)
    table = np.stack(counts)
    return np.where(table.max(axis=0) > 0, table.argmax(axis=0), -1).astype(np.int32)


def _recall(area: Area, other: Area) -> float:
    own = {(language, _stems(language, word)) for language, words in area.keywords.items() for word in words}
    theirs = {
        (language, _stems(language, word)) for language, words in other.keywords.items() for word in words
    }
    return len(own & theirs) / len(own) if own else 0.0


def _stems(language: str, keyword: str) -> frozenset[str]:
    return frozenset(analyzer(language).terms(keyword))

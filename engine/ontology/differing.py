"""What a proposal would change of the ontology that stands: each change can be taken or left on its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus, Ontology
from engine.ontology.covering import Index
from engine.ontology.proposal import Proposal, ProposedArea

# Two areas are the same where so many of the passages that either covers are covered by both.
SAME = 0.3


@dataclass(frozen=True, slots=True)
class AreaChange:
    """A proposed area. ``stands`` is the area that it would add keywords to, None where it would be new;
    ``keywords`` are those to be added, by language."""

    proposed: ProposedArea
    stands: str | None
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes; ``known`` are ids of proposed areas that say nothing new. ``areas_for`` maps each proposed
    area to the one that stands for it once the change is taken."""

    areas: tuple[AreaChange, ...]
    known: tuple[str, ...]
    areas_for: Mapping[str, str]


def difference(corpus: Corpus, standing: Ontology | None, proposal: Proposal) -> Difference:
    """Proposed areas beside those that stand, matched by the passages that they cover."""
    index = Index(corpus)
    stands = () if standing is None else standing.areas
    masks = {area.id: index.counts(area) > 0 for area in stands}
    keywords = {area.id: area.keywords for area in stands}
    changes, known = [], []
    areas_for: dict[str, str] = {}
    for proposed in proposal.areas:
        own = index.counts(proposed.area) > 0
        shares = {name: _jaccard(own, mask) for name, mask in masks.items()}
        best = max(shares, key=lambda name: shares[name], default=None)
        if best is None or shares[best] < SAME:
            changes.append(AreaChange(proposed, None, proposed.area.keywords))
            areas_for[proposed.area.id] = _free_id(proposed.area.id, set(masks))
            continue
        areas_for[proposed.area.id] = best
        new = _new(proposed.area.keywords, keywords[best])
        if new:
            changes.append(AreaChange(proposed, best, new))
        else:
            known.append(proposed.area.id)
    return Difference(tuple(changes), tuple(known), areas_for)


def _new(
    proposed: Mapping[str, tuple[str, ...]], stands: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    found = {}
    for language, words in proposed.items():
        old = {word.casefold() for word in stands.get(language, ())}
        new = tuple(word for word in words if word.casefold() not in old)
        if new:
            found[language] = new
    return found


def _free_id(name: str, taken_ids: set[str]) -> str:
    found, count = name, 2
    while found in taken_ids:
        found, count = f"{name}-{count}", count + 1
    return found


def _jaccard(left: np.ndarray[Any, np.dtype[np.bool_]], right: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    either = int((left | right).sum())
    return int((left & right).sum()) / either if either else 0.0

"""Types of transactions that a corpus speaks of: an application, a licence, a contract in its headings.

A type needs the areas that the provisions under its headings speak of, and those of the provisions they cite.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.corpus.protocol import Area, Corpus, Rows
from engine.language.analysis import analyzer
from engine.languages import law
from engine.model import Direction
from engine.ontology.covering import Index
from engine.ontology.drafting import languages_of, slug
from engine.ontology.material import Material, Unit, says_something

MOST_TRANSACTIONS = 8
MOST_AREAS = 4
LONGEST = 6
# An area is needed where so much of what stands below the headings, or is cited there, is in it.
SHARE = 0.3
# What is cited counts less than what stands there.
CITED = 0.5


@dataclass(frozen=True, slots=True)
class ProposedTransaction:
    """A type of transaction: the heading that names it, the areas it needs, a passage below the heading."""

    id: str
    heading: str
    areas: tuple[str, ...]
    passage_id: str
    passages: int


def find_transactions(
    corpus: Corpus, material: Material, areas: Sequence[Area], index: Index
) -> tuple[ProposedTransaction, ...]:
    """The types with the most passages below their headings and references to these, the largest first."""
    if not areas:
        return ()
    language = languages_of(material)[0]
    named: defaultdict[frozenset[str], list[tuple[str, Unit]]] = defaultdict(list)
    for unit in material.units:
        for title in unit.titles.get(language, ())[:1]:
            terms = frozenset(analyzer(language).terms(title))
            if (
                terms & _cues(language)
                and says_something(title, language)
                and 2 <= len(title.split()) <= LONGEST
            ):
                named[terms].append((title, unit))
    strengths = np.stack([np.minimum(index.counts(area), 3) for area in areas])
    cited = corpus.citation_counts()
    taken: set[str] = set()
    found = []
    for members in named.values():
        rows = np.asarray(sorted({row for _, unit in members for row in unit.rows}), np.int32)
        needed = _needed(corpus, rows, strengths)
        if needed:
            weight = len(rows) + int(cited[rows].sum())
            found.append((weight, min(title for title, _ in members), rows, needed))
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        ProposedTransaction(
            slug(title, taken),
            title,
            tuple(areas[number].id for number in needed),
            corpus.passages(_first(rows, index, language))[0].id,
            len(rows),
        )
        for _, title, rows, needed in found[:MOST_TRANSACTIONS]
    )


def _needed(corpus: Corpus, rows: Rows, strengths: Rows) -> list[int]:
    links = corpus.neighbours(rows, None, Direction.OUT)
    reached = np.setdiff1d(np.unique(links.rows), rows)
    share = (strengths[:, rows] > 0).mean(axis=1)
    if len(reached):
        share = share + CITED * (strengths[:, reached] > 0).mean(axis=1)
    order = sorted(range(len(share)), key=lambda number: (-share[number], number))
    return [number for number in order if share[number] >= SHARE][:MOST_AREAS]


def _first(rows: Rows, index: Index, language: str) -> Rows:
    """The first of some rows that is in a language, else the first."""
    own = rows[index.of_language(language)[rows]]
    return (own if len(own) else rows)[:1]


@cache
def _cues(language: str) -> frozenset[str]:
    listed = law(language).transactions
    return frozenset(term for word in listed for term in analyzer(language).terms(word))

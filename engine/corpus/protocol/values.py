"""Results of corpus methods, and the ontology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.rules.expressions import Fact, Rule
from engine.model import (
    TargetKind,
)

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a retriever for a query, best first. ``rows`` and ``scores``: shape (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Links:
    """Edges from a batch of rows; all arrays have shape (n,).

    ``origins`` index the requested rows, ``rows`` are the passages reached, ``relations`` index
    ``tuple(Relation)``, ``weights`` are in 0..1. ``evidence`` identifies the cause of the link: for
    references the row of the reference table, for entities the entity's number, -1 for none.
    """

    origins: Rows
    rows: Rows
    relations: NDArray[np.int8]
    weights: Scores
    evidence: Rows


@dataclass(frozen=True, slots=True)
class Quoted:
    """References of a batch of rows; both arrays have shape (n,).

    ``origins`` index the requested rows, ``numbers`` are rows of the reference table.
    """

    origins: Rows
    numbers: Rows


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions of entities in a corpus.

    ``rows``, ``entities`` and ``defines`` have shape (pairs,): passage ``rows[i]`` mentions entity
    ``entities[i]`` and defines it if ``defines[i]``; ``rarity`` of shape (entities,) is log(n / df) / log(n),
    0..1.
    """

    rows: Rows
    entities: Rows
    defines: Mask
    rarity: Scores


@dataclass(frozen=True, slots=True)
class Cited:
    """A provision with the number of its citations.

    ``row`` is its first passage. ``references`` counts the references to it and to its parts, ``passages``
    the distinct passages that contain them.
    """

    kind: TargetKind
    target_id: str
    row: int
    references: int
    passages: int


@dataclass(frozen=True, slots=True)
class Area:
    """A legal area of an ontology. ``keywords`` by language code."""

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]
    required: bool = False
    minimum_passages: int = 2
    minimum_similarity: float = 0.3


@dataclass(frozen=True, slots=True)
class Wording:
    """Names and keywords of a type of transaction, by language code."""

    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Concept:
    """A legal concept: its names, its parent, and the law it refers to.

    ``definition`` is text by language, ``defined_in`` cites the defining provision; ``articles`` are ids of
    the corpus or citations. ``required_checks`` describe what must be checked in a case about it.
    ``importance`` is 1 to 5.
    """

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent: str | None = None
    area: str | None = None
    definition: Mapping[str, str] = field(default_factory=dict)
    defined_in: str = ""
    articles: tuple[str, ...] = ()
    required_checks: tuple[str, ...] = ()
    importance: int = 3


@dataclass(frozen=True, slots=True)
class Ontology:
    """Areas, transaction types with their required areas (type id -> area ids), rules over facts, and
    concepts.

    ``least`` are minimum numbers of passages in an area for a type (type id -> area id -> number) that differ
    from the area's own.
    """

    areas: tuple[Area, ...]
    transactions: Mapping[str, tuple[str, ...]]
    facts: tuple[Fact, ...] = ()
    rules: tuple[Rule, ...] = ()
    wording: Mapping[str, Wording] = field(default_factory=dict)
    concepts: tuple[Concept, ...] = ()
    least: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def needed(self, area: Area, transaction: str | None) -> int:
        """Return the minimum number of passages of an area, for a type of transaction if given."""
        return self.least.get(transaction or "", {}).get(area.id, area.minimum_passages)


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """The counts shown by ``info``.

    ``languages``: number of passages by language, most frequent first, ties in alphabetical order.
    ``embedding`` and ``sparse`` are specs of models, or "none".
    """

    name: str
    documents: int
    passages: int
    references_by_relation: Mapping[str, int]
    references_by_status: Mapping[str, int]
    entities: int
    languages: Mapping[str, int]
    embedding: str
    metadata: Mapping[str, Any]
    sparse: str = "none"

"""What the questions to a corpus are answered with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.rules.ruleset import Fact, Rule
from engine.model import (
    TargetKind,
)

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer of one retriever to one query, best first. ``rows`` and ``scores``: shape (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Links:
    """Edges found from a batch of rows; all arrays have shape (n,).

    ``origins`` index into the rows that were asked, ``rows`` are the passages reached,
    ``relations`` index into ``tuple(Relation)``, ``weights`` are in 0..1. ``evidence`` says what
    made the link: for references the row of the corpus's reference table, for entities the entity's
    number, -1 where there is none.
    """

    origins: Rows
    rows: Rows
    relations: NDArray[np.int8]
    weights: Scores
    evidence: Rows


@dataclass(frozen=True, slots=True)
class Quoted:
    """References found for a batch of rows; both arrays have shape (n,).

    ``origins`` index into the rows that were asked, ``numbers`` are rows of the reference table.
    """

    origins: Rows
    numbers: Rows


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who mentions what, over a whole corpus. ``rows``, ``entities`` and ``defines`` have shape (pairs,):
    passage ``rows[i]`` mentions, and perhaps defines, entity ``entities[i]``; ``rarity`` of shape (entities,)
    is log(n / df) / log(n), 0..1."""

    rows: Rows
    entities: Rows
    defines: Mask
    rarity: Scores


@dataclass(frozen=True, slots=True)
class Cited:
    """A provision and how often it is cited.

    ``row`` is its first passage. ``references`` counts the references to it and to its parts,
    ``passages`` the distinct passages that make them.
    """

    kind: TargetKind
    target_id: str
    row: int
    references: int
    passages: int


@dataclass(frozen=True, slots=True)
class Area:
    """A legal area of a corpus's ontology. ``keywords`` by language code."""

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]
    required: bool = False
    minimum_passages: int = 2
    minimum_similarity: float = 0.3


@dataclass(frozen=True, slots=True)
class Wording:
    """How people call a type of transaction; by language code."""

    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Concept:
    """A legal concept: what it is called, under which wider one it stands, and which law it names.

    ``definition`` are words by language, ``defined_in`` cites the provision that defines it; ``articles`` are
    ids of the corpus or citations in words. ``required_checks`` say in words what has to be checked of a case
    that it is about. ``importance`` goes from 1 to 5.
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
    """Areas, the transaction types that require some of them (type id -> area ids), rules over facts, the
    words of the types that have some, and concepts. ``least`` are the passages that a type needs of an area
    (type id -> area id -> number), where that is not the area's own number."""

    areas: tuple[Area, ...]
    transactions: Mapping[str, tuple[str, ...]]
    facts: tuple[Fact, ...] = ()
    rules: tuple[Rule, ...] = ()
    wording: Mapping[str, Wording] = field(default_factory=dict)
    concepts: tuple[Concept, ...] = ()
    least: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def needed(self, area: Area, transaction: str | None) -> int:
        """The least number of passages of an area, for a type of transaction where there is one."""
        return self.least.get(transaction or "", {}).get(area.id, area.minimum_passages)


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """The counts that ``info`` prints. ``languages``: the passages of each, the most frequent first, those
    with as many by the alphabet. ``embedding`` and ``sparse`` are specs of models, or "none"."""

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

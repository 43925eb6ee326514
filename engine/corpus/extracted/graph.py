"""Extracted relations as edges between passages, in arrays built on demand.

A proposal between two passages is an edge. A use of a concept is linked to its definition in the same
document; without one, passages that mention a concept are linked to each other. Rejected proposals are no
edges, corrected ones count as corrected, and proposals whose words are no longer in their passage are
ignored.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.embedded.arrays import ranges
from engine.corpus.embedded.publication import EXTRACTED_NAME, VALIDATIONS_NAME
from engine.corpus.extracted.readings import (
    Judgement,
    Proposal,
    Validation,
    current_verdicts,
    load_readings,
    load_validations,
    locate,
    proposals,
)
from engine.corpus.journal import Journals, journals_at
from engine.corpus.protocol import Corpus, Links, Rows
from engine.model import Direction, Relation

# Most definitions followed of a concept in a document, by confidence.
MOST_DEFINING = 3
# An undefined concept links its passages, unless there are more than this.
MOST_MENTIONING = 6
MENTIONED_TOGETHER = 0.5
_NUMBERS = {relation: number for number, relation in enumerate(Relation)}
_Edge = tuple[int, int, int, float, int]


@dataclass(frozen=True, slots=True)
class ActiveProposal:
    """A proposal in force, with the verdict on its original, if any."""

    proposal: Proposal
    validation: Validation | None = None

    @property
    def strength(self) -> float:
        """How far it is trusted, 0 to 1: the user's verdict, else the confidence."""
        return self.proposal.confidence if self.validation is None else 1.0

    @property
    def origin_words(self) -> str:
        """Origin and review of the proposal, in words."""
        original = self.proposal if self.validation is None else self.validation.proposal
        if self.validation is not None and self.validation.origin == "grammar":
            return "read in the text, corrected by a user"
        verdict = {None: "not reviewed", Judgement.CORRECTED: "corrected by a user"}.get(
            None if self.validation is None else self.validation.judgement, "accepted"
        )
        return f"read by a model, confidence {original.confidence:.2f}, {verdict}"


class ExtractedGraph:
    """Edges over the rows of a corpus, in both directions. ``standing`` are their proposals, by number."""

    def __init__(self, standing: Sequence[ActiveProposal], edges: Sequence[_Edge]) -> None:
        self.standing = tuple(standing)
        table = np.array(edges, np.float64).reshape(len(edges), 5)
        self._near: dict[Direction, Rows] = {}
        self._edges: dict[Direction, Links] = {}
        for direction, (here, there) in ((Direction.OUT, (0, 1)), (Direction.IN, (1, 0))):
            own = table[np.lexsort((np.arange(len(table)), table[:, there], table[:, here]))]
            self._near[direction] = own[:, here].astype(np.int32)
            self._edges[direction] = Links(
                np.arange(len(own), dtype=np.int32),
                own[:, there].astype(np.int32),
                own[:, 2].astype(np.int8),
                own[:, 3].astype(np.float32),
                own[:, 4].astype(np.int32),
            )

    def __len__(self) -> int:
        return len(self._near[Direction.OUT])

    def neighbours(self, rows: Rows, direction: Direction) -> Links:
        """Return the edges of a batch of rows, in their order; ``evidence`` numbers ``standing``."""
        near, edges = self._near[direction], self._edges[direction]
        asked = np.asarray(rows, np.int32)
        origins, places = ranges(np.searchsorted(near, asked, "left"), np.searchsorted(near, asked, "right"))
        return Links(
            origins.astype(np.int32),
            edges.rows[places],
            edges.relations[places],
            edges.weights[places],
            edges.evidence[places],
        )


NOTHING = ExtractedGraph((), ())
_Stamp = tuple[tuple[int, ...], ...]
_KNOWN: WeakKeyDictionary[Corpus, tuple[_Stamp, ExtractedGraph]] = WeakKeyDictionary()
_BUILDING = threading.Lock()


def extracted_graph(corpus: Corpus) -> ExtractedGraph:
    """Return the graph of a corpus, built again after changes of its journals.

    Without readings and corrections it is empty and costs nothing. Raises CorpusError for an unreadable
    journal.
    """
    journals = corpus.journals
    stamp = () if journals is None else stamp_of(journals)
    if journals is None or not any(stamp):
        return NOTHING
    with _BUILDING:
        known = _KNOWN.get(corpus)
        if known is None or known[0] != stamp:
            known = _KNOWN[corpus] = (stamp, _made(corpus, journals))
        return known[1]


def stamp_of(place: Path | Journals) -> _Stamp:
    """Return a value that changes with each new reading or verdict; zeros without any."""
    journals = journals_at(place)
    return journals.stamp(EXTRACTED_NAME), journals.stamp(VALIDATIONS_NAME)


def active_proposals(
    found: Mapping[str, Proposal], verdicts: Mapping[str, Validation]
) -> Iterator[ActiveProposal]:
    """Return the proposals in force: a model's unless rejected, and users' corrections.

    Readings of a grammar that a user accepted are in the corpus's own graph already.
    """
    for key, proposal in found.items():
        if key not in verdicts:
            yield ActiveProposal(proposal)
    for validation in verdicts.values():
        held = validation.holds
        if held is not None and (validation.origin == "model" or validation.correction is not None):
            yield ActiveProposal(held, validation)


def _made(corpus: Corpus, journals: Journals) -> ExtractedGraph:
    verdicts = current_verdicts(load_validations(journals))
    standing, rows = _placed(corpus, list(active_proposals(proposals(load_readings(journals)), verdicts)))
    if not standing:
        return NOTHING
    targets = corpus.rows([one.proposal.target_id or "" for one in standing]).tolist()
    edges: list[_Edge] = [
        (row, target, _NUMBERS[one.proposal.relation], one.strength, number)
        for number, (one, row, target) in enumerate(zip(standing, rows, targets, strict=True))
        if target >= 0
    ]
    documents = corpus.document_numbers(np.array(rows, np.int32)).tolist()
    concepts: dict[tuple[int, str], list[int]] = {}
    for number, one in enumerate(standing):
        if one.proposal.concept:
            concepts.setdefault((documents[number], one.proposal.name), []).append(number)
    for numbers in concepts.values():
        edges += _by_concept(standing, rows, numbers)
    return ExtractedGraph(standing, [edge for edge in edges if edge[0] != edge[1]])


def _placed(corpus: Corpus, standing: Sequence[ActiveProposal]) -> tuple[list[ActiveProposal], list[int]]:
    """Return the proposals whose words are still in their passage, with its row."""
    rows = corpus.rows([one.proposal.source_id for one in standing])
    wanted = np.unique(rows[rows >= 0]).astype(np.int32)
    texts = {int(row): passage.text for row, passage in zip(wanted, corpus.passages(wanted), strict=True)}
    kept = [
        (one, row)
        for one, row in zip(standing, rows.tolist(), strict=True)
        if row >= 0 and locate(one.proposal, texts[row]) is not None
    ]
    return [one for one, _ in kept], [row for _, row in kept]


def _by_concept(
    standing: Sequence[ActiveProposal], rows: Sequence[int], numbers: Sequence[int]
) -> list[_Edge]:
    """Return the edges of a concept in a document."""
    is_definition = [standing[number].proposal.relation is Relation.DEFINES for number in numbers]
    defining = [number for number, defines in zip(numbers, is_definition, strict=True) if defines]
    using = [number for number, defines in zip(numbers, is_definition, strict=True) if not defines]
    defining = sorted(defining, key=lambda number: -standing[number].strength)[:MOST_DEFINING]
    if defining:
        return [
            (rows[user], rows[definer], _NUMBERS[Relation.DEFINES],
             standing[user].strength * standing[definer].strength, user)
            for user in using
            for definer in defining
        ]  # fmt: skip
    if len({rows[number] for number in using}) > MOST_MENTIONING:
        return []
    return [
        (rows[one], rows[other], _NUMBERS[Relation.MENTIONS],
         MENTIONED_TOGETHER * standing[one].strength * standing[other].strength, one)
        for place, one in enumerate(using)
        for other in using[place + 1 :]
    ]  # fmt: skip

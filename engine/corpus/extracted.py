"""Readings of language models and verdicts on them, and their relations as edges between passages.

They are stored next to a corpus's data, not in them.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from engine.corpus.embedded.arrays import ranges
from engine.corpus.embedded.publication import EXTRACTED_NAME, VALIDATIONS_NAME
from engine.corpus.journal import Journals, add_line, journals_at, load_lines
from engine.corpus.protocol import Corpus, Links, Rows
from engine.model import Direction, Relation, Span

# A proposal is a statement about a text for a user to check. It leads from the passage with the words to
# another passage ("makes an exception to") or to a concept ("defines", "mentions"). Concepts belong to their
# document.

# Possible relations between two passages, and between a passage and a concept.
LINK_RELATIONS = (
    Relation.DEFINES,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
)
CONCEPT_RELATIONS = (Relation.DEFINES, Relation.MENTIONS, Relation.APPLIES_TO)


class Proposal(BaseModel):
    """A relation stated in a text, with the words that state it.

    ``quote`` is verbatim from the passage ``source_id``, the ``occurrence``-th (from 0) there. ``target_id``
    is a passage, for a grammar also a section or document; ``concept`` is a name as written in the text. One
    of the two is given. ``said_by`` names the model or the grammar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str = Field(min_length=1)
    quote: str = Field(min_length=1)
    occurrence: int = Field(default=0, ge=0)
    relation: Relation
    target_id: str | None = None
    concept: str = ""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    said_by: str = ""

    @model_validator(mode="after")
    def _one_target(self) -> Proposal:
        if (self.target_id is None) == (not self.concept):
            raise ValueError("a proposal leads either to a passage or to a concept")
        return self

    @cached_property
    def key(self) -> str:
        """A key that is equal for the same statement, whatever its origin and confidence."""
        parts = (self.source_id, self.quote, self.occurrence, self.relation.value, self.target_id, self.name)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    @property
    def name(self) -> str:
        """The concept in normalised form: folded case, single blanks."""
        return concept_key(self.concept)


def concept_key(name: str) -> str:
    """Return the normalised form of a concept's name."""
    return " ".join(name.casefold().split())


def locate(proposal: Proposal, text: str) -> Span | None:
    """Return the span of the quote in its passage's text; None if the text no longer contains it."""
    place = -1
    for _ in range(proposal.occurrence + 1):
        place = text.find(proposal.quote, place + 1)
        if place < 0:
            return None
    return Span(place, place + len(proposal.quote))


def occurrence_at(text: str, quote: str, start: int) -> int:
    """Return the occurrence, from 0, of some words that begins at an offset in a text."""
    count, place = 0, text.find(quote)
    while 0 <= place < start:
        count, place = count + 1, text.find(quote, place + 1)
    return count


# The journal ``extracted.jsonl``: windows of text that a model has read, with its proposals. A line is added
# after each window, so that a killed process loses only the windows in flight. After the last window of a
# document a line lists them all: proposals from former readings no longer count.


class WindowRead(BaseModel):
    """A window read by a model. ``key`` depends on its content, the model and the version of the prompt.

    ``refused`` counts rejected answers by reason; ``calls``, ``tokens`` and ``money`` are the costs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["window"] = "window"
    key: str = Field(min_length=1)
    document: str
    model: str
    proposals: tuple[Proposal, ...] = ()
    refused: dict[str, int] = {}
    calls: int = 0
    tokens: int = 0
    money: float | None = 0.0
    when: str = ""


class DocumentRead(BaseModel):
    """A document read completely by a model; ``windows`` are the keys of its windows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["document"] = "document"
    document: str
    model: str
    windows: tuple[str, ...]
    when: str = ""


Reading = WindowRead | DocumentRead
_LINE: TypeAdapter[Reading] = TypeAdapter(Annotated[Reading, Field(discriminator="kind")])


def load_readings(place: Path | str | Journals) -> list[Reading]:
    """Return all lines in order. Raises as ``load_lines``."""
    return load_lines(place, EXTRACTED_NAME, _LINE.validate_json, "a reading")


def add_reading(folder: Path | str, reading: Reading) -> None:
    """Append a reading with the current time. Raises as ``add_line``."""
    add_line(folder, EXTRACTED_NAME, reading)


def windows_read(readings: Iterable[Reading]) -> Mapping[str, WindowRead]:
    """Return the last reading of each window, by key."""
    return {reading.key: reading for reading in readings if isinstance(reading, WindowRead)}


def proposals(readings: Iterable[Reading]) -> dict[str, Proposal]:
    """Return the proposals of all readings, by key; among equal ones that with the highest confidence.

    For a document read completely, only the windows of that reading and later ones count.
    """
    current: dict[str, dict[str, WindowRead]] = {}
    for reading in readings:
        own = current.setdefault(reading.document, {})
        if isinstance(reading, WindowRead):
            own[reading.key] = reading
        else:
            kept = {key: own[key] for key in reading.windows if key in own}
            current[reading.document] = kept
    found: dict[str, Proposal] = {}
    for windows in current.values():
        for window in windows.values():
            for proposal in window.proposals:
                known = found.get(proposal.key)
                if known is None or proposal.confidence > known.confidence:
                    found[proposal.key] = proposal
    return found


# The journal ``validations.jsonl``: users' verdicts on proposals. A line contains the complete proposal, so
# that it remains meaningful after changes of text, model or grammar. The journal is append-only; the last
# line on a proposal counts.

Origin = Literal["model", "grammar"]
LONGEST_NOTE, LONGEST_NAME = 2_000, 200


class Judgement(StrEnum):
    """A user's verdict on a proposal."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


class Validation(BaseModel):
    """A verdict. ``correction`` is the corrected proposal, for ``CORRECTED`` only.

    ``withdrawn`` withdraws the previous verdict. ``when`` is ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    proposal: Proposal
    origin: Origin
    judgement: Judgement
    correction: Proposal | None = None
    note: str = Field(default="", max_length=LONGEST_NOTE)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    withdrawn: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Validation:
        if (self.judgement is Judgement.CORRECTED) != (self.correction is not None):
            raise ValueError("a corrected proposal is required for a correction, and only then")
        return self

    @property
    def holds(self) -> Proposal | None:
        """Return the valid proposal by this verdict; None for none."""
        if self.judgement is Judgement.REJECTED:
            return None
        return self.correction or self.proposal


def load_validations(place: Path | str | Journals) -> list[Validation]:
    """Return all verdicts in order. Raises as ``load_lines``."""
    return load_lines(place, VALIDATIONS_NAME, Validation.model_validate_json, "a verdict")


def current_verdicts(validations: Iterable[Validation]) -> dict[str, Validation]:
    """Return the verdict in force on each proposal, by key."""
    last = {validation.proposal.key: validation for validation in validations}
    return {key: validation for key, validation in last.items() if not validation.withdrawn}


def add_validation(place: Path | str | Journals, validation: Validation) -> Validation:
    """Append a verdict with the current time. Raises as ``add_line``."""
    return add_line(place, VALIDATIONS_NAME, validation)


# Extracted relations as edges between passages, in arrays built on demand.
#
# A proposal between two passages is an edge. A use of a concept is linked to its definition in
# the same document; without one, passages that mention a concept are linked to each other.
# Rejected proposals are no edges, corrected ones count as corrected, and proposals whose words
# are no longer in their passage are ignored.

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

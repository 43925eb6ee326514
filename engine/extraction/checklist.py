"""Proposals to check: a model's, a sample of the stated relations, and their precision by verdicts."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import numpy as np

from engine.corpus.extracted import (
    Judgement,
    Origin,
    Proposal,
    Validation,
    current_verdicts,
    load_readings,
    load_validations,
    locate,
    occurrence_at,
    proposals,
)
from engine.corpus.protocol import Corpus, Rows
from engine.errors import CorpusError
from engine.investigation.definitions import defined_terms
from engine.model import Passage, Relation, Span, Status

# Stated relations need no model: a random sample of each relation gives an unbiased estimate of how often the
# grammars are right.
CHECKED_RELATIONS = (
    Relation.DEFINES,
    Relation.INTERPRETS,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.WITHOUT_PREJUDICE_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
    Relation.AMENDS,
)
SAMPLE = 60
TERMS = "definitions"


def sample_stated(corpus: Corpus, *, sample: int = SAMPLE, seed: int = 0) -> list[Proposal]:
    """Draw a sample of the references of each relation, and of defined terms."""
    found: list[Proposal] = []
    for relation in CHECKED_RELATIONS:
        numbers = corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[relation])
        found += _references(corpus, _draw(numbers, sample, seed))
    return found + list(_terms(corpus, sample, seed))


def stated_counts(corpus: Corpus) -> dict[str, int]:
    """Count the references of each relation from which ``sample_stated`` draws."""
    counts = {
        relation.value: len(corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[relation]))
        for relation in CHECKED_RELATIONS
    }
    return {name: count for name, count in counts.items() if count}


def _references(corpus: Corpus, numbers: list[int]) -> list[Proposal]:
    references = corpus.references(numbers)
    passages = corpus.passages(corpus.rows([one.source_id for one in references])) if references else []
    found = []
    for reference, passage in zip(references, passages, strict=True):
        if not reference.text.strip() or reference.target_id is None:
            continue
        found.append(
            Proposal(
                source_id=passage.id,
                quote=reference.text,
                occurrence=occurrence_at(passage.text, reference.text, reference.span.start),
                relation=reference.relation,
                target_id=reference.target_id,
                confidence=reference.confidence,
                said_by=reference.grammar,
            )
        )
    return found


def _terms(corpus: Corpus, sample: int, seed: int) -> Iterator[Proposal]:
    """Yield terms with the passages that define them; the term is the quote."""
    terms = defined_terms(corpus)
    order = np.random.default_rng(seed).permutation(len(terms)).tolist()
    drawn = order[: 2 * sample]
    rows = np.array([terms.stated_in(number)[0] for number in drawn], np.int32)
    found = [
        proposal
        for number, passage in zip(drawn, corpus.passages(rows), strict=True)
        if (proposal := _term(terms.names[number], passage)) is not None
    ]
    yield from found[:sample]


def _term(name: str, passage: Passage) -> Proposal | None:
    """Return a term as its definition writes it; None if it writes it differently."""
    span = _find_term(name, passage.text)
    if span is None:
        return None
    words = passage.text[span[0] : span[1]]
    return Proposal(
        source_id=passage.id,
        quote=words,
        occurrence=occurrence_at(passage.text, words, span[0]),
        relation=Relation.DEFINES,
        concept=" ".join(words.split()),
        said_by=TERMS,
    )


def _find_term(name: str, text: str) -> tuple[int, int] | None:
    """Find a term in a text: in quotation marks or at the beginning of a line first, else anywhere."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    found = re.search(rf"(?:^|[\"“„«‘'])\s*({words})", text, re.IGNORECASE | re.MULTILINE)
    found = found or re.search(f"({words})", text, re.IGNORECASE)
    return None if found is None else found.span(1)


def _draw(numbers: Rows, sample: int, seed: int) -> list[int]:
    """Draw a sample of some numbers, in their order; the same seed gives the same sample."""
    indexes = np.sort(np.random.default_rng(seed).permutation(len(numbers))[:sample])
    chosen: list[int] = numbers[indexes].tolist()
    return chosen


# Normal deviate of a two-sided 95% interval.
Z = 1.959963984540054
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Precision:
    """Verdicts on one sort of proposals. Only unchanged ones count as right."""

    accepted: int = 0
    corrected: int = 0
    rejected: int = 0

    @property
    def judged(self) -> int:
        """Total number of verdicts."""
        return self.accepted + self.corrected + self.rejected

    @property
    def share(self) -> float | None:
        """Share of accepted ones, 0..1; None if none was judged."""
        return self.accepted / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% interval of the share; None if none was judged."""
        return wilson(self.accepted, self.judged) if self.judged else None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Proposals with a confidence in ``[low, high)``: their mean confidence and precision."""

    low: float
    high: float
    confidence: float
    precision: Precision


def wilson(right: float, count: float, z: float = Z) -> tuple[float, float]:
    """Return the score interval of a share, ``right`` of ``count`` (Wilson 1927, J. Am. Stat. Assoc. 22).

    Unlike the usual interval it is valid for few observations and for shares near 0 and 1. For weighted
    observations both are effective numbers. Raises ValueError if ``count`` is not positive or less than
    ``right``.
    """
    if not 0 <= right <= count or count == 0:
        raise ValueError(f"not a share: {right} of {count}")
    share, square = right / count, z * z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = z * math.sqrt(share * (1 - share) / count + square / (4 * count * count)) / (1 + square / count)
    # At 0 and 1 the interval includes the end exactly; arithmetic misses it by a rounding error.
    low = 0.0 if right == 0 else max(0.0, middle - reach)
    return low, 1.0 if right == count else min(1.0, middle + reach)


def sort_of(proposal: Proposal) -> str:
    """Return the sort of a proposal: its relation, separately for concepts."""
    return f"concept {proposal.relation.value}" if proposal.concept else proposal.relation.value


def precision(validations: Iterable[Validation]) -> Precision:
    """Count verdicts."""
    counts = dict.fromkeys(Judgement, 0)
    for one in validations:
        counts[one.judgement] += 1
    return Precision(counts[Judgement.ACCEPTED], counts[Judgement.CORRECTED], counts[Judgement.REJECTED])


def by_sort(validations: Iterable[Validation]) -> Mapping[tuple[Origin, str], Precision]:
    """Return the precision of each origin and sort, as proposed; most verdicts first."""
    groups: dict[tuple[Origin, str], list[Validation]] = {}
    for one in validations:
        groups.setdefault((one.origin, sort_of(one.proposal)), []).append(one)
    order = sorted(groups, key=lambda key: (key[0], -len(groups[key]), key[1]))
    return {key: precision(groups[key]) for key in order}


def calibration(validations: Iterable[Validation], edges: Sequence[float] = BINS) -> list[Calibrated]:
    """Return the calibration of a model's confidence: mean confidence and precision of each non-empty bin."""
    own = [one for one in validations if one.origin == "model"]
    found = []
    for low, high in pairwise(edges):
        last = high == edges[-1]
        members = [
            one
            for one in own
            if low <= one.proposal.confidence < high or (last and one.proposal.confidence == high)
        ]
        if members:
            confidence = sum(one.proposal.confidence for one in members) / len(members)
            found.append(Calibrated(low, high, confidence, precision(members)))
    return found


# Proposals with this confidence are the most uncertain.
DOUBT = 0.5


class Order(StrEnum):
    """Order of the items."""

    RANDOM = "random"
    UNCERTAIN = "uncertain"
    DOCUMENT = "document"


class State(StrEnum):
    """State of an item."""

    OPEN = "open"
    JUDGED = "judged"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Item:
    """A proposal to check. ``row`` is its passage's, ``span`` its words there; -1 and None if they no longer
    exist.

    ``document`` is the number of its document, -1 if that no longer exists.
    """

    proposal: Proposal
    origin: Origin
    row: int
    document: int
    span: Span | None
    validation: Validation | None = None

    @property
    def state(self) -> State:
        """Stale: the passage no longer has these words, so the proposal is not used."""
        if self.span is None:
            return State.STALE
        return State.OPEN if self.validation is None else State.JUDGED


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on items; None or empty for any. ``low`` and ``high`` bound the confidence."""

    origin: str = ""
    sort: str = ""
    document: int | None = None
    low: float = 0.0
    high: float = 1.0
    state: str = ""

    def takes(self, item: Item) -> bool:
        """True if an item meets the conditions."""
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
        """``items`` must be in the order of the corpus."""
        self.items: Mapping[str, Item] = {item.proposal.key: item for item in items}

    @cached_property
    def defining(self) -> Mapping[tuple[int, str], Proposal]:
        """Definitions by document number and concept name; the first one not rejected."""
        found: dict[tuple[int, str], Proposal] = {}
        for item in self.items.values():
            proposal = item.proposal if item.validation is None else item.validation.holds
            if (
                proposal is not None
                and proposal.concept
                and proposal.relation is Relation.DEFINES
                and item.span
            ):
                found.setdefault((item.document, proposal.name), proposal)
        return found

    def chosen(self, conditions: Filter, order: Order) -> list[Item]:
        """Return the items that meet a filter, in an order."""
        return sorted(filter(conditions.takes, self.items.values()), key=_ORDERS[order])

    def with_verdicts(self, verdicts: Mapping[str, Validation]) -> Checklist:
        """Return the same items with other verdicts."""
        return Checklist(
            item
            if item.validation is None and key not in verdicts
            else replace(item, validation=verdicts.get(key))
            for key, item in self.items.items()
        )


def checklist(corpus: Corpus) -> Checklist:
    """Collect the proposals of a corpus to check. Raises CorpusError if a file cannot be read."""
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} cannot store verdicts: it has no journals")
    verdicts = current_verdicts(load_validations(corpus.journals))
    found: dict[str, tuple[Proposal, Origin]] = {}
    for one in verdicts.values():
        found[one.proposal.key] = (one.proposal, one.origin)
    for proposal in sample_stated(corpus):
        found[proposal.key] = (proposal, "grammar")
    # A proposal of both a model and a grammar counts as the grammar's.
    for key, proposal in proposals(load_readings(corpus.journals)).items():
        found.setdefault(key, (proposal, "model"))
    return Checklist(_items(corpus, list(found.values()), verdicts))


def _items(
    corpus: Corpus, found: Sequence[tuple[Proposal, Origin]], verdicts: Mapping[str, Validation]
) -> list[Item]:
    rows = corpus.rows([proposal.source_id for proposal, _ in found])
    present = np.unique(rows[rows >= 0]).astype(np.int32)
    texts = {int(row): passage.text for row, passage in zip(present, corpus.passages(present), strict=True)}
    documents = dict(zip(present.tolist(), corpus.document_numbers(present).tolist(), strict=True))
    targets = corpus.rows([proposal.target_id or "" for proposal, _ in found]).tolist()
    items = []
    for (proposal, origin), row, target in zip(found, rows.tolist(), targets, strict=True):
        span = None if row < 0 else locate(proposal, texts[row])
        # A model's target is a passage: without it the proposal is stale.
        is_missing = origin == "model" and proposal.target_id is not None and target < 0
        span = None if is_missing else span
        document = documents.get(row, -1)
        items.append(Item(proposal, origin, row, document, span, verdicts.get(proposal.key)))
    return sorted(items, key=_ORDERS[Order.DOCUMENT])


def _start(item: Item) -> int:
    return item.span.start if item.span is not None else -1


def _shuffled(item: Item) -> str:
    """Return a sort key for a random order that does not depend on other items."""
    return hashlib.sha256(f"order {item.proposal.key}".encode()).hexdigest()


_ORDERS: Mapping[Order, Callable[[Item], tuple[float | str, ...]]] = {
    Order.RANDOM: lambda item: (_shuffled(item),),
    Order.UNCERTAIN: lambda item: (abs(item.proposal.confidence - DOUBT), _shuffled(item)),
    Order.DOCUMENT: lambda item: (item.row < 0, item.row, _start(item), item.proposal.key),
}

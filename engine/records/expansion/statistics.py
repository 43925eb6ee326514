"""Statistics of an expansion, and the names of its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.investigation.trails import FROM_QUESTION, RELATIONS
from engine.model import Document, Passage, StrategyCount
from engine.records.expansion.tree import ExpansionTree
from engine.records.phrases import short_citation
from engine.records.record import CaseRecord

# Names and documents of the passages of a tree.


@dataclass(frozen=True, slots=True)
class Named:
    """A passage in words: its short citation, its document's id and title, its language."""

    citation: str
    document: str
    title: str
    language: str


Names = Callable[[Sequence[str]], Mapping[str, Named]]


def named(passage: Passage, document: Document) -> Named:
    """Return the names of a passage of a corpus."""
    return Named(
        short_citation(passage, document), document.id, document.title or document.id, passage.language
    )


def names_of_corpus(corpus: Corpus) -> Names:
    """Return a lookup of the names of a corpus's passages; unknown ids are left out."""
    return lambda ids: {name: named(*found) for name, found in find_passages(corpus, ids).items()}


def names_of_record(record: CaseRecord) -> Names:
    """Return a lookup of the names that a record contains: those of its ranking."""
    known = {
        one.id: Named(one.name, one.document, one.title or one.document, one.language)
        for one in record.passages
    }
    return lambda ids: {one: known[one] for one in ids if one in known}


def first_known(*names: Names) -> Names:
    """Return a lookup that takes each name from the first lookup that has it."""

    def found(ids: Sequence[str]) -> Mapping[str, Named]:
        known: dict[str, Named] = {}
        for one in names:
            known |= one([passage_id for passage_id in ids if passage_id not in known])
        return known

    return found


def cited(names: Mapping[str, Named]) -> Callable[[str], str]:
    """Return a function from id to citation; unknown ids stay as they are."""
    return lambda passage_id: names[passage_id].citation if passage_id in names else passage_id


# Statistics of a pool.

LARGEST = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of passages or hops by strategy, round, relation, and document and language of the passage
    reached.

    Each adds up to the total; the key is empty if unknown.
    """

    thread: Mapping[str, int]
    round: Mapping[int, int]
    relation: Mapping[str, int]
    document: Mapping[str, int]
    language: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RoundYield:
    """A round, 0 for the scan: leads proposed, passages admitted, leads refused by reason.

    ``share``: admitted of proposed, None without proposals. ``ended``: milliseconds from the start of the
    scan to the end of the round.
    """

    round: int
    proposed: int
    admitted: int
    refused: Mapping[str, int]
    share: float | None
    ended: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a pool.

    ``roots`` hang on the question or one of its ``queries``, ``leaves`` have no children. ``connections`` is
    the mean number of hops at a passage, ``hops_in`` and ``hops_out`` of those that end and start there.
    ``longest`` is the longest trail in passages. ``threads_by_round`` contains the passages of each round by
    strategy, ``largest`` the passages with the most descendants. Counts are in descending order, rounds in
    ascending.
    """

    passages: int
    hops: int
    queries: int
    roots: int
    leaves: int
    connections: float
    hops_in: float
    hops_out: float
    longest: tuple[str, ...]
    largest: Mapping[str, int]
    passages_by: Counts
    hops_by: Counts
    threads_by_round: Mapping[int, Mapping[str, int]]
    yields: tuple[RoundYield, ...]


def statistics(tree: ExpansionTree, known: Mapping[str, Named]) -> Statistics:
    """Return the statistics of a tree; ``known`` are the names of its passages."""
    facts, there = tree.facts, tree.facts.steps.columns
    count, hops = len(facts.ids), len(there.targets)
    passages = [node for node in tree.nodes.values() if node.query is None]
    from_passages = int((there.sources != FROM_QUESTION).sum())
    last = max(passages, key=lambda node: node.hops, default=None)
    largest = sorted(passages, key=lambda node: -node.descendants)[:LARGEST]
    return Statistics(
        passages=count,
        hops=hops,
        queries=len(tree.nodes) - count,
        roots=sum(node.hops == 1 for node in passages),
        leaves=sum(not node.children for node in passages),
        connections=(hops + from_passages) / count if count else 0.0,
        hops_in=hops / count if count else 0.0,
        hops_out=from_passages / count if count else 0.0,
        longest=() if last is None else _passages(tree, last.id),
        largest={node.id: node.descendants for node in largest if node.descendants},
        passages_by=Counts(
            _counted(facts.strategies),
            _rising(facts.rounds),
            _counted(tree.relation(one) or "" for one in facts.ids),
            *_places(facts.ids, known),
        ),
        hops_by=_hops_by(tree, known),
        threads_by_round=_threads(facts.rounds, facts.strategies),
        yields=_yields(tree),
    )


def _passages(tree: ExpansionTree, passage_id: str) -> tuple[str, ...]:
    """Return the passages on the trail to a passage, which comes last."""
    return tuple(one for one in tree.path(passage_id) if tree.nodes[one].query is None)


def _hops_by(tree: ExpansionTree, names: Mapping[str, Named]) -> Counts:
    facts, there = tree.facts, tree.facts.steps.columns
    reached = np.bincount(there.targets, minlength=len(facts.ids)).tolist()
    documents: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for passage_id, count in zip(facts.ids, reached, strict=True):
        own = names.get(passage_id)
        documents[own.document if own else ""] += count
        languages[own.language if own else ""] += count
    return Counts(
        _counted(facts.steps.strategies[code] for code in there.strategies.tolist()),
        _rising(there.rounds.tolist()),
        _counted(RELATIONS[code].value for code in there.relations.tolist()),
        _falling(documents),
        _falling(languages),
    )


def _places(ids: Sequence[str], names: Mapping[str, Named]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    owns = [names.get(passage_id) for passage_id in ids]
    return (
        _counted(own.document if own else "" for own in owns),
        _counted(own.language if own else "" for own in owns),
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return _falling(Counter(values))


def _falling(counts: Mapping[str, int]) -> dict[str, int]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: count for name, count in ordered if count}


def _rising(values: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(values).items()))


def _threads(rounds: Sequence[int], strategies: Sequence[str]) -> dict[int, dict[str, int]]:
    found: dict[int, list[str]] = {}
    for number, strategy in zip(rounds, strategies, strict=True):
        found.setdefault(number, []).append(strategy)
    return {number: _counted(found[number]) for number in sorted(found)}


def _yields(tree: ExpansionTree) -> tuple[RoundYield, ...]:
    reports = tree.facts.reports
    ends = accumulate(report.milliseconds for report in reports)
    return tuple(
        RoundYield(
            report.number,
            sum(one.proposed for one in report.strategies),
            report.admitted,
            _falling(_refused(report.strategies)),
            report.efficiency,
            ended,
        )
        for report, ended in zip(reports, ends, strict=True)
    )


def _refused(counts: Iterable[StrategyCount]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in counts:
        found.update({str(reason): number for reason, number in one.refused.items()})
    return found

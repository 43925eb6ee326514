"""The figures of a pool: what it holds, by what it was found, how it hangs together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from engine.investigation.trails import FROM_QUESTION, RELATIONS
from engine.model import StrategyCount
from engine.records.expansion.naming import Named
from engine.records.expansion.tree import ExpansionTree

LARGEST = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """Passages or hops by what they have: the thread and the round, the relation, the document and the
    language of the passage that is reached. Each adds up to all of them; the key is empty where it is not
    known."""

    thread: Mapping[str, int]
    round: Mapping[int, int]
    relation: Mapping[str, int]
    document: Mapping[str, int]
    language: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RoundYield:
    """A round, 0 is the scan: leads proposed, passages admitted, leads refused by reason; ``share``: admitted
    of proposed, None where nothing was. ``ended``: milliseconds from the beginning of the scan to its end; no
    passage has a time of its own, all of a round are there by then."""

    round: int
    proposed: int
    admitted: int
    refused: Mapping[str, int]
    share: float | None
    ended: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a pool. ``roots`` hang on the question or on one of its ``queries``, ``leaves`` led to
    nothing. ``connections`` is the mean number of hops that start or end at a passage, ``hops_in`` and
    ``hops_out`` of those that end and that start there. ``longest`` is the longest trail, in passages.
    ``threads_by_round`` has the passages of each round by thread, ``largest`` the passages on which most
    others hang, with how many. Counts are in falling order, rounds in rising."""

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
    """The figures of a tree; ``known`` says of which documents its passages are."""
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
    """The passages on the trail to one, itself at the end."""
    return tuple(one for one in tree.path(passage_id) if tree.nodes[one].query is None)


def _hops_by(tree: ExpansionTree, known: Mapping[str, Named]) -> Counts:
    facts, there = tree.facts, tree.facts.steps.columns
    reached = np.bincount(there.targets, minlength=len(facts.ids)).tolist()
    documents: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for passage_id, count in zip(facts.ids, reached, strict=True):
        own = known.get(passage_id)
        documents[own.document if own else ""] += count
        languages[own.language if own else ""] += count
    return Counts(
        _counted(facts.steps.strategies[code] for code in there.strategies.tolist()),
        _rising(there.rounds.tolist()),
        _counted(RELATIONS[code].value for code in there.relations.tolist()),
        _falling(documents),
        _falling(languages),
    )


def _places(ids: Sequence[str], known: Mapping[str, Named]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    owns = [known.get(passage_id) for passage_id in ids]
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

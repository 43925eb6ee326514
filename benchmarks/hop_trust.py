"""What verdicts on hops would teach the expansion: trust of strategies and relations, and with it budgets.

    python -m benchmarks.hop_trust DATA_DIR CORPORA_DIR [--sets A,B] [--most N] [--preset P] [--pool N]
        [--hops N] [--noise P] [--each]

A hop is right where it leads to a gold passage of its question, or is a gold edge of it. An approval rate of
each strategy and relation is estimated by a hierarchical beta-binomial model: relations are drawn towards
their strategy, strategies towards all hops, as strongly as ``PRIOR`` verdicts; a question counts for
``OF_QUESTION`` verdicts on a strategy and relation at most. Its ratio to the rate of all hops scales the
trust of the strategy (its budget, and the link part of its leads' scores) and of the relation (the link
part); all budgets together stay what they are. Each half of the questions is asked with what the other half
taught, and compared with the shipped trust, in three ways:

- ``shown``: of each question ``--hops`` hops on the trails that are shown, drawn at random, are judged,
  wrongly as often as ``--noise`` says: what reviewers could do.
- ``every``: every hop of every pool is judged without mistakes: more than any reviewers will ever say.
- ``brought``: only the hops that brought a passage that the scan had not, all of them, without mistakes: what
  budgets are spent on.

``--each`` then changes the trust of one strategy after the other, on all questions: how much there is to be
learned at all.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.gold_sets import gold_set, ingested
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus, Scores
from engine.evaluation import Question
from engine.evaluation.choosing import chosen
from engine.evaluation.metrics import complete_at, recall_at
from engine.evaluation.significance import paired
from engine.investigation import turn
from engine.investigation.case import Case
from engine.investigation.events import Event
from engine.investigation.gate import by_trust
from engine.investigation.strategies.base import Context, Seeds, Strategy
from engine.investigation.strategies.registry import strategy
from engine.investigation.trails import RELATIONS, Leads
from engine.settings import InvestigationSettings, preset

PRIOR, OF_QUESTION = 20.0, 3.0
# Nothing is trusted less, or more, than so many times what is shipped.
LEAST, MOST = 0.25, 4.0
SETS = "obliqa_xref,obliqa_mp,musique_dev200"
# A strategy and a relation; a strategy alone has an empty relation.
Cell = tuple[str, str]
Factors = Mapping[Cell, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A hop: its strategy and relation, and whether it is right."""

    cell: Cell
    right: bool


@dataclass(frozen=True, slots=True)
class Told:
    """What one question gave: the passages in the order of admission and in that of the ranking, by source
    ids; how many were admitted; its hops; processor seconds."""

    pool: tuple[str, ...]
    final: tuple[str, ...]
    admitted: int
    shown: tuple[Judged, ...]
    every: tuple[Judged, ...]
    brought: tuple[Judged, ...]
    seconds: float


class Trust(float):
    """How far a strategy is trusted; ``relations`` scale the strengths of its links, shape (relations,)."""

    relations: Scores


class Trusted:
    """A strategy with another trust."""

    def __init__(self, shipped: Strategy, factors: Factors) -> None:
        self._shipped = shipped
        own = factors.get((shipped.name, ""), 1.0)
        self.trust = Trust(shipped.trust * own)
        told = [factors.get((shipped.name, one.value), own) / own for one in RELATIONS]
        self.trust.relations = np.array(told, np.float32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shipped, name)


def lead_scores(leads: Leads, context: Context, trust: float) -> Scores:
    """As the engine's, with the trust of relations; no link counts for more than 1."""
    if isinstance(trust, Trust) and len(leads):
        own = np.minimum(leads.strengths * trust.relations[leads.relations], 1.0 / max(trust, 1e-6))
        leads = replace(leads, strengths=own.astype(np.float32))
    return SHIPPED_SCORES(leads, context, float(trust))


SHIPPED_SCORES = turn.lead_scores


class TrustingCase(Case):
    """A case whose strategies are trusted as ``factors`` say."""

    factors: Factors

    def run(self) -> Iterator[Event]:
        """Each time anew: what is kept of the same case was found with the shipped trust."""
        self._spending.begin(spent=0.0)
        return self._run()

    def _round(self, number: int, seeds: Seeds, strategies: Sequence[Any], **more: Any) -> Iterator[Event]:
        trusted: list[Any] = [Trusted(one, self.factors) for one in strategies]
        return super()._round(number, seeds, by_trust(trusted), **more)


def ask(
    corpus: Corpus,
    settings: InvestigationSettings,
    question: Question,
    edges: frozenset[frozenset[str]],
    factors: Factors,
) -> Told:
    """One question, with these factors. ``edges`` are its gold edges."""
    started = time.process_time()
    case = TrustingCase(corpus, question.text, settings, weights="")
    case.factors = factors
    for _ in case.run():
        continue
    seconds = time.process_time() - started
    assert case.order is not None
    entries = case.pool.entries()
    names = {one.id: one.source_id or one.id for one in corpus.passages(case.pool.rows())}

    def judged(source: str, target: str, name: str, relation: str) -> Judged:
        is_edge = frozenset((names[source], names[target])) in edges
        return Judged((name, relation), is_edge or names[target] in question.gold)

    shown = {
        (hop.source_id, hop.target_id, hop.strategy, hop.relation.value)
        for passage in case.ranking
        for trail in passage.trails
        for hop in trail
        if hop.source_id is not None
    }
    every = {
        (source, target, name, relation.value)
        for name in case.pool.statistics().hops_by_strategy
        for source, target, relation, _ in case.pool.links([name])
    }
    firsts = [case.pool.first_hop(one.passage_id) for one in entries if one.round > 0]
    return Told(
        tuple(dict.fromkeys(names[one.passage_id] for one in entries)),
        tuple(dict.fromkeys(one.source_id or one.id for one in corpus.passages(case.order.rows))),
        len(entries),
        tuple(judged(*one) for one in sorted(shown)),
        tuple(judged(*one) for one in sorted(every)),
        tuple(
            Judged((hop.strategy, hop.relation.value), names[hop.target_id] in question.gold)
            for hop in firsts
        ),
        seconds,
    )


def learned(verdicts: Sequence[Sequence[Judged]], shipped: Mapping[str, float]) -> dict[Cell, float]:
    """The factors of strategies and relations by verdicts on the hops of questions; nothing where none is
    right. ``shipped`` is the trust of each strategy that is used."""
    right: dict[Cell, float] = defaultdict(float)
    count: dict[Cell, float] = defaultdict(float)
    for said in verdicts:
        every, good = Counter(one.cell for one in said), Counter(one.cell for one in said if one.right)
        for cell, number in every.items():
            share = min(1.0, OF_QUESTION / number)
            for own in (cell, (cell[0], ""), ("", "")):
                right[own] += share * good[cell]
                count[own] += share * number
    if not right["", ""]:
        return {}
    rate = right["", ""] / count["", ""]

    def shrunk(cell: Cell, towards: float) -> float:
        return (right[cell] + PRIOR * towards) / (count[cell] + PRIOR)

    rates = {(name, ""): shrunk((name, ""), rate) for name in shipped}
    rates |= {cell: shrunk(cell, rates[cell[0], ""]) for cell in count if cell[1] and cell[0] in shipped}
    found = {cell: float(np.clip(own / rate, LEAST, MOST)) for cell, own in rates.items()}
    return balanced(found, shipped)


def balanced(factors: Factors, shipped: Mapping[str, float]) -> dict[Cell, float]:
    """Factors by which all budgets together stay what they are."""
    spent = sum(trust * factors.get((name, ""), 1.0) for name, trust in shipped.items())
    return {cell: factor * sum(shipped.values()) / spent for cell, factor in factors.items()}


def said(told: Told, hops: int, noise: float, rng: np.random.Generator) -> list[Judged]:
    """What reviewers say of so many shown hops of a question, drawn at random."""
    places = rng.permutation(len(told.shown))[:hops].tolist()
    wrong = (rng.random(len(places)) < noise).tolist()
    drawn = [told.shown[place] for place in places]
    return [replace(one, right=one.right != error) for one, error in zip(drawn, wrong, strict=True)]


def figures(question: Question, told: Told, size: int) -> dict[str, float]:
    """Figures of one question; ``size``: so many passages of the pool."""
    gold = question.gold
    return {
        "pool recall": recall_at(told.pool, gold, len(told.pool)),
        "at equal size": recall_at(told.pool, gold, size),
        "recall@10": recall_at(told.final, gold, 10),
        "complete@10": complete_at(told.final, gold, 10),
        "admitted": float(told.admitted),
        "seconds": told.seconds,
    }


def compared(questions: Sequence[Question], before: Sequence[Told], then: Sequence[Told]) -> Iterator[str]:
    """A line for each figure: before, then, the difference with its interval, and p."""
    sizes = [min(len(one.pool), len(other.pool)) for one, other in zip(before, then, strict=True)]
    old, new = (
        [figures(*row) for row in zip(questions, some, sizes, strict=True)] for some in (before, then)
    )
    for name in old[0]:
        one = paired([row[name] for row in new], [row[name] for row in old])
        yield (
            f"    {name:14}{one.theirs:9.4f} -> {one.ours:8.4f}  {one.difference:+.4f} "
            f"({one.low:+.4f} to {one.high:+.4f}), p {one.p:.3f}"
        )


def edges_of(folder: Path) -> dict[str, frozenset[frozenset[str]]]:
    """The gold edges of a set's questions, by their ids; nothing where it has none."""
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    path = folder / "gold_edges.tsv"
    for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.is_file() else ():
        source, target, _, query = line.split("\t")[:4]
        found[query].add(frozenset((source, target)))
    return {query: frozenset(edges) for query, edges in found.items()}


def measure(name: str, options: argparse.Namespace) -> Iterator[str]:
    """The lines of one set."""
    gold = gold_set(options.data, name)
    corpus = open_corpus(ingested(gold, options.corpora, "minilm"))
    settings = preset(options.preset).changed(pool_size=options.pool)
    questions, edges = chosen(gold.questions(), most=options.most), edges_of(gold.folder)
    asking = [partial(ask, corpus, settings, one, edges.get(one.id, frozenset())) for one in questions]
    shipped = {one: strategy(one).trust for one in settings.strategies}
    # What is read and compiled once is so before anything is timed.
    asking[0]({})
    before = [one({}) for one in asking]
    yield f"{name}: {len(questions)} questions, {options.preset}, pools of {settings.pool_size} at most"
    brought, good = (
        Counter(hop.cell[0] for told in before for hop in told.brought if hop.right or not only)
        for only in (False, True)
    )
    yield f"  brought by rounds: {', '.join(f'{k} {n:,} ({good[k]} gold)' for k, n in brought.most_common())}"
    first = [blake2b(one.text.encode(), digest_size=1).digest()[0] % 2 == 0 for one in questions]
    rng = np.random.default_rng(0)
    ways: dict[str, list[Sequence[Judged]]] = {
        f"shown, {options.hops} a question": [said(one, options.hops, options.noise, rng) for one in before],
        "every": [one.every for one in before],
        "brought": [one.brought for one in before],
    }
    for way, verdicts in ways.items():
        taught = {
            half: learned([one for one, own in zip(verdicts, first, strict=True) if own is not half], shipped)
            for half in (True, False)
        }
        then = [one(taught[half]) for one, half in zip(asking, first, strict=True)]
        for half in (True, False):
            told = ", ".join(f"{one} x {taught[half].get((one, ''), 1.0):.2f}" for one in shipped)
            count = sum(len(one) for one, own in zip(verdicts, first, strict=True) if own is not half)
            yield f"  {way}: {'first' if half else 'other'} half, by {count:,} verdicts: {told}"
            places = [place for place, own in enumerate(first) if own is half]
            yield from compared(
                [questions[place] for place in places],
                [before[place] for place in places],
                [then[place] for place in places],
            )
        yield f"  {way}: both"
        yield from compared(questions, before, then)
    for one in shipped if options.each else ():
        for factor in (0.25, 2.0):
            factors = balanced({(other, ""): factor if other == one else 1.0 for other in shipped}, shipped)
            yield f"  each: {one} x {factor}, not held out"
            yield from compared(questions, before, [asked(factors) for asked in asking])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What verdicts on hops would teach the expansion.")
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--sets", default=SETS, metavar="A,B")
    parser.add_argument("--most", type=int, metavar="N", help="N questions of each set at even distances")
    parser.add_argument("--preset", default="balanced", metavar="P")
    parser.add_argument("--pool", type=int, metavar="N", help="limit of the pool (default: the preset's)")
    parser.add_argument("--hops", type=int, default=10, metavar="N", help="hops judged of each question (10)")
    parser.add_argument(
        "--noise", type=float, default=0.1, metavar="P", help="chance of a wrong verdict (.1)"
    )
    parser.add_argument(
        "--each", action="store_true", help="change the trust of one strategy after the other"
    )
    options = parser.parse_args()
    with patch.object(turn, "lead_scores", lead_scores):
        for name in options.sets.split(","):
            for line in measure(name, options):
                print(line, flush=True)


if __name__ == "__main__":
    main()

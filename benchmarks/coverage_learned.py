"""Would verdicts on passages teach when an area is covered? Learned on one half, held to the other.

    python -m benchmarks.coverage_learned CORPUS QUERIES QRELS [--areas FILE] [--ontology FILE]
        [--most N] [--preset P] [--noise P] [--draws N]

Pairs of question and area are those of ``benchmarks.coverage``, and so is what is true of them. The best 20
passages of each ranking and 10 others are judged by gold, wrongly as often as ``--noise`` says, in so many
``--draws``. An area of which two passages of evidence were judged counts as there where one of them is
relevant. From the pairs of one half of the questions the threshold is learned that parts them best (by
balanced accuracy), and drawn towards the shipped one as by ``PRIOR`` questions; "by area" adds to the
logarithm of a score so much of the log odds of the area's verdicts, drawn towards those of all. Told is the
balanced accuracy of "covered" on the other half, with the interval of the paired difference; the AUC of the
scores, and what share of the covered is true; and the same for thresholds that nobody learned.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Gold, auc, gold_of, read_areas, run
from engine.corpus import open_corpus
from engine.corpus.ontology import ontology_from, read_ontology
from engine.corpus.protocol import Corpus
from engine.corpus.with_ontology import with_ontology
from engine.evaluation import Question, read_questions
from engine.evaluation.choosing import chosen
from engine.evaluation.significance import paired
from engine.investigation.coverage import COVERED
from engine.settings import InvestigationSettings, preset

BEST, OTHERS, FEWEST, PRIOR = 20, 10, 2, 20.0
GRID = np.arange(0.12, 0.71, 0.02)
FIXED = (0.2, 0.26, 0.3, 0.34, 0.4)

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """An area of a question: its score, whether it has passages enough, what it rests on, and whether the
    pool holds gold of it."""

    area: str
    score: float
    enough: bool
    evidence: tuple[str, ...]
    true: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its ranking and its gold by ids of the corpus, and its pairs."""

    text: str
    ranking: tuple[str, ...]
    gold: frozenset[str]
    pairs: tuple[Pair, ...]


def ask(
    corpus: Corpus, question: Question, lines: Mapping[str, Gold] | None, settings: InvestigationSettings
) -> Asked:
    """One question, put to the corpus."""
    case = run(corpus, question.text, settings)
    gold = gold_of(corpus, question, lines)
    pool = {entry.passage_id for entry in case.pool.entries()}
    assert case.order is not None
    return Asked(
        question.text,
        tuple(passage.id for passage in corpus.passages(case.order.rows)),
        frozenset().union(*gold.values()),
        tuple(
            Pair(
                area.id,
                area.score,
                len(area.evidence) >= area.minimum,
                tuple(area.evidence),
                bool(gold.get(area.id, frozenset()) & pool),
            )
            for area in case.areas
        ),
    )


class Pairs:
    """The pairs of all questions, as arrays of shape (pairs,)."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        every = [(number, pair) for number, one in enumerate(asked) for pair in one.pairs]
        self.asked = asked
        self.question = np.array([number for number, _ in every])
        self.scores = np.log(np.maximum([pair.score for _, pair in every], 1e-4))
        self.enough = np.array([pair.enough for _, pair in every])
        self.true = np.array([pair.true for _, pair in every])
        self.area = np.unique([pair.area for _, pair in every], return_inverse=True)[1]
        halves = [blake2b(one.text.encode(), digest_size=1).digest()[0] % 2 for one in asked]
        self.half = np.array(halves)[self.question]

    def covered(self, scores: Floats, threshold: float) -> Flags:
        """Which are covered by a threshold."""
        found: Flags = self.enough & (scores >= np.log(threshold))
        return found

    def judged(self, noise: float, rng: np.random.Generator) -> Floats:
        """What verdicts say of each pair: 1, 0, or nan where too few of its passages were judged."""
        found = []
        for one in self.asked:
            rest = one.ranking[BEST:]
            others = [rest[place] for place in rng.permutation(len(rest))[:OTHERS].tolist()]
            said = {passage: (passage in one.gold) != bool(rng.random() < noise)
                    for passage in (*one.ranking[:BEST], *others)}  # fmt: skip
            for pair in one.pairs:
                own = [said[passage] for passage in pair.evidence if passage in said]
                found.append(float(any(own)) if len(own) >= FEWEST else np.nan)
        return np.array(found)

    def learned(self, labels: Floats, share: float) -> tuple[Flags, Floats, list[float]]:
        """Which are covered by what the other half taught; the scores by which, and both thresholds."""
        covered, scores, thresholds = np.zeros(len(labels), np.bool_), self.scores.copy(), []
        for half in (0, 1):
            taught, held = (self.half != half) & ~np.isnan(labels), self.half == half
            own = self.scores + share * self._odds(labels, taught)[self.area]
            tried = [accuracy(self.covered(own, threshold)[taught], labels[taught] > 0) for threshold in GRID]
            weight = PRIOR / (PRIOR + len(np.unique(self.question[taught])))
            threshold = weight * COVERED + (1 - weight) * float(GRID[int(np.nanargmax(tried))])
            covered[held], scores[held] = self.covered(own, threshold)[held], own[held]
            thresholds.append(threshold)
        return covered, scores, thresholds

    def _odds(self, labels: Floats, taught: Flags) -> Floats:
        mean = float(np.clip(labels[taught].mean(), 0.02, 0.98))
        size = int(self.area.max()) + 1
        right = np.bincount(self.area[taught], labels[taught], size) + PRIOR * mean
        rate = right / (np.bincount(self.area[taught], minlength=size) + PRIOR)
        odds = np.log(rate / (1 - rate)) - np.log(mean / (1 - mean))
        return np.asarray(odds, np.float64)

    def by_question(self, covered: Flags) -> Floats:
        """What each question adds to the balanced accuracy, times their number, shape (questions,)."""
        weights = np.where(self.true, 0.5 / self.true.sum(), 0.5 / (~self.true).sum())
        found = np.bincount(self.question, weights * (covered == self.true), len(self.asked))
        return np.asarray(found * len(self.asked), np.float64)

    def precision(self, covered: Flags) -> float:
        """What share of the covered is true."""
        return float(self.true[covered].mean())


def accuracy(covered: Flags, true: Flags) -> float:
    """Balanced accuracy, nan where all are alike."""
    if true.all() or not true.any():
        return float("nan")
    return float((covered[true].mean() + (~covered[~true]).mean()) / 2)


def told(asked: Sequence[Asked], noise: float, draws: int) -> Iterator[str]:
    """The lines of a set."""
    pairs = Pairs(asked)
    shipped = pairs.covered(pairs.scores, COVERED)
    before, area = pairs.by_question(shipped), auc(pairs.scores.tolist(), pairs.true)
    yield f"{len(asked)} questions, {len(pairs.true)} pairs, {pairs.true.mean():.2f} true; AUC {area:.3f}"
    for threshold in FIXED:
        covered = pairs.covered(pairs.scores, threshold)
        right = accuracy(covered, pairs.true)
        yield f"  fixed at {threshold:.2f}: {right:.3f}, true of covered {pairs.precision(covered):.2f}"
    every = [pairs.judged(noise, np.random.default_rng(seed)) for seed in range(draws)]
    for share in (0.0, 0.15, 0.3, 0.5, 1.0):
        found = [pairs.learned(labels, share) for labels in every]
        then = np.mean([pairs.by_question(covered) for covered, _, _ in found], axis=0)
        one = paired(then.tolist(), before.tolist())
        areas = [auc(scores.tolist(), pairs.true) - area for _, scores, _ in found]
        precision = np.mean([pairs.precision(covered) for covered, _, _ in found])
        mean = np.mean([thresholds for *_, thresholds in found])
        yield (
            f"  learned, by area {share:g}: at {mean:.2f}: {one.theirs:.3f} -> {one.ours:.3f}, "
            f"{one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f}), AUC {np.mean(areas):+.4f}, "
            f"true of covered {pairs.precision(shipped):.2f} -> {precision:.2f}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Would verdicts on passages teach when an area is covered?")
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    parser.add_argument("queries", type=Path, metavar="QUERIES")
    parser.add_argument("qrels", type=Path, metavar="QRELS")
    parser.add_argument("--areas", type=Path, metavar="FILE", help="gold by question and area")
    parser.add_argument("--ontology", type=Path, metavar="FILE", help="areas instead of the corpus's own")
    parser.add_argument("--most", type=int, metavar="N", help="N questions at even distances")
    parser.add_argument("--preset", default="auto", metavar="P")
    parser.add_argument("--noise", type=float, default=0.1, metavar="P", help="share of wrong verdicts (.1)")
    parser.add_argument("--draws", type=int, default=10, metavar="N", help="draws of verdicts (10)")
    options = parser.parse_args()
    corpus = open_corpus(options.corpus)
    if options.ontology is not None:
        corpus = with_ontology(corpus, ontology_from(read_ontology(options.ontology)))
    lines = None if options.areas is None else read_areas(options.areas)
    questions = chosen(read_questions(options.queries, options.qrels), most=options.most)
    asked = [ask(corpus, one, lines, preset(options.preset)) for one in questions]
    print("\n".join(told(asked, options.noise, options.draws)))


if __name__ == "__main__":
    main()

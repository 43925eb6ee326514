"""Compare two evaluations over the same questions, with the significance of their differences.

The interval is the percentile interval of the paired bootstrap over questions (Efron and Tibshirani 1993;
Sakai, SIGIR 2006), the p-value that of Fisher's randomisation test, which flips the sign of each question's
difference (Smucker, Allan and Carterette, CIKM 2007, who recommend it over the sign and Wilcoxon tests).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.evaluation.evaluate import score_ranking
from engine.evaluation.questions import Judgements, numbered_lines, pair_with_gold, read_run
from engine.evaluation.results import QuestionResult, read_results

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_260
# Resamples drawn at a time: for 2,738 questions they take 55 MB.
BATCH = 2_500


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of ``ours`` minus ``theirs`` with its 95% interval; ``p`` is two-sided, by randomisation."""

    ours: float
    theirs: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def significant(self) -> bool:
        """True if the interval excludes 0 and p is below .05."""
        return self.p < 1 - CONFIDENCE and not self.low <= 0.0 <= self.high


def paired(ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES) -> Difference:
    """Compare two runs' values of the same questions in the same order.

    The same numbers give the same result: the random generator has a fixed seed. Raises ValueError if the
    lengths differ or are 0.
    """
    if len(ours) != len(theirs) or not len(ours):
        raise ValueError(f"{len(ours)} values against {len(theirs)}")
    first, second = np.array(ours, np.float64), np.array(theirs, np.float64)
    deltas = first - second
    mean = float(deltas.mean())
    if len(deltas) < 2 or not deltas.any():
        low, high, p = mean, mean, 1.0
    else:
        low, high = _interval(deltas, resamples)
        p = _randomisation(deltas, resamples)
    return Difference(float(first.mean()), float(second.mean()), mean, low, high, p)


def _interval(deltas: np.ndarray, resamples: int) -> tuple[float, float]:
    # Imported here because it takes half a second.
    from scipy import stats

    found = stats.bootstrap(
        (deltas,),
        np.mean,
        n_resamples=resamples,
        batch=BATCH,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _randomisation(deltas: np.ndarray, resamples: int) -> float:
    from scipy import stats

    found = stats.permutation_test(
        (deltas,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=BATCH,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


COMPARED = (
    "recall@5",
    "recall@10",
    "recall@20",
    "recall@100",
    "complete@5",
    "complete@10",
    "ndcg@10",
    "pool recall",
    "pool complete",
    "pool precision",
)
Measures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run to be compared: its origin, and each question's measures by name.

    ``results`` exist for a saved evaluation, not for a TREC run.
    """

    source: str
    questions: Measures
    results: tuple[QuestionResult, ...] = ()
    header: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences by measure, over the questions of both runs; ``warnings`` list mismatches."""

    questions: int
    differences: Mapping[str, Difference]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for printing."""
        return {
            "questions": self.questions,
            "differences": {name: asdict(found) for name, found in self.differences.items()},
            "warnings": list(self.warnings),
        }


def measure_run(results: Sequence[QuestionResult], source: str = "this run") -> MeasuredRun:
    """Make a comparable run from results."""
    return MeasuredRun(source, {result.id: result.measures() for result in results}, tuple(results))


def read_run_measures(path: Path, gold: Judgements | None = None) -> MeasuredRun:
    """Read a saved evaluation (JSON lines), or a TREC run judged by ``gold``.

    Judged questions without a line in the run count as nothing found, as in ``trec_eval -c``. Raises
    SourceError naming file and line; InputError for a TREC run without judgements.
    """
    first = next((line for _, line in numbered_lines(path) if line.strip()), "")
    if first.lstrip().startswith("{"):
        header, results = read_results(path)
        table = {result.id: result.measures() for result in results}
        return MeasuredRun(str(path), table, tuple(results), header)
    if gold is None:
        raise InputError(f"{path} is a TREC run: it needs judgements (--qrels) to be scored")
    judged = pair_with_gold(read_run(path), gold)
    questions = {name: score_ranking(ranking, dict(passages)) for name, (ranking, passages) in judged.items()}
    return MeasuredRun(str(path), questions)


def compare(ours: MeasuredRun, theirs: MeasuredRun) -> Comparison:
    """Compare over the questions that both have. Raises InputError if there is none."""
    common = [name for name in ours.questions if name in theirs.questions]
    if not common:
        raise InputError(f"{ours.source} and {theirs.source} have no question in common")
    first, second = ours.questions[common[0]], theirs.questions[common[0]]
    measures = [name for name in COMPARED if name in first and name in second]
    differences = {
        name: paired(
            [ours.questions[question][name] for question in common],
            [theirs.questions[question][name] for question in common],
        )
        for name in measures
    }
    return Comparison(len(common), differences, tuple(_warnings(ours, theirs, len(common))))


def _warnings(ours: MeasuredRun, theirs: MeasuredRun, common: int) -> list[str]:
    warnings = []
    for one in (ours, theirs):
        omitted = len(one.questions) - common
        if omitted:
            warnings.append(
                f"the question sets differ: {omitted:,} questions of {one.source} are left out, "
                f"{common:,} are compared"
            )
    if ours.header and theirs.header:
        for name in ("corpus", "embedding", "passages"):
            mine, other = ours.header.get(name), theirs.header.get(name)
            if mine != other:
                warnings.append(f"the runs differ in their {name}: {mine} against {other}")
    return warnings

"""Compare two evaluations over the same questions, with the significance of their differences.

The interval is the percentile interval of the paired bootstrap over questions (Efron and Tibshirani 1993;
Sakai, SIGIR 2006), the p-value that of Fisher's randomisation test, which flips the sign of each question's
difference (Smucker, Allan and Carterette, CIKM 2007, who recommend it over the sign and Wilcoxon tests).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation.evaluate import score_ranking
from engine.evaluation.metrics import QuestionResult, read_results
from engine.evaluation.questions import Judgements, numbered_lines, pair_with_gold, read_run
from engine.investigation import Case, run_case
from engine.model import Completeness, EvidenceStatus, RankedPassage, Stop
from engine.settings import InvestigationSettings

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


# Compare two settings on one question: both rankings, and the passages found by only one of them.


@dataclass(frozen=True, slots=True)
class PairedPassage:
    """A passage of one ranking: the other's rank of it (None if not ranked), whether the other's pool has it,
    and whether it is gold."""

    found: RankedPassage
    other_rank: int | None
    in_other_pool: bool
    gold: bool


@dataclass(frozen=True, slots=True)
class SettingsResult:
    """The result of one of the settings. ``alone`` counts passages only in its pool; ``gold_in_pool`` and
    ``gold_ranked`` count gold passages in the pool and in the ranking."""

    settings: InvestigationSettings
    ranking: tuple[PairedPassage, ...]
    pool_size: int
    alone: int
    rounds: int
    stop: Stop
    completeness: Completeness | None
    milliseconds: float
    gold_in_pool: int
    gold_ranked: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Both results; ``shared`` counts the passages in both pools, ``gold`` the question's gold."""

    question: str
    left: SettingsResult
    right: SettingsResult
    shared: int
    gold: int


def compare_settings(
    corpus: Corpus,
    question: str,
    settings: tuple[InvestigationSettings, InvestigationSettings],
    gold: Collection[str] = (),
) -> Pair:
    """Investigate a question with both settings, one after the other.

    ``gold``: source ids of the passages that answer it, if known. They are only compared with the results and
    reach no investigation. Raises InputError for an empty question.
    """
    left, right = (run_case(corpus, question, each) for each in settings)
    names = _source_ids(corpus, left, right)
    first, second = _pool_ids(left), _pool_ids(right)
    gold_ids = set(gold)
    return Pair(
        question,
        _side(left, right, settings[0], names, gold_ids),
        _side(right, left, settings[1], names, gold_ids),
        len(first & second),
        len(gold_ids),
    )


def _side(
    mine: Case, other: Case, settings: InvestigationSettings, names: dict[str, str], gold: set[str]
) -> SettingsResult:
    if mine.stop is None:
        raise InputError("the investigation ended before its ranking")
    ranks = {member: found.rank for found in reversed(other.ranking) for member in _members(found)}
    others, own = _pool_ids(other), _pool_ids(mine)
    placed = []
    for found in mine.ranking:
        members = _members(found)
        other_ranks = [ranks[member] for member in members if member in ranks]
        placed.append(
            PairedPassage(
                found,
                min(other_ranks, default=None),
                any(member in others for member in members),
                any(names[member] in gold for member in members),
            )
        )
    shown = {names[member] for found in mine.ranking for member in _members(found)}
    return SettingsResult(
        settings,
        tuple(placed),
        len(own),
        len(own - others),
        sum(1 for report in mine.rounds if report.number > 0),
        mine.stop,
        mine.completeness() if mine.evidence.status is EvidenceStatus.FOUND else None,
        mine.milliseconds,
        len({names[member] for member in own} & gold),
        len(shown & gold),
    )


def _members(found: RankedPassage) -> Sequence[str]:
    return found.assembled_ids or (found.passage.id,)


def _pool_ids(case: Case) -> set[str]:
    return {entry.passage_id for entry in case.pool.entries()}


def _source_ids(corpus: Corpus, *cases: Case) -> dict[str, str]:
    """Return the source id of every passage in either pool or ranking."""
    members = {member for case in cases for found in case.ranking for member in _members(found)}
    members |= {name for case in cases for name in _pool_ids(case)}
    ids = sorted(members)
    return {passage.id: passage.source_id for passage in corpus.passages(corpus.rows(ids))}

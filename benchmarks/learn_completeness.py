"""Learn the estimate of completeness from the gold sets, and measure it on other questions.

    python -m benchmarks.learn_completeness DATA_DIR CORPORA_DIR [--most N]
        [--keep FILE | --from FILE] [--write]

Questions of each set, at even distances, are asked with ``balanced``. After each round its evidence and the
share of the gold in the pool are recorded. Every third question is investigated again without the dense
model. Questions are split into halves by a hash of their words; each half is estimated by a model of the
other, and the figures are for both. ``--write`` then learns from all questions and writes the weights into
the engine. ``--keep`` saves the observations, ``--from`` reads them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks import new_parser
from benchmarks.learn_ranking import SETS
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.evaluation import Question, read_questions
from engine.evaluation.questions import choose_questions
from engine.investigation import make_case
from engine.investigation.completeness import (
    FILE,
    INTERVAL_SHARE,
    SIGNS,
    CalibratedModel,
    Interval,
    evidence_of,
    record_of,
)
from engine.investigation.pool import Reading
from engine.investigation.record import CoverageChanged
from engine.model import EvidenceStatus
from engine.settings import InvestigationSettings, preset

# A fractional logistic regression: the target is the share of a question's gold in the pool; the sign of each
# weight is given by the meaning of its evidence. The interval comes from held-out folds, so that it is not
# too narrow.

RIDGE = 0.002
ITERATIONS = 300
FOLDS = 5
# The interval is estimated at about this many levels of the estimate, each with at least FEWEST questions.
LEVELS, FEWEST = 8, 40

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observation:
    """One state of one case: its evidence by name, and the share of the gold in its pool (``held``).

    ``group`` names the set; all states of a ``question`` are in one fold.
    """

    group: str
    question: str
    values: Mapping[str, float]
    held: float


def learn_completeness(observations: Sequence[Observation], signs: Mapping[str, int]) -> CalibratedModel:
    """Fit a model to observations. Sets weigh by the square root of their size.

    ``signs`` gives the sign of each weight by evidence name: +1, -1, or 0 for either. Missing evidence is
    replaced by its mean over the other observations. Raises ValueError without observations.
    """
    if not observations:
        raise ValueError("no observations to learn from")
    names = tuple(signs)
    table = np.array([[one.values.get(name, np.nan) for name in names] for one in observations], np.float64)
    weight = shares_by_group([one.group for one in observations])
    neutral = _neutral(table, weight)
    table = np.where(np.isnan(table), neutral, table)
    held = np.array([one.held for one in observations], np.float64)
    bounds = [(None, None), *(_BOUNDS[sign] for sign in signs.values())]
    folds = np.array([get_fold(one.question) for one in observations])
    predicted = np.zeros(len(held))
    for fold in range(FOLDS):
        away, here = folds != fold, folds == fold
        if here.any() and away.any():
            predicted[here] = _predicted(table[here], _fit(table[away], held[away], weight[away], bounds))
    interval = fit_interval(predicted, held, weight)
    found = _fit(table, held, weight, bounds)
    weights = {name: float(value) for name, value in zip(names, found[1:], strict=True) if abs(value) > 1e-4}
    means = {name: float(value) for name, value in zip(names, neutral, strict=True) if name in weights}
    return CalibratedModel(float(found[0]), weights, means, interval)


_BOUNDS: Mapping[int, tuple[float | None, float | None]] = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}


def shares_by_group(groups: Sequence[str]) -> Floats:
    """Return the weight of each observation, shape (n,): a set's total is the square root of its size; sum
    1."""
    counts = Counter(groups)
    weight = np.array([counts[group] ** -0.5 for group in groups], np.float64)
    return np.asarray(weight / weight.sum(), np.float64)


def get_fold(question: str, folds: int = FOLDS) -> int:
    """Return the fold of a question, by a hash of its words."""
    return int.from_bytes(blake2b(question.encode(), digest_size=4).digest(), "big") % folds


def fit_interval(estimates: Floats, held: Floats, weight: Floats, share: float = INTERVAL_SHARE) -> Interval:
    """Return bounds that contain ``share`` of the outcomes at each level of the estimate; shapes (n,)."""
    order = np.argsort(estimates, kind="stable")
    count = max(1, min(LEVELS, len(estimates) // FEWEST))
    levels, low, high = [], [], []
    for part in np.array_split(order, count):
        levels.append(float(np.average(estimates[part], weights=weight[part])))
        below, above = _quantiles(held[part], weight[part], ((1 - share) / 2, (1 + share) / 2))
        low.append(below)
        high.append(above)
    # A higher estimate never has lower bounds.
    return Interval(np.array(levels), np.maximum.accumulate(low), np.maximum.accumulate(high))


def _quantiles(values: Floats, weight: Floats, at: Sequence[float]) -> list[float]:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) / weight[order].sum()
    places = np.minimum(np.searchsorted(reached, at, side="left"), len(values) - 1)
    return [float(value) for value in values[order][places]]


def _neutral(table: Floats, weight: Floats) -> Floats:
    """Return the weighted mean of the present values of each column; 0 for an empty column."""
    present = ~np.isnan(table)
    total = (weight[:, None] * present).sum(axis=0)
    summed = (weight[:, None] * np.where(present, table, 0.0)).sum(axis=0)
    return np.asarray(np.divide(summed, total, out=np.zeros_like(summed), where=total > 0), np.float64)


def _predicted(table: Floats, parameters: Floats) -> Floats:
    total = np.clip(parameters[0] + table @ parameters[1:], -30.0, 30.0)
    return np.asarray(1.0 / (1.0 + np.exp(-total)), np.float64)


def _fit(
    table: Floats, held: Floats, weight: Floats, bounds: Sequence[tuple[float | None, float | None]]
) -> Floats:
    """Return intercept and weights, shape (1 + columns,)."""
    weight = weight / weight.sum()
    spread = table.std(axis=0) + 1e-3
    scaled = table / spread

    def loss(parameters: Floats) -> tuple[float, Floats]:
        predicted = _predicted(scaled, parameters)
        cross = held * np.log(predicted + 1e-12) + (1 - held) * np.log(1 - predicted + 1e-12)
        slope = weight * (predicted - held)
        penalty = 2 * RIDGE * np.concatenate([[0.0], parameters[1:]])
        gradient = np.concatenate([[slope.sum()], scaled.T @ slope]) + penalty
        return -float(weight @ cross) + RIDGE * float(parameters[1:] @ parameters[1:]), gradient

    found = minimize(
        loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": ITERATIONS},
    )  # fmt: skip
    return np.asarray(np.concatenate([found.x[:1], found.x[1:] / spread]), np.float64)


# Learning on gold sets.

# Every third question is also investigated without the dense model.
WORDS_EVERY = 3
MOST = 90


@dataclass(frozen=True, slots=True)
class Observed:
    """One state of a case: the observation, whether it is the last, and dense search."""

    seen: Observation
    last: bool
    dense: bool


def ask(
    corpus: Corpus, names: Sequence[str], question: Question, settings: InvestigationSettings, group: str
) -> list[Observed]:
    """Investigate one question and return its states after the scan and after each round.

    ``names`` are the source ids of the passages, by row.
    """
    case, states = make_case(corpus, question.text, settings), []
    dense = "dense" in settings.retrievers
    for event in case.run():
        if isinstance(event, CoverageChanged) and case.scanned is not None:
            evidence = evidence_of(case.scanned, case.pool, event.round, Reading(corpus))
            if evidence is None or evidence.status is not EvidenceStatus.FOUND or evidence.values["single"]:
                continue
            held = {names[row] for row in case.pool.rows().tolist()} & question.gold.keys()
            seen = Observation(group, question.text, evidence.values, len(held) / len(question.gold))
            states.append(seen)
    return [Observed(one, number == len(states), dense) for number, one in enumerate(states, 1)]


def observe(corpora: Path, data: Path, most: int) -> Iterator[Observed]:
    """Yield all states of all questions, set by set."""
    settings = preset("balanced")
    words = settings.changed(retrievers=tuple(name for name in settings.retrievers if name != "dense"))
    for folder in dict.fromkeys(SETS.values()):
        corpus = open_corpus(corpora / folder)
        passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
        names = [passage.source_id for passage in passages]
        for name in (name for name, corpus_folder in SETS.items() if corpus_folder == folder):
            started = time.perf_counter()
            questions = read_questions(data / name / "queries.jsonl.gz", data / name / "qrels.tsv")
            questions = choose_questions(questions, most=most)
            for number, question in enumerate(questions):
                yield from ask(corpus, names, question, settings, name)
                if number % WORDS_EVERY == 0:
                    yield from ask(corpus, names, question, words, name)
            print(f"asked {name}: {len(questions)} in {time.perf_counter() - started:.0f} s", flush=True)


def figures(observed: Sequence[Observed], said: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """Return the calibration in one line; each set is weighted by the square root of its size."""
    held = np.array([one.seen.held for one in observed])
    weight = shares_by_group([one.seen.group for one in observed])
    bins = np.digitize(said, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98))
    error = sum(abs(float(weight[bins == one] @ (said - held)[bins == one])) for one in np.unique(bins))
    parts = [f"n {len(held)} held {weight @ held:.3f} said {weight @ said:.3f} error {error:.3f}"]
    for label, inside in (
        (">=.9", said >= 0.9),
        (".6-.9", (said >= 0.6) & (said < 0.9)),
        ("<.6", said < 0.6),
    ):
        mean = f" hold {held[inside].mean():.3f}" if inside.any() else ""
        parts.append(f"{label}: {inside.sum()}{mean}")
    within = (low - 1e-9 <= held) & (held <= high + 1e-9)
    correlation = float(np.corrcoef(said, held)[0, 1]) if said.std() > 0 and held.std() > 0 else 0.0
    parts.append(f"corr {correlation:.3f} in interval {within.mean():.3f} width {(high - low).mean():.2f}")
    return " | ".join(parts)


def report(observed: Sequence[Observed]) -> None:
    """Estimate each half by a model of the other, and print."""
    half = np.array([get_fold(one.seen.question, 2) for one in observed])
    said, low, high = (np.zeros(len(observed)) for _ in range(3))
    for here in (0, 1):
        model = learn_completeness([observed[i].seen for i in np.flatnonzero(half != here).tolist()], SIGNS)
        for index in np.flatnonzero(half == here).tolist():
            said[index] = model.estimate(observed[index].seen.values)
            low[index], high[index] = model.interval.around(float(said[index]))
    last, dense = (np.array([getattr(one, name) for one in observed]) for name in ("last", "dense"))
    groups = np.array([one.seen.group for one in observed])
    chosen_by = {"end": last & dense, "end, words": last & ~dense, "every round": dense}
    chosen_by |= {group: last & dense & (groups == group) for group in dict.fromkeys(groups.tolist())}
    for label, inside in chosen_by.items():
        if inside.any():
            some = [one for one, yes in zip(observed, inside, strict=True) if yes]
            print(f"{label:27} {figures(some, said[inside], low[inside], high[inside])}")


def main() -> None:
    """Investigate the questions or read observations, report by halves, and learn from all."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--most", type=int, default=MOST, help="questions of each set, at even distances")
    parser.add_argument("--keep", type=Path, help="save the observations")
    parser.add_argument("--from", dest="source", type=Path, help="read observations, investigate nothing")
    parser.add_argument("--write", action="store_true", help="learn from all and write the weights")
    options = parser.parse_args()
    if options.source:
        records = orjson.loads(options.source.read_bytes())
        observed = [Observed(**{**one, "seen": Observation(**one["seen"])}) for one in records]
    else:
        observed = list(observe(options.corpora, options.data, options.most))
    if options.keep:
        options.keep.write_bytes(orjson.dumps([asdict(one) for one in observed]))
    report(observed)
    if options.write:
        model = learn_completeness([one.seen for one in observed], SIGNS)
        FILE.write_bytes(orjson.dumps(record_of(model), option=orjson.OPT_INDENT_2))
        print(f"written: {FILE.name}: {record_of(model)}")


if __name__ == "__main__":
    main()

"""Learn from verdicts which evidence, added to the shipped score, identifies relevant passages.

For each question a softmax weighs the passages judged relevant against all judged ones (the list likelihood
of Xia et al., ICML 2008, for one rank at a time). The shipped score is kept at its best scale; evidence from
other questions' verdicts on the same passage (``ranking/additive.py``) and features are added. A ridge keeps
these near zero if there are few verdicts. Minimised by L-BFGS-B.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import InputError
from engine.investigation import Case, run_case
from engine.investigation.graph.walks import get_associations
from engine.investigation.ranking.additive import (
    AdditiveModel,
    Experience,
    Floats,
    Shape,
    family_of,
    shipped_models,
    verdict_weight,
)
from engine.investigation.ranking.features import PoolDescription
from engine.investigation.ranking.order import hold_near_scan, scan_reach, two_passes
from engine.review.model import Assessment, ItemKind, Verdict
from engine.settings import InvestigationSettings

# Judged questions, described by the features of the ranking.

# Relevance of a passage by its verdict.
WORTH: Mapping[Verdict, float] = {Verdict.RELEVANT: 1.0, Verdict.PARTLY: 0.5, Verdict.IRRELEVANT: 0.0}


@dataclass(frozen=True, slots=True)
class Labels:
    """Experts' judgements of one question's passages, by id: relevance, 0..1, and number of reviewers."""

    question: str
    worth: Mapping[str, float]
    voices: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Observed:
    """A judged question as ranked by the shipped weights: ``rows`` of its pool, shape (n,), ascending;
    ``values`` of the features ``names``, shape (features, n); ``shipped`` scores, shape (n,). ``vector`` is
    the question's, None if the corpus has none. ``judged`` are indexes in the pool, with ``worth`` and
    ``voices``, shapes (k,). ``scan`` are the indexes of the scan's passages, best first; each falls at most
    to ``1 + reached`` times its rank."""

    question: str
    rows: Rows
    names: tuple[str, ...]
    values: Floats
    shipped: Scores
    vector: Floats | None
    judged: NDArray[np.intp]
    worth: Floats
    voices: Floats
    scan: NDArray[np.intp]
    reached: float

    def order(self, scores: Scores) -> NDArray[np.intp]:
        """Return the indexes of the pool in order of scores, shape (n,), as the engine ranks them."""
        return hold_near_scan(np.lexsort((self.rows, -scores)), self.scan, self.reached)


def make_labels(assessments: Iterable[Assessment]) -> list[Labels]:
    """Make labels by question from current assessments. A settling assessment overrides the others, otherwise
    all count equally. Passages with identical words are judged together."""
    given: dict[str, dict[str, list[Assessment]]] = defaultdict(lambda: defaultdict(list))
    for one in assessments:
        if one.item.kind is ItemKind.PASSAGE and one.verdict in WORTH:
            for passage_id in (one.item.passage_id, *map(_passage_of, one.item.copies)):
                given[one.question][passage_id].append(one)
    found = []
    for question, passages in given.items():
        counted = {passage_id: _counted(voices) for passage_id, voices in passages.items()}
        worth = {
            passage_id: sum(WORTH[one.verdict] for one in voices) / len(voices)
            for passage_id, voices in counted.items()
        }
        found.append(
            Labels(question, worth, {passage_id: len(voices) for passage_id, voices in counted.items()})
        )
    return found


def _passage_of(key: str) -> str:
    return key.partition(":")[2]


def _counted(voices: Sequence[Assessment]) -> Sequence[Assessment]:
    settled = [one for one in voices if one.settles]
    return settled[-1:] or voices


def observe(corpus: Corpus, labels: Iterable[Labels], settings: InvestigationSettings) -> Iterator[Observed]:
    """Investigate each question again with the same settings and the shipped weights; questions without
    judged passages in the pool are left out."""
    for one in labels:
        case = run_case(corpus, one.question, settings, weights="")
        found = describe_case(case, one)
        if found is not None:
            yield found


def describe_case(case: Case, labels: Labels) -> Observed | None:
    """Describe a finished case with its labels; None if no judged passage is in its pool."""
    scanned, corpus = case.scanned, case.corpus
    if scanned is None:
        return None
    entries = sorted(case.pool.entries(), key=lambda entry: entry.row)
    rows = np.array([entry.row for entry in entries], np.int32)
    judged = [place for place, entry in enumerate(entries) if entry.passage_id in labels.worth]
    if not judged:
        return None
    ids = [entries[place].passage_id for place in judged]
    own = PoolDescription(corpus, scanned.relevance, get_associations(corpus), rows)
    features, addends = two_passes(own, case.settings.strategies, shipped_models(family_of(corpus)))
    scan, reached = scan_reach(own, scanned.rows)
    vectors = scanned.relevance.vectors
    return Observed(
        question=labels.question,
        rows=rows,
        names=features.names,
        values=features.values.astype(np.float32),
        shipped=addends.sum(axis=0).astype(np.float32),
        vector=None if vectors is None else cast("Floats", vectors[0]).astype(np.float32),
        judged=np.array(judged, np.intp),
        worth=np.array([labels.worth[one] for one in ids], np.float32),
        voices=np.array([labels.voices[one] for one in ids], np.float32),
        scan=scan,
        reached=reached,
    )


# Maximum judged passages; beyond it the oldest questions are left out, because time grows with their number.
MOST = 20_000
# Ridge of the evidence on passages (two weights), and of the features (about two hundred).
RIDGE_OF_PASSAGES, RIDGE_OF_FEATURES = 10.0, 3000.0
# Bounds of the scale of the shipped score and of the share of mistakes.
LEAST_SCALE, MOST_SCALE, MOST_MISTAKES = 1.0, 40.0, 0.9
ITERATIONS = 60
# Columns that may count: evidence for and against passages, features, or both.
KINDS: Mapping[str, tuple[int, int | None]] = {
    "passages": (0, 2),
    "features": (2, None),
    "passages and features": (0, None),
}


KNOTS = 4


def make_knots(values: Floats, count: int = KNOTS) -> Floats:
    """Return knots of a feature: minimum, quantiles of non-zero values, maximum; at least two if it
    varies."""
    nonzero = values[values != 0]
    inner = np.quantile(nonzero, np.linspace(0, 1, count)) if len(nonzero) else np.empty(0)
    every = np.concatenate([[values.min()], inner, [values.max()]]).round(4)
    return np.unique(every).astype(np.float32)


def ramps(values: Floats, knots: Sequence[Floats]) -> Floats:
    """Return each feature as ramps from 0 to 1 between its knots: shape (n, ramps) from (features, n)."""
    columns = [
        np.clip((row - low) / (high - low), 0.0, 1.0)
        for row, own in zip(values, knots, strict=True)
        for low, high in pairwise(own.tolist())
    ]
    return np.stack(columns, axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Observations:
    """The judged passages of some questions together, as arrays of shape (n,) and (n, r).

    ``rows`` of the corpus, ``of_question`` numbers of questions, ``shipped`` scores, ``relevant`` and
    ``irrelevant`` evidence (worth times voices), ``ramps`` of the features divided by their ``spread``.
    ``known`` are the judged rows, ascending, ``place`` the index of each verdict among them. ``alike``, shape
    (q, q), is the weight of a verdict on one question for another, 0 for itself. ``knots`` are those of the
    features."""

    questions: tuple[Observed, ...]
    rows: Rows
    of_question: NDArray[np.int32]
    shipped: Scores
    relevant: Floats
    irrelevant: Floats
    ramps: Floats
    known: Rows
    place: NDArray[np.intp]
    alike: Floats
    knots: tuple[Floats, ...]
    spread: Floats


def observations(questions: Sequence[Observed]) -> Observations:
    """Assemble the observations of questions.

    Raises InputError if all passages are relevant or none is: then nothing can be learned.
    """
    newest = _newest(questions)
    worth = np.concatenate([one.worth for one in newest]) if newest else np.zeros(0, np.float32)
    if not len(worth) or worth.min() == worth.max():
        raise InputError(
            "nothing can be learned yet: it takes passages that are relevant and others that are not"
        )
    voices = np.concatenate([one.voices for one in newest])
    rows = np.concatenate([one.rows[one.judged] for one in newest]).astype(np.int32)
    known, place = np.unique(rows, return_inverse=True)
    knots = tuple(make_knots(row) for row in np.concatenate([one.values for one in newest], axis=1))
    table = ramps(np.concatenate([one.values[:, one.judged] for one in newest], axis=1), knots)
    spread = table.std(axis=0) + 1e-3
    return Observations(
        questions=newest,
        rows=rows,
        of_question=np.repeat(np.arange(len(newest)), [len(one.judged) for one in newest]).astype(np.int32),
        shipped=np.concatenate([one.shipped[one.judged] for one in newest]),
        relevant=(worth * voices).astype(np.float32),
        irrelevant=((1.0 - worth) * voices).astype(np.float32),
        ramps=(table / spread).astype(np.float32),
        known=known.astype(np.int32),
        place=place,
        alike=question_similarity(question_vectors(newest)),
        knots=knots,
        spread=spread.astype(np.float32),
    )


@dataclass(frozen=True, slots=True)
class Lesson:
    """Weights learned from questions.

    Weights of the evidence for passages (``gain``) and against them (``loss``), and of the feature ``ramps``,
    shape (r,); with the ``scale`` of scores and the share of ``mistakes`` for the likelihood of verdicts.
    """

    gain: float
    loss: float
    ramps: Floats
    scale: float
    mistakes: float


def fit_lessons(seen: Observations, used: NDArray[np.bool_]) -> dict[str, Lesson]:
    """Fit lessons to the ``used`` questions, shape (q,), one for each of ``KINDS``."""
    mine = np.flatnonzero(used[seen.of_question])
    size = seen.ramps.shape[1]
    numbers, of_question = np.unique(seen.of_question[mine], return_inverse=True)
    lists = Lists(of_question, seen.relevant[mine].astype(np.float64))
    shipped = seen.shipped[mine].astype(np.float64)
    scale, mistakes = lists.expected(shipped)
    evidence = _evidence(seen, used, numbers)[:, of_question, seen.place[mine]].T
    spread = evidence.std(axis=0) + 1e-3
    table = np.concatenate([evidence / spread, seen.ramps[mine]], axis=1).astype(np.float64)
    ridge = np.array([RIDGE_OF_PASSAGES] * 2 + [RIDGE_OF_FEATURES] * size)
    # Evidence for a passage never lowers its score, evidence against it never raises it.
    bounds = [(0.0, None), (None, 0.0)] + [(None, None)] * size
    found = {}
    for kind, (first, last) in KINDS.items():
        own = slice(first, last)
        weights = np.zeros(2 + size)
        weights[own] = lists.fitted(scale * shipped, mistakes, table[:, own], ridge[own], bounds[own]) / scale
        gain, loss = weights[:2] / spread
        found[kind] = Lesson(float(gain), float(-loss), weights[2:].astype(np.float32), scale, mistakes)
    return found


@dataclass(frozen=True, slots=True)
class Lists:
    """Judged passages by question, numbered in ascending order from 0, and the evidence for each; shapes
    (n,).

    A verdict of relevance is a mistake with some probability, and then equally likely for any judged passage:
    otherwise mistakes on low-ranked passages would teach that the ranking is of little value.
    """

    of_question: NDArray[np.intp]
    relevant: NDArray[np.float64]

    def likelihood(
        self, scores: NDArray[np.float64], mistakes: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the log probability of the evidence for each passage, shape (n,); the gradient of the total
        with respect to the scores; and its derivative by the share of mistakes, as addends."""
        starts = np.flatnonzero(np.diff(self.of_question, prepend=-1))
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[self.of_question])
        chances = powers / np.add.reduceat(powers, starts)[self.of_question]
        anyone = 1.0 / np.bincount(self.of_question)[self.of_question]
        mixed = (1.0 - mistakes) * chances + mistakes * anyone + 1e-12
        earned = self.relevant * (1.0 - mistakes) * chances / mixed
        slopes = earned - chances * np.bincount(self.of_question, earned)[self.of_question]
        return np.log(mixed), slopes, self.relevant * (anyone - chances) / mixed

    def expected(self, shipped: NDArray[np.float64]) -> tuple[float, float]:
        """Return the maximum likelihood scale of the shipped score and share of mistakes."""

        def loss(both: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            log_chances, slopes, of_mistakes = self.likelihood(both[0] * shipped, float(both[1]))
            return -float(self.relevant @ log_chances), -np.array([slopes @ shipped, of_mistakes.sum()])

        begin = np.array([LEAST_SCALE, MOST_MISTAKES / 2])
        bounds = [(LEAST_SCALE, MOST_SCALE), (0.0, MOST_MISTAKES)]
        scale, mistakes = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x
        return float(scale), float(mistakes)

    def fitted(
        self,
        offset: NDArray[np.float64],
        mistakes: float,
        table: NDArray[np.float64],
        ridge: NDArray[np.float64],
        bounds: Sequence[tuple[float | None, float | None]],
    ) -> NDArray[np.float64]:
        """Return the weights, shape (k,), of the columns of ``table``, (n, k), added to ``offset``, (n,)."""

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            log_chances, slopes, _ = self.likelihood(offset + table @ weights, mistakes)
            penalty = float(ridge @ (weights * weights)) / 2
            return penalty - float(self.relevant @ log_chances), ridge * weights - table.T @ slopes

        begin = np.zeros(table.shape[1])
        found = minimize(
            loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ITERATIONS}
        )
        weights: NDArray[np.float64] = found.x
        return weights


def _evidence(seen: Observations, used: NDArray[np.bool_], numbers: NDArray[np.integer]) -> Floats:
    """Return the evidence of the used questions for and against each known passage, for questions of these
    numbers (without their own): square roots of sums, shape (2, numbers, known)."""
    shares, shape = seen.alike[numbers] * used, (len(seen.questions), len(seen.known))
    both = [
        np.sqrt(shares @ csr_array((given, (seen.of_question, seen.place)), shape=shape))
        for given in (seen.relevant, seen.irrelevant)
    ]
    return np.stack(both).astype(np.float32)


def gains(
    seen: Observations, used: NDArray[np.bool_], lessons: Sequence[Lesson]
) -> Iterator[tuple[int, Floats]]:
    """Yield each question that is not ``used``, with the score gains of its pool by each of the lessons that
    the others taught, shape (lessons, n)."""
    left = np.flatnonzero(~used)
    evidence = _evidence(seen, used, left)
    of_ramps = np.stack([one.ramps / seen.spread for one in lessons], axis=1)
    weights = np.array([[one.gain, -one.loss] for one in lessons], np.float32)
    for number, own in zip(left.tolist(), evidence.swapaxes(0, 1), strict=True):
        one = seen.questions[number]
        positions = np.minimum(np.searchsorted(seen.known, one.rows), len(seen.known) - 1)
        is_known = (seen.known[positions] == one.rows).astype(np.float32)
        yield number, weights @ (own[:, positions] * is_known) + (ramps(one.values, seen.knots) @ of_ramps).T


def make_experience(
    seen: Observations, corpus: Corpus, found: Lesson, strength: float, name: str
) -> Experience:
    """Make the experience that a ranking uses from a lesson."""
    shapes, begin = {}, 0
    weights = found.ramps / seen.spread
    for feature, knots in zip(seen.questions[0].names, seen.knots, strict=True):
        count = len(list(pairwise(knots.tolist())))
        own = weights[begin : begin + count].astype(np.float32)
        begin += count
        if np.abs(own).max(initial=0.0) > 0:
            shapes[feature] = Shape(knots, own)
    counts = found.gain or found.loss
    used = slice(None) if counts else slice(0)
    return Experience(
        id=name,
        strength=strength,
        gain=found.gain,
        loss=found.loss,
        passages=tuple(corpus.ids(seen.known)) if counts else (),
        questions=question_vectors(seen.questions)[used],
        of_passage=seen.place[used].astype(np.int32),
        of_question=seen.of_question[used],
        relevant=seen.relevant[used],
        irrelevant=seen.irrelevant[used],
        features=AdditiveModel(shapes, 1.0),
    )


def question_vectors(questions: Sequence[Observed]) -> Floats:
    """Return the vectors of questions, shape (q, d), or (q, 0) if one is missing."""
    if any(one.vector is None for one in questions):
        return np.zeros((len(questions), 0), np.float32)
    return np.stack([one.vector for one in questions if one.vector is not None])


def question_similarity(vectors: Floats) -> Floats:
    """Return the weight of a verdict on one question for another, 0 for itself, from the vectors of
    questions, (q, d); shape (q, q)."""
    found = (
        verdict_weight(vectors @ vectors.T) if vectors.shape[1] else np.ones((len(vectors),) * 2, np.float32)
    )
    np.fill_diagonal(found, 0.0)
    return found


def _newest(questions: Sequence[Observed]) -> tuple[Observed, ...]:
    """Return the newest questions that together stay within the maximum of judged passages."""
    newest, count = [], 0
    for one in reversed(questions):
        count += len(one.judged)
        if count > MOST:
            break
        newest.append(one)
    return tuple(reversed(newest))

"""Learning from verdicts: what else, beside the shipped score, tells the relevant passages of a question.

For each question the passages that were called relevant are weighed against all that were judged by a softmax
(the list likelihood of Xia et al., ICML 2008, for one place at a time). The shipped score, at the scale that
fits, stands; added is what other questions' verdicts say of the same passage (``ranking/experience.py``), and
what features tell. A ridge keeps what is added at nothing where little was said. Minimised by L-BFGS-B.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import InputError
from engine.evaluation.learning import knots_of, ramps
from engine.investigation.ranking.additive import AdditiveModel, Experience, Floats, Shape, verdict_weight
from engine.review.learning.observing import Observed

# Beyond so many judged passages the oldest questions are left out: time grows with their number.
MOST = 20_000
# The ridge of what is said of passages, two weights; and of features, some two hundred.
RIDGE_OF_PASSAGES, RIDGE_OF_FEATURES = 10.0, 3000.0
# Between these are the scale of the shipped score and the share of mistakes, whatever few verdicts say.
LEAST_SCALE, MOST_SCALE, MOST_MISTAKES = 1.0, 40.0, 0.9
ITERATIONS = 60
# What may count, as columns: what is said for and against passages, what features tell, or both.
KINDS: Mapping[str, tuple[int, int | None]] = {
    "passages": (0, 2),
    "features": (2, None),
    "passages and features": (0, None),
}


@dataclass(frozen=True, slots=True)
class Observations:
    """The judged passages of some questions together. ``rows`` of the corpus, ``of_question`` the number of
    the question, ``shipped`` scores, what is said for each and against it (``relevant``, ``irrelevant``:
    worth times voices), and the ramps of the features, by their spread; shapes (n,) and (n, r). ``known`` are
    the judged rows, ascending, ``place`` that of each verdict among them. ``alike``, shape (q, q): what a
    verdict on one question counts for another, 0 for itself. ``knots`` are those of the features."""

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
    """All that was said, as the learner takes it. Raises InputError where it is all the same: nothing is
    learned from passages of which each is relevant, or none."""
    kept = _newest(questions)
    worth = np.concatenate([one.worth for one in kept]) if kept else np.zeros(0, np.float32)
    if not len(worth) or worth.min() == worth.max():
        raise InputError(
            "nothing can be learned yet: there must be passages that are relevant and others that are not"
        )
    voices = np.concatenate([one.voices for one in kept])
    rows = np.concatenate([one.rows[one.judged] for one in kept]).astype(np.int32)
    known, place = np.unique(rows, return_inverse=True)
    knots = tuple(knots_of(row) for row in np.concatenate([one.values for one in kept], axis=1))
    table = ramps(np.concatenate([one.values[:, one.judged] for one in kept], axis=1), knots)
    spread = table.std(axis=0) + 1e-3
    return Observations(
        questions=kept,
        rows=rows,
        of_question=np.repeat(np.arange(len(kept)), [len(one.judged) for one in kept]).astype(np.int32),
        shipped=np.concatenate([one.shipped[one.judged] for one in kept]),
        relevant=(worth * voices).astype(np.float32),
        irrelevant=((1.0 - worth) * voices).astype(np.float32),
        ramps=(table / spread).astype(np.float32),
        known=known.astype(np.int32),
        place=place,
        alike=between(vectors_of(kept)),
        knots=knots,
        spread=spread.astype(np.float32),
    )


@dataclass(frozen=True, slots=True)
class Taught:
    """What questions taught: the weights of what is said for passages and against them, and of the ramps of
    features, shape (r,); and by what their verdicts are expected, the ``scale`` of scores and the share of
    ``mistakes``."""

    gain: float
    loss: float
    ramps: Floats
    scale: float
    mistakes: float


def taught(seen: Observations, used: NDArray[np.bool_]) -> dict[str, Taught]:
    """What the ``used`` questions teach, shape (q,), by what may count (``KINDS``)."""
    mine = np.flatnonzero(used[seen.of_question])
    size = seen.ramps.shape[1]
    numbers, of_question = np.unique(seen.of_question[mine], return_inverse=True)
    lists = Lists(of_question, seen.relevant[mine].astype(np.float64))
    shipped = seen.shipped[mine].astype(np.float64)
    scale, mistakes = lists.expected(shipped)
    said = _said(seen, used, numbers)[:, of_question, seen.place[mine]].T
    spread = said.std(axis=0) + 1e-3
    table = np.concatenate([said / spread, seen.ramps[mine]], axis=1).astype(np.float64)
    ridge = np.array([RIDGE_OF_PASSAGES] * 2 + [RIDGE_OF_FEATURES] * size)
    # What is said for a passage never takes from it, what is said against it never adds.
    bounds = [(0.0, None), (None, 0.0)] + [(None, None)] * size
    found = {}
    for kind, (first, last) in KINDS.items():
        own = slice(first, last)
        weights = np.zeros(2 + size)
        weights[own] = lists.fitted(scale * shipped, mistakes, table[:, own], ridge[own], bounds[own]) / scale
        gain, loss = weights[:2] / spread
        found[kind] = Taught(float(gain), float(-loss), weights[2:].astype(np.float32), scale, mistakes)
    return found


@dataclass(frozen=True, slots=True)
class Lists:
    """Judged passages by question, whose numbers ascend from 0, and what is said for each; shapes (n,).

    What is said for a passage is a mistake with some chance, and then as likely of any that was judged:
    without that, mistakes on what ranks low would teach that the ranking is of little worth.
    """

    of_question: NDArray[np.intp]
    relevant: NDArray[np.float64]

    def likelihood(
        self, scores: NDArray[np.float64], mistakes: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The logarithm of the chance of what is said for each passage, shape (n,); its slopes, of all that
        is said together, by the scores, and by the share of mistakes, which are to be summed."""
        starts = np.flatnonzero(np.diff(self.of_question, prepend=-1))
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[self.of_question])
        chances = powers / np.add.reduceat(powers, starts)[self.of_question]
        anyone = 1.0 / np.bincount(self.of_question)[self.of_question]
        mixed = (1.0 - mistakes) * chances + mistakes * anyone + 1e-12
        earned = self.relevant * (1.0 - mistakes) * chances / mixed
        slopes = earned - chances * np.bincount(self.of_question, earned)[self.of_question]
        return np.log(mixed), slopes, self.relevant * (anyone - chances) / mixed

    def expected(self, shipped: NDArray[np.float64]) -> tuple[float, float]:
        """The scale of the shipped score and the share of mistakes by which verdicts are likeliest."""

        def loss(both: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            told, slopes, of_mistakes = self.likelihood(both[0] * shipped, float(both[1]))
            return -float(self.relevant @ told), -np.array([slopes @ shipped, of_mistakes.sum()])

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
        """The weights of the columns of ``table``, (n, k), beside an ``offset`` of scores, (n,); (k,)."""

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            told, slopes, _ = self.likelihood(offset + table @ weights, mistakes)
            penalty = float(ridge @ (weights * weights)) / 2
            return penalty - float(self.relevant @ told), ridge * weights - table.T @ slopes

        begin = np.zeros(table.shape[1])
        found = minimize(
            loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ITERATIONS}
        )
        weights: NDArray[np.float64] = found.x
        return weights


def _said(seen: Observations, used: NDArray[np.bool_], numbers: NDArray[np.integer]) -> Floats:
    """What the used questions say for and against each known passage to questions of these numbers, and none
    to itself: roots of sums, shape (2, numbers, known)."""
    shares, shape = seen.alike[numbers] * used, (len(seen.questions), len(seen.known))
    both = [
        np.sqrt(shares @ csr_array((told, (seen.of_question, seen.place)), shape=shape))
        for told in (seen.relevant, seen.irrelevant)
    ]
    return np.stack(both).astype(np.float32)


def gains(
    seen: Observations, used: NDArray[np.bool_], lessons: Sequence[Taught]
) -> Iterator[tuple[int, Floats]]:
    """The questions that are not ``used``, and what their pools gain by each of the lessons that the others
    taught, shape (lessons, n)."""
    left = np.flatnonzero(~used)
    said = _said(seen, used, left)
    of_ramps = np.stack([one.ramps / seen.spread for one in lessons], axis=1)
    weights = np.array([[one.gain, -one.loss] for one in lessons], np.float32)
    for number, own in zip(left.tolist(), said.swapaxes(0, 1), strict=True):
        one = seen.questions[number]
        where = np.minimum(np.searchsorted(seen.known, one.rows), len(seen.known) - 1)
        known = (seen.known[where] == one.rows).astype(np.float32)
        yield number, weights @ (own[:, where] * known) + (ramps(one.values, seen.knots) @ of_ramps).T


def experience_of(
    seen: Observations, corpus: Corpus, found: Taught, strength: float, name: str
) -> Experience:
    """What a ranking takes of what was taught."""
    shapes, place = {}, 0
    weights = found.ramps / seen.spread
    for feature, knots in zip(seen.questions[0].names, seen.knots, strict=True):
        count = len(list(pairwise(knots.tolist())))
        own = weights[place : place + count].astype(np.float32)
        place += count
        if np.abs(own).max(initial=0.0) > 0:
            shapes[feature] = Shape(knots, own)
    counts = found.gain or found.loss
    kept = slice(None) if counts else slice(0)
    return Experience(
        id=name,
        strength=strength,
        gain=found.gain,
        loss=found.loss,
        passages=tuple(corpus.ids(seen.known)) if counts else (),
        questions=vectors_of(seen.questions)[kept],
        of_passage=seen.place[kept].astype(np.int32),
        of_question=seen.of_question[kept],
        relevant=seen.relevant[kept],
        irrelevant=seen.irrelevant[kept],
        features=AdditiveModel(shapes, 1.0),
    )


def gained(experience: Experience, corpus: Corpus, one: Observed) -> Scores:
    """What experience adds to the passages of a pool, shape (n,)."""
    by_features = experience.weights(one.names, one.values).sum(axis=0)
    found: Scores = by_features + experience.passage_gains(corpus, one.rows, one.vector)[0]
    return found


def vectors_of(questions: Sequence[Observed]) -> Floats:
    """The vectors of questions, shape (q, d), (q, 0) where there are none."""
    if any(one.vector is None for one in questions):
        return np.zeros((len(questions), 0), np.float32)
    return np.stack([one.vector for one in questions if one.vector is not None])


def between(vectors: Floats) -> Floats:
    """What a verdict on one question counts for another, 0 for itself, by the vectors of questions, (q, d);
    shape (q, q)."""
    found = (
        verdict_weight(vectors @ vectors.T) if vectors.shape[1] else np.ones((len(vectors),) * 2, np.float32)
    )
    np.fill_diagonal(found, 0.0)
    return found


def _newest(questions: Sequence[Observed]) -> tuple[Observed, ...]:
    """The last questions that together have no more judged passages than are learned from."""
    kept, count = [], 0
    for one in reversed(questions):
        count += len(one.judged)
        if count > MOST:
            break
        kept.append(one)
    return tuple(reversed(kept))

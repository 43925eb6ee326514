"""Learning from verdicts: what the shipped ranking did not expect of them, shared with what is like it.

A verdict is first expected by a logistic curve over the shipped score; what it differs by is explained by a
Gaussian process (``ranking/experience.py`` has its kernel). With nothing said nothing is changed, with little
said little. What says that a passage is not relevant to one question says less of others than what says that
it is: it counts for half. How much of it all counts is chosen by cross-validation over questions, with
nothing among the choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import InputError
from engine.evaluation.learning import knots_of, ramps
from engine.investigation.ranking.additive import AdditiveModel, Shape
from engine.investigation.ranking.experience import Experience, Floats, Kernel
from engine.review.learning.observing import Observed

# Beyond so many judged passages the oldest questions are left out: memory and time grow with their square
# and cube.
MOST = 6000
NEGATIVE = 0.5
NEWTON_STEPS, RIDGE = 50, 1e-3


@dataclass(frozen=True, slots=True)
class Observations:
    """The judged passages of some questions together: ``rows`` of the corpus, ``of_question`` the number of
    the question, ``residuals`` of the verdicts, ``voices``, ``ramps`` of the features, standardised, shapes
    (n,) and (n, r). ``knots``, ``means`` and ``spread`` are those of the features."""

    questions: tuple[Observed, ...]
    rows: Rows
    of_question: NDArray[np.int32]
    residuals: Floats
    voices: Floats
    ramps: Floats
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
    shipped = np.concatenate([one.shipped[one.judged] for one in kept])
    every = np.concatenate([one.values for one in kept], axis=1)
    knots = tuple(knots_of(row) for row in every)
    table = ramps(np.concatenate([one.values[:, one.judged] for one in kept], axis=1), knots)
    spread = table.std(axis=0) + 1e-3
    residuals = worth - expected(shipped, worth)
    return Observations(
        questions=kept,
        rows=np.concatenate([one.rows[one.judged] for one in kept]).astype(np.int32),
        of_question=np.repeat(np.arange(len(kept)), [len(one.judged) for one in kept]).astype(np.int32),
        residuals=np.where(residuals < 0, NEGATIVE * residuals, residuals).astype(np.float32),
        voices=np.concatenate([one.voices for one in kept]),
        ramps=((table - table.mean(axis=0)) / spread).astype(np.float32),
        knots=knots,
        spread=spread.astype(np.float32),
    )


def expected(shipped: Scores, worth: Floats) -> Floats:
    """What the shipped score leads to expect of a verdict, 0..1: a logistic curve, fitted by Newton's method
    with a little ridge; shape (n,)."""
    table = np.stack([np.ones(len(shipped)), shipped.astype(np.float64)], axis=1)
    weights = np.zeros(2)
    for _ in range(NEWTON_STEPS):
        likely = expit(table @ weights)
        curve = (table * (likely * (1 - likely))[:, None]).T @ table + RIDGE * np.eye(2)
        weights += np.linalg.solve(curve, table.T @ (worth - likely) - RIDGE * weights)
    found: Floats = expit(table @ weights).astype(np.float32)
    return found


@dataclass(frozen=True, slots=True)
class Gram:
    """What observations have in common with each other, by what it is; shapes (n, n), None for nothing."""

    same: Floats
    asked: Floats
    like: Floats | None
    features: Floats

    def whole(self, kernel: Kernel) -> Floats:
        """All of it together by the sizes of a kernel, shape (n, n)."""
        found: Floats = kernel.same * self.same + kernel.asked * self.asked + kernel.features * self.features
        if self.like is not None:
            found += kernel.like * self.like
        return found


def gram_of(seen: Observations, corpus: Corpus, kernel: Kernel) -> Gram:
    """What observations have in common; the sizes of ``kernel`` are not in it."""
    same = (seen.rows[:, None] == seen.rows[None, :]).astype(np.float32)
    vectors = vectors_of(seen.questions)
    alike = np.ones((len(vectors), len(vectors)), np.float32)
    if vectors.shape[1]:
        alike = kernel.of_questions(vectors @ vectors.T)
    of_pairs = alike[np.ix_(seen.of_question, seen.of_question)]
    like = None
    if vectors.shape[1]:
        distinct, place = np.unique(seen.rows, return_inverse=True)
        found = corpus.vectors(distinct.astype(np.int32))
        like = kernel.likeness((found @ found.T).astype(np.float32))[np.ix_(place, place)]
    features = (seen.ramps @ seen.ramps.T / max(seen.ramps.shape[1], 1)).astype(np.float32)
    return Gram(same, same * of_pairs, like, features)


def solved(whole: Floats, seen: Observations, kernel: Kernel, used: NDArray[np.bool_]) -> Floats:
    """The weight of each observation, shape (n,); 0 for those that are not ``used``, shape (n,)."""
    places = np.flatnonzero(used)
    own = whole[np.ix_(places, places)].astype(np.float64)
    own[np.diag_indices_from(own)] += kernel.noise / seen.voices[places]
    alpha = np.zeros(len(used), np.float32)
    alpha[places] = cho_solve(cho_factor(own, lower=True, overwrite_a=True), seen.residuals[places])
    return alpha


def experience_of(
    seen: Observations, corpus: Corpus, alpha: Floats, kernel: Kernel, strength: float, name: str
) -> Experience:
    """What a ranking takes of observations and their weights."""
    distinct, of_passage = np.unique(seen.rows, return_inverse=True)
    ids = tuple(passage.id for passage in corpus.passages(distinct.astype(np.int32)))
    ramped = kernel.features * (alpha @ seen.ramps) / max(seen.ramps.shape[1], 1) / seen.spread
    shapes, place = {}, 0
    for feature, knots in zip(seen.questions[0].names, seen.knots, strict=True):
        count = len(list(pairwise(knots.tolist())))
        own = ramped[place : place + count].astype(np.float32)
        place += count
        if np.abs(own).max(initial=0.0) > 0:
            shapes[feature] = Shape(knots, own)
    return Experience(
        id=name,
        strength=strength,
        kernel=kernel,
        passages=ids,
        questions=vectors_of(seen.questions),
        of_passage=of_passage.astype(np.int32),
        of_question=seen.of_question,
        alpha=alpha,
        features=AdditiveModel(shapes, 1.0),
    )


def gained(experience: Experience, corpus: Corpus, one: Observed) -> Scores:
    """What experience adds to the passages of a pool, shape (n,)."""
    by_features = experience.weights(one.names, one.values).sum(axis=0)
    found: Scores = by_features + experience.remembered(corpus, one.rows, one.vector)[0]
    return found


def stronger(experience: Experience, strength: float) -> Experience:
    """The same with another strength."""
    return replace(experience, strength=strength)


def _newest(questions: Sequence[Observed]) -> tuple[Observed, ...]:
    """The last questions that together have no more judged passages than are learned from."""
    kept, count = [], 0
    for one in reversed(questions):
        count += len(one.judged)
        if count > MOST:
            break
        kept.append(one)
    return tuple(reversed(kept))


def vectors_of(questions: Sequence[Observed]) -> Floats:
    """The vectors of questions, shape (q, d), (q, 0) where there are none."""
    if any(one.vector is None for one in questions):
        return np.zeros((len(questions), 0), np.float32)
    return np.stack([one.vector for one in questions if one.vector is not None])

"""How much of what was learned is to count: told by questions that nothing was learned of.

Questions are dealt into folds; each is ranked by what the others taught. What is measured is the order of the
passages that were judged (a condensed list: Sakai, SIGIR 2007), for of the others nobody knows anything; to
count them as not relevant would favour what the shipped weights put on top, which is what is judged most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Scores
from engine.errors import InputError
from engine.evaluation.significance import Difference, paired
from engine.investigation.ranking.experience import Experience, Kernel
from engine.review.learning.learning import (
    Observations,
    experience_of,
    gained,
    gram_of,
    observations,
    solved,
)
from engine.review.learning.observing import Observed

FOLDS = 5
STRENGTHS = (0.25, 0.5, 0.75, 1.0)
# Passages of a ranking that are looked at.
DEPTH = 10
# Worth half a point or more counts as relevant where passages are counted.
RELEVANT = 0.5
# Fewer questions than this say nothing of others.
FEWEST = 5

_ALL = Kernel()
# What may count: verdicts on passages and their like, what features tell, or both.
KINDS = {
    "passages": replace(_ALL, features=0.0),
    "features": replace(_ALL, same=0.0, asked=0.0, like=0.0),
    "passages and features": _ALL,
}


@dataclass(frozen=True, slots=True)
class Moved:
    """One question, as it was ranked before and would be by what the others taught: share of its relevant
    passages among the first ten of those that were judged, and the discounted gain of their order."""

    question: str
    recall: float
    recall_then: float
    ndcg: float
    ndcg_then: float


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen of what may count, and how much of it; ``strength`` 0 for nothing. ``questions`` and
    ``verdicts`` it was learned from; ``recall`` and ``ndcg`` are the differences that it makes to questions
    that it was not learned from, with their intervals; ``moved`` tells each."""

    kind: str
    strength: float
    questions: int
    verdicts: int
    recall: Difference
    ndcg: Difference
    moved: tuple[Moved, ...]

    @property
    def worse(self) -> tuple[Moved, ...]:
        """The questions whose judged passages stand in a worse order then, the worst first."""
        found = [one for one in self.moved if one.ndcg_then < one.ndcg]
        return tuple(sorted(found, key=lambda one: one.ndcg_then - one.ndcg))


def learned_from(questions: Sequence[Observed], corpus: Corpus, name: str) -> tuple[Experience, Choice]:
    """What verdicts teach, and what it is worth. ``name`` is the id of the experience.

    Raises InputError where too little was said.
    """
    telling = [one for one in questions if one.worth.max() > one.worth.min()]
    if len(telling) < FEWEST:
        raise InputError(
            f"nothing can be learned yet: {FEWEST} questions at least need passages that are relevant and "
            f"others that are not; {len(telling)} have them"
        )
    seen = observations(questions)
    gram = gram_of(seen, corpus, _ALL)
    tried = {
        kind: list(_held_out(seen, gram.whole(kernel), kernel, corpus)) for kind, kernel in KINDS.items()
    }
    kind, strength = _best(seen, tried)
    kernel = KINDS[kind]
    used = np.ones(len(seen.rows), np.bool_)
    alpha = solved(gram.whole(kernel), seen, kernel, used)
    choice = _told(seen, kind, strength, tried[kind])
    return experience_of(seen, corpus, alpha, kernel, strength, name), choice


def _held_out(
    seen: Observations, whole: NDArray[np.float32], kernel: Kernel, corpus: Corpus
) -> Iterator[tuple[int, Scores]]:
    """What each question would gain, at full strength, by what the questions of other folds taught."""
    count = len(seen.questions)
    fold = np.random.default_rng(count).permutation(count) % min(FOLDS, count)
    for number in range(min(FOLDS, count)):
        used = fold[seen.of_question] != number
        alpha = solved(whole, seen, kernel, used)
        taught = experience_of(seen, corpus, alpha, kernel, 1.0, f"fold {number}")
        for place in np.flatnonzero(fold == number).tolist():
            yield place, gained(taught, corpus, seen.questions[place])


def _best(seen: Observations, tried: dict[str, list[tuple[int, Scores]]]) -> tuple[str, float]:
    """The kind that puts the judged passages of questions into the best order whatever its strength, and the
    strength of it that does so most; a strength of 0 where no kind makes it better."""
    figures = {
        kind: [
            float(np.mean([_figures(seen.questions[place], strength * gain)[1] for place, gain in gains]))
            for strength in (0.0, *STRENGTHS)
        ]
        for kind, gains in tried.items()
    }
    kind = max(figures, key=lambda one: sum(figures[one]))
    own = figures[kind]
    return kind, (0.0, *STRENGTHS)[own.index(max(own))]


def _told(seen: Observations, kind: str, strength: float, gains: list[tuple[int, Scores]]) -> Choice:
    moved = []
    for place, gain in sorted(gains, key=lambda one: one[0]):
        one = seen.questions[place]
        before, then = _figures(one, np.zeros_like(gain)), _figures(one, strength * gain)
        moved.append(Moved(one.question, before[0], then[0], before[1], then[1]))
    return Choice(
        kind=kind,
        strength=strength,
        questions=len(seen.questions),
        verdicts=len(seen.rows),
        recall=paired([one.recall_then for one in moved], [one.recall for one in moved]),
        ndcg=paired([one.ndcg_then for one in moved], [one.ndcg for one in moved]),
        moved=tuple(moved),
    )


def _figures(one: Observed, gain: Scores) -> tuple[float, float]:
    """Of the judged passages of a question in their order: the share of the relevant ones that is among the
    first ten, and the discounted gain of all; 1 where none is relevant."""
    place = np.empty(len(one.rows), np.intp)
    place[one.order(one.shipped + gain)] = np.arange(len(one.rows))
    worth = one.worth[np.argsort(place[one.judged], kind="stable")]
    relevant = worth >= RELEVANT
    if not relevant.any():
        return 1.0, 1.0
    discounts = 1.0 / np.log2(np.arange(len(worth)) + 2.0)
    recall = float(relevant[:DEPTH].sum() / relevant.sum())
    return recall, float((worth @ discounts) / (np.sort(worth)[::-1] @ discounts))

"""How much of what was learned is to count: told by questions that nothing was learned of.

Questions are dealt into folds; each is ranked by what the others taught. What that is worth is measured on
folds that had no part in the choice either (nested: Varma and Simon, BMC Bioinformatics 2006). What is
measured is the order of the passages that were judged (a condensed list: Sakai, SIGIR 2007), for of the
others nobody knows anything; to count them as not relevant would favour what the shipped weights put on top,
which is what is judged most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Scores
from engine.errors import InputError
from engine.evaluation.compare import Difference, paired
from engine.investigation.ranking.additive import Experience
from engine.review.learning.learning import (
    KINDS,
    Lists,
    Observations,
    Taught,
    experience_of,
    gains,
    observations,
    taught,
)
from engine.review.learning.observing import Observed

FOLDS = 5
# How much of what was learned may count; the first is nothing.
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Passages of a ranking that are looked at.
DEPTH = 10
# Worth half a point or more counts as relevant where passages are counted.
RELEVANT = 0.5
# Fewer questions than this say nothing of others.
FEWEST = 5
# What is learned counts where it makes the verdicts on other questions likelier by more than so many standard
# errors.
SURE = 1.0

# Figures of questions by kind and strength (the first: nothing), shape (q, kinds, steps, 3):
# recall, discounted gain, likelihood.
Tried = NDArray[np.float64]


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
    ``verdicts`` it was learned from; ``recall`` and ``ndcg`` are the differences that learning makes to
    questions that had no part in what was learned nor in what was chosen, with their intervals; ``moved``
    tells each."""

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
    count = len(seen.questions)
    folds = min(FOLDS, count)
    fold = np.random.default_rng(count).permutation(count) % folds
    tried = _tried(seen, fold)
    kind, step = _best(tried[None])
    moved = tuple(_measured(seen, tried, fold))
    choice = Choice(
        kind=list(KINDS)[kind],
        strength=STEPS[step],
        questions=count,
        verdicts=len(seen.rows),
        recall=paired([one.recall_then for one in moved], [one.recall for one in moved]),
        ndcg=paired([one.ndcg_then for one in moved], [one.ndcg for one in moved]),
        moved=moved,
    )
    lesson = taught(seen, np.ones(count, np.bool_))[choice.kind]
    return experience_of(seen, corpus, lesson, choice.strength, name), choice


def _tried(seen: Observations, fold: NDArray[np.intp]) -> dict[int | None, Tried]:
    """Figures of each question by what the questions of other folds taught: of all others under None, and of
    all but one more under the number of that, so that a choice can be made in which it has no part."""
    folds = int(fold.max()) + 1
    shape = (len(seen.questions), len(KINDS), len(STEPS), 3)
    found: dict[int | None, Tried] = {left: np.zeros(shape) for left in (None, *range(folds))}
    for first, second in combinations_with_replacement(range(folds), 2):
        used = (fold != first) & (fold != second)
        lessons = list(taught(seen, used).values())
        for number, by_kind in gains(seen, used, lessons):
            one, relevant = seen.questions[number], seen.relevant[seen.of_question == number]
            lists = Lists(np.zeros(len(relevant), np.intp), relevant.astype(np.float64))
            another = second if fold[number] == first else first
            table = found[None if first == second else another][number]
            table[:, 0] = [_tried_one(one, lists, lessons[0], np.zeros_like(one.shipped))]
            for kind, (lesson, gain) in enumerate(zip(lessons, by_kind, strict=True)):
                for step, strength in enumerate(STEPS[1:], start=1):
                    table[kind, step] = _tried_one(one, lists, lesson, strength * gain)
    return found


def _tried_one(one: Observed, lists: Lists, lesson: Taught, gain: Scores) -> tuple[float, float, float]:
    """Recall and discounted gain, as in ``Moved``, and the likelihood of what was said."""
    scores = lesson.scale * (one.shipped + gain)[one.judged].astype(np.float64)
    likely = lists.likelihood(scores, lesson.mistakes)[0]
    return *_figures(one, gain), float(lists.relevant @ likely)


def _best(tried: Tried) -> tuple[int, int]:
    """The kind and the step of strength that count, by figures of questions.

    The kind under which what was said is likeliest; of the strengths that surely make it likelier, the one
    that puts the judged passages into the best order; the first step, nothing, where none does.
    """
    differences = tried - tried[:, :, :1]
    means = differences.mean(axis=0)
    kind = int(means[:, :, 2].sum(axis=1).argmax())
    error = differences[:, kind, :, 2].std(axis=0) / np.sqrt(len(tried))
    sure = means[kind, :, 2] > SURE * error
    order = np.where(sure, means[kind, :, 1], 0.0)
    return kind, int(order.argmax()) if order.max() > 0 else 0


def _measured(seen: Observations, tried: dict[int | None, Tried], fold: NDArray[np.intp]) -> Iterator[Moved]:
    """Each question by what the other folds taught, of the kind and strength that they chose."""
    for number, one in enumerate(seen.questions):
        own = int(fold[number])
        kind, step = _best(tried[own][fold != own])
        before, then = tried[None][number, kind, [0, step], :2].tolist()
        yield Moved(one.question, before[0], then[0], before[1], then[1])


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

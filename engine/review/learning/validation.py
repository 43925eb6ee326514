"""Choose the strength of learned weights by cross-validation over questions.

Questions are split into folds; each is ranked by weights learned from the others. Their value is measured on
folds that had no part in the choice either (nested: Varma and Simon, BMC Bioinformatics 2006). The measure is
the order of the judged passages (a condensed list: Sakai, SIGIR 2007): counting unjudged ones as irrelevant
would favour the shipped weights, whose first passages are judged most.
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
    Lesson,
    Lists,
    Observations,
    Observed,
    fit_lessons,
    gains,
    make_experience,
    observations,
)

FOLDS = 5
# Possible strengths of the learned weights; the first disables them.
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Passages of a ranking that are examined.
DEPTH = 10
# Minimum worth of a passage that counts as relevant.
RELEVANT = 0.5
# Minimum number of questions: fewer do not generalise.
FEWEST = 5
# Learned weights are used if they raise the likelihood of the verdicts on other questions by more than this
# number of standard errors.
SURE = 1.0

# Figures of questions by kind and strength, shape (q, kinds, steps, 3): recall, discounted gain, likelihood.
Tried = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Moved:
    """One question, ranked by the shipped weights and by weights learned from the others.

    The figures are the recall of relevant passages among the first ten judged ones, and the discounted gain
    of their order.
    """

    question: str
    recall: float
    recall_then: float
    ndcg: float
    ndcg_then: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen kind and strength of learned weights; ``strength`` 0 for none.

    They were learned from ``questions`` and ``verdicts``. ``recall`` and ``ndcg`` are their effects on
    questions without a part in learning or choosing, with intervals; ``moved`` contains each question.
    """

    kind: str
    strength: float
    questions: int
    verdicts: int
    recall: Difference
    ndcg: Difference
    moved: tuple[Moved, ...]

    @property
    def worse(self) -> tuple[Moved, ...]:
        """The questions whose judged passages are in a worse order, the worst first."""
        found = [one for one in self.moved if one.ndcg_then < one.ndcg]
        return tuple(sorted(found, key=lambda one: one.ndcg_then - one.ndcg))


def learn_weights(questions: Sequence[Observed], corpus: Corpus, name: str) -> tuple[Experience, Choice]:
    """Learn from verdicts and measure the benefit. ``name`` is the id of the experience.

    Raises InputError for too few verdicts.
    """
    informative = [one for one in questions if one.worth.max() > one.worth.min()]
    if len(informative) < FEWEST:
        raise InputError(
            f"nothing can be learned yet: at least {FEWEST} questions need passages that are relevant and "
            f"others that are not; {len(informative)} have them"
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
    lesson = fit_lessons(seen, np.ones(count, np.bool_))[choice.kind]
    return make_experience(seen, corpus, lesson, choice.strength, name), choice


def _tried(seen: Observations, fold: NDArray[np.intp]) -> dict[int | None, Tried]:
    """Compute the figures of each question with weights learned from other folds.

    Under None the weights are from all other folds; under a fold's number that fold is left out, too, so that
    a choice can exclude it.
    """
    folds = int(fold.max()) + 1
    shape = (len(seen.questions), len(KINDS), len(STEPS), 3)
    found: dict[int | None, Tried] = {left: np.zeros(shape) for left in (None, *range(folds))}
    for first, second in combinations_with_replacement(range(folds), 2):
        used = (fold != first) & (fold != second)
        lessons = list(fit_lessons(seen, used).values())
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


def _tried_one(one: Observed, lists: Lists, lesson: Lesson, gain: Scores) -> tuple[float, float, float]:
    """Return recall and discounted gain, as in ``Moved``, and the likelihood of the verdicts."""
    scores = lesson.scale * (one.shipped + gain)[one.judged].astype(np.float64)
    likely = lists.likelihood(scores, lesson.mistakes)[0]
    return *_figures(one, gain), float(lists.relevant @ likely)


def _best(tried: Tried) -> tuple[int, int]:
    """Choose kind and strength by the figures of questions.

    The kind with the highest likelihood; of the strengths that raise it significantly, the one with the best
    order of the judged passages; the first step (none) if there is none.
    """
    differences = tried - tried[:, :, :1]
    means = differences.mean(axis=0)
    kind = int(means[:, :, 2].sum(axis=1).argmax())
    error = differences[:, kind, :, 2].std(axis=0) / np.sqrt(len(tried))
    sure = means[kind, :, 2] > SURE * error
    order = np.where(sure, means[kind, :, 1], 0.0)
    return kind, int(order.argmax()) if order.max() > 0 else 0


def _measured(seen: Observations, tried: dict[int | None, Tried], fold: NDArray[np.intp]) -> Iterator[Moved]:
    """Yield each question with the weights, kind and strength chosen by the other folds."""
    for number, one in enumerate(seen.questions):
        own = int(fold[number])
        kind, step = _best(tried[own][fold != own])
        before, then = tried[None][number, kind, [0, step], :2].tolist()
        yield Moved(one.question, before[0], then[0], before[1], then[1])


def _figures(one: Observed, gain: Scores) -> tuple[float, float]:
    """Return the recall of relevant passages among the first ten judged ones, and the discounted gain of all
    judged ones; 1 if none is relevant."""
    rank = np.empty(len(one.rows), np.intp)
    rank[one.order(one.shipped + gain)] = np.arange(len(one.rows))
    worth = one.worth[np.argsort(rank[one.judged], kind="stable")]
    relevant = worth >= RELEVANT
    if not relevant.any():
        return 1.0, 1.0
    discounts = 1.0 / np.log2(np.arange(len(worth)) + 2.0)
    recall = float(relevant[:DEPTH].sum() / relevant.sum())
    return recall, float((worth @ discounts) / (np.sort(worth)[::-1] @ discounts))

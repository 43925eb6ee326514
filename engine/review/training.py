"""Training of the ranking by verdicts, its validation, and stores of learned weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations_with_replacement
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.judgements import WeightsLine, load_weights
from engine.corpus.protocol import Corpus, Scores
from engine.errors import InputError
from engine.evaluation.compare import Difference, paired
from engine.investigation.ranking.additive import (
    Experience,
    adopt_weights,
    check_room,
    keep_weights,
    ship_weights,
)
from engine.records.store.chain import new_id
from engine.records.store.database import Matter, MatterWeights
from engine.review.learning import (
    KINDS,
    Labels,
    Lesson,
    Lists,
    Observations,
    Observed,
    fit_lessons,
    gains,
    make_experience,
    make_labels,
    observations,
    observe,
)
from engine.review.model import Assessment
from engine.settings import InvestigationSettings

# Choose the strength of learned weights by cross-validation over questions.
#
# Questions are split into folds; each is ranked by weights learned from the others. Their value
# is measured on folds that had no part in the choice either (nested: Varma and Simon, BMC
# Bioinformatics 2006). The measure is the order of the judged passages (a condensed list: Sakai,
# SIGIR 2007): counting unjudged ones as irrelevant would favour the shipped weights, whose first
# passages are judged most.

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


# Training of the ranking by verdicts, and stores of learned weights: of a corpus or of a matter.

# Questions that moved most in each direction, stored with learned weights.
MOST_MOVED = 50

AskQuestion = Callable[[Labels], Observed | None]
LearnWeights = Callable[[Sequence[Observed], str], tuple[Experience, Choice]]
ReportProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TrainingLabels:
    """Current judgements of passages: ``labels`` by question, and ``cases``, the newest case id of each
    question."""

    labels: tuple[Labels, ...]
    cases: dict[str, str]

    @property
    def verdicts(self) -> int:
        """Number of judged passages; one that two reviewers judged counts once."""
        return sum(len(one.worth) for one in self.labels)

    @property
    def telling(self) -> int:
        """Number of questions with passages of different relevance: only these can be learned from."""
        return sum(max(one.worth.values()) > min(one.worth.values()) for one in self.labels)

    def newest(self, questions: int, passages: int) -> TrainingLabels:
        """Return the newest labels, limited by the number of questions and of passages in total."""
        newest: list[Labels] = []
        for one in reversed(self.labels[-questions:]):
            passages -= len(one.worth)
            if passages < 0:
                break
            newest.append(one)
        return TrainingLabels(tuple(reversed(newest)), self.cases)


def labels_from(assessments: Iterable[Assessment]) -> TrainingLabels:
    """Collect the labels of passages from current assessments, in the order they were given."""
    every = list(assessments)
    return TrainingLabels(tuple(make_labels(every)), {one.question: one.item.case_id for one in every})


def train(
    corpus: Corpus,
    labels: TrainingLabels,
    settings: InvestigationSettings,
    *,
    ask: AskQuestion | None = None,
    learn: LearnWeights | None = None,
    report: ReportProgress = lambda step, done, total: None,
) -> tuple[Experience, Choice]:
    """Investigate each judged question again, and learn weights.

    ``report`` receives the progress. ``ask`` and ``learn`` replace the local work, e.g. by workers. Raises
    InputError for too few verdicts, and the errors of ``report``.
    """
    if not labels.labels:
        raise InputError("no passage has been judged yet: `review queue` makes items to judge")
    seen = []
    for number, one in enumerate(labels.labels):
        report("questions", number, len(labels.labels))
        found = ask(one) if ask else next(observe(corpus, [one], settings), None)
        if found is not None:
            seen.append(found)
    report("learning", len(labels.labels), len(labels.labels))
    return learn(seen, new_id()) if learn else learn_weights(seen, corpus, new_id())


def choice_to_json(choice: Choice, cases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the figures shown with learned weights, as plain values; with ``cases`` also the questions that
    moved most, each by its case."""
    found = {
        "kind": choice.kind,
        "strength": choice.strength,
        "questions": choice.questions,
        "verdicts": choice.verdicts,
        "recall": asdict(choice.recall),
        "ndcg": asdict(choice.ndcg),
        "better": len(improved_questions(choice)),
        "worse": len(choice.worse),
    }
    if cases is None:
        return found
    both = {"up": improved_questions(choice), "down": choice.worse}
    return found | {
        name: [
            {"case": cases.get(one.question, ""), "before": one.ndcg, "then": one.ndcg_then}
            for one in moved[:MOST_MOVED]
        ]
        for name, moved in both.items()
    }


def improved_questions(choice: Choice) -> tuple[Moved, ...]:
    """Return the questions whose judged passages are in a better order with the learned weights, best
    first."""
    found = [one for one in choice.moved if one.ndcg_then > one.ndcg]
    return tuple(sorted(found, key=lambda one: one.ndcg - one.ndcg_then))


class WeightStore(Protocol):
    """Stores learned weights; ``who`` names the person who acts. All methods raise InputError for an invalid
    action, and CorpusError or ResourceError if nothing can be read or written."""

    def lines(self) -> list[WeightsLine]:
        """Return the journal of stored and applied weights, in order."""
        ...

    def check_room(self) -> None:
        """Raise InputError if nothing more can be stored."""
        ...

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """Store learned weights with their figures; ``cases`` are the cases of the questions."""
        ...

    def adopt(self, weights: str, who: str) -> None:
        """Rank by stored weights from now on."""
        ...

    def ship(self, who: str) -> None:
        """Rank by the shipped weights again."""
        ...

    def delete(self, weights: str) -> None:
        """Delete stored weights that are not in use."""
        ...


@dataclass(frozen=True, slots=True)
class CorpusWeightStore:
    """Weights of a corpus, in its journal; without the questions, which other users must not see."""

    corpus: Corpus

    def lines(self) -> list[WeightsLine]:
        """See ``WeightStore``."""
        return [] if self.corpus.journals is None else load_weights(self.corpus.journals)

    def check_room(self) -> None:
        """See ``WeightStore``."""
        check_room(self.corpus)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """See ``WeightStore``."""
        keep_weights(self.corpus, learned, choice_to_json(choice), reviewer=who)

    def adopt(self, weights: str, who: str) -> None:
        """See ``WeightStore``."""
        adopt_weights(self.corpus, weights, reviewer=who)

    def ship(self, who: str) -> None:
        """See ``WeightStore``."""
        ship_weights(self.corpus, reviewer=who)

    def delete(self, weights: str) -> None:
        """Raise InputError: a journal keeps its lines."""
        raise InputError("what was learned for a corpus stays in its weights.jsonl: remove the line there")


@dataclass(frozen=True, slots=True)
class MatterWeightStore:
    """Weights of a matter for cases that ask a corpus, given by name; ``kept`` stores them."""

    kept: MatterWeights
    matter: Matter
    corpus: str

    def lines(self) -> list[WeightsLine]:
        """See ``WeightStore``."""
        return self.kept.lines(self.matter, self.corpus)

    def check_room(self) -> None:
        """See ``WeightStore``."""
        self.kept.check_room(self.matter)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """See ``WeightStore``."""
        self.kept.keep(self.matter, self.corpus, learned, choice_to_json(choice, cases), who=who)

    def adopt(self, weights: str, who: str) -> None:
        """See ``WeightStore``; only weights of this corpus."""
        if weights not in {line.id for line in self.lines()}:
            raise InputError(f"there are no learned weights {weights[:40]!r} of {self.corpus!r} here")
        self.kept.adopt(self.matter, weights, who=who)

    def ship(self, who: str) -> None:
        """See ``WeightStore``."""
        self.kept.ship(self.matter, self.corpus, who=who)

    def delete(self, weights: str) -> None:
        """See ``WeightStore``."""
        self.kept.delete(self.matter, weights)

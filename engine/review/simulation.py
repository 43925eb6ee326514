"""Experts played from gold judgements: what so many verdicts would teach, before anybody gives them.

Questions are dealt into two halves. Experts judge passages of the one half, wrongly as often as is said; what
they teach is measured on the other half, of which nobody has said anything, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation.metrics import complete_at, recall_at
from engine.evaluation.questions import Question
from engine.evaluation.significance import Difference, paired
from engine.investigation.ranking.experience import Experience
from engine.review.learning.choosing import learned_from
from engine.review.learning.learning import MOST, gained
from engine.review.learning.observing import Labels, Observed, observed
from engine.settings import InvestigationSettings

DEPTH = 10
METRICS: Mapping[str, Callable[[Sequence[str], Mapping[str, float], int], float]] = {
    "recall@10": recall_at,
    "complete@10": complete_at,
}


@dataclass(frozen=True, slots=True)
class Experts:
    """How people judge. ``noise`` is the chance of a wrong verdict, 0..0.5, to which ``fatigue`` adds with
    every hundred verdicts of one expert; ``second``: what one calls relevant is looked at by a second one,
    and by a third where they differ. Experts take turns, ``number`` of them."""

    number: int = 3
    noise: float = 0.1
    fatigue: float = 0.0
    second: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 0.5 or not 0 <= self.fatigue <= 0.5:
            raise InputError("experts: noise and fatigue are 0 to 0.5")
        if not 1 <= self.number <= 100:
            raise InputError("experts: 1 to 100 of them")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Which passages of each question are judged: the ``best`` of the ranking, and some of the others at
    ``random``."""

    best: int = 20
    random: int = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its pool, and which passages of the pool are gold, shape (n,); ``sources`` are their
    ids in the gold, ``gold`` all of it."""

    observed: Observed
    is_gold: NDArray[np.bool_]
    sources: tuple[str, ...]
    gold: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Taught:
    """What verdicts on one half of the questions taught for the other: how many verdicts were given on how
    many passages, and the figures of the half that nobody judged, before and then, with the interval of the
    difference. ``kind`` and ``strength`` are those that were chosen."""

    verdicts: int
    passages: int
    kind: str
    strength: float
    figures: Mapping[str, Difference]


def asked(corpus: Corpus, questions: Sequence[Question], settings: InvestigationSettings) -> Iterator[Asked]:
    """Each question asked once, with the shipped weights."""
    every = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    sources = [passage.source_id or passage.id for passage in every]
    all_of = dict.fromkeys((passage.id for passage in every), 0.0)
    voices = dict.fromkeys(all_of, 1)
    for question in questions:
        for one in observed(corpus, [Labels(question.text, all_of, voices)], settings):
            own = tuple(sources[row] for row in one.rows.tolist())
            is_gold = np.array([source in question.gold for source in own])
            yield Asked(one, is_gold, own, question.gold)


def halves(questions: Sequence[Asked]) -> tuple[list[Asked], list[Asked]]:
    """Two halves by a digest of the words, whatever the order."""
    first = [one for one in questions if _digest(one.observed.question) % 2 == 0]
    return first, [one for one in questions if _digest(one.observed.question) % 2]


def judged(
    questions: Sequence[Asked], experts: Experts, drawing: Drawing
) -> tuple[list[Observed], list[int]]:
    """What experts say of passages of each question, and how many verdicts each question took."""
    rng = np.random.default_rng(experts.seed)
    found, counts, given = [], [], 0
    for one in questions:
        places = drawn(one.observed, drawing, rng)
        seen, taken = _said(one, places, experts, given, rng)
        given += taken
        counts.append(taken)
        found.append(seen)
    return found, counts


def drawn(one: Observed, drawing: Drawing, rng: np.random.Generator) -> NDArray[np.intp]:
    """The places of a pool that are judged."""
    order = one.order(one.shipped)
    rest = order[drawing.best :]
    others = rng.choice(rest, min(drawing.random, len(rest)), replace=False)
    return np.concatenate([order[: drawing.best], others]).astype(np.intp)


def _said(
    one: Asked, places: NDArray[np.intp], experts: Experts, given: int, rng: np.random.Generator
) -> tuple[Observed, int]:
    truth = one.is_gold[places]
    tired = experts.noise + experts.fatigue * (given / experts.number) / 100
    wrong = rng.random((3, len(places))) < min(tired, 0.5)
    first, second, third = truth ^ wrong
    voices = np.ones(len(places), np.float32)
    worth, taken = first, len(places)
    if experts.second:
        differ = first & ~second
        # Who settles counts alone, as in ``labels_of``.
        worth, voices[first & second] = np.where(differ, third, first), 2.0
        taken += int(first.sum() + differ.sum())
    return replace(one.observed, judged=places, worth=worth.astype(np.float32), voices=voices), taken


def taught(
    corpus: Corpus, judging: Sequence[Observed], verdicts: int, others: Sequence[Asked]
) -> tuple[Taught, Experience]:
    """What verdicts on some questions teach for others. Raises InputError where they teach nothing."""
    learned, choice = learned_from(judging, corpus, "simulated")
    figures = {name: difference(corpus, others, learned, name) for name in METRICS}
    passages = sum(len(one.judged) for one in judging)
    return Taught(verdicts, passages, choice.kind, choice.strength, figures), learned


def difference(corpus: Corpus, others: Sequence[Asked], learned: Experience, metric: str) -> Difference:
    """What learned weights make of a figure of questions, with its interval."""
    measure = METRICS[metric]
    before: list[float] = []
    then: list[float] = []
    for one in others:
        own = one.observed
        for figures, scores in ((before, own.shipped), (then, own.shipped + gained(learned, corpus, own))):
            order = own.order(scores).tolist()
            ranking = list(dict.fromkeys(one.sources[place] for place in order))
            figures.append(measure(ranking, one.gold, DEPTH))
    return paired(then, before)


def curve(
    corpus: Corpus,
    questions: Sequence[Asked],
    others: Sequence[Asked],
    experts: Experts,
    drawing: Drawing,
    budgets: Sequence[int],
    *,
    active: bool,
) -> Iterator[Taught]:
    """What so many judged passages teach, chosen at random among those that are drawn, or those first whose
    verdicts would change most (``active``). Budgets that teach nothing yet are left out; of very many
    questions fewer passages each are drawn."""
    most = max(MOST // max(len(questions), 1), 1)
    best = min(drawing.best, most)
    whole, _ = judged(questions, experts, Drawing(best, min(drawing.random, most - best)))
    order = _by_change(corpus, whole) if active else _at_random(whole, experts.seed)
    for budget in budgets:
        taken = order[:budget]
        part = [
            _only(one, taken[taken[:, 0] == number, 1])
            for number, one in enumerate(whole)
            if (taken[:, 0] == number).any()
        ]
        try:
            found, _ = taught(corpus, part, int(sum(one.voices.sum() for one in part)), others)
        except InputError:
            continue
        yield found


def _only(one: Observed, places: NDArray[np.int64]) -> Observed:
    kept = np.sort(places)
    return replace(one, judged=one.judged[kept], worth=one.worth[kept], voices=one.voices[kept])


def _items(whole: Sequence[Observed]) -> NDArray[np.int64]:
    """Question and place among its judged ones, of each item; shape (items, 2)."""
    pairs = [(number, place) for number, one in enumerate(whole) for place in range(len(one.judged))]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _at_random(whole: Sequence[Observed], seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(_items(whole))


def _by_change(corpus, whole):
    raise NotImplementedError


def _digest(text: str) -> int:
    return blake2b(text.encode(), digest_size=1).digest()[0]

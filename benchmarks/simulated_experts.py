"""Experts played from gold judgements: what so many verdicts would teach, before anybody gives them.

Questions are dealt into two halves. Experts judge passages of the one half, wrongly as often as is said; what
they teach is measured on the other half, of which nobody has said anything, and the other way round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Scores
from engine.errors import InputError
from engine.evaluation.metrics import complete_at, recall_at
from engine.evaluation.questions import Question
from engine.evaluation.significance import Difference, paired
from engine.investigation.ranking.additive import Experience
from engine.review.active import Ranking, most_telling
from engine.review.learning.choosing import learned_from
from engine.review.learning.learning import gained, vectors_of
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
    return _compared(_measured(corpus, others, learned, metric))


def _measured(
    corpus: Corpus, others: Sequence[Asked], learned: Experience | None, metric: str
) -> Iterator[tuple[float, float]]:
    """A figure of each question by what was learned, and by the shipped weights."""
    for one in others:
        shipped = one.observed.shipped
        before = _figure(one, shipped, metric)
        gain = None if learned is None else gained(learned, corpus, one.observed)
        yield before if gain is None else _figure(one, shipped + gain, metric), before


def _figure(one: Asked, scores: Scores, metric: str) -> float:
    ranking = list(dict.fromkeys(one.sources[place] for place in one.observed.order(scores).tolist()))
    return METRICS[metric](ranking, one.gold, DEPTH)


def _compared(figures: Iterable[tuple[float, float]]) -> Difference:
    then, before = zip(*figures, strict=True)
    return paired(then, before)


@dataclass(frozen=True, slots=True)
class Point:
    """What so many judged ``passages`` of each half taught for the questions of the other, over the questions
    of both, by metric; ``counting``: for how many halves something of it counts."""

    passages: int
    counting: int
    figures: Mapping[str, Difference]


def curve(
    corpus: Corpus,
    both: tuple[Sequence[Asked], Sequence[Asked]],
    experts: Experts,
    drawing: Drawing,
    budgets: Sequence[int],
    *,
    active: bool,
) -> Iterator[Point]:
    """What so many judged passages of each half teach, chosen at random among those that are drawn, or the
    most telling of them first (``active``). It ends where all that is drawn is judged."""
    drawn_of = [judged(own, experts, drawing)[0] for own in both]
    orders = [_ordered(own, experts.seed, active=active) for own in drawn_of]
    most = min(map(len, orders))
    for budget in (*(one for one in budgets if one < most), most):
        figures: dict[str, list[tuple[float, float]]] = {metric: [] for metric in METRICS}
        counting = 0
        for own, order, others in zip(drawn_of, orders, both[::-1], strict=True):
            learned = _learned(corpus, _only(own, order[:budget]))
            counting += learned is not None and learned.strength > 0
            for metric, found in figures.items():
                found += _measured(corpus, others, learned, metric)
        yield Point(budget, counting, {metric: _compared(found) for metric, found in figures.items()})


def _ordered(questions: Sequence[Observed], seed: int, *, active: bool) -> list[tuple[int, int]]:
    """The judged passages of questions in the order in which they are judged."""
    items = [(number, place) for number, one in enumerate(questions) for place in one.judged.tolist()]
    if active:
        orders = [one.order(one.shipped) for one in questions]
        rankings = [
            Ranking(one.rows[order], np.flatnonzero(np.isin(order, one.judged)))
            for one, order in zip(questions, orders, strict=True)
        ]
        telling = most_telling(rankings, vectors_of(questions), len(items))
        return [(number, int(orders[number][index])) for number, index in telling]
    return [items[number] for number in np.random.default_rng(seed).permutation(len(items))]


def _only(questions: Sequence[Observed], items: Sequence[tuple[int, int]]) -> list[Observed]:
    """The questions of which something is judged, with what was said of these items."""
    places: dict[int, list[int]] = defaultdict(list)
    for number, place in items:
        places[number].append(place)
    found = []
    for number, own in sorted(places.items()):
        one = questions[number]
        kept = np.isin(one.judged, own)
        found.append(replace(one, judged=one.judged[kept], worth=one.worth[kept], voices=one.voices[kept]))
    return found


def _learned(corpus: Corpus, questions: Sequence[Observed]) -> Experience | None:
    try:
        return learned_from(questions, corpus, "simulated")[0]
    except InputError:
        return None


def _digest(text: str) -> int:
    return blake2b(text.encode(), digest_size=1).digest()[0]

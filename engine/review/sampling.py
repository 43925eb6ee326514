"""Draw items of cases for review: by strata, and those that teach the ranking most.

Strata: the best, the border of the ranking, passages of one strategy only, passages on which retrievers
disagree, and random ones, which estimates need. Each item is drawn from the first stratum that has it, with a
known chance. The same seed draws the same items.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from scipy.sparse import csr_array

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError, ModelError
from engine.investigation.ranking.additive import Floats
from engine.language.embedders import embedder
from engine.review.case_verdicts import Record, answer_items, hop_items, passage_items
from engine.review.learning import question_similarity
from engine.review.model import Assessment, Item, ItemKind
from engine.review.queues import Queue, QueuedItem, check_reviewer, checked_values

# Sampling by strata.


class Stratum(StrEnum):
    """Origin of a drawn item."""

    BEST = "best of the ranking"
    BORDER = "border of the ranking"
    ALONE = "found by one thread alone"
    DISAGREED = "retrievers disagree"
    RANDOM = "random"
    # Their chance is unknown: they never enter estimates.
    TELLING = "would teach most"


# Fields of ``Sampling`` that count items of a case.
COUNTS = ("best", "border", "alone", "disagreed", "random", "hops", "sentences", "telling")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many passages of each case are drawn from each stratum, how many hops and sentences. ``telling`` is
    the number of most informative passages a case, chosen over all cases.

    ``reviewers`` judge each item: anyone if ``assigned`` is empty, otherwise this many of them, in turn.
    """

    best: int = 10
    border: int = 5
    alone: int = 3
    disagreed: int = 3
    random: int = 5
    hops: int = 0
    sentences: int = 0
    telling: int = 0
    reviewers: int = 1
    assigned: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        counts = [getattr(self, name) for name in COUNTS]
        if min(counts) < 0 or max(counts) > 2000:
            raise InputError("sampling: numbers of items are 0 to 2,000 a case")
        if not 1 <= self.reviewers <= 20:
            raise InputError("sampling: 1 to 20 reviewers judge an item")
        if self.seed < 0:
            raise InputError("sampling: a seed is at least 0")
        # No person counts twice for an item.
        once = dict.fromkeys(map(check_reviewer, self.assigned))
        object.__setattr__(self, "assigned", tuple(once))
        if self.assigned and len(self.assigned) < self.reviewers:
            raise InputError(f"sampling: {self.reviewers} reviewers judge each item; name at least as many")


def draw(
    passages: Sequence[Item],
    hops: Sequence[Item],
    record: Mapping[str, Any],
    sampling: Sampling,
    sentences: Sequence[Item] = (),
) -> list[QueuedItem]:
    """Draw items of one case: from its ``passages``, ``hops`` and ``sentences``, as ``items.py`` makes them.

    Passages come by strata in their order, then the hops, then the sentences in the order of the answer.
    """
    case_id = next((item.case_id for item in (*passages, *hops, *sentences)), "")
    rng = np.random.default_rng([sampling.seed, *case_id.encode()])
    left = {item.key: item for item in passages}
    found: list[QueuedItem] = []
    for stratum, ordered, count in _strata(record, sampling):
        own = ordered(list(left.values()))[:count]
        found += [QueuedItem(left.pop(item.key), stratum.value) for item in own]
    found += _at_random(list(left.values()), sampling.random, rng)
    found += _at_random(hops, sampling.hops, rng)
    order = {item.key: place for place, item in enumerate(sentences)}
    chosen = _at_random(sentences, sampling.sentences, rng)
    found += sorted(chosen, key=lambda one: order[one.item.key])
    return [assigned(one, place, sampling) for place, one in enumerate(found)]


def _strata(
    record: Mapping[str, Any], sampling: Sampling
) -> list[tuple[Stratum, Callable[[list[Item]], list[Item]], int]]:
    """Return the deterministic strata: each with a function that orders items, and a count."""
    gate = {node["id"]: node["score"] for node in record["pool"]["nodes"]}
    strategies = _threads(record)
    hits = {passage["id"]: passage["hits"] for passage in record["passages"]}
    end = len(record["passages"])

    def best(items: list[Item]) -> list[Item]:
        return [item for item in items if item.rank is not None]

    def border(items: list[Item]) -> list[Item]:
        # The last ranked ones, and the best of those not ranked.
        below = sorted((item for item in items if item.rank is None), key=lambda one: -gate[one.passage_id])
        rank_below = {item.key: end + number for number, item in enumerate(below, 1)}
        middle = end + 0.5
        return sorted(items, key=lambda one: abs((one.rank or rank_below[one.key]) - middle))

    def alone(items: list[Item]) -> list[Item]:
        own = [item for item in items if len(strategies.get(item.passage_id, ())) == 1]
        return sorted(own, key=lambda one: (one.rank or math.inf, -gate.get(one.passage_id, 0.0)))

    def disagreed(items: list[Item]) -> list[Item]:
        spread = {item.key: _spread(hits.get(item.passage_id, ())) for item in items}
        return sorted((item for item in items if spread[item.key] > 0), key=lambda one: -spread[one.key])

    return [
        (Stratum.BEST, best, sampling.best),
        (Stratum.BORDER, border, sampling.border),
        (Stratum.ALONE, alone, sampling.alone),
        (Stratum.DISAGREED, disagreed, sampling.disagreed),
    ]


def _threads(record: Mapping[str, Any]) -> dict[str, set[str]]:
    """Return the strategies that led to each passage of a pool."""
    found: dict[str, set[str]] = {}
    for edge in record["pool"]["edges"]:
        found.setdefault(edge["target"], set()).add(edge["strategy"])
    return found


def _spread(hits: Sequence[Mapping[str, Any]]) -> float:
    """Return how far apart retrievers rank a passage, as a logarithm; 0 for one retriever."""
    best: dict[str, int] = {}
    for hit in hits:
        best[hit["retriever"]] = min(hit["rank"], best.get(hit["retriever"], hit["rank"]))
    return math.log(max(best.values()) / min(best.values())) if len(best) > 1 else 0.0


def _at_random(items: Sequence[Item], count: int, rng: np.random.Generator) -> list[QueuedItem]:
    if not items or not count:
        return []
    count = min(count, len(items))
    places = rng.choice(len(items), count, replace=False).tolist()
    return [QueuedItem(items[place], Stratum.RANDOM.value, count / len(items)) for place in places]


def assigned(one: QueuedItem, place: int, sampling: Sampling) -> QueuedItem:
    """Assign reviewers to an item; named reviewers take turns."""
    names = sampling.assigned
    chosen = tuple(names[(place + turn) % len(names)] for turn in range(sampling.reviewers)) if names else ()
    return QueuedItem(one.item, one.stratum, one.chance, chosen, sampling.reviewers)


# Draw items of cases for review, starting with the passages that teach the ranking most.
#
# The evidence on a passage applies to every question that finds it (``ranking/additive.py``). A
# verdict is more informative the higher the passage ranks for its question (it is more likely
# relevant), the higher it ranks for other questions and the more similar these are, and the less
# often the same passage was judged before.

# First passages of each ranking that count.
DEPTH = 20
# Weight of lower passages, and of a verdict for its own question alone.
LOWER, OWN = 0.05, 0.1


@dataclass(frozen=True, slots=True)
class Ranking:
    """The passages of a question: their ``rows`` of the corpus, best first, shape (n,), and the indices of
    those that may be judged, shape (k,)."""

    rows: Rows
    may_be_judged: NDArray[np.intp]


def most_informative(
    rankings: Sequence[Ranking], vectors: Floats, count: int, judged: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """Return up to ``count`` items to judge, most informative first: number of a question, index in its
    ranking.

    ``vectors`` are those of the questions, shape (q, d), or (q, 0) without vectors; ``judged`` are the rows
    of passages judged before, repeated as often as they were. The verdicts themselves make no difference.
    """
    candidates = [one.rows[one.may_be_judged] for one in rankings]
    if not any(map(len, candidates)):
        return []
    rows, of_item = np.unique(np.concatenate(candidates), return_inverse=True)
    of_question = np.repeat(np.arange(len(rankings)), list(map(len, candidates)))
    heights = _standing(rankings, rows)
    elsewhere = (question_similarity(vectors) @ heights)[of_question, of_item]
    worth = (heights.toarray()[of_question, of_item] + LOWER) * (elsewhere + OWN)
    items = [(number, int(one)) for number, own in enumerate(rankings) for one in own.may_be_judged]
    return [items[one] for one in _in_turn(worth, rows[of_item], Counter(map(int, judged)), count)]


def _standing(rankings: Sequence[Ranking], rows: Rows) -> csr_array:
    """Return how high each of ``rows`` (ascending) ranks for each question, 0..1, discounted by rank; shape
    (questions, rows)."""
    first = [one.rows[:DEPTH] for one in rankings]
    ranked = np.concatenate(first)
    ranks = np.concatenate([np.arange(len(own)) for own in first])
    of_question = np.repeat(np.arange(len(first)), list(map(len, first)))
    positions = np.minimum(np.searchsorted(rows, ranked), len(rows) - 1)
    found = rows[positions] == ranked
    values = (1.0 / np.log2(ranks + 2.0))[found]
    return csr_array((values, (of_question[found], positions[found])), shape=(len(first), len(rows)))


def _in_turn(worth: NDArray[np.float64], rows: Rows, taken_before: Counter[int], count: int) -> list[int]:
    """Return items by worth, which decreases with each earlier item of the same row."""
    of_row = rows.tolist()
    queue = [(-own / (1 + taken_before[of_row[number]]), number) for number, own in enumerate(worth.tolist())]
    heapify(queue)
    taken: list[int] = []
    while queue and len(taken) < count:
        known_worth, number = queue[0]
        now = -float(worth[number]) / (1 + taken_before[of_row[number]])
        if now > known_worth:
            heapreplace(queue, (now, number))
            continue
        heappop(queue)
        taken.append(number)
        taken_before[of_row[number]] += 1
    return taken


_SAMPLING = TypeAdapter(Sampling)
# Maximum items of a queue.
MOST_ITEMS = 20_000
# First passages of a case that are candidates for the most informative ones, and the maximum cases compared:
# each question is compared with each other one.
CANDIDATES, MOST_COMPARED = 60, 2_000


@dataclass(slots=True)
class _Left:
    """The first passages of cases of one corpus, best first, by case, and for each whether it may be judged:
    it was neither drawn nor judged."""

    corpus: Corpus
    questions: list[str] = field(default_factory=list)
    ranked: list[list[Item]] = field(default_factory=list)
    may_be_judged: list[list[bool]] = field(default_factory=list)


class Drawing:
    """Draws items from cases added one after another, and the most informative ones over all of them."""

    def __init__(self, sampling: Sampling, assessments: Iterable[Assessment] = ()) -> None:
        """``assessments`` are the current assessments of the matter: judged passages are less informative."""
        self._sampling = sampling
        self._found: list[QueuedItem] = []
        self._left: dict[int, _Left] = {}
        self._judged = [one.item for one in assessments if one.item.kind is ItemKind.PASSAGE]
        # Cases without an answer from which sentences were requested.
        self.unanswered = 0
        self._keys = {(item.case_id, key) for item in self._judged for key in (item.key, *item.copies)}

    def add(self, case_id: str, record: Record, corpus: Corpus) -> None:
        """Draw from a case. Raises InputError if the total is too large."""
        sampling = self._sampling
        passages = passage_items(record, case_id, corpus)
        hops = hop_items(record, case_id, corpus) if sampling.hops else []
        sentences = answer_items(record, case_id, corpus) if sampling.sentences else []
        self.unanswered += bool(sampling.sentences) and not sentences
        found = draw(passages, hops, record, sampling, sentences)
        self._found += found
        if sampling.telling:
            self._add_candidates({one.item.key for one in found}, passages, record, corpus)
        if (
            len(self._found) + sum(len(one.questions) for one in self._left.values()) * sampling.telling
            > MOST_ITEMS
        ):
            raise InputError(f"that would be more than {MOST_ITEMS:,} items; take fewer of each case")

    def items(self) -> list[QueuedItem]:
        """Return the drawn items: the most informative ones, then case by case."""
        return [*(one for left in self._left.values() for one in self._most_informative(left)), *self._found]

    def _add_candidates(
        self, taken: set[str], passages: Iterable[Item], record: Record, corpus: Corpus
    ) -> None:
        """Add the first passages as candidates, unranked ones last by gate score, with whether each may be
        judged."""
        left = self._left.setdefault(id(corpus), _Left(corpus))
        if len(left.questions) == MOST_COMPARED:
            raise InputError(
                f"the most informative passages are chosen from at most {MOST_COMPARED:,} cases: name them"
            )
        gate = {node["id"]: node["score"] for node in record["pool"]["nodes"]}
        in_order = sorted(
            passages, key=lambda item: (item.rank is None, item.rank or -gate[item.passage_id])
        )[:CANDIDATES]
        left.questions.append(record["question"])
        left.ranked.append(in_order)
        left.may_be_judged.append(
            [item.key not in taken and (item.case_id, item.key) not in self._keys for item in in_order]
        )

    def _most_informative(self, left: _Left) -> list[QueuedItem]:
        rankings = [
            Ranking(left.corpus.rows([item.passage_id for item in own]), np.flatnonzero(may_be_judged))
            for own, may_be_judged in zip(left.ranked, left.may_be_judged, strict=True)
        ]
        most = self._sampling.telling * len(left.questions)
        vectors = _vectors(left.corpus, left.questions)
        chosen = most_informative(rankings, vectors, most, self._judged_rows(left.corpus).tolist())
        queued = (QueuedItem(left.ranked[number][one], Stratum.TELLING.value, 0.0) for number, one in chosen)
        return [assigned(one, place, self._sampling) for place, one in enumerate(queued)]

    def _judged_rows(self, corpus: Corpus) -> Rows:
        """Return the rows of judged passages, as often as they were judged."""
        rows = corpus.rows([item.passage_id for item in self._judged])
        found: Rows = rows[rows >= 0]
        return found


def _vectors(corpus: Corpus, questions: list[str]) -> Floats:
    """Return the vectors of questions, shape (q, d); (q, 0) if the corpus has none or its model fails."""
    model = embedder(corpus.embedding)
    empty = np.zeros((len(questions), 0), np.float32)
    if model is None:
        return empty
    try:
        found = model.encode(questions, "query")
    except ModelError:
        return empty
    dimension = corpus.vectors(np.empty(0, np.int32)).shape[1]
    return found if found.shape[1] == dimension else empty


def draw_items(
    cases: Iterable[tuple[str, Record]],
    corpus: Corpus,
    sampling: Sampling,
    assessments: Iterable[Assessment] = (),
) -> list[QueuedItem]:
    """Draw items of cases given by ids and records; see ``Drawing``."""
    drawing = Drawing(sampling, assessments)
    for case_id, record in cases:
        drawing.add(case_id, record, corpus)
    return drawing.items()


def left_out_note(count: int) -> list[str]:
    """Return a note on cases left out because a newer one asks the same question; empty for none."""
    cases = "1 case" if count == 1 else f"{count:,} cases"
    return [f"{cases} left out, whose question a newer one asks"] if count else []


def iterate_items(
    cases: Iterable[tuple[str, str, Record]], corpus: Corpus, *, hops: bool
) -> Iterator[tuple[Item, str]]:
    """Yield all items of cases, given by ids, questions and records, each with its question."""
    for case_id, question, record in cases:
        for item in passage_items(record, case_id, corpus):
            yield item, question
        for item in hop_items(record, case_id, corpus) if hops else ():
            yield item, question


def queue_settings(sampling: Sampling) -> dict[str, Any]:
    """Return the sampling as settings of a queue."""
    return {"sampling": asdict(sampling) | {"assigned": list(sampling.assigned)}}


def parse_sampling(queue: Queue) -> Sampling:
    """Parse the sampling of a queue. Raises InputError if its settings do not have it."""
    stored = queue.settings.get("sampling")
    names = {one.name for one in fields(Sampling)}
    # Queues of earlier versions lack these.
    if isinstance(stored, Mapping):
        stored = {"sentences": 0, "telling": 0, **stored}
    if not isinstance(stored, Mapping) or not names <= stored.keys():
        raise InputError(f"queue {queue.id} has no sampling settings: nothing can be estimated from it")
    return checked_values(_SAMPLING, {name: stored[name] for name in names}, "queues.settings")

"""Drawing of items for review, those first that would teach most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
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
from engine.review.items import Record, answer_items, hop_items, passage_items
from engine.review.kept import Queue, QueuedItem, checked_values
from engine.review.learning.learning import between
from engine.review.model import Assessment, Item, ItemKind
from engine.review.sampling import Sampling, Stratum, assigned, drawn

# Which passages to have judged first, so that few verdicts teach the ranking most.
#
# What is learned of a passage counts wherever it is found again (``ranking/experience.py``). A
# verdict tells the more, the higher the passage stands for its question, for it is then likelier
# relevant; the higher it stands for the other questions, and the more these are alike; and the
# less the same passage was asked about before.

# So many of the first passages of each ranking count.
DEPTH = 20
# What a passage counts for that stands lower, and what a verdict counts for its own question alone.
LOWER, OWN = 0.05, 0.1


@dataclass(frozen=True, slots=True)
class Ranking:
    """The passages of a question: their ``rows`` of the corpus, best first, shape (n,), and the indices of
    those that may be judged, shape (k,)."""

    rows: Rows
    may_be_judged: NDArray[np.intp]


def most_telling(
    rankings: Sequence[Ranking], vectors: Floats, count: int, judged: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """Up to ``count`` items to have judged, the most telling first: the number of a question and the index of
    a passage in its ranking.

    ``vectors`` are those of the questions, shape (q, d), (q, 0) where there are none; ``judged`` the rows of
    passages that were judged before, each as often as it was. What was said of them is not looked at.
    """
    candidates = [one.rows[one.may_be_judged] for one in rankings]
    if not any(map(len, candidates)):
        return []
    rows, of_item = np.unique(np.concatenate(candidates), return_inverse=True)
    of_question = np.repeat(np.arange(len(rankings)), list(map(len, candidates)))
    standing = _standing(rankings, rows)
    elsewhere = (between(vectors) @ standing)[of_question, of_item]
    worth = (standing.toarray()[of_question, of_item] + LOWER) * (elsewhere + OWN)
    items = [(number, int(one)) for number, own in enumerate(rankings) for one in own.may_be_judged]
    return [items[one] for one in _in_turn(worth, rows[of_item], Counter(map(int, judged)), count)]


def _standing(rankings: Sequence[Ranking], rows: Rows) -> csr_array:
    """How high each of ``rows``, ascending, stands for each question, 0..1, discounted by its rank;
    shape (questions, rows)."""
    first = [one.rows[:DEPTH] for one in rankings]
    ranked = np.concatenate(first)
    ranks = np.concatenate([np.arange(len(own)) for own in first])
    of_question = np.repeat(np.arange(len(first)), list(map(len, first)))
    where = np.minimum(np.searchsorted(rows, ranked), len(rows) - 1)
    there = rows[where] == ranked
    values = (1.0 / np.log2(ranks + 2.0))[there]
    return csr_array((values, (of_question[there], where[there])), shape=(len(first), len(rows)))


def _in_turn(worth: NDArray[np.float64], rows: Rows, asked: Counter[int], count: int) -> list[int]:
    """The numbers of items by their worth, which falls with each item of the same row that was taken."""
    of_row = rows.tolist()
    waiting = [(-own / (1 + asked[of_row[number]]), number) for number, own in enumerate(worth.tolist())]
    heapify(waiting)
    taken: list[int] = []
    while waiting and len(taken) < count:
        told, number = waiting[0]
        now = -float(worth[number]) / (1 + asked[of_row[number]])
        if now > told:
            heapreplace(waiting, (now, number))
            continue
        heappop(waiting)
        taken.append(number)
        asked[of_row[number]] += 1
    return taken


# A queue drawn from cases: what of each is judged, and how that was chosen, to be estimated from
# later.

_SAMPLING = TypeAdapter(Sampling)
# Items of a queue at most.
MOST_ITEMS = 20_000
# Passages of a case that may teach most, the first; and of how many cases such passages are chosen together:
# each question is compared with each other one.
CANDIDATES, MOST_COMPARED = 60, 2_000


@dataclass(slots=True)
class _Left:
    """The first passages of cases of one corpus, best first, case by case, and of each whether it may be
    judged: it was neither drawn nor judged."""

    corpus: Corpus
    questions: list[str] = field(default_factory=list)
    ranked: list[list[Item]] = field(default_factory=list)
    may_be_judged: list[list[bool]] = field(default_factory=list)


class Drawing:
    """Items drawn from cases that are given one after another, in the end those that would teach most."""

    def __init__(self, sampling: Sampling, said: Iterable[Assessment] = ()) -> None:
        """``said`` is what stands of what was said in the matter: what was judged teaches less."""
        self._sampling = sampling
        self._found: list[QueuedItem] = []
        self._left: dict[int, _Left] = {}
        self._judged = [one.item for one in said if one.item.kind is ItemKind.PASSAGE]
        # Cases that were to give sentences, and have none.
        self.unanswered = 0
        self._keys = {(item.case_id, key) for item in self._judged for key in (item.key, *item.copies)}

    def add(self, case_id: str, record: Record, corpus: Corpus) -> None:
        """Draw from a case. Raises InputError where all would be too many."""
        sampling = self._sampling
        passages = passage_items(record, case_id, corpus)
        hops = hop_items(record, case_id, corpus) if sampling.hops else []
        sentences = answer_items(record, case_id, corpus) if sampling.sentences else []
        self.unanswered += bool(sampling.sentences) and not sentences
        found = drawn(passages, hops, record, sampling, sentences)
        self._found += found
        if sampling.telling:
            self._set_aside({one.item.key for one in found}, passages, record, corpus)
        if (
            len(self._found) + sum(len(one.questions) for one in self._left.values()) * sampling.telling
            > MOST_ITEMS
        ):
            raise InputError(f"that would be more than {MOST_ITEMS:,} items; take fewer of each case")

    def items(self) -> list[QueuedItem]:
        """What was drawn: what would teach most, then one case after the other."""
        return [*(one for left in self._left.values() for one in self._telling(left)), *self._found]

    def _set_aside(self, taken: set[str], passages: Iterable[Item], record: Record, corpus: Corpus) -> None:
        """Keep the first of the passages, those that are not ranked behind the others by their gate's score,
        and which of them may be judged."""
        left = self._left.setdefault(id(corpus), _Left(corpus))
        if len(left.questions) == MOST_COMPARED:
            raise InputError(
                f"what would teach most is chosen from at most {MOST_COMPARED:,} cases: name them"
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

    def _telling(self, left: _Left) -> list[QueuedItem]:
        rankings = [
            Ranking(left.corpus.rows([item.passage_id for item in own]), np.flatnonzero(may_be_judged))
            for own, may_be_judged in zip(left.ranked, left.may_be_judged, strict=True)
        ]
        most = self._sampling.telling * len(left.questions)
        vectors = _vectors(left.corpus, left.questions)
        chosen = most_telling(rankings, vectors, most, self._known(left.corpus).tolist())
        told = (QueuedItem(left.ranked[number][one], Stratum.TELLING.value, 0.0) for number, one in chosen)
        return [assigned(one, place, self._sampling) for place, one in enumerate(told)]

    def _known(self, corpus: Corpus) -> Rows:
        """The rows of what was judged, as often as it was."""
        rows = corpus.rows([item.passage_id for item in self._judged])
        found: Rows = rows[rows >= 0]
        return found


def _vectors(corpus: Corpus, questions: list[str]) -> Floats:
    """The vectors of questions, shape (q, d); (q, 0) where the corpus has none or its model fails."""
    model = embedder(corpus.embedding)
    nothing = np.zeros((len(questions), 0), np.float32)
    if model is None:
        return nothing
    try:
        found = model.encode(questions, "query")
    except ModelError:
        return nothing
    held = corpus.vectors(np.empty(0, np.int32)).shape[1]
    return found if found.shape[1] == held else nothing


def drawn_from(
    cases: Iterable[tuple[str, Record]], corpus: Corpus, sampling: Sampling, said: Iterable[Assessment] = ()
) -> list[QueuedItem]:
    """Items of cases, given by their ids and records; see ``Drawing``."""
    drawing = Drawing(sampling, said)
    for case_id, record in cases:
        drawing.add(case_id, record, corpus)
    return drawing.items()


def asked_again(count: int) -> list[str]:
    """In words that so many cases were left out because a newer one asks the same; nothing for none."""
    cases = "1 case" if count == 1 else f"{count:,} cases"
    return [f"{cases} left out, whose question a newer one asks"] if count else []


def items_named(
    cases: Iterable[tuple[str, str, Record]], corpus: Corpus, *, hops: bool
) -> Iterator[tuple[Item, str]]:
    """All items of cases, given by their ids, questions and records, with the questions."""
    for case_id, question, record in cases:
        for item in passage_items(record, case_id, corpus):
            yield item, question
        for item in hop_items(record, case_id, corpus) if hops else ():
            yield item, question


def settings_of(sampling: Sampling) -> dict[str, Any]:
    """How items were drawn, as the settings of their queue."""
    return {"sampling": asdict(sampling) | {"assigned": list(sampling.assigned)}}


def sampling_of(queue: Queue) -> Sampling:
    """How the items of a queue were drawn. Raises InputError where it does not say."""
    said = queue.settings.get("sampling")
    names = {one.name for one in fields(Sampling)}
    # Queues of before these could be drawn have none of them.
    if isinstance(said, Mapping):
        said = {"sentences": 0, "telling": 0, **said}
    if not isinstance(said, Mapping) or not names <= said.keys():
        raise InputError(f"queue {queue.id} does not say how it was drawn: nothing is estimated from it")
    return checked_values(_SAMPLING, {name: said[name] for name in names}, "queues.settings")

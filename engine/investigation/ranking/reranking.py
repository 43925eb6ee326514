"""A reranker's judgement as one more addend of the score, for the head of the ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Scores
from engine.ingestion.indexing import context_of
from engine.investigation.pool import Reading
from engine.investigation.ranking import Ranking
from engine.language.embedders.loading import model_name
from engine.llm.suspicion import addresses_machine
from engine.retrieval.asking import Asking
from engine.retrieval.rerank import (
    BUDGET,
    LISTWISE,
    STOPPED,
    Judged,
    Judging,
    ListwiseReranker,
    Reranker,
    reads,
    reranker,
)

# Passages that a language model is not shown keep their place, whatever it does to the others.
#
# A model that orders passages cannot lift what it has not read; but it can push down what stands
# above. So that neither an attack nor its being withheld changes where a passage stands, it keeps
# its rank.

WITHHELD = "addresses a machine: not shown to the model, keeps its place"


def keep_in_place(before: Ranking, after: Ranking, places: Sequence[int]) -> Ranking:
    """``after`` with the rows that stood at ``places`` of ``before`` there again, the others in their order.

    Both rankings hold the same rows; the last part of ``after`` is the addend that moved them. Where the
    score of a kept row does not fit between its neighbours, that part makes it fit.
    """
    if not places:
        return after
    where = {row: place for place, row in enumerate(after.rows.tolist())}
    kept = {place: where[int(before.rows[place])] for place in places}
    held = set(kept.values())
    moving = iter(place for place in range(len(after.rows)) if place not in held)
    order = [kept[place] if place in kept else next(moving) for place in range(len(after.rows))]
    parts, scores = after.parts[:, order].copy(), after.scores[order].copy()
    for place in sorted(kept):
        below = next((float(scores[n]) for n in range(place + 1, len(scores)) if n not in kept), -np.inf)
        above = float(scores[place - 1]) if place else np.inf
        fitting = min(max(float(scores[place]), below), above)
        parts[-1, place] += fitting - scores[place]
        scores[place] = fitting
    name = after.names[-1]
    told = {(name, int(before.rows[place])): WITHHELD for place in places}
    return replace(
        after, rows=after.rows[order], scores=scores, parts=parts, details={**after.details, **told}
    )


# A reranker's judgement as one more addend of the score, for the head of the ranking.
#
# The model's scores, on whatever scale, are stretched to the range of the own scores of the
# passages it judged, and mixed with them: the head is put in a new order, stays above what was
# not judged, and the parts of a score still add up to it.

RERANKER, PINNED = "reranker", "pinned"
# Best passages that are judged, and the share of the judgement in their score.
DEPTH, WEIGHT = 50, 0.5
# Milliseconds for a model that runs here, and for a language model.
QUICK, PATIENT = 500, 20_000


class Reranking:
    """The reranker of one case, ``budget`` in milliseconds. ``notes`` tell what it did last, or why it is
    off.

    Raises SettingsError for a spec that cannot be read.
    """

    def __init__(
        self, question: str, spec: str, asking: Asking, *, budget: int | None = None, depth: int = DEPTH
    ) -> None:
        self.notes: tuple[str, ...] = ()
        self._spec, self._depth = spec, depth
        self._budget = budget or (PATIENT if spec == LISTWISE else QUICK)
        self._model: Reranker | None = reranker(spec)
        if spec == LISTWISE and asking.model is not None:
            self._model = ListwiseReranker(asking.model, asking.meter)
        elif spec == LISTWISE:
            self.notes = ("reranking is off: no language model is connected; the learned ranking stands",)
        self._judging = None if self._model is None else Judging(self._model, " ".join(question.split()))

    @property
    def calls(self) -> int:
        """Requests that the reranker has sent to an outside service so far; a language model's are counted
        by its meter."""
        counted = self._model is None or isinstance(self._model, ListwiseReranker)
        return 0 if counted or self._model is None else self._model.calls

    def applied(
        self, ranking: Ranking, corpus: Corpus, reading: Reading, language: str, halted: Callable[[], bool]
    ) -> Ranking:
        """The ranking with its head judged, as far as the budget goes; as it was where the model is off.

        ``language`` is the question's. Pinned passages are not judged: a person has done that.
        """
        model, judging = self._model, self._judging
        if model is None or judging is None:
            return ranking
        if not reads(model, language):
            self.notes = (f"reranking is off: {model_name(model.spec)} does not read {language!r}",)
            return ranking
        places = np.flatnonzero(~pinned(ranking))[: self._depth]
        passages = reading.passages(ranking.rows[places])
        readable = [number for number, one in enumerate(passages) if reads(model, one.language)]
        texts = Texts(corpus, reading)
        budget = self._budget
        withheld: list[int] = []
        if isinstance(model, ListwiseReranker):
            withheld = _addressing(texts, ranking, places[readable].tolist())
            readable = [number for number in readable if int(places[number]) not in withheld]
            model.within(budget)
        asked = ranking.rows[places[readable]].tolist()
        judged = judging.judge(asked, texts, budget, halted)
        self._tell(judged, len(asked))
        if not len(judged.scores):
            return ranking
        judged_places = places[readable[: len(judged.scores)]]
        after = mixed(ranking, judged_places.tolist(), judged.scores, WEIGHT)
        return keep_in_place(ranking, after, withheld) if after is not ranking else ranking

    def _tell(self, judged: Judged, asked: int) -> None:
        """Say what was judged; nothing new to tell where all was known."""
        done, budget = len(judged.scores), self._budget
        if judged.why == "" and judged.new == 0:
            return
        took = f"in {judged.milliseconds:.0f} ms"
        spec = self._spec
        if judged.why not in ("", BUDGET, STOPPED):
            kept = f"; the {done} judged before count" if done else ""
            self.notes = (f"reranking is off: {judged.why}{kept}",)
        elif judged.why == BUDGET and done == 0:
            self.notes = (
                f"nothing was reranked: the budget of {budget} ms does not hold one text for {spec}",
            )
        else:
            of = f"{done} of {asked}" if done < asked else f"{done}"
            if isinstance(self._model, ListwiseReranker) and self._model.cut:
                of = f"{of}, in part ({self._model.cut}),"
            ends = {BUDGET: f"; the budget of {budget} ms was used up", STOPPED: "; it was stopped"}
            self.notes = (f"reranked the best {of} passages {took} by {spec}{ends.get(judged.why, '')}",)


@dataclass(frozen=True, slots=True)
class Texts:
    """What a reranker reads of passages: their document, headings and label, then their words."""

    corpus: Corpus
    reading: Reading

    def __call__(self, rows: Sequence[int]) -> list[str]:
        """One text a row."""
        wanted = np.asarray(rows, np.int32)
        documents, numbers = self.corpus.documents(), self.corpus.document_numbers(wanted).tolist()
        told = []
        for passage, number in zip(self.reading.passages(wanted), numbers, strict=True):
            around = dict.fromkeys(part for part in context_of(passage, documents[number]) if part)
            told.append("\n".join(part for part in (" > ".join(around), passage.text) if part))
        return told


def _addressing(texts: Texts, ranking: Ranking, places: Sequence[int]) -> list[int]:
    """Those of the places whose text addresses a machine."""
    told = texts(ranking.rows[list(places)].tolist())
    return [place for place, text in zip(places, told, strict=True) if addresses_machine(text)]


def pinned(ranking: Ranking) -> Mask:
    """Which places of a ranking a person has pinned, shape (n,)."""
    if PINNED not in ranking.names:
        return np.zeros(len(ranking.rows), np.bool_)
    found: Mask = ranking.parts[ranking.names.index(PINNED)] > 0
    return found


def mixed(ranking: Ranking, places: Sequence[int], judged: Scores, weight: float) -> Ranking:
    """The ranking with the judged places in a new order; ``judged``: shape (places,), on any scale.

    A judged passage gets (1 - weight) x own score + weight x judgement, the judgement stretched to the
    range of the own scores of all that was judged. Equal judgements change nothing.
    """
    own = ranking.scores[list(places)]
    low, high = float(judged.min()), float(judged.max())
    if high <= low:
        return ranking
    stretched = own.min() + (own.max() - own.min()) * (judged - low) / (high - low)
    values = np.zeros(len(ranking.rows), np.float32)
    values[list(places)] = weight * (stretched - own)
    details = {place: f"judged {score:.3g}" for place, score in zip(places, judged.tolist(), strict=True)}
    return with_addend(ranking, RERANKER, values, details)


def with_addend(ranking: Ranking, name: str, values: Scores, details: dict[int, str]) -> Ranking:
    """The ranking with one more addend, in the order of the new scores; equal ones stay in order.

    ``values``: shape (n,). ``details`` by place in the ranking as it was.
    """
    parts = np.vstack([ranking.parts, values[None, :]]).astype(np.float32)
    scores = parts.sum(axis=0)
    order = np.argsort(-scores, kind="stable")
    rows = ranking.rows.tolist()
    told = {(name, rows[place]): words for place, words in details.items()}
    return Ranking(
        ranking.rows[order],
        scores[order],
        (*ranking.names, name),
        parts[:, order],
        {**ranking.details, **told},
    )

"""Reranking of the head of the ranking: a reranker's judgement becomes one more addend of the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Scores
from engine.ingestion.indexing import get_context
from engine.investigation.pool import Reading
from engine.investigation.ranking import Ranking
from engine.language.embedders.transformer import model_name
from engine.llm.base import Asking
from engine.llm.prompt import addresses_machine
from engine.retrieval.rerank.base import (
    BUDGET,
    LISTWISE,
    STOPPED,
    Judged,
    Judging,
    ListwiseReranker,
    Reranker,
    reads,
)
from engine.retrieval.rerank.spec import reranker

# Withheld passages
#
# A passage that addresses a machine is not shown to a language model and keeps its rank, so that neither an
# attack nor withholding it changes its rank.

WITHHELD = "addresses a machine: not shown to the model, keeps its position"


def keep_in_place(before: Ranking, after: Ranking, positions: Sequence[int]) -> Ranking:
    """Move the rows at ``positions`` of ``before`` back to these positions of ``after``.

    Both rankings have the same rows; the other rows keep their order. The last part of ``after`` is the
    addend that moved them; it is changed for a row whose score does not fit between its neighbours.
    """
    if not positions:
        return after
    moved_to = {row: position for position, row in enumerate(after.rows.tolist())}
    fixed = {position: moved_to[int(before.rows[position])] for position in positions}
    fixed_rows = set(fixed.values())
    moving = iter(position for position in range(len(after.rows)) if position not in fixed_rows)
    order = [fixed[position] if position in fixed else next(moving) for position in range(len(after.rows))]
    parts, scores = after.parts[:, order].copy(), after.scores[order].copy()
    for position in sorted(fixed):
        below = next((float(scores[n]) for n in range(position + 1, len(scores)) if n not in fixed), -np.inf)
        above = float(scores[position - 1]) if position else np.inf
        fitting = min(max(float(scores[position]), below), above)
        parts[-1, position] += fitting - scores[position]
        scores[position] = fitting
    name = after.names[-1]
    details = {(name, int(before.rows[position])): WITHHELD for position in positions}
    return replace(
        after, rows=after.rows[order], scores=scores, parts=parts, details={**after.details, **details}
    )


# The reranker's addend
#
# The model's scores are stretched to the range of the ranking's scores of the same passages, and mixed with
# them. The head gets a new order, stays above the passages that were not judged, and the parts of a score
# still add up to it.

RERANKER, PINNED = "reranker", "pinned"
# Number of best passages that are judged, and the share of the judgement in their score.
DEPTH, WEIGHT = 50, 0.5
# Default budgets of a local model and of a language model, ms.
QUICK, PATIENT = 500, 20_000


class Reranking:
    """The reranker of one case; ``budget`` in milliseconds. ``notes``: what it did last, or why it is off.

    Raises SettingsError for an invalid spec.
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
            self.notes = ("reranking is off: no language model is connected; the learned ranking is used",)
        self._judging = None if self._model is None else Judging(self._model, " ".join(question.split()))

    @property
    def calls(self) -> int:
        """Requests that the reranker has sent to an external service.

        A language model's meter counts its own.
        """
        counted = self._model is None or isinstance(self._model, ListwiseReranker)
        return 0 if counted or self._model is None else self._model.calls

    def applied(
        self,
        ranking: Ranking,
        corpus: Corpus,
        reading: Reading,
        language: str,
        interrupted: Callable[[], bool],
    ) -> Ranking:
        """Rerank the head of the ranking within the budget; unchanged if the model is off.

        ``language`` of the question. Pinned passages are not judged: a user ranked them.
        """
        model, judging = self._model, self._judging
        if model is None or judging is None:
            return ranking
        if not reads(model, language):
            self.notes = (f"reranking is off: {model_name(model.spec)} does not read {language!r}",)
            return ranking
        positions = np.flatnonzero(~pinned(ranking))[: self._depth]
        passages = reading.passages(ranking.rows[positions])
        readable = [number for number, passage in enumerate(passages) if reads(model, passage.language)]
        texts = Texts(corpus, reading)
        budget = self._budget
        withheld: list[int] = []
        if isinstance(model, ListwiseReranker):
            withheld = _find_suspicious(texts, ranking, positions[readable].tolist())
            readable = [number for number in readable if int(positions[number]) not in withheld]
            model.within(budget)
        rows = ranking.rows[positions[readable]].tolist()
        judged = judging.judge(rows, texts, budget, interrupted)
        self._note(judged, len(rows))
        if not len(judged.scores):
            return ranking
        judged_places = positions[readable[: len(judged.scores)]]
        after = mixed(ranking, judged_places.tolist(), judged.scores, WEIGHT)
        return keep_in_place(ranking, after, withheld) if after is not ranking else ranking

    def _note(self, judged: Judged, requested: int) -> None:
        """Note what was judged; unchanged if all judgements were known already."""
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
            of = f"{done} of {requested}" if done < requested else f"{done}"
            if isinstance(self._model, ListwiseReranker) and self._model.cut:
                of = f"{of}, in part ({self._model.cut}),"
            ends = {BUDGET: f"; the budget of {budget} ms was used up", STOPPED: "; it was stopped"}
            self.notes = (f"reranked the best {of} passages {took} by {spec}{ends.get(judged.why, '')}",)


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that a reranker reads of passages: document, headings and label, then the passage."""

    corpus: Corpus
    reading: Reading

    def __call__(self, rows: Sequence[int]) -> list[str]:
        """Return one text for each row."""
        array = np.asarray(rows, np.int32)
        documents, numbers = self.corpus.documents(), self.corpus.document_numbers(array).tolist()
        texts = []
        for passage, number in zip(self.reading.passages(array), numbers, strict=True):
            context = dict.fromkeys(part for part in get_context(passage, documents[number]) if part)
            texts.append("\n".join(part for part in (" > ".join(context), passage.text) if part))
        return texts


def _find_suspicious(texts: Texts, ranking: Ranking, positions: Sequence[int]) -> list[int]:
    """Return the positions whose text addresses a machine."""
    found = texts(ranking.rows[list(positions)].tolist())
    return [position for position, text in zip(positions, found, strict=True) if addresses_machine(text)]


def pinned(ranking: Ranking) -> Mask:
    """Return which positions of a ranking are pinned, shape (n,)."""
    if PINNED not in ranking.names:
        return np.zeros(len(ranking.rows), np.bool_)
    found: Mask = ranking.parts[ranking.names.index(PINNED)] > 0
    return found


def mixed(ranking: Ranking, positions: Sequence[int], judged: Scores, weight: float) -> Ranking:
    """Mix judgements into the scores at some positions; ``judged``, shape (positions,), has any scale.

    The new score is (1 - weight) x score + weight x judgement, with judgements stretched to the range of the
    scores at these positions. Equal judgements change nothing.
    """
    own = ranking.scores[list(positions)]
    low, high = float(judged.min()), float(judged.max())
    if high <= low:
        return ranking
    stretched = own.min() + (own.max() - own.min()) * (judged - low) / (high - low)
    values = np.zeros(len(ranking.rows), np.float32)
    values[list(positions)] = weight * (stretched - own)
    details = {
        position: f"judged {score:.3g}" for position, score in zip(positions, judged.tolist(), strict=True)
    }
    return with_addend(ranking, RERANKER, values, details)


def with_addend(ranking: Ranking, name: str, values: Scores, details: dict[int, str]) -> Ranking:
    """Add one addend and sort by the new scores; equal ones keep their order.

    ``values``, shape (n,), and ``details`` by position in the given ranking.
    """
    parts = np.vstack([ranking.parts, values[None, :]]).astype(np.float32)
    scores = parts.sum(axis=0)
    order = np.argsort(-scores, kind="stable")
    rows = ranking.rows.tolist()
    named = {(name, rows[position]): words for position, words in details.items()}
    return Ranking(
        ranking.rows[order],
        scores[order],
        (*ranking.names, name),
        parts[:, order],
        {**ranking.details, **named},
    )

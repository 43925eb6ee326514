"""Evidence status of each part of a question that asks several things, decided as for a whole question.

The parts are the plan's views for parts of the question and sides of a comparison. Each is judged by the
passages of the ranking that are nearest to it. The best passage of each part is always shown, in the last
ranks if necessary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.evidence import LOOKED_AT, comparable_text, part_evidence, question_parts
from engine.investigation.pool import Reading
from engine.investigation.ranking import Ranking
from engine.investigation.ranking.reranking import with_addend
from engine.model import Evidence, EvidenceStatus, PartEvidence, RankedPassage
from engine.retrieval.relevance import Relevance

# Passages shown for a part, and their minimum relevance as a share of the best one's.
MOST_PASSAGES, NEAR = 3, 0.8
# The addend that lifts the best passage of a part into the shown ranks.
PART_BEST = "part"
# The difference between the score of a lifted passage and the one it displaces.
STEP = 1e-4


@dataclass(frozen=True, slots=True)
class PartResult:
    """The evidence for a part, and the rows of its best passages, shape (n,)."""

    evidence: PartEvidence
    rows: Rows


def parts_found(relevance: Relevance, ranking: Ranking, reading: Reading) -> tuple[PartResult, ...]:
    """Judge each part of a question by the passages of a ranking."""
    return tuple(
        _judge_part(relevance, view, words, ranking, reading)
        for view, words in question_parts(relevance.plan)
    )


def _judge_part(
    relevance: Relevance, view: int, words: str, ranking: Ranking, reading: Reading
) -> PartResult:
    corpus = relevance.corpus
    shares = relevance.of_view(ranking.rows, view)
    # The sort is stable: the relevance to the whole question decides between equal passages.
    best = np.argsort(-shares, kind="stable")
    first = ranking.rows[best[:LOOKED_AT]]
    documents, numbers = corpus.documents(), corpus.document_numbers(first).tolist()
    passages = reading.passages(first)
    texts = [
        comparable_text(passage, documents[number].title)
        for passage, number in zip(passages, numbers, strict=True)
    ]
    ids = {
        passage.id: row
        for passage, row in zip(reading.passages(ranking.rows), ranking.rows.tolist(), strict=True)
    }
    evidence, named = part_evidence(relevance, view, set(ids), texts)
    rows = [ids[passage] for passage in named if passage in ids] or _nearest(first, shares[best[:LOOKED_AT]])
    rows = rows[:MOST_PASSAGES] if evidence.status is not EvidenceStatus.NONE else []
    chosen = np.array(rows, np.int32)
    sources = zip(reading.passages(chosen), corpus.document_numbers(chosen).tolist(), strict=True)
    return PartResult(
        PartEvidence(
            words,
            evidence.status,
            evidence.missing,
            tuple((passage, documents[number]) for passage, number in sources),
        ),
        chosen,
    )


def reconcile_part_evidence(whole: Evidence, parts: Sequence[PartEvidence]) -> Evidence:
    """Make the evidence status of a question and of its parts consistent.

    A part with a word that is missing for the whole question is at most partial; so is a question with a part
    that was not found.
    """
    reconciled = tuple(_limit_to_whole(part, whole) for part in parts)
    incomplete = [part for part in reconciled if part.status is not EvidenceStatus.FOUND]
    if not incomplete or whole.status is not EvidenceStatus.FOUND:
        return replace(whole, parts=reconciled)
    # A word is not missing if a part that was found has it.
    found = [part.text.casefold() for part in reconciled if part.status is EvidenceStatus.FOUND]
    missing = dict.fromkeys(
        word
        for part in incomplete
        for word in part.missing
        if not any(word.casefold() in text for text in found)
    )
    return replace(whole, status=EvidenceStatus.PARTIAL, missing=tuple(missing), parts=reconciled)


def _limit_to_whole(part: PartEvidence, whole: Evidence) -> PartEvidence:
    if whole.status is EvidenceStatus.NONE:
        return replace(part, status=EvidenceStatus.NONE, passages=())
    text = part.text.casefold()
    lacking = tuple(word for word in whole.missing if word.casefold() in text)
    if not lacking or part.status is not EvidenceStatus.FOUND:
        return part
    return replace(part, status=EvidenceStatus.PARTIAL, missing=lacking)


def _nearest(rows: Rows, shares: Scores) -> list[int]:
    """Return the rows that are nearly as relevant as the best, in the given order."""
    return rows[shares >= NEAR * shares.max(initial=0.0)].tolist() if len(rows) else []


def show_best_of_parts(
    ranking: Ranking, found: Sequence[PartResult], shown: Sequence[RankedPassage], corpus: Corpus
) -> Ranking:
    """Lift the best passage of each part into the ``shown`` passages, in the last ranks.

    Unchanged if all of them are shown already, or if there is no room for them.
    """
    members = [{ranked.passage.id, *ranked.assembled_ids} for ranked in shown]
    best = {part.evidence.passages[0][0].id: int(part.rows[0]) for part in found if len(part.rows)}
    absent = [row for passage_id, row in best.items() if not any(passage_id in ids for ids in members)]
    # The last ranks; the best passages of other parts and pinned ones among them stay.
    count = len(absent)
    kept = [ranked.pinned or not ids.isdisjoint(best) for ranked, ids in zip(shown, members, strict=True)]
    while count < len(shown) and len(absent) + sum(kept[-count:]) > count:
        count += 1
    if not absent or len(absent) + sum(kept[-count:]) > len(shown):
        return ranking
    last = range(len(shown) - count, len(shown))
    kept_ids = [shown[index].passage.id for index in last if kept[index]]
    lifted = [*corpus.rows(kept_ids).tolist(), *absent]
    positions = {row: position for position, row in enumerate(ranking.rows.tolist())}
    (displaced,) = corpus.rows([shown[-count].passage.id]).tolist()
    base = ranking.scores[positions[displaced]]
    lift = np.zeros(len(ranking.rows), np.float32)
    for number, row in enumerate(reversed(lifted), 1):
        lift[positions[row]] = base + STEP * number - ranking.scores[positions[row]]
    details = {positions[row]: "the best passage for a part of the question" for row in lifted}
    return with_addend(ranking, PART_BEST, lift, details)

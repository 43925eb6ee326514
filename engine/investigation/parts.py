"""What was found for each part of a question that asks several things, decided as for a whole question.

The parts are those views of the plan by which the question was taken apart, sides of a comparison among them.
Each looks at the passages of the ranking that are the nearest to it. The best one of a part stands among
those that are shown, on the last places if it has to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.evidence import LOOKED_AT, part_evidence, written
from engine.investigation.pool import Reading
from engine.investigation.ranking import Ranking
from engine.investigation.reranking import with_addend
from engine.model import Evidence, EvidenceStatus, PartEvidence, QueryPlan, RankedPassage
from engine.retrieval.planning import PART, SIDE, TOLD
from engine.retrieval.planning.words import compared, sides
from engine.retrieval.relevance import Relevance

# Passages that are named for a part, and how near to its best one they are, as a share.
MOST_PASSAGES, NEAR = 3, 0.8
# The addend that brings the best passage of a part among those that are shown.
PART_BEST = "part"
# By how much it stands above what it takes the place of.
STEP = 1e-4


@dataclass(frozen=True, slots=True)
class PartFound:
    """What was found for a part, and the rows of its best passages."""

    evidence: PartEvidence
    rows: Rows


def parts_asked(plan: QueryPlan) -> list[tuple[int, str]]:
    """The numbers of the views that are parts of a question, with their words; none where it asks one thing.

    A part that compares is there as its sides.
    """
    named = {view.text: number for number, view in enumerate(plan.views) if view.name == SIDE}
    parts = [
        (number, view.text)
        for number, view in enumerate(plan.views)
        if view.name == PART and view.origin not in TOLD
    ]
    whole = [(0, plan.views[0].text)]
    found = [
        one
        for number, text in parts or whole
        for one in _sides(text, plan.language, named) or [(number, text)]
    ]
    return found if len(found) > 1 else []


def _sides(text: str, language: str, named: dict[str, int]) -> list[tuple[int, str]]:
    """The views of the sides that a part compares, each with the frame told apart; empty where one of them is
    no view."""
    pair, own = compared(text, language), sides(text, language)
    # "Which one, A or B?" may be a list as well.
    if pair is None or pair.before or not all(side in named for side in own):
        return []
    told = [f"{side}: {pair.frame}".strip(": ") for side in pair.pair]
    return [(named[side], words) for side, words in zip(own, told, strict=True)]


def parts_found(relevance: Relevance, ranking: Ranking, reading: Reading) -> tuple[PartFound, ...]:
    """What a ranking holds for each part of its question."""
    return tuple(
        _found(relevance, view, words, ranking, reading) for view, words in parts_asked(relevance.plan)
    )


def _found(relevance: Relevance, view: int, words: str, ranking: Ranking, reading: Reading) -> PartFound:
    corpus = relevance.corpus
    shares = relevance.of_view(ranking.rows, view)
    # Equals are told apart by the whole question.
    best = np.argsort(-shares, kind="stable")
    first = ranking.rows[best[:LOOKED_AT]]
    documents, numbers = corpus.documents(), corpus.document_numbers(first).tolist()
    passages = reading.passages(first)
    texts = [
        written(passage, documents[number].title) for passage, number in zip(passages, numbers, strict=True)
    ]
    ids = {
        passage.id: row
        for passage, row in zip(reading.passages(ranking.rows), ranking.rows.tolist(), strict=True)
    }
    evidence, named = part_evidence(relevance, view, set(ids), texts)
    rows = [ids[one] for one in named if one in ids] or _nearest(first, shares[best[:LOOKED_AT]])
    rows = rows[:MOST_PASSAGES] if evidence.status is not EvidenceStatus.NONE else []
    chosen = np.array(rows, np.int32)
    told = zip(reading.passages(chosen), corpus.document_numbers(chosen).tolist(), strict=True)
    return PartFound(
        PartEvidence(
            words,
            evidence.status,
            evidence.missing,
            tuple((passage, documents[number]) for passage, number in told),
        ),
        chosen,
    )


def told_together(whole: Evidence, parts: Sequence[PartEvidence]) -> Evidence:
    """What was found for a question and for its parts, such that neither denies the other: a part with a word
    that nothing bears is not found, nor is a question of which a part is not."""
    told = tuple(_bounded(part, whole) for part in parts)
    short = [part for part in told if part.status is not EvidenceStatus.FOUND]
    if not short or whole.status is not EvidenceStatus.FOUND:
        return replace(whole, parts=told)
    missing = dict.fromkeys(word for part in short for word in part.missing)
    return replace(whole, status=EvidenceStatus.PARTIAL, missing=tuple(missing), parts=told)


def _bounded(part: PartEvidence, whole: Evidence) -> PartEvidence:
    if whole.status is EvidenceStatus.NONE:
        return replace(part, status=EvidenceStatus.NONE, passages=())
    text = part.text.casefold()
    lacking = tuple(word for word in whole.missing if word.casefold() in text)
    if not lacking or part.status is not EvidenceStatus.FOUND:
        return part
    return replace(part, status=EvidenceStatus.PARTIAL, missing=lacking)


def _nearest(rows: Rows, shares: Scores) -> list[int]:
    """Those of the rows, best first, that are near to the best."""
    return rows[shares >= NEAR * shares.max(initial=0.0)].tolist() if len(rows) else []


def with_best_of_parts(
    ranking: Ranking, found: Sequence[PartFound], shown: Sequence[RankedPassage], corpus: Corpus
) -> Ranking:
    """The ranking with the best passage of each part among those that are ``shown``; as it was where they all
    are. What is lifted takes the last places."""
    members = [{one.passage.id, *one.assembled_ids} for one in shown]
    best = {part.evidence.passages[0][0].id: int(part.rows[0]) for part in found if len(part.rows)}
    lacking = [row for passage_id, row in best.items() if not any(passage_id in one for one in members)]
    # The last places, with those of them that hold the best passage of another part, or a pinned one.
    count = len(lacking)
    kept = [ranked.pinned or not one.isdisjoint(best) for ranked, one in zip(shown, members, strict=True)]
    while count < len(shown) and len(lacking) + sum(kept[-count:]) > count:
        count += 1
    if not lacking or len(lacking) + sum(kept[-count:]) > len(shown):
        return ranking
    last = range(len(shown) - count, len(shown))
    own = [shown[place].passage.id for place in last if kept[place]]
    lifted = [*corpus.rows(own).tolist(), *lacking]
    places = {row: place for place, row in enumerate(ranking.rows.tolist())}
    (under,) = corpus.rows([shown[-count].passage.id]).tolist()
    above = ranking.scores[places[under]]
    lift = np.zeros(len(ranking.rows), np.float32)
    for number, row in enumerate(reversed(lifted), 1):
        lift[places[row]] = above + STEP * number - ranking.scores[places[row]]
    details = {places[row]: "the best passage for a part of the question" for row in lifted}
    return with_addend(ranking, PART_BEST, lift, details)

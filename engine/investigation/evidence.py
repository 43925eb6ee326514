"""Whether the corpus bears a question at all: found, in part, or not.

Two witnesses. Words: how much of what the question asks about, each word weighed by its rarity, the best
passage holds, and the best twenty together. Meaning, where the corpus has vectors: how near the nearest
passage is, on a scale on which the mean passage is 0 and the question's own words are 1. Nothing was found
where both are far; what was found is not all where one is.

Nearness counts for the model that its bounds were measured with; with others the words decide alone. The
bounds were set on questions put to seven corpora, their own and those of other sets and of daily life: see
"What is not there" in benchmarks/RESULTS.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from engine.corpus.protocol import Corpus
from engine.investigation.asked import Asked, asked_of, held_by_best
from engine.language.analyzer import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.model import Evidence, EvidenceStatus, Naming, QueryPlan, RankedPassage
from engine.retrieval.foreign import holds
from engine.retrieval.planning.named import UNSEGMENTED, asked_besides
from engine.retrieval.relevance import Relevance

# Passages of the ranking that are looked at, and passages of the corpus that stand for all of it.
LOOKED_AT, SAMPLED = 20, 1_000
# Below both, with vectors: nothing was found. Nearness of the nearest passage; words of the best together.
FAR, FEW = 0.38, 0.75
# Below one of them, with vectors: not all was found. Nearness; words of the best together; of the best alone.
NEAR, MOST, BEST = 0.45, 0.70, 0.42
# Words that the best hold together, without vectors: nothing, not all; and where two letters are a word.
NOTHING, PART = 0.30, 0.60
# Without vectors: nothing, where so much of the question stands nowhere and the best hold less than half.
NOWHERE, HALF = 0.55, 0.50
NOTHING_UNSEGMENTED, PART_UNSEGMENTED = 0.15, 0.35
MOST_MISSING = 6
DAYS = frozenset(("as_of", "year_from", "year_to"))


def evidence_of(
    question: str, plan: QueryPlan, corpus: Corpus, relevance: Relevance, ranking: Sequence[RankedPassage]
) -> Evidence:
    """What a question found, by its ranking.

    What it names by a number decides where nothing else is asked; days and years are no words of it.
    """
    lacking = tuple(one.words for one in plan.named if one.status in (Naming.MISSING, Naming.UNKNOWN))
    shown = {one for found in ranking for one in (found.passage.id, *found.assembled_ids)}
    there = any(not shown.isdisjoint(one.passage_ids) for one in plan.named if one.words not in lacking)
    named = [one.words for one in plan.named]
    besides = asked_besides(question, plan.language, named)
    asked = asked_of(_rest(question, plan), plan.language, corpus)
    numbers = {**_by_words(asked, ranking), **_by_meaning(corpus, relevance)}
    if named and besides == 0:
        status = EvidenceStatus.PARTIAL if lacking else EvidenceStatus.FOUND
        return Evidence(status if there else EvidenceStatus.NONE, lacking, numbers)
    strange = _is_strange(question, asked)
    status = _status(numbers, plan.language, corpus, strange) if ranking else EvidenceStatus.NONE
    if there and plan.named[0].leads:
        status = EvidenceStatus.FOUND
    if lacking and status is EvidenceStatus.FOUND:
        return Evidence(EvidenceStatus.PARTIAL, lacking, numbers)
    missing = () if status is EvidenceStatus.FOUND else (*lacking, *_words(question, asked, ranking))
    return Evidence(status, missing[:MOST_MISSING], numbers)


def _rest(question: str, plan: QueryPlan) -> str:
    """A question without the days and years that it names, which no text has to repeat."""
    for suggestion in plan.suggestions:
        if suggestion.kind in DAYS:
            question = question.replace(suggestion.words, " ")
    return question


def _is_strange(question: str, asked: Asked) -> bool:
    """Whether a question has a name, or several words, that the corpus has nowhere: one word alone may be
    another form of one that it has ("pays")."""
    unknown = [_written(question, word) for word in asked.unknown]
    return len(unknown) > 1 or any(word[:1].isupper() for word in unknown)


def _status(numbers: Mapping[str, float], language: str, corpus: Corpus, strange: bool) -> EvidenceStatus:
    measured = corpus.embedding == PACKAGED_SPEC and "nearness" in numbers
    if holds(corpus, language):
        return _by_both(numbers) if measured else _by_words_alone(numbers, language, strange)
    # Nothing tells where the bounds were never measured for the model.
    return _by_nearness(numbers) if measured or "nearness" not in numbers else EvidenceStatus.FOUND


def _by_both(numbers: Mapping[str, float]) -> EvidenceStatus:
    nearness, together = numbers["nearness"], numbers["together"]
    if nearness < FAR and together < FEW:
        return EvidenceStatus.NONE
    if nearness < NEAR or together < MOST or numbers["best"] < BEST:
        return EvidenceStatus.PARTIAL
    return EvidenceStatus.FOUND


def _by_words_alone(numbers: Mapping[str, float], language: str, strange: bool) -> EvidenceStatus:
    unsegmented = language.split("-")[0] in UNSEGMENTED
    nothing, part = (NOTHING_UNSEGMENTED, PART_UNSEGMENTED) if unsegmented else (NOTHING, PART)
    nowhere = numbers["unknown"] >= NOWHERE and numbers["together"] < HALF
    if numbers["together"] < nothing or (strange and nowhere and not unsegmented):
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if numbers["together"] < part else EvidenceStatus.FOUND


def _by_nearness(numbers: Mapping[str, float]) -> EvidenceStatus:
    """For a question in a language that the corpus has not: its words say nothing."""
    nearness = numbers.get("nearness", 0.0)
    if nearness < FAR:
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if nearness < NEAR else EvidenceStatus.FOUND


def _by_words(asked: Asked, ranking: Sequence[RankedPassage]) -> dict[str, float]:
    """``together``: share of the question that the best passages hold together; ``best``: that one of them
    holds alone; ``unknown``: share that the corpus has nowhere."""
    held = _held(asked, ranking)
    best = held_by_best(asked, ranking)
    return {
        "together": float(asked.weights[held].sum()) if len(held) else 1.0,
        "best": 0.0 if best is None else best,
        "unknown": float(asked.weights[~asked.known].sum()) if len(held) else 0.0,
    }


def _by_meaning(corpus: Corpus, relevance: Relevance) -> dict[str, float]:
    """``nearness``: cosine of the nearest passage above that of the mean one, as a share of what is left to
    1; nothing without vectors."""
    if relevance.vectors is None or not len(relevance.vectors):
        return {}
    question = relevance.vectors[0]
    rows = np.unique(np.linspace(0, len(corpus) - 1, SAMPLED).astype(np.int32))
    vectors = corpus.vectors(rows)
    vectors = vectors[np.any(vectors != 0, axis=1)]
    (hits,) = corpus.search_dense(question[None, :], 1, -1.0)
    if not len(vectors) or not len(hits.scores):
        return {}
    mean = float((vectors @ question).mean())
    return {"nearness": max(0.0, (float(hits.scores[0]) - mean) / max(1.0 - mean, 1e-6))}


def _held(asked: Asked, ranking: Sequence[RankedPassage]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which words of the question one of the best passages holds, with its headings and title."""
    held = np.zeros(len(asked.words), np.bool_)
    reader = analyzer(asked.language)
    for found in ranking[:LOOKED_AT]:
        text = " ".join((found.text, *found.passage.headings, found.document.title))
        held |= asked.held(reader.terms(text))
    return held


def _words(question: str, asked: Asked, ranking: Sequence[RankedPassage]) -> tuple[str, ...]:
    """The words of the question that none of the best passages holds, as it writes them, heaviest first."""
    if not asked.words:
        return ()
    lacking = np.flatnonzero(~_held(asked, ranking))
    order = lacking[np.argsort(-asked.weights[lacking], kind="stable")]
    words = (asked.words[place] for place in order[:MOST_MISSING].tolist())
    return tuple(_written(question, word) for word in words)


def _written(question: str, word: str) -> str:
    found = re.search(re.escape(word), question, re.IGNORECASE)
    return found[0] if found else word

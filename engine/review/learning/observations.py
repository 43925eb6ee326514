"""Judged questions, described by the features of the ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation import Case, run_case
from engine.investigation.graph.walks import get_associations
from engine.investigation.ranking.additive import Floats, family_of, shipped_models
from engine.investigation.ranking.features import PoolDescription
from engine.investigation.ranking.order import hold_near_scan, scan_reach, two_passes
from engine.review.model import Assessment, ItemKind, Verdict
from engine.settings import InvestigationSettings

# Relevance of a passage by its verdict.
WORTH: Mapping[Verdict, float] = {Verdict.RELEVANT: 1.0, Verdict.PARTLY: 0.5, Verdict.IRRELEVANT: 0.0}


@dataclass(frozen=True, slots=True)
class Labels:
    """Experts' judgements of one question's passages, by id: relevance, 0..1, and number of reviewers."""

    question: str
    worth: Mapping[str, float]
    voices: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Observed:
    """A judged question as ranked by the shipped weights: ``rows`` of its pool, shape (n,), ascending;
    ``values`` of the features ``names``, shape (features, n); ``shipped`` scores, shape (n,). ``vector`` is
    the question's, None if the corpus has none. ``judged`` are indexes in the pool, with ``worth`` and
    ``voices``, shapes (k,). ``scan`` are the indexes of the scan's passages, best first; each falls at most
    to ``1 + reached`` times its rank."""

    question: str
    rows: Rows
    names: tuple[str, ...]
    values: Floats
    shipped: Scores
    vector: Floats | None
    judged: NDArray[np.intp]
    worth: Floats
    voices: Floats
    scan: NDArray[np.intp]
    reached: float

    def order(self, scores: Scores) -> NDArray[np.intp]:
        """Return the indexes of the pool in order of scores, shape (n,), as the engine ranks them."""
        return hold_near_scan(np.lexsort((self.rows, -scores)), self.scan, self.reached)


def make_labels(assessments: Iterable[Assessment]) -> list[Labels]:
    """Make labels by question from current assessments. A settling assessment overrides the others, otherwise
    all count equally. Passages with identical words are judged together."""
    given: dict[str, dict[str, list[Assessment]]] = defaultdict(lambda: defaultdict(list))
    for one in assessments:
        if one.item.kind is ItemKind.PASSAGE and one.verdict in WORTH:
            for passage_id in (one.item.passage_id, *map(_passage_of, one.item.copies)):
                given[one.question][passage_id].append(one)
    found = []
    for question, passages in given.items():
        counted = {passage_id: _counted(voices) for passage_id, voices in passages.items()}
        worth = {
            passage_id: sum(WORTH[one.verdict] for one in voices) / len(voices)
            for passage_id, voices in counted.items()
        }
        found.append(
            Labels(question, worth, {passage_id: len(voices) for passage_id, voices in counted.items()})
        )
    return found


def _passage_of(key: str) -> str:
    return key.partition(":")[2]


def _counted(voices: Sequence[Assessment]) -> Sequence[Assessment]:
    settled = [one for one in voices if one.settles]
    return settled[-1:] or voices


def observe(corpus: Corpus, labels: Iterable[Labels], settings: InvestigationSettings) -> Iterator[Observed]:
    """Investigate each question again with the same settings and the shipped weights; questions without
    judged passages in the pool are left out."""
    for one in labels:
        case = run_case(corpus, one.question, settings, weights="")
        found = describe_case(case, one)
        if found is not None:
            yield found


def describe_case(case: Case, labels: Labels) -> Observed | None:
    """Describe a finished case with its labels; None if no judged passage is in its pool."""
    scanned, corpus = case.scanned, case.corpus
    if scanned is None:
        return None
    entries = sorted(case.pool.entries(), key=lambda entry: entry.row)
    rows = np.array([entry.row for entry in entries], np.int32)
    judged = [place for place, entry in enumerate(entries) if entry.passage_id in labels.worth]
    if not judged:
        return None
    ids = [entries[place].passage_id for place in judged]
    own = PoolDescription(corpus, scanned.relevance, get_associations(corpus), rows)
    features, addends = two_passes(own, case.settings.strategies, shipped_models(family_of(corpus)))
    scan, reached = scan_reach(own, scanned.rows)
    vectors = scanned.relevance.vectors
    return Observed(
        question=labels.question,
        rows=rows,
        names=features.names,
        values=features.values.astype(np.float32),
        shipped=addends.sum(axis=0).astype(np.float32),
        vector=None if vectors is None else cast("Floats", vectors[0]).astype(np.float32),
        judged=np.array(judged, np.intp),
        worth=np.array([labels.worth[one] for one in ids], np.float32),
        voices=np.array([labels.voices[one] for one in ids], np.float32),
        scan=scan,
        reached=reached,
    )

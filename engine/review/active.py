"""Which passages are judged first: those whose verdicts would change most of what is learned.

A verdict tells the more, the less sure it is beforehand and the more others have in common with its passage,
by the kernel of the ranking's experience (``ranking/experience.py``); the less, the more often the same
passage was judged or chosen before. Of verdicts nothing is used but which passages they are of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.ranking.experience import Floats, Kernel

# A passage whose score is that of the best fifth is as likely to be relevant as not; so steep is the curve.
BEST, STEEP = 0.8, 4.0
# Passages that are compared with all others at a time.
_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Candidates:
    """Passages of the pools of questions: ``rows`` of the corpus, ``of_question`` the number of the question,
    ``scores`` by the shipped weights, shapes (n,); ``vectors`` of the questions, shape (q, d), (q, 0) where
    there are none."""

    rows: Rows
    of_question: NDArray[np.int32]
    scores: Scores
    vectors: Floats


def most_telling(
    corpus: Corpus, among: Candidates, known: Rows | None = None, kernel: Kernel | None = None
) -> NDArray[np.intp]:
    """The places of all candidates, shape (n,), those first whose verdicts would change most. ``known`` are
    the rows of passages that were judged already, each as often as it was."""
    if not len(among.rows):
        return np.zeros(0, np.intp)
    likely = expit(STEEP * (among.scores - np.quantile(among.scores, BEST)))
    value = np.sqrt(likely * (1 - likely)) * _reach(corpus, among, kernel or Kernel())
    distinct, same = np.unique(among.rows, return_inverse=True)
    times = np.zeros(len(distinct))
    if known is not None and len(known):
        judged, counts = np.unique(known, return_counts=True)
        _, ours, theirs = np.intersect1d(distinct, judged, return_indices=True)
        times[ours] = counts[theirs]
    members = np.split(np.argsort(same, kind="stable"), np.bincount(same).cumsum()[:-1])
    left = value / (1.0 + times[same])
    chosen = np.zeros(len(value), np.intp)
    for turn in range(len(value)):
        best = int(left.argmax())
        chosen[turn], left[best] = best, -1.0
        times[same[best]] += 1
        alike = members[same[best]]
        alike = alike[left[alike] >= 0]
        left[alike] = value[alike] / (1.0 + times[same[best]])
    return chosen


def _reach(corpus: Corpus, among: Candidates, kernel: Kernel) -> Floats:
    """How much all others have in common with each candidate, shape (n,): the row sums of ``gram_of`` without
    its diagonal and its features, which is as large as the square of the candidates and never made."""
    distinct, same, counts = np.unique(among.rows, return_inverse=True, return_counts=True)
    questions = len(among.vectors)
    asked = np.ones((questions, questions), np.float32)
    has_vectors = among.vectors.shape[1] > 0
    if has_vectors:
        asked = kernel.of_questions(among.vectors @ among.vectors.T)
    pairs = (np.ones(len(same), np.float32), (same, among.of_question))
    by_passage = csr_array(pairs, shape=(len(distinct), questions))
    vectors = corpus.vectors(distinct.astype(np.int32)) if has_vectors else None
    found = kernel.same * (counts[same] - 1.0) - kernel.asked * asked.diagonal()[among.of_question]
    for start in range(0, len(distinct), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        own = np.flatnonzero((same >= start) & (same < start + _CHUNK))
        shared = by_passage[chunk] @ asked
        found[own] += kernel.asked * shared[same[own] - start, among.of_question[own]]
        if vectors is not None:
            like = kernel.likeness(vectors[chunk] @ vectors.T)
            of_itself = like[np.arange(len(like)), np.arange(start, start + len(like))]
            found[own] += kernel.like * (like @ counts - of_itself)[same[own] - start]
    return found.astype(np.float32)

"""A hypothetical passage without a language model: the sentences of a corpus that say most of a question.

The first passages of a search by words and meaning are cut into sentences. Each sentence counts for the
terms it shares with the question, and for those that the first passages share with each other: the terms
of the relevance model RM1 (see ``feedback.py``). The best are taken one by one, less the more they repeat
what was taken (maximal marginal relevance, Carbonell and Goldstein 1998, https://doi.org/10.1145/290941.291025).
Embedded, such a text is near to the mean of the first passages' vectors, as in Rocchio's feedback (Li et
al. 2021, https://arxiv.org/abs/2108.11044).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.errors import ModelError
from engine.ingestion.sentences import sentence_starts
from engine.language.analyzer import analyzer
from engine.language.embedders import Embedder, reads
from engine.retrieval.fusion import fuse
from engine.retrieval.planning.hypothetical.weighing import Draft

ORIGIN = "put together from sentences of the first passages found"
PASSAGES, SEARCHED = 10, 50
# A passage is read so far, characters: an annex of ten pages would speak for all others.
LONGEST_READ = 3_000
LONGEST_SENTENCE = 500
# Characters of the whole: about 90 words.
LONGEST = 600
# What a term of the question counts beside those that the first passages share.
ASKED = 2.0
SHARED, MOST_SHARED = 0.2, 2.0
# What is lost for terms that were said before.
REPEATED = 0.5


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    terms: frozenset[str]
    place: int


def composed(
    text: str, language: str, corpus: Corpus, embedder: Embedder | None, mask: Mask | None = None
) -> tuple[Draft, ...]:
    """One passage for a question; none where the corpus has nothing for it."""
    rows = _first(text, language, corpus, embedder, mask)
    sentences = list(_sentences(corpus, rows))
    chosen = _chosen(sentences, frozenset(analyzer(language).terms(text)))
    if not chosen:
        return ()
    return (Draft(" ".join(sentence.text for sentence in chosen), ORIGIN),)


def _first(text: str, language: str, corpus: Corpus, embedder: Embedder | None, mask: Mask | None) -> Rows:
    """The first passages for a question, by words and, where there are vectors, by meaning."""
    lists = corpus.search_lexical([text], language, SEARCHED, mask=mask)
    if embedder is not None and reads(embedder, language):
        try:
            lists += corpus.search_dense(embedder.encode([text], "query"), SEARCHED, 0.0, mask=mask)
        except ModelError:
            # The scan embeds the question again, and tells what failed.
            return lists[0].rows[:PASSAGES]
    return fuse(lists, [1.0] * len(lists)).rows[:PASSAGES]


def _sentences(corpus: Corpus, rows: Rows) -> Sequence[_Sentence]:
    found = []
    for place, passage in enumerate(corpus.passages(rows)):
        text = passage.text[:LONGEST_READ]
        starts = sentence_starts(text, passage.language)
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            sentence = " ".join(text[start:end].split())
            terms = frozenset(analyzer(passage.language).terms(sentence))
            if len(terms) >= 3 and len(sentence) <= LONGEST_SENTENCE:
                found.append(_Sentence(sentence, terms, place))
    return found


def _chosen(sentences: Sequence[_Sentence], asked: frozenset[str]) -> list[_Sentence]:
    """The best sentences, best first, until the passage is long enough."""
    shared: defaultdict[str, float] = defaultdict(float)
    for sentence in sentences:
        for term in sentence.terms:
            shared[term] += 1.0 / (1 + sentence.place)
    worth = [_worth(sentence, asked, shared) for sentence in sentences]
    said: set[str] = set()
    left, chosen, length = list(range(len(sentences))), [], 0
    while left and length < LONGEST:
        best = max(left, key=lambda n: (worth[n] * _new(sentences[n], said), -n))
        left.remove(best)
        chosen.append(sentences[best])
        said |= sentences[best].terms
        length += len(sentences[best].text)
    return chosen


def _worth(sentence: _Sentence, asked: frozenset[str], shared: defaultdict[str, float]) -> float:
    total = sum(ASKED * (term in asked) + SHARED * min(shared[term], MOST_SHARED) for term in sentence.terms)
    # Long sentences hold more of everything; the passages found first count more.
    return float(total / np.sqrt(len(sentence.terms) + 3) / (1 + 0.1 * sentence.place))


def _new(sentence: _Sentence, said: set[str]) -> float:
    return 1.0 - REPEATED * len(sentence.terms & said) / len(sentence.terms)

"""Words that the first passages found share: pseudo-relevance feedback.

The relevance model RM1 (Lavrenko and Croft 2001, https://doi.org/10.1145/383952.383972) estimates how
likely a word is in a passage that answers, from the best passages of a first search:

    p(w | R) = sum over passages d of p(w | d) * p(d | question)

with p(d | question) proportional to the BM25 score. RM3 (Abdul-Jaleel et al. 2004) mixes it with the
question itself; here the mixing is the weight of the view beside that of the literal question, and
each word is weighed by its rarity besides, so that words of every passage do not crowd the list.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from engine.corpus.protocol import Corpus, Mask
from engine.language.analysis import analyzer

PASSAGES = 10
WORDS = 12
# Words that are looked up in the index for their rarity: the likeliest before rarity counts.
LOOKED_UP = 24
# A passage is read so far, characters: an annex of ten pages would speak for all others.
LONGEST_READ = 3_000

_WORD = re.compile(r"[^\W\d_]{2,}")


def feedback_words(
    corpus: Corpus,
    text: str,
    language: str,
    mask: Mask | None = None,
    *,
    passages: int = PASSAGES,
    words: int = WORDS,
) -> tuple[str, ...]:
    """The words that best tell the first passages from all others, best first; not those of the question.

    Words are given as the passages write them, so that they can be read and edited.
    """
    (hits,) = corpus.search_lexical([text], language, passages, mask=mask)
    if not len(hits.rows):
        return ()
    weights = hits.scores / hits.scores.sum()
    likely: defaultdict[str, float] = defaultdict(float)
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    holders: Counter[str] = Counter()
    for passage, weight in zip(corpus.passages(hits.rows), weights.tolist(), strict=True):
        counted = _terms(passage.text[:LONGEST_READ], passage.language, forms)
        total = sum(counted.values()) or 1
        for term, count in counted.items():
            likely[term] += weight * count / total
            holders[term] += 1
    asked = set(analyzer(language).terms(text))
    wanted = [term for term in likely if term not in asked and (holders[term] > 1 or len(hits.rows) == 1)]
    wanted = sorted(wanted, key=lambda term: (-likely[term], term))[:LOOKED_UP]
    written = {term: min(forms[term].items(), key=lambda pair: (-pair[1], pair[0]))[0] for term in wanted}
    rarity = _rarity(corpus, [written[term] for term in wanted], language)
    order = sorted(zip(wanted, rarity, strict=True), key=lambda pair: (-likely[pair[0]] * pair[1], pair[0]))
    return tuple(written[term] for term, _ in order[:words])


def _terms(text: str, language: str, forms: defaultdict[str, Counter[str]]) -> Counter[str]:
    terms_of = analyzer(language)
    counted: Counter[str] = Counter()
    for word, count in Counter(_WORD.findall(text)).items():
        for term in terms_of.terms_of_word(word):
            counted[term] += count
            forms[term][word if word.isupper() else word.lower()] += count
    return counted


def _rarity(corpus: Corpus, words: list[str], language: str) -> list[float]:
    """The best BM25 score that any passage has for each word: its inverse document frequency, all but."""
    best = corpus.search_lexical(words, language, 1) if words else []
    return [float(np.max(hits.scores, initial=0.0)) for hits in best]

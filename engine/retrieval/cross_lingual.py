"""Questions in another language than the text: what their words can say of it, and what they cannot.

Across languages only meaning is compared. Words would find numbers and names, and their silence would be
taken for a verdict: a passage that cannot share a word with the question would score half of one that can.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.language.detection import UNDETERMINED
from engine.model import QueryPlan
from engine.retrieval.retrievers.base import Found, Off

# A passage in another language is judged by its meaning alone, which is less sure than meaning and words.
CROSS_LINGUAL_SHARE = 0.8


def holds(corpus: Corpus, language: str) -> bool:
    """Whether a corpus has text in a language; what nobody determined may be anything."""
    bases = {_base(code) for code in corpus.info().languages}
    return _base(language) in bases or UNDETERMINED in (*bases, language)


def note_on(corpus: Corpus, language: str) -> tuple[str, ...]:
    """For the plan's notes: that the corpus has no text in the question's language."""
    if holds(corpus, language):
        return ()
    held = ", ".join(corpus.info().languages)
    return (f"the question is in {language!r}, the corpus in {held}: only meaning is compared",)


def words_set_aside(
    corpus: Corpus, plan: QueryPlan, answers: Mapping[str, Found | Off], words: str, meaning: str
) -> dict[str, Found | Off]:
    """The retrievers' answers, the one by ``words`` put aside where only ``meaning`` can tell.

    That is where the corpus has no text in the question's language, or no passage has a word of it, and
    the search by meaning has found something.
    """
    by_words, by_meaning = answers.get(words), answers.get(meaning)
    if by_words is None or isinstance(by_words, Off) or not _found(by_meaning):
        return dict(answers)
    if not holds(corpus, plan.language):
        reason = f"words are not compared: no text of the corpus is in {plan.language!r}"
    elif not _found(by_words):
        reason = "words are not compared: no passage has a word of the question"
    else:
        return dict(answers)
    return {**answers, words: Off(reason)}


def cross_lingual_documents(corpus: Corpus, language: str) -> NDArray[np.bool_] | None:
    """Which documents are in another language than the question and have vectors, shape (documents,); None
    where there is none. Looked for once for each language."""
    known = _KNOWN.setdefault(corpus, {})
    if language not in known:
        known[language] = _cross_lingual_documents(corpus, language)
    return known[language]


_KNOWN: WeakKeyDictionary[Corpus, dict[str, NDArray[np.bool_] | None]] = WeakKeyDictionary()


def _cross_lingual_documents(corpus: Corpus, language: str) -> NDArray[np.bool_] | None:
    others = {code for code in corpus.info().languages if _base(code) != _base(language)}
    others.discard(UNDETERMINED)
    if not others or language == UNDETERMINED:
        return None
    cross_lingual = np.array([document.language in others for document in corpus.documents()], np.bool_)
    numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
    own, first = np.unique(numbers, return_index=True)
    # A model that does not read a language has left its passages without vectors.
    embedded = np.zeros(len(cross_lingual), np.bool_)
    embedded[own] = corpus.vectors(first.astype(np.int32)).any(axis=1)
    cross_lingual &= embedded
    return cross_lingual if cross_lingual.any() else None


def _found(answer: Found | Off | None) -> bool:
    return answer is not None and not isinstance(answer, Off) and any(len(hits.rows) for hits in answer.hits)


def _base(code: str) -> str:
    return code.split("-")[0].lower()

"""Relevance of a passage to a question: one number in 0..1, from all retrievers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.language.detection import UNDETERMINED
from engine.model import QueryPlan
from engine.retrieval.retrievers.base import ByRow, Found, Off, Shares
from engine.retrieval.retrievers.registry import DENSE, LEXICAL

# Bonus for passages of documents that a question names in its prose
#
# "Under COBS" may mean that the answer is in COBS, or only that COBS applies, so that no passage is excluded.
# The smaller a document, the higher the bonus: a passage of a document with m of n passages gets
#
#     MOST * log(n / m) / log(n)
#
# which is the rarity of an entity (``corpus/embedded/passages.py``) on the scale of relevance. If the
# question asks for the document's own text ("what does COBS say on fees?") it gets ``FOCUSED``.

# Measured on the gold questions that name a document: 0.05 is right for a rulebook of a tenth of the corpus
# (0.2 costs 4 points of recall@10), up to 0.2 for an article of its own.
MOST = 0.2
FOCUSED = 0.5


def document_bonus(corpus: Corpus, plan: QueryPlan, rows: Rows) -> NDArray[np.float32] | None:
    """Return the bonus of each row for its document, shape (n,); None if the question names none."""
    if not plan.document_ids or not len(rows):
        return None
    named = [own for own in corpus.by_document(plan.document_ids) if len(own)]
    if not named:
        return None
    numbers = corpus.document_numbers(np.array([own[0] for own in named], np.int32))
    size = max(len(corpus), 2)
    documents = corpus.document_numbers(rows)
    extra = np.zeros(len(rows), np.float32)
    focus = set(plan.focus)
    ids = [corpus.documents()[number].id for number in numbers.tolist()]
    for number, document_id, own in zip(numbers.tolist(), ids, named, strict=True):
        share = np.log(size / len(own)) / np.log(size)
        extra[documents == number] = FOCUSED if document_id in focus else MOST * share
    return extra


# Questions in another language than the text
#
# Across languages only meaning is compared. Words would match only numbers and names, and a passage that
# cannot share a word with the question would score half of one that can.

# Weight of meaning alone, which is less reliable than meaning and words together.
CROSS_LINGUAL_SHARE = 0.8


def has_language(corpus: Corpus, language: str) -> bool:
    """Return whether a corpus has text in a language; text of an undetermined language may be in any."""
    bases = {_base(code) for code in corpus.info().languages}
    return _base(language) in bases or UNDETERMINED in (*bases, language)


def note_on(corpus: Corpus, language: str) -> tuple[str, ...]:
    """Return a note if the corpus has no text in the question's language."""
    if has_language(corpus, language):
        return ()
    held = ", ".join(corpus.info().languages)
    return (f"the question is in {language!r}, the corpus in {held}: only meaning is compared",)


def leave_out_words(
    corpus: Corpus, plan: QueryPlan, answers: Mapping[str, Found | Off], words: str, meaning: str
) -> dict[str, Found | Off]:
    """Disable the results of the retriever ``words`` if only the retriever ``meaning`` can find passages.

    That is the case if the corpus has no text in the question's language or no passage has a word of it, and
    the search by meaning has found something.
    """
    by_words, by_meaning = answers.get(words), answers.get(meaning)
    if by_words is None or isinstance(by_words, Off) or not _found(by_meaning):
        return dict(answers)
    if not has_language(corpus, plan.language):
        reason = f"words are not compared: no text of the corpus is in {plan.language!r}"
    elif not _found(by_words):
        reason = "words are not compared: no passage has a word of the question"
    else:
        return dict(answers)
    return {**answers, words: Off(reason)}


def cross_lingual_documents(corpus: Corpus, language: str) -> NDArray[np.bool_] | None:
    """Return which documents are in another language than the question and have vectors, shape (documents,).

    None without any. Cached for each language.
    """
    cached = _BY_CORPUS.setdefault(corpus, {})
    if language not in cached:
        cached[language] = _cross_lingual_documents(corpus, language)
    return cached[language]


_BY_CORPUS: WeakKeyDictionary[Corpus, dict[str, NDArray[np.bool_] | None]] = WeakKeyDictionary()


def _cross_lingual_documents(corpus: Corpus, language: str) -> NDArray[np.bool_] | None:
    others = {code for code in corpus.info().languages if _base(code) != _base(language)}
    others.discard(UNDETERMINED)
    if not others or language == UNDETERMINED:
        return None
    cross_lingual = np.array([document.language in others for document in corpus.documents()], np.bool_)
    numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
    own, first = np.unique(numbers, return_index=True)
    # Passages in a language that the model does not read have no vectors.
    embedded = np.zeros(len(cross_lingual), np.bool_)
    embedded[own] = corpus.vectors(first.astype(np.int32)).any(axis=1)
    cross_lingual &= embedded
    return cross_lingual if cross_lingual.any() else None


def _found(answer: Found | Off | None) -> bool:
    return answer is not None and not isinstance(answer, Off) and any(len(hits.rows) for hits in answer.hits)


def _base(code: str) -> str:
    return code.split("-")[0].lower()


# Relevance
#
# The scan ranks by it, the gate scores leads by it, and it is the largest part of the final score. It is the
# weighted sum of the retrievers' scores, each as a share of the best passage's.

# A bare heading names a subject without any content.
HEADING_FACTOR = 0.3
# Bonus for a passage with a phrase that the question quotes.
PHRASE = 0.1


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores passages for one question.

    - ``plan``: has the views that were searched; ``vectors`` of the views, shape (views, d), None if dense
      search is off.
    - ``found``: answers of the retrievers by name; ``weights``: the share of each in the sum.
    - ``cross_lingual``: documents in another language than the question, shape (documents,), None without
      any.
    - ``phrased``: passages with a phrase that the question quotes, shape (passages,), None without any.
    """

    corpus: Corpus
    plan: QueryPlan
    vectors: NDArray[np.float32] | None
    found: Mapping[str, Found]
    weights: Mapping[str, float]
    cross_lingual: NDArray[np.bool_] | None = None
    phrased: Mask | None = None
    _known: ByRow = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", ByRow(1, self._of))

    def of(self, rows: Rows) -> Scores:
        """Return the relevance of each row, shape (n,), 0..1.

        Up to 0.5 more in a document the question names.
        """
        return self._known.of(rows)[:, 0]

    def _of(self, rows: Rows) -> NDArray[np.float32]:
        total = np.zeros(len(rows), np.float32)
        for name in self.found:
            if self.weights[name] > 0:
                total += np.float32(self.weights[name]) * self._joined(name, rows)
        if self.cross_lingual is not None:
            # Words cannot be compared across languages: no common word is no evidence.
            away = self.cross_lingual[self.corpus.document_numbers(rows)]
            total = np.where(away, np.maximum(total, CROSS_LINGUAL_SHARE * self._joined(DENSE, rows)), total)
        extra = document_bonus(self.corpus, self.plan, rows)
        if extra is not None:
            total = total + extra
        if self.phrased is not None:
            total = total + PHRASE * self.phrased[rows]
        factor = np.where(self.corpus.bare_headings(rows), HEADING_FACTOR, 1.0)
        return (total * factor).astype(np.float32)[:, None]

    def of_view(self, rows: Rows, view: int) -> Scores:
        """Return the relevance of each row for one view, by the retrievers that read it, shape (n,), 0..1."""
        reading = {name: self.weights[name] for name, answer in self.found.items() if answer.reads[view]}
        total = np.zeros(len(rows), np.float32)
        for name, weight in reading.items():
            total += (
                np.float32(weight / max(sum(reading.values()), 1e-9)) * self.found[name].shares(rows)[view]
            )
        factor = np.where(self.corpus.bare_headings(rows), HEADING_FACTOR, 1.0)
        return (total * factor).astype(np.float32)

    def by_retriever(self, rows: Rows) -> dict[str, Scores]:
        """Return the score of each retriever over all views that it reads, shapes (n,), 0..1."""
        return {name: self._joined(name, rows) for name in self.found}

    def lexical(self, rows: Rows) -> Shares:
        """Return BM25 of each view and row as a share of the view's best, shape (views, n)."""
        return self._shares(LEXICAL, rows)

    def dense(self, rows: Rows) -> Shares:
        """Return the cosine above the floor as a share of the view's best, shape (views, n), 0..1."""
        return self._shares(DENSE, rows)

    def similarity(self, rows: Rows) -> Scores:
        """Return the similarity of the literal question to each row, dense or else lexical, 0..1."""
        literal: Scores = self.similarities(rows)[0]
        return literal

    def similarities(self, rows: Rows) -> Shares:
        """Return the similarity of each view to each row as a share of the view's best, shape (views, n).

        Dense for the views with vectors, lexical for others.
        """
        if DENSE not in self.found:
            return self.lexical(rows)
        read = self.found[DENSE].reads
        found: Shares = self.dense(rows)
        return found if read.all() else np.where(read[:, None], found, self.lexical(rows))

    def _shares(self, name: str, rows: Rows) -> Shares:
        answer = self.found.get(name)
        if answer is None:
            return np.zeros((len(self.plan.views), len(rows)), np.float32)
        return answer.shares(rows)

    def _joined(self, name: str, rows: Rows) -> Scores:
        """Return the mean of the views' shares, weighted, over the views that the retriever reads."""
        answer = self.found[name]
        weights = np.array([view.weight for view in self.plan.views], np.float32) * answer.reads
        weights /= max(float(weights.sum()), 1e-9)
        shares = answer.shares(rows)
        # Both are in 0..1, but a BLAS has reported an invalid value once in thousands of cases.
        with np.errstate(invalid="ignore"):
            joined: Scores = weights @ shares
        return joined

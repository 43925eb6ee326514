"""Which passages hold a phrase: the mask of what must be, or must not be, in a passage.

A phrase stands in a passage where its terms follow each other in the text or in the headings above it;
function words between them do not count, and words are compared by their stems. A phrase of one word
may stand in the document's short name too.
"""

from __future__ import annotations

import re
from itertools import chain

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.language.analysis import analyzer
from engine.model import Passage

# Languages of a corpus whose stems are tried, the most frequent first.
MOST_LANGUAGES = 6

_WORD = re.compile(r"[^\W_]+")


def holding(corpus: Corpus, phrase: str, language: str) -> Mask | None:
    """Which passages hold a phrase, shape (passages,); None for a phrase of function words alone.

    ``language`` is the question's; passages in the corpus's other languages are met by their own stems.
    """
    if not analyzer(language).terms(phrase):
        return None
    found: Mask | None = None
    seen = set()
    for code in (language, *list(corpus.info().languages)[:MOST_LANGUAGES]):
        words = [word for word in _WORD.findall(phrase) if analyzer(code).terms(word)]
        terms = tuple(chain.from_iterable(analyzer(code).batch(words)))
        if words and terms not in seen:
            seen.add(terms)
            held = _holding(corpus, phrase, words, code)
            found = held if found is None else found | held
    return found


def _holding(corpus: Corpus, phrase: str, words: list[str], language: str) -> Mask:
    """Which passages hold the words of a phrase, as one language stems them, in their order."""
    found = np.ones(len(corpus), np.bool_)
    for hits in corpus.search_lexical(words, language, max(len(corpus), 1)):
        has = np.zeros(len(corpus), np.bool_)
        has[hits.rows] = True
        found &= has
    if len(words) > 1 or len(analyzer(language).terms(words[0])) > 1:
        rows = np.flatnonzero(found).astype(np.int32)
        found[rows] = _in_order(corpus, rows, phrase)
    return found


def _in_order(corpus: Corpus, rows: Rows, phrase: str) -> Mask:
    """Which of some passages hold the terms of a phrase one behind the other, shape (rows,)."""
    words = r"\W+".join(map(re.escape, _WORD.findall(phrase)))
    literal = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    runs: dict[str, str] = {}

    def holds(passage: Passage) -> bool:
        text = "\n".join((passage.text, passage.label, *passage.headings))
        if literal.search(text):
            return True
        run = runs.setdefault(passage.language, _run(phrase, passage.language))
        return bool(run) and f" {run} " in f" {_run(text, passage.language)} "

    return np.fromiter((holds(passage) for passage in corpus.passages(rows)), np.bool_, len(rows))


def _run(text: str, language: str) -> str:
    """The terms of a text's words in order, without the whole numbers that an index has besides."""
    terms_of_word = analyzer(language).terms_of_word
    return " ".join(chain.from_iterable(terms_of_word(word) for word in _WORD.findall(text)))

"""Number the words of passages, count them in a corpus, and record comparisons of the counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Index, ranges
from engine.corpus.embedded.block import Block, Postings, hashed, postings_from
from engine.ingestion.indexing import get_context
from engine.language.analysis import analyzer
from engine.language.entities import Stems, may_begin_name, words_of, written_as_name
from engine.language.names import Comparison, Word
from engine.model import Document, Passage

# Counts of exact word forms in a corpus: sums over its blocks

# Number of blocks to sum at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class WordCounts:
    """``keys`` of words in ascending order and their ``counts``, none of them 0; shapes (words,)."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]

    @staticmethod
    def none() -> WordCounts:
        """Return empty counts."""
        return WordCounts(np.zeros(0, np.uint64), np.zeros(0, np.int64))

    def changed(self, removed: Sequence[Block], added: Sequence[Block]) -> WordCounts:
        """Return the counts after removing the words of some blocks and adding those of other blocks."""
        found = self
        for sign, blocks in ((-1, removed), (1, added)):
            for start in range(0, len(blocks), _AT_ONCE):
                found = _summed([found, *(_of_block(one, sign) for one in blocks[start : start + _AT_ONCE])])
        return found

    def of(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the counts of the words with these keys."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: NDArray[np.int64] = np.where(self.keys[places] == keys, self.counts[places], 0)
        return found


def _of_block(block: Block, sign: int) -> WordCounts:
    keys = block["words.key"]
    return WordCounts(keys, sign * np.bincount(block["tokens.word"], minlength=len(keys)))


def _summed(parts: Iterable[WordCounts]) -> WordCounts:
    parts = list(parts)
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], np.concatenate([part.counts for part in parts])[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, np.int64)
    sums = np.add.reduceat(counts, first) if len(keys) else counts
    there = sums != 0
    return WordCounts(keys[first][there], sums[there].astype(np.int64))


# Comparisons of word counts, stored by keys and repeated when the corpus has changed

_WORD, _TIMES, _SIZE, _OTHERS, _SO = (f"weighed.{name}" for name in ("word", "times", "size", "others", "so"))


class RecordedComparisons:
    """Evaluates comparisons of word counts, and records them."""

    def __init__(self, words: WordCounts) -> None:
        self._words = words
        self._asked: list[Comparison] = []

    def __call__(self, comparisons: Sequence[Comparison]) -> list[bool]:
        """Return which comparisons are true."""
        self._asked += comparisons
        found: list[bool] = _results(_columns(comparisons), self._words).tolist()
        return found

    def put(self, block: Block) -> None:
        """Store the recorded comparisons and their results in a block."""
        columns = _columns(self._asked)
        block.arrays |= columns | {_SO: _results(columns, self._words)}


def comparisons_unchanged(block: Block, words: WordCounts) -> bool:
    """Return True if the comparisons stored in a block have the same results with other word counts."""
    return np.array_equal(_results(block.arrays, words), block[_SO])


def _columns(comparisons: Sequence[Comparison]) -> dict[str, NDArray[np.generic]]:
    return {
        _WORD: np.asarray([_key(one.word) for one in comparisons], np.uint64),
        _TIMES: np.asarray([one.times for one in comparisons], np.int64),
        _SIZE: np.asarray([len(one.others) for one in comparisons], np.int64),
        _OTHERS: np.asarray([_key(word) for one in comparisons for word in one.others], np.uint64),
    }


def _results(columns: dict[str, NDArray[np.generic]], words: WordCounts) -> NDArray[np.bool_]:
    sums = np.append(0, np.cumsum(words.of(columns[_OTHERS].astype(np.uint64))))
    ends = np.cumsum(columns[_SIZE].astype(np.int64))
    others = sums[ends] - sums[ends - columns[_SIZE].astype(np.int64)]
    times = columns[_TIMES].astype(np.int64)
    is_greater: NDArray[np.bool_] = words.of(columns[_WORD].astype(np.uint64)) * times > others
    return is_greater


def _key(word: Word) -> int:
    return hashed(" ".join(word))


# Words of passages as numbers, and their index terms
#
# A corpus has far fewer words than tokens: properties of a word are computed once.

# A word or a heading after its language.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Strings of consecutive passages as indexes of ``keys``, shape (tokens,).

    ``counts``: number of strings of each passage, shape (passages,).
    """

    keys: list[Key]
    numbers: Index
    counts: Index


def tokenise(passages: Sequence[Passage]) -> Tokens:
    """Tokenise texts into exact word forms."""
    return _tokens((passage.language, words_of(passage.text)) for passage in passages)


def collect_contexts(documents: Sequence[Document], passages: Sequence[Passage], *, headings: bool) -> Tokens:
    """Collect the context of passages: names, labels, headings; empty if ``headings`` is off."""
    by_id = {document.id: document for document in documents}
    return _tokens(
        (one.language, get_context(one, by_id[one.document_id]) if headings else ()) for one in passages
    )


def collect_titles(passages: Sequence[Passage], *, headings: bool) -> Tokens:
    """Collect the heading of each passage's provision; empty if ``headings`` is off.

    A heading counts only if all passages below it have one number: a heading of several provisions names
    none.
    """
    below: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for one in passages:
        below[one.document_id, one.headings].add(one.number or one.id)

    def own(one: Passage) -> tuple[str, ...]:
        return one.headings[-1:] if headings and len(below[one.document_id, one.headings]) == 1 else ()

    return _tokens((one.language, own(one)) for one in passages)


def text_postings(passages: Sequence[Passage], words: Tokens) -> Postings:
    """Make the index terms of texts."""
    numbers = _Numbers()
    analyzers = [analyzer(passage.language) for passage in passages]
    wordwise = [own.is_wordwise(one.text) for own, one in zip(analyzers, passages, strict=True)]
    rest = [
        own.numbers(one.text) if is_wordwise else own.terms(one.text)
        for own, one, is_wordwise in zip(analyzers, passages, wordwise, strict=True)
    ]
    rows, terms = _terms_of(words, numbers, _terms_of_word)
    is_counted = np.asarray(wordwise, np.bool_)[rows]
    flat = [numbers[term] for found in rest for term in found]
    rest_rows = np.repeat(np.arange(len(rest)), [len(found) for found in rest])
    return postings_from(
        list(numbers),
        np.concatenate([terms[is_counted], np.asarray(flat, np.int64)]),
        np.concatenate([rows[is_counted], rest_rows]),
        len(passages),
    )


def heading_postings(contexts: Tokens) -> Postings:
    """Make the index terms of headings and names."""
    numbers = _Numbers()
    rows, terms = _terms_of(contexts, numbers, _terms_of_heading)
    return postings_from(list(numbers), terms, rows, len(contexts.counts))


def put_words(block: Block, words: Tokens) -> None:
    """Store the words of all texts in order as numbers.

    For each distinct word: its key, the key of its stem, whether it is written as a name, and whether it may
    be part of a longer name.
    """
    keys = [_word_keys(language, word) for language, word in words.keys]
    dtype = np.uint16 if len(words.keys) <= np.iinfo(np.uint16).max else np.uint32
    block.arrays |= {
        "tokens.word": words.numbers.astype(dtype),
        "passages.tokens": words.counts.astype(np.int32),
        "words.key": np.asarray([key for key, _ in keys], np.uint64),
        "words.stem": np.asarray([stem for _, stem in keys], np.uint64),
        "words.name": np.asarray([written_as_name(word) for _, word in words.keys], np.bool_),
        "words.in_name": np.asarray([may_begin_name(word) for _, word in words.keys], np.bool_),
    }


class _Numbers(dict[str, int]):
    """Numbers of terms."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _WordNumbers(dict[str, int]):
    """Numbers of the words of one language among the words of all languages."""

    def __init__(self, language: str, numbers: dict[Key, int]) -> None:
        super().__init__()
        self._language, self._numbers = language, numbers

    def __missing__(self, word: str) -> int:
        number = self[word] = self._numbers.setdefault((self._language, word), len(self._numbers))
        return number


def _tokens(texts: Iterable[tuple[str, Sequence[str]]]) -> Tokens:
    numbers: dict[Key, int] = {}
    by_language: dict[str, _WordNumbers] = {}
    flat: list[int] = []
    counts: list[int] = []
    for language, words in texts:
        counts.append(len(words))
        own = by_language.get(language)
        if own is None:
            own = by_language[language] = _WordNumbers(language, numbers)
        flat.extend(map(own.__getitem__, words))
    return Tokens(list(numbers), np.asarray(flat, np.int64), np.asarray(counts, np.int64))


def _terms_of(
    tokens: Tokens, numbers: _Numbers, terms_of: Callable[[str, str], Sequence[str]]
) -> tuple[Index, Index]:
    """Return the terms of all tokens as (passage row, number of the term)."""
    found = [terms_of(language, string) for language, string in tokens.keys]
    flat = np.asarray([numbers[term] for terms in found for term in terms], np.int64)
    ends = np.cumsum([len(terms) for terms in found], dtype=np.int64)
    starts = np.append(np.int64(0), ends)
    origins, members = ranges(starts[tokens.numbers], starts[tokens.numbers + 1])
    rows = np.repeat(np.arange(len(tokens.counts)), tokens.counts)
    return rows[origins], flat[members]


@lru_cache(maxsize=1 << 17)
def _terms_of_word(language: str, word: str) -> tuple[str, ...]:
    return analyzer(language).terms_of_word(word)


@lru_cache(maxsize=1 << 16)
def _terms_of_heading(language: str, heading: str) -> list[str]:
    """Analyse a heading; cached, because headings and names repeat for every passage below them."""
    return analyzer(language).terms(heading)


@lru_cache(maxsize=1 << 17)
def _word_keys(language: str, word: str) -> tuple[int, int]:
    """Return the keys of a word and its stem; cached, because words repeat in every block."""
    # ``Stems`` has no size limit for a cache.
    stem = Stems(language)[word]
    return hashed(f"{language} {word}"), hashed(f"{language} {stem}")

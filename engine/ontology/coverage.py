"""Coverage of a corpus by the areas of an ontology, and the check of an ontology against a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Area, Corpus, Mask, Ontology, Rows
from engine.language.analysis import analyzer
from engine.ontology.applying import Concepts, find_problems

# A passage is covered if it has all words of a keyword in its own language, in its text or in the text around
# it (headings, label), as in the coverage of a question's areas.
QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Reach:
    """Coverage of an area. ``passages`` counts all, ``examples`` are ids of those with most of its keywords;
    ``found`` is the number of passages for each keyword in each language."""

    passages: int
    examples: tuple[str, ...]
    found: Mapping[tuple[str, str], int]


class Index:
    """Looks up keywords, each word once. Masks have shape (passages,)."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        everything = np.arange(len(corpus), dtype=np.int32)
        names = [document.language for document in corpus.documents()]
        numbers = corpus.document_numbers(everything)
        own = np.asarray(names, dtype=object)[numbers] if names else np.zeros(0, dtype=object)
        self._languages: dict[str, Mask] = {name: own == name for name in set(names)}
        self._words: dict[tuple[str, str], Mask] = {}

    def of_language(self, language: str) -> Mask:
        """Return the mask of passages in documents of a language."""
        empty = np.zeros(len(self._corpus), np.bool_)
        return self._languages.get(language, empty)

    def prepare(self, keywords: Iterable[tuple[str, str]]) -> None:
        """Look up the words of many keywords, each a language and a text, at once."""
        words_of: dict[str, set[str]] = {}
        for language, text in keywords:
            new = {word for word in _words(language, text) if (language, word) not in self._words}
            words_of.setdefault(language, set()).update(new)
        for language, words in words_of.items():
            self._look_up(language, sorted(words))

    def holding(self, language: str, keyword: str) -> Mask:
        """Return the mask of a language's passages with all words of a keyword; empty without words."""
        words = _words(language, keyword)
        own = self._languages.get(language)
        if own is None or not words:
            return np.zeros(len(self._corpus), np.bool_)
        self.prepare([(language, keyword)])
        found = own.copy()
        for word in words:
            found &= self._words[language, word]
        return found

    def counts(self, area: Area) -> Rows:
        """Return the number of an area's keywords in each passage, shape (passages,)."""
        self.prepare((language, word) for language, words in area.keywords.items() for word in words)
        total = np.zeros(len(self._corpus), np.int32)
        for language, keywords in area.keywords.items():
            for keyword in keywords:
                total += self.holding(language, keyword)
        return total

    def reach(self, area: Area, examples: int = 3) -> Reach:
        """Return the coverage of an area."""
        counts = self.counts(area)
        bare = self._corpus.bare_headings(np.arange(len(self._corpus), dtype=np.int32))
        best = np.lexsort((np.arange(len(counts)), bare, -counts))[:examples]
        shown = [int(row) for row in best if counts[row] > 0]
        ids = tuple(passage.id for passage in self._corpus.passages(np.asarray(shown, np.int32)))
        found = {
            (language, keyword): int(self.holding(language, keyword).sum())
            for language, keywords in area.keywords.items()
            for keyword in keywords
        }
        return Reach(int((counts > 0).sum()), ids, found)

    def _look_up(self, language: str, words: Sequence[str]) -> None:
        for start in range(0, len(words), QUERIES_AT_ONCE):
            part = words[start : start + QUERIES_AT_ONCE]
            answers = self._corpus.search_lexical(part, language, len(self._corpus))
            for word, hits in zip(part, answers, strict=True):
                mask = np.zeros(len(self._corpus), np.bool_)
                mask[hits.rows] = True
                self._words[language, word] = mask


def overlaps(areas: Mapping[str, Mask]) -> dict[str, tuple[str, float]]:
    """Return, for each area, the one that shares most of its passages, and the share."""
    found: dict[str, tuple[str, float]] = {}
    for name, own in areas.items():
        size = int(own.sum())
        shares = [
            (float((own & other).sum()) / size, another)
            for another, other in areas.items()
            if another != name and size
        ]
        if shares:
            share, another = max(shares, key=lambda pair: (pair[0], pair[1]))
            found[name] = (another, share)
    return found


def _words(language: str, keyword: str) -> list[str]:
    """Return the indexed words of a keyword; other words are no condition."""
    reading = analyzer(language)
    return [word for word in keyword.split() if reading.terms(word)]


def covered_share(areas: Sequence[Area], index: Index) -> float:
    """Return the share of a corpus's passages that some area covers."""
    masks = [index.counts(area) > 0 for area in areas]
    return float(np.mean(np.logical_or.reduce(masks))) if masks and len(masks[0]) else 0.0


def check_text(corpus: Corpus, ontology: Ontology) -> Iterator[str]:
    """Yield what each area of an ontology covers in a corpus, and its keywords that never occur; what each
    type of transaction needs; and the concepts in their hierarchy, with their missing provisions."""
    index = Index(corpus)
    for area in ontology.areas:
        reach = index.reach(area)
        yield f"{area.id}: covers {_passages(reach.passages)}{_absent(area, index)}"
    share = covered_share(ontology.areas, index)
    yield f"{len(ontology.areas)} areas cover {share:.0%} of the passages"
    areas = {area.id: area for area in ontology.areas}
    for transaction, needed in ontology.transactions.items():
        needed_text = ", ".join(f"{name} {ontology.needed(areas[name], transaction)}" for name in needed)
        yield f"transaction {transaction} needs passages: {needed_text or 'none'}"
    if ontology.concepts:
        yield from _concepts_text(corpus, Concepts(ontology))


def _concepts_text(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """Yield the concepts, each below its parent, and their problems."""
    for concept in known.in_order():
        articles = known.articles(corpus, concept)
        count = sum(len(article.found.rows) for article in articles)
        indent = "  " * len(known.above(concept))
        size = (
            f"{len(concept.articles)} article{'' if len(concept.articles) == 1 else 's'}, {_passages(count)}"
        )
        checks = f"; to check: {'; '.join(concept.required_checks)}" if concept.required_checks else ""
        yield f"{indent}concept {concept.id} (importance {concept.importance}): {size}{checks}"
    missing_provisions = list(find_problems(corpus, known))
    yield from (f"wrong: {problem}" for problem in missing_provisions)
    missing = (
        f"{len(missing_provisions) or 'no'} provision{'' if len(missing_provisions) == 1 else 's'} missing"
    )
    yield f"{len(known.ontology.concepts)} concepts; {missing}"


def _absent(area: Area, index: Index) -> str:
    missing = [
        f"{word} ({language})"
        for language, words in area.keywords.items()
        for word in words
        if index.of_language(language).any() and not index.holding(language, word).any()
    ]
    return f"; not in the corpus: {', '.join(missing)}" if missing else ""


def _passages(count: int) -> str:
    return f"{count:,} passage{'' if count == 1 else 's'}"

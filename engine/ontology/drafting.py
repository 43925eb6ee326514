"""Draft areas from the material of a corpus, and measure what they cover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Area, Corpus, Mask, Rows
from engine.language.analysis import analyzer
from engine.ontology.material import Heading, Keyword, Material, Names, most_passages

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


# Limits of the headings and keywords of an area.
MOST_HEADINGS, MOST_KEYWORDS = 6, 10
# With few passages in a language, keywords are less reliable.
FEW_KEYWORDS, MANY_PASSAGES = 6, 100
# An area with few passages requires only one of them.
FEW_PASSAGES = 8
# Minimum passages of a language for names and keywords in it.
FEWEST_OF_LANGUAGE = 10
# Groups with fewer keywords are only what is left over.
FEWEST_KEYWORDS = 4
HEADING, TERM = "heading", "term"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A heading or term that an area was made from. ``key`` identifies it ("H3", "T12"); ``passage_id`` is a
    passage below the heading or with the term; ``passages`` counts those of the area."""

    key: str
    kind: str
    text: str
    language: str
    passage_id: str
    passages: int


@dataclass(frozen=True, slots=True)
class Draft:
    """An area and its evidence."""

    area: Area
    evidence: tuple[Evidence, ...]


class Drafting:
    """Drafts the areas of a corpus's groups, with unique names."""

    def __init__(self, corpus: Corpus, material: Material, labels: NDArray[np.int32], index: Index) -> None:
        self._corpus, self._material, self._labels, self._index = corpus, material, labels, index
        self._names = Names(material, corpus, labels)
        self._languages = area_languages(material)
        self._taken: set[str] = set()
        self._called: set[str] = set()
        self._counts = {HEADING: 0, TERM: 0}

    def drafts(self) -> Iterator[Draft]:
        """Yield an area for each group with a name and keywords."""
        groups = int(self._labels.max()) + 1 if len(self._labels) else 0
        # A single group has nothing to be distinguished from.
        for number in range(groups if groups > 1 else 0):
            keywords = {language: self._keywords(number, language) for language in self._languages}
            headings = {language: self._names.headings(number, language) for language in self._languages}
            names = {
                language: name
                for language in self._languages
                if (name := self._name(headings[language], keywords[language]))
            }
            main = keywords[self._languages[0]] or max(keywords.values(), key=len)
            if names and len(main) >= FEWEST_KEYWORDS:
                yield self._draft(number, names, keywords, headings)

    def _keywords(self, number: int, language: str) -> list[Keyword]:
        """Return the group's keywords that are not frequent everywhere (such as "Person")."""
        found = self._names.keywords(number, language)
        self._index.prepare((language, keyword.text) for keyword in found)
        total = int(self._index.of_language(language).sum())
        most = most_passages(total, self._names.size(number, language))
        specific = [word for word in found if self._index.holding(language, word.text).sum() <= most]
        return specific[: MOST_KEYWORDS if total >= MANY_PASSAGES else FEW_KEYWORDS]

    def _draft(
        self,
        number: int,
        called: dict[str, str],
        keywords: dict[str, list[Keyword]],
        headings: dict[str, list[Heading]],
    ) -> Draft:
        units = [
            unit
            for unit, label in zip(self._material.units, self._labels.tolist(), strict=True)
            if label == number
        ]
        rows = np.asarray(sorted(row for unit in units for row in unit.rows), np.int32)
        area = Area(
            slug(next(iter(called.values())), self._taken),
            called,
            {language: tuple(word.text for word in words) for language, words in keywords.items() if words},
            minimum_passages=1 if len(rows) < FEW_PASSAGES else 2,
        )
        evidence = []
        for language in self._languages:
            own = self._index.of_language(language)[rows]
            first_below = {
                title: row
                for unit in reversed(units)
                for title in unit.titles.get(language, ())
                for row in unit.rows[::-1]
                if self._index.of_language(language)[row]
            }
            for heading in headings[language][:MOST_HEADINGS]:
                if heading.text in first_below:
                    evidence.append(self._evidence(HEADING, heading, first_below[heading.text]))
            for word in keywords[language]:
                holding = rows[own & self._index.holding(language, word.text)[rows]]
                if len(holding):
                    evidence.append(self._evidence(TERM, word, int(holding[0])))
        return Draft(area, tuple(evidence))

    def _evidence(self, kind: str, found: Heading | Keyword, row: int) -> Evidence:
        self._counts[kind] += 1
        key = f"{'H' if kind == HEADING else 'T'}{self._counts[kind]}"
        passage = self._corpus.passages(np.asarray([row], np.int32))[0]
        return Evidence(key, kind, found.text, found.language, passage.id, found.passages)

    def _name(self, headings: Sequence[Heading], keywords: Sequence[Keyword]) -> str:
        """Return the best heading that names no other area; without one, the first keywords."""
        for heading in headings:
            if heading.text.casefold() not in self._called:
                self._called.add(heading.text.casefold())
                return heading.text
        words = ", ".join(keyword.text for keyword in keywords[:2])
        return words[:1].upper() + words[1:]


def area_languages(material: Material) -> list[str]:
    """Return the languages for names of areas, the main one first."""
    counts = dict.fromkeys(material.languages, 0)
    for passage in material.passages:
        counts[passage.language] += 1
    return [
        language
        for place, language in enumerate(material.languages)
        if place == 0 or (counts[language] >= FEWEST_OF_LANGUAGE and language != "und")
    ]


def slug(text: str, taken: set[str]) -> str:
    """Make a unique id from a name: its words in lower case with hyphens, and a number if taken."""
    base = "-".join(re.findall(r"\w+", text.casefold()))[:60].strip("-") or "area"
    found, count = base, 2
    while found in taken:
        found, count = f"{base}-{count}", count + 1
    taken.add(found)
    return found

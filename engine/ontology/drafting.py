"""From a group of units to an area: its names and keywords by language, and the evidence for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Area, Corpus
from engine.ontology.covering import Index
from engine.ontology.material import Material
from engine.ontology.naming import Heading, Keyword, Names, most_passages

MOST_HEADINGS, MOST_KEYWORDS = 6, 10
# Where a language has few passages, chance brings words to the top.
FEW_KEYWORDS, MANY_PASSAGES = 6, 100
# An area that few passages speak of needs one of them.
FEW_PASSAGES = 8
# A language needs so many passages to have names and keywords of its own.
FEWEST_OF_LANGUAGE = 10
# With fewer keywords nothing holds a group together but that nothing else does.
FEWEST_KEYWORDS = 4
HEADING, TERM = "heading", "term"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A heading or term that an area was made from. ``key`` names it ("H3", "T12"); ``passage_id`` is a
    passage below the heading or one that holds the term; ``passages`` counts those of the area."""

    key: str
    kind: str
    text: str
    language: str
    passage_id: str
    passages: int


@dataclass(frozen=True, slots=True)
class Draft:
    """An area and what it was made from."""

    area: Area
    evidence: tuple[Evidence, ...]


class Drafting:
    """Drafts the areas of a corpus's groups, the names of each taken by no other."""

    def __init__(self, corpus: Corpus, material: Material, labels: NDArray[np.int32], index: Index) -> None:
        self._corpus, self._material, self._labels, self._index = corpus, material, labels, index
        self._names = Names(material, corpus, labels)
        self._languages = languages_of(material)
        self._taken: set[str] = set()
        self._called: set[str] = set()
        self._counts = {HEADING: 0, TERM: 0}

    def drafts(self) -> Iterator[Draft]:
        """An area for each group that has a name and keywords."""
        groups = int(self._labels.max()) + 1 if len(self._labels) else 0
        # One group alone is told apart from nothing.
        for number in range(groups if groups > 1 else 0):
            keywords = {language: self._keywords(number, language) for language in self._languages}
            headings = {language: self._names.headings(number, language) for language in self._languages}
            called = {
                language: name
                for language in self._languages
                if (name := self._name(headings[language], keywords[language]))
            }
            main = keywords[self._languages[0]] or max(keywords.values(), key=len)
            if called and len(main) >= FEWEST_KEYWORDS:
                yield self._draft(number, called, keywords, headings)

    def _keywords(self, number: int, language: str) -> list[Keyword]:
        """The group's keywords that are not all over the corpus: "Person" is a defined term, and a word."""
        found = self._names.keywords(number, language)
        self._index.prepare((language, keyword.text) for keyword in found)
        everyone = int(self._index.of_language(language).sum())
        most = most_passages(everyone, self._names.size(number, language))
        told = [word for word in found if self._index.holding(language, word.text).sum() <= most]
        return told[: MOST_KEYWORDS if everyone >= MANY_PASSAGES else FEW_KEYWORDS]

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
        """The best heading that names no other area; where there is none, the first keywords."""
        for heading in headings:
            if heading.text.casefold() not in self._called:
                self._called.add(heading.text.casefold())
                return heading.text
        words = ", ".join(keyword.text for keyword in keywords[:2])
        return words[:1].upper() + words[1:]


def languages_of(material: Material) -> list[str]:
    """The languages that areas are named in, the main one first."""
    counts = dict.fromkeys(material.languages, 0)
    for passage in material.passages:
        counts[passage.language] += 1
    return [
        language
        for place, language in enumerate(material.languages)
        if place == 0 or (counts[language] >= FEWEST_OF_LANGUAGE and language != "und")
    ]


def slug(text: str, taken: set[str]) -> str:
    """An id made of a name: its words in small letters with hyphens, and a number where it is taken."""
    base = "-".join(re.findall(r"\w+", text.casefold()))[:60].strip("-") or "area"
    found, count = base, 2
    while found in taken:
        found, count = f"{base}-{count}", count + 1
    taken.add(found)
    return found

"""Names and keywords of a group of units: the headings and words that tell it from the others.

Keywords are weighed by class-based TF-IDF (Grootendorst 2022, "BERTopic"): how often a word is in the group's
passages, times ``log(1 + A / f)`` with ``f`` its passages in the corpus and ``A`` the mean of a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.language.analysis import analyzer
from engine.model import Entity, EntityKind
from engine.ontology.material import Material, Read, says_something

Item = TypeVar("Item", str, int)
MOST_CANDIDATES = 24
# A keyword is in the group at least so many times as often as in the corpus.
LIFT = 3.0
# A word that more of the corpus has tells nothing apart; where there is little of it, one that so many more
# passages have than the group holds.
MOST_SHARE, LITTLE, BEYOND = 0.1, 40, 1.2
FEWEST_PASSAGES = 2
# Names, and words of headings, are what the corpus calls a thing.
NAMED = 1.5
LONGEST_NAME = 8
_TERMS = frozenset({EntityKind.DEFINED_TERM, EntityKind.HEADING, EntityKind.ACRONYM, EntityKind.STANDARD})


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or name, its weight in its group, and how many passages of the group hold it."""

    text: str
    language: str
    weight: float
    passages: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, how well it stands for a group, and how many passages of the group stand below it."""

    text: str
    language: str
    score: float
    passages: int


class Names:
    """Weighs the words and headings of all groups against each other."""

    def __init__(self, material: Material, corpus: Corpus, labels: NDArray[np.int32]) -> None:
        self._material, self._labels = material, labels
        self._groups = int(labels.max()) + 1 if len(labels) else 0
        read = material.passages
        self._group_of = [int(labels[passage.unit]) for passage in read]
        self._entities, mentioned = _entities(corpus, read)
        self._sizes = Counter(zip(self._group_of, (p.language for p in read), strict=True))
        self._total = Counter(passage.language for passage in read)
        self._stems = _counted(self._group_of, (passage.stems for passage in read))
        self._named = _counted(self._group_of, mentioned)
        self._headed = _headed(material)
        self._stem_totals, self._named_totals = _totals(self._stems), _totals(self._named)

    def keywords(self, group: int, language: str) -> list[Keyword]:
        """The most telling words and names of a group in a language, the best first."""
        found = [
            self._weighed(group, language, self._material.forms[stem], times, self._stem_totals[stem], weight)
            for stem, times in self._stems[group].items()
            if stem.startswith(f"{language}:")
            for weight in (NAMED if stem in self._headed else 1.0,)
        ]
        found += [
            self._weighed(group, language, entity.name, times, self._named_totals[number], NAMED)
            for number, times in self._named[group].items()
            if (entity := self._entities[number]).language == language
            and entity.kind in _TERMS
            and len(entity.name.split()) <= LONGEST_NAME
        ]
        ordered = sorted((word for word in found if word), key=lambda word: (-word.weight, word.text))
        return _different(ordered, language)[:MOST_CANDIDATES]

    def _weighed(
        self, group: int, language: str, text: str, times: int, total: int, factor: float
    ) -> Keyword | None:
        size, everyone = self._sizes[group, language], self._total[language]
        lift = min(LIFT, everyone / size / 1.2)
        if times < min(FEWEST_PASSAGES, size) or times / size < lift * total / everyone:
            return None
        if total > most_passages(everyone, size):
            return None
        mean = everyone / max(self._groups, 1)
        return Keyword(text, language, factor * times / size * log(1.0 + mean / total), times)

    def size(self, group: int, language: str) -> int:
        """How many passages of a group are in a language."""
        return self._sizes[group, language]

    def headings(self, group: int, language: str) -> list[Heading]:
        """The headings over a group in a language, the one that stands for it best first.

        Scored by F1 between the passages below a heading and those of the group, plus the cosine of the
        heading's words to the group's keywords: a heading over all of it, or one that says what it is about.
        """
        below: Counter[str] = Counter()
        inside: Counter[str] = Counter()
        for unit, label in zip(self._material.units, self._labels.tolist(), strict=True):
            for title in unit.titles.get(language, ()):
                if title.casefold() not in self._material.everywhere and says_something(title, language):
                    below[title] += len(unit.rows)
                    inside[title] += len(unit.rows) if label == group else 0
        size = sum(
            len(unit.rows)
            for unit, label in zip(self._material.units, self._labels.tolist(), strict=True)
            if label == group and language in unit.titles
        )
        weights = self._profile(group, language)
        length = sum(weight * weight for weight in weights.values()) ** 0.5 or 1.0
        found = []
        for title, times in inside.items():
            words = set(analyzer(language).terms(title))
            if not times or not words or len(title.split()) > LONGEST_NAME:
                continue
            f1 = 2 * times / (below[title] + size)
            told = sum(weights.get(f"{language}:{word}", 0.0) for word in words) / len(words) ** 0.5 / length
            found.append(Heading(title, language, f1 + told, times))
        return sorted(found, key=lambda heading: (-heading.score, heading.text))

    def _profile(self, group: int, language: str) -> dict[str, float]:
        mean = self._total[language] / max(self._groups, 1)
        return {
            stem: times / self._sizes[group, language] * log(1.0 + mean / self._stem_totals[stem])
            for stem, times in self._stems[group].items()
            if stem.startswith(f"{language}:")
        }


def most_passages(everyone: int, size: int) -> float:
    """How many passages of a language may hold a keyword of a group that holds ``size`` of them."""
    return max(MOST_SHARE * everyone, min(BEYOND * size, LITTLE))


def _headed(material: Material) -> frozenset[str]:
    """The stems of all headings that say something: they are words for things, not only words."""
    return frozenset(
        f"{language}:{term}"
        for unit in material.units
        for language, titles in unit.titles.items()
        if titles and says_something(titles[0], language)
        for term in analyzer(language).terms(titles[0])
    )


def _entities(corpus: Corpus, read: Sequence[Read]) -> tuple[dict[int, Entity], list[set[int]]]:
    rows = np.asarray([passage.row for passage in read], np.int32)
    mentioned = [set(numbers) for numbers in corpus.entities_of(rows)]
    numbers = sorted({number for own in mentioned for number in own})
    return dict(zip(numbers, corpus.entities(numbers), strict=True)), mentioned


def _counted(groups: Sequence[int], sets: Iterable[Iterable[Item]]) -> dict[int, Counter[Item]]:
    found: dict[int, Counter[Item]] = {group: Counter() for group in sorted(set(groups))}
    for group, items in zip(groups, sets, strict=True):
        found[group].update(items)
    return found


def _totals(counts: dict[int, Counter[Item]]) -> Counter[Item]:
    total: Counter[Item] = Counter()
    for own in counts.values():
        total.update(own)
    return total


def _different(keywords: Sequence[Keyword], language: str) -> list[Keyword]:
    """Keywords without those that a stronger one says already: the same words, or a part of a name."""
    kept: list[Keyword] = []
    said: list[frozenset[str]] = []
    for keyword in keywords:
        words = frozenset(analyzer(language).terms(keyword.text))
        if words and not any(words <= other for other in said):
            kept.append(keyword)
            said.append(words)
    return kept

"""Entities without any model: what passages name, and which passages name the same thing.

First the terms are collected over all passages (``terms.py``), then each passage is read once against
the vocabulary that this makes, by stems, the longest term first. An entity that one passage alone
mentions links nothing and is dropped, unless that passage defines it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.language.analyzer import analyzer
from engine.language.clustering import Encode, Name, clusters
from engine.language.script import visible
from engine.language.terms import Found, terms_of, title_terms
from engine.model import Entity, EntityKind, Passage

# A term of more words is a sentence.
LONGEST_TERM = 8

_WORD = re.compile(r"[^\W_]+")
# What a name is, where passages find it in different ways: the first of these.
_ORDER = (
    EntityKind.DEFINED_TERM,
    EntityKind.STANDARD,
    EntityKind.ORGANISATION,
    EntityKind.ACRONYM,
    EntityKind.NAME,
    EntityKind.HEADING,
)
_RANK = {kind: rank for rank, kind in enumerate(_ORDER)}

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityTable:
    """Entities and who mentions them: pair i says that passage ``rows[i]`` mentions ``numbers[i]``.

    ``rows`` are positions in the passages given, ``numbers`` positions in ``entities``; int32, no pair
    twice, sorted by row and then by number.
    """

    entities: list[Entity]
    rows: NDArray[np.int32]
    numbers: NDArray[np.int32]


@dataclass(slots=True)
class _Candidate:
    language: str
    kind: EntityKind
    forms: Counter[str] = field(default_factory=Counter)
    keys: set[Key] = field(default_factory=set)
    defined_in: str | None = None
    long_form: str | None = None


def extract_entities(passages: Sequence[Passage], encode: Encode | None = None) -> EntityTable:
    """The entities of a corpus: defined terms, names, acronyms, titles; with the passages of each.

    Variants of one name are one entity (``clustering.py``); ``encode`` embeds names, which finds more.
    """
    vocabulary = _Vocabulary()
    for passage in passages:
        vocabulary.read(passage)
    vocabulary.settle(encode)
    found = {(row, number) for row, passage in enumerate(passages) for number in vocabulary.mentions(passage)}
    shouted = vocabulary.shouted()
    pairs = sorted(pair for pair in found if pair[1] not in shouted)
    return _table(vocabulary.candidates, pairs)


def _table(candidates: list[_Candidate], pairs: list[tuple[int, int]]) -> EntityTable:
    counts = Counter(number for _, number in pairs)
    kept = [
        number
        for number, candidate in enumerate(candidates)
        if counts[number] > 1 or (counts[number] == 1 and candidate.defined_in)
    ]
    renumbered = {number: position for position, number in enumerate(kept)}
    left = [(row, renumbered[number]) for row, number in pairs if number in renumbered]
    array = np.array(left, dtype=np.int32).reshape(-1, 2)
    entities = [_entity(candidates[number]) for number in kept]
    return EntityTable(entities, np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1]))


def _entity(candidate: _Candidate) -> Entity:
    name = candidate.long_form or _usual(candidate)
    longest = sorted(candidate.keys, key=lambda key: (-len(key), key))[0]
    slug = "-".join(longest)
    return Entity(
        f"{candidate.language}:{slug}", name, candidate.kind, candidate.language, candidate.defined_in
    )


def _usual(candidate: _Candidate) -> str:
    """The form that is written most often."""
    return min(candidate.forms, key=lambda form: (-candidate.forms[form], form))


class _Stems(dict[str, str]):
    """Word to stem, filled on first sight."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._analyzer = analyzer(language)

    def __missing__(self, word: str) -> str:
        # Acronyms keep their capitals: "AML" the rulebook is not "aml" inside a word.
        short = word.isupper() and word.isascii() and len(word) <= 10
        stem = self[word] = word if short else self._analyzer.stem(word)
        return stem


class _Vocabulary:
    """All terms of a corpus, by language and stems."""

    def __init__(self) -> None:
        self.candidates: list[_Candidate] = []
        # By language: numbers by stems, lengths of the terms that begin with a stem, stems by word.
        self._numbers: dict[str, dict[Key, int]] = {}
        self._lengths: dict[str, dict[str, tuple[int, ...]]] = {}
        self._titles_seen: set[str] = set()
        self._stems: dict[str, _Stems] = {}

    def read(self, passage: Passage) -> None:
        """Collects the terms of a passage and of the titles above it."""
        language = passage.language
        for found in terms_of(visible(passage.text), language):
            self._add(found, language, passage.id)
        for heading in passage.headings:
            if heading not in self._titles_seen:
                self._titles_seen.add(heading)
                for term in title_terms(visible(heading), language):
                    self._add(Found(term, EntityKind.HEADING), language, passage.id)

    def _add(self, found: Found, language: str, passage_id: str) -> None:
        names = [name for name in (found.name, found.other) if name]
        keys = [key for key in (self._key(name, language) for name in names) if key]
        if not keys:
            return
        numbers = self._numbers.setdefault(language, {})
        number = next((numbers[key] for key in keys if key in numbers), None)
        if number is None:
            number = len(self.candidates)
            self.candidates.append(_Candidate(language, found.kind))
        candidate = self.candidates[number]
        candidate.forms[found.name] += 1
        if found.kind is EntityKind.ACRONYM:
            candidate.long_form = candidate.long_form or found.other
        for key in keys:
            if numbers.setdefault(key, number) == number:
                candidate.keys.add(key)
        if _RANK[found.kind] < _RANK[candidate.kind]:
            candidate.kind = found.kind
        if found.sure and candidate.defined_in is None:
            candidate.defined_in = passage_id

    def _key(self, name: str, language: str) -> Key:
        """Stems of a term; empty where it is too long, or nothing but a common word."""
        words = _WORD.findall(name)
        if not words or len(words) > LONGEST_TERM or (len(words) == 1 and len(words[0]) < 3):
            return ()
        return tuple(self._stemmed(words, language))

    def _stemmed(self, words: Sequence[str], language: str) -> list[str]:
        stems = self._stems.get(language)
        if stems is None:
            stems = self._stems[language] = _Stems(language)
        return list(map(stems.__getitem__, words))

    def settle(self, encode: Encode | None = None) -> None:
        """Fixes the vocabulary: variants become one, and how mentions begin and how long they are."""
        self._join_variants(encode)
        for language, numbers in self._numbers.items():
            lengths: dict[str, set[int]] = {}
            for key in numbers:
                lengths.setdefault(key[0], set()).add(len(key))
            self._lengths[language] = {
                first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()
            }

    def _join_variants(self, encode: Encode | None) -> None:
        names = [Name(_usual(item), item.language, sum(item.forms.values())) for item in self.candidates]
        for number, first in enumerate(clusters(names, encode)):
            if number == first:
                continue
            variant, kept = self.candidates[number], self.candidates[first]
            kept.forms.update(variant.forms)
            kept.keys.update(variant.keys)
            kept.kind = min(kept.kind, variant.kind, key=_RANK.__getitem__)
            kept.defined_in = kept.defined_in or variant.defined_in
            kept.long_form = kept.long_form or variant.long_form
            numbers = self._numbers[variant.language]
            numbers.update((key, first) for key in variant.keys)

    def mentions(self, passage: Passage) -> Iterator[int]:
        """Numbers of the candidates that a passage mentions, the longest at each place."""
        lengths = self._lengths.get(passage.language)
        if not lengths:
            return
        numbers = self._numbers[passage.language]
        words = _WORD.findall(visible(passage.text))
        stems = self._stemmed(words, passage.language)
        end = 0
        for position in [place for place, stem in enumerate(stems) if stem in lengths]:
            if position < end:
                continue
            for length in lengths[stems[position]]:
                number = numbers.get(tuple(stems[position : position + length]))
                if number is not None and self._is_meant(number, length, words[position]):
                    yield number
                    end = position + length
                    break

    def shouted(self) -> set[int]:
        """Acronyms that are ordinary words in capitals: the corpus writes them in small letters too."""
        found: set[int] = set()
        for number, candidate in enumerate(self.candidates):
            if candidate.kind is EntityKind.ACRONYM and candidate.defined_in is None:
                seen = self._stems[candidate.language]
                if any(form.lower() in seen or form.capitalize() in seen for form in candidate.forms):
                    found.add(number)
        return found

    def _is_meant(self, number: int, length: int, word: str) -> bool:
        """A term of one word is only meant where it is written as a name: with a capital."""
        if length > 1:
            return True
        candidate = self.candidates[number]
        if candidate.kind is EntityKind.HEADING and candidate.language != "de":
            return False
        return not word.isascii() or word[0].isupper()

"""Entities without any model: what passages name, and which passages name the same thing.

First the terms are collected over all passages (``terms.py``), then each passage is read once against
the vocabulary that this makes, by stems, the longest term first. An entity that one passage alone
mentions links nothing and is dropped, unless that passage defines it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

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


class Fact(NamedTuple):
    """A term that a run of passages names: where first (its position in the run), and how often.

    ``heading`` is the title that it was taken from, empty where it stands in the text.
    """

    position: int
    language: str
    heading: str
    name: str
    kind: str
    other: str | None
    sure: bool
    times: int


@dataclass(slots=True)
class _Candidate:
    language: str
    kind: EntityKind
    forms: Counter[str] = field(default_factory=Counter)
    keys: set[Key] = field(default_factory=set)
    definitions: list[str] = field(default_factory=list)
    long_form: str | None = None


def extract_entities(passages: Sequence[Passage], encode: Encode | None = None) -> EntityTable:
    """The entities of a corpus: defined terms, names, acronyms, titles; with the passages of each.

    Variants of one name are one entity (``clustering.py``); ``encode`` embeds names, which finds more.
    """
    vocabulary = Vocabulary()
    vocabulary.read(facts_of(passages), [passage.id for passage in passages])
    vocabulary.settle(encode)
    found = {(row, number) for row, passage in enumerate(passages) for number in vocabulary.mentions(passage)}
    shouted = vocabulary.shouted()
    pairs = sorted(pair for pair in found if pair[1] not in shouted)
    return _table(vocabulary.candidates, pairs)


def facts_of(passages: Sequence[Passage]) -> list[Fact]:
    """The terms of a run of passages and of the titles above them, each where it first stands."""
    counts: dict[tuple[str, str, str, str, str, str | None, bool], list[int]] = {}
    titles_seen: set[str] = set()

    def count(position: int, language: str, heading: str, found: Found) -> None:
        # Each document defines for itself.
        owner = passages[position].document_id if found.sure else ""
        key = (owner, language, heading, found.name, str(found.kind), found.other, found.sure)
        counts.setdefault(key, [position, 0])[1] += 1

    for position, passage in enumerate(passages):
        for found in terms_of(visible(passage.text), passage.language):
            count(position, passage.language, "", found)
        for heading in passage.headings:
            if heading not in titles_seen:
                titles_seen.add(heading)
                for term in title_terms(visible(heading), passage.language):
                    count(position, passage.language, heading, Found(term, EntityKind.HEADING))
    return [Fact(position, *key[1:], number) for key, (position, number) in counts.items()]


def _table(candidates: list[_Candidate], pairs: list[tuple[int, int]]) -> EntityTable:
    counts = Counter(number for _, number in pairs)
    kept = [
        number
        for number, candidate in enumerate(candidates)
        if counts[number] > 1 or (counts[number] == 1 and candidate.definitions)
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
        f"{candidate.language}:{slug}", name, candidate.kind, candidate.language, tuple(candidate.definitions)
    )


def _usual(candidate: _Candidate) -> str:
    """The form that is written most often."""
    return min(candidate.forms, key=lambda form: (-candidate.forms[form], form))


class Stems(dict[str, str]):
    """Word to stem, filled on first sight."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._analyzer = analyzer(language)

    def __missing__(self, word: str) -> str:
        # Acronyms keep their capitals: "AML" the rulebook is not "aml" inside a word.
        short = word.isupper() and word.isascii() and len(word) <= 10
        stem = self[word] = word if short else self._analyzer.stem(word)
        return stem


class Vocabulary:
    """All terms of a corpus, by language and stems."""

    def __init__(self) -> None:
        self.candidates: list[_Candidate] = []
        # By language: numbers by stems, lengths of the terms that begin with a stem, stems by word.
        self._numbers: dict[str, dict[Key, int]] = {}
        self._lengths: dict[str, dict[str, tuple[int, ...]]] = {}
        self._titles_seen: set[str] = set()
        self._stems: dict[str, Stems] = {}

    def read(self, facts: Iterable[Fact], ids: Sequence[str]) -> None:
        """Takes in the terms of a run of passages with these ids; runs come in the order of the corpus.

        A title counts where the corpus first has it. How passages are put into runs changes nothing.
        """
        new_titles: set[str] = set()
        for fact in facts:
            if fact.heading:
                if fact.heading in self._titles_seen and fact.heading not in new_titles:
                    continue
                self._titles_seen.add(fact.heading)
                new_titles.add(fact.heading)
            found = Found(fact.name, EntityKind(fact.kind), fact.other, fact.sure)
            self._add(found, fact.language, ids[fact.position], fact.times)

    def terms(self) -> Iterator[tuple[str, Key, int]]:
        """Every settled term: its language, its stems, the number of its candidate."""
        for language, numbers in self._numbers.items():
            for key, number in numbers.items():
                yield language, key, number

    def _add(self, found: Found, language: str, passage_id: str, count: int) -> None:
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
        candidate.forms[found.name] += count
        if found.kind is EntityKind.ACRONYM:
            candidate.long_form = candidate.long_form or found.other
        for key in keys:
            if numbers.setdefault(key, number) == number:
                candidate.keys.add(key)
        if _RANK[found.kind] < _RANK[candidate.kind]:
            candidate.kind = found.kind
        if found.sure and passage_id not in candidate.definitions:
            candidate.definitions.append(passage_id)

    def _key(self, name: str, language: str) -> Key:
        """Stems of a term; empty where it is too long, or nothing but a common word."""
        words = _WORD.findall(name)
        if not words or len(words) > LONGEST_TERM or (len(words) == 1 and len(words[0]) < 3):
            return ()
        return tuple(self._stemmed(words, language))

    def _stemmed(self, words: Sequence[str], language: str) -> list[str]:
        stems = self._stems.get(language)
        if stems is None:
            stems = self._stems[language] = Stems(language)
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
            kept.definitions.extend(one for one in variant.definitions if one not in kept.definitions)
            kept.long_form = kept.long_form or variant.long_form
            numbers = self._numbers[variant.language]
            numbers.update((key, first) for key in variant.keys)

    def mentions(self, passage: Passage) -> Iterator[int]:
        """Numbers of the candidates that a passage mentions, the longest at each place."""
        lengths = self._lengths.get(passage.language)
        if not lengths:
            return
        numbers = self._numbers[passage.language]
        words = words_of(passage.text)
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
        return {number for number, language, word in self.small_forms() if word in self._stems[language]}

    def small_forms(self) -> Iterator[tuple[int, str, str]]:
        """How acronyms that no text defines would be written as words: number, language, word."""
        for number, candidate in enumerate(self.candidates):
            if candidate.kind is EntityKind.ACRONYM and not candidate.definitions:
                for form in candidate.forms:
                    yield number, candidate.language, form.lower()
                    yield number, candidate.language, form.capitalize()

    def entities(self) -> list[Entity]:
        """The entity that each candidate would be."""
        return [_entity(candidate) for candidate in self.candidates]

    def _is_meant(self, number: int, length: int, word: str) -> bool:
        """A term of one word is only meant where it is written as a name: with a capital."""
        return length > 1 or (self.may_stand_alone(number) and written_as_name(word))

    def may_stand_alone(self, number: int) -> bool:
        """Whether one word can mean a candidate: a title of one word says little but in German."""
        candidate = self.candidates[number]
        return candidate.kind is not EntityKind.HEADING or candidate.language == "de"


def words_of(text: str) -> list[str]:
    """The words of a text, as terms are compared with it."""
    found: list[str] = _WORD.findall(visible(text))
    return found


def written_as_name(word: str) -> bool:
    """Whether a word begins with a capital, in a script that has them."""
    return not word.isascii() or word[0].isupper()

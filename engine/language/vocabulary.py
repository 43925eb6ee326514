"""The terms of a whole corpus, by language and stems: what makes one of them, and which are none.

Facts of runs of passages come in, in the order of the corpus. When all are there the vocabulary is settled:
names that begin sentences are cut to what is a name of them, single words that the corpus mostly writes in
small letters are dropped, and variants become one (``clustering.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.language.analyzer import analyzer
from engine.language.clustering import Encode, Name, clusters
from engine.language.letter_case import Count, LetterCase, Word
from engine.language.script import visible
from engine.language.stopwords import STOPWORDS
from engine.language.terms import Found, trimmed
from engine.model import Entity, EntityKind, Passage

# A term of more words is a sentence.
LONGEST_TERM = 8
# Documents of one title whose first passages define it: more of them say nothing about which is meant.
MOST_TITLED = 20
# A single word that more passages mention than this, and than this share of all, tells none of them apart.
MOST_MENTIONS, LARGEST_SHARE = 50, 0.05

_WORD = re.compile(r"[^\W_]+")
# What a name is, where passages find it in different ways: the first of these.
_ORDER = (
    EntityKind.DEFINED_TERM,
    EntityKind.STANDARD,
    EntityKind.ORGANISATION,
    EntityKind.ACRONYM,
    EntityKind.TITLE,
    EntityKind.NAME,
    EntityKind.HEADING,
)
_RANK = {kind: rank for rank, kind in enumerate(_ORDER)}
# Kinds that are what they are by the capitals they are written with.
_BY_CAPITALS = frozenset({EntityKind.TITLE, EntityKind.NAME})

Key = tuple[str, ...]


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
    initial: bool
    times: int


@dataclass(slots=True)
class _Candidate:
    language: str
    kind: EntityKind
    forms: Counter[str] = field(default_factory=Counter)
    keys: set[Key] = field(default_factory=set)
    definitions: list[str] = field(default_factory=list)
    # Those of the definitions that begin a document with this title.
    titled: list[str] = field(default_factory=list)
    long_form: str | None = None
    dropped: bool = False

    @property
    def is_one_word(self) -> bool:
        return all(len(key) == 1 for key in self.keys)


class Capitals(NamedTuple):
    """Which words of a mention have to be written as a name: the one at place ``first``, if it is not -1,
    and the ``last``."""

    first: int
    last: bool


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
        # Names that begin sentences: language, name and kind, and how often.
        self._initial: Counter[tuple[str, str, EntityKind]] = Counter()

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
            if fact.initial:
                self._initial[fact.language, fact.name, found.kind] += fact.times
                continue
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
        if found.kind is EntityKind.TITLE:
            candidate.titled.append(passage_id)
            if len(candidate.titled) > MOST_TITLED:
                return
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

    def settle(self, count: Count, encode: Encode | None = None) -> None:
        """Fixes the vocabulary: what is none is dropped, variants become one, and how mentions begin and how
        long they are. ``count`` tells how often the corpus has a word."""
        case = LetterCase(self._words_in_doubt(), count)
        self._seat_initial(case)
        self._drop_ordinary(case)
        self._join_variants(case, encode)
        for language, numbers in self._numbers.items():
            lengths: dict[str, set[int]] = {}
            for key in numbers:
                lengths.setdefault(key[0], set()).add(len(key))
            self._lengths[language] = {
                first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()
            }

    def _words_in_doubt(self) -> Iterator[Word]:
        for candidate in self.candidates:
            if candidate.kind in _BY_CAPITALS:
                for word in _WORD.findall(_usual(candidate)):
                    yield candidate.language, word
        for language, name, _ in self._initial:
            for word in _WORD.findall(name):
                yield language, word

    def _seat_initial(self, case: LetterCase) -> None:
        """Names that begin sentences, without their first word where that is none of a name.

        It is of a name where names elsewhere have it and the corpus mostly gives it a capital, or where the
        corpus never has it in small letters.
        """
        attested = {
            (candidate.language, word)
            for candidate in self.candidates
            if candidate.kind is not EntityKind.HEADING
            for form in candidate.forms
            for word in form.split()
        }
        for (language, name, kind), times in self._initial.items():
            first, _, rest = name.partition(" ")
            (word, *_) = _WORD.findall(first)
            known = (language, first) in attested and not case.is_ordinary(language, word)
            if not known and case.small(language, word):
                name = trimmed(rest, language)
            if " " in name and name[0].isupper():
                self._add(Found(name, kind), language, "", times)

    def _drop_ordinary(self, case: LetterCase) -> None:
        """Drops names of one word that the corpus mostly writes in small letters."""
        for candidate in self.candidates:
            if candidate.kind in _BY_CAPITALS and candidate.is_one_word:
                word = _usual(candidate)
                if case.is_ordinary(candidate.language, word):
                    self._drop(candidate)

    def _drop(self, candidate: _Candidate) -> None:
        candidate.dropped = True
        candidate.definitions.clear()
        candidate.titled.clear()
        for key in candidate.keys:
            del self._numbers[candidate.language][key]

    def _join_variants(self, case: LetterCase, encode: Encode | None) -> None:
        left = [number for number, candidate in enumerate(self.candidates) if not candidate.dropped]
        names = [self._name(self.candidates[number], case) for number in left]
        for number, place in zip(left, clusters(names, encode), strict=True):
            first = left[place]
            if number == first:
                continue
            variant, kept = self.candidates[number], self.candidates[first]
            kept.forms.update(variant.forms)
            kept.keys.update(variant.keys)
            kept.kind = min(kept.kind, variant.kind, key=_RANK.__getitem__)
            kept.definitions.extend(one for one in variant.definitions if one not in kept.definitions)
            kept.titled.extend(variant.titled)
            kept.long_form = kept.long_form or variant.long_form
            variant.dropped = True
            numbers = self._numbers[variant.language]
            numbers.update((key, first) for key in variant.keys)

    def _name(self, candidate: _Candidate, case: LetterCase) -> Name:
        text = _usual(candidate)
        proper = candidate.kind in _BY_CAPITALS and all(
            case.is_always_name(candidate.language, word) for word in _WORD.findall(text) if word[0].isupper()
        )
        return Name(text, candidate.language, sum(candidate.forms.values()), proper)

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
                if number is not None and self._is_meant(number, words[position : position + length]):
                    yield number
                    end = position + length
                    break

    def titled(self) -> Iterator[tuple[int, str]]:
        """The passages that begin documents, by the candidates that the titles of these name."""
        for number, candidate in enumerate(self.candidates):
            if not candidate.dropped:
                for name in candidate.titled[:MOST_TITLED]:
                    yield number, name

    def names_of_one_word(self) -> set[int]:
        """Names that are one word, and that no document has for a title."""
        return {
            number
            for number, candidate in enumerate(self.candidates)
            if candidate.kind is EntityKind.NAME and candidate.is_one_word
        }

    def shouted(self, count: Count) -> set[int]:
        """Acronyms that are ordinary words in capitals: the corpus writes them in small letters too."""
        found = list(self.small_forms())
        times = count([(language, word) for _, language, word in found])
        return {number for (number, _, _), seen in zip(found, times, strict=True) if seen}

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

    def capitals(self, number: int) -> Capitals:
        """Which words of a mention have to be written as a name: of a title those that are in the title, the
        first one that is no article, and the last."""
        candidate = self.candidates[number]
        if candidate.kind is not EntityKind.TITLE:
            return Capitals(-1, False)
        words = _WORD.findall(_usual(candidate))
        small = STOPWORDS.get(candidate.language.split("-")[0], frozenset())
        first = 1 if len(words) > 1 and words[0].casefold() in small else 0
        return Capitals(first if written_as_name(words[first]) else -1, written_as_name(words[-1]))

    def _is_meant(self, number: int, words: Sequence[str]) -> bool:
        """A term of one word is only meant where it is written as a name: with a capital."""
        if len(words) == 1:
            return self.may_stand_alone(number) and written_as_name(words[0])
        first, last = self.capitals(number)
        is_first = first < 0 or may_begin_name(words[min(first, len(words) - 1)])
        return is_first and (not last or may_begin_name(words[-1]))

    def may_stand_alone(self, number: int) -> bool:
        """Whether one word can mean a candidate: a title of one word says little but in German."""
        candidate = self.candidates[number]
        return candidate.kind is not EntityKind.HEADING or candidate.language == "de"


def words_of(text: str) -> list[str]:
    """The words of a text, as terms are compared with it."""
    found: list[str] = _WORD.findall(visible(text))
    return found


def written_as_name(word: str) -> bool:
    """Whether a word begins with a capital, or is of a script that has none."""
    first = word[0]
    return first.isupper() or (first.isalpha() and not first.islower())


def may_begin_name(word: str) -> bool:
    """Whether a word of a longer name may be written so: as a name, or as a number."""
    return word[0].isdigit() or written_as_name(word)


def is_everywhere(mentions: int, passages: int) -> bool:
    """Whether a single word is in too many passages to tell any of them apart."""
    return mentions > max(MOST_MENTIONS, LARGEST_SHARE * passages)


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

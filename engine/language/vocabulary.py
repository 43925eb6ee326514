"""The terms of a whole corpus, by language and stems: what makes one of them, and which are none.

Facts of runs of passages come in, in the order of the corpus. When all are there the vocabulary is settled:
names that begin sentences are cut to what is a name of them, single words that the corpus mostly writes in
small letters are dropped, and variants become one (``clustering.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.language.candidates import (
    BY_CAPITALS,
    RANK,
    WORD,
    Candidate,
    Fact,
    Key,
    Stems,
    entity_of,
    may_begin_name,
    usual_form,
    words_of,
    written_as_name,
)
from engine.language.clustering import Encode, Name, clusters
from engine.language.letter_case import Count, LetterCase, Word
from engine.language.stopwords import STOPWORDS
from engine.language.terms import Found, trimmed
from engine.model import Entity, EntityKind, Passage

# A term of more words is a sentence.
LONGEST_TERM = 8
# Documents of one title whose first passages define it: more of them say nothing about which is meant.
MOST_TITLED = 20


class Capitals(NamedTuple):
    """Which words of a mention have to be written as a name: the ``first``, counted from the end (0: none),
    and the ``last``."""

    first: int
    last: bool


class Vocabulary:
    """All terms of a corpus, by language and stems."""

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
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
            self.candidates.append(Candidate(language, found.kind))
        candidate = self.candidates[number]
        candidate.forms[found.name] += count
        if found.kind is EntityKind.ACRONYM:
            candidate.long_form = candidate.long_form or found.other
        for key in keys:
            if numbers.setdefault(key, number) == number:
                candidate.keys.add(key)
        if RANK[found.kind] < RANK[candidate.kind]:
            candidate.kind = found.kind
        if found.kind is EntityKind.TITLE:
            candidate.titled.append(passage_id)
            if len(candidate.titled) > MOST_TITLED:
                return
        if found.sure and passage_id not in candidate.definitions:
            candidate.definitions.append(passage_id)

    def _key(self, name: str, language: str) -> Key:
        """Stems of a term; empty where it is too long, or nothing but a common word."""
        words = WORD.findall(name)
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
        self._split_names()
        self._join_variants(case, encode)
        self._join_without_articles()
        for language, numbers in self._numbers.items():
            lengths: dict[str, set[int]] = {}
            for key in numbers:
                lengths.setdefault(key[0], set()).add(len(key))
            self._lengths[language] = {
                first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()
            }

    def _words_in_doubt(self) -> Iterator[Word]:
        for candidate in self.candidates:
            if candidate.kind in BY_CAPITALS:
                for word in WORD.findall(usual_form(candidate)):
                    yield candidate.language, word
        for language, name, _ in self._initial:
            for word in WORD.findall(name):
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
            (word, *_) = WORD.findall(first)
            known = (language, first) in attested and not case.is_ordinary(language, word)
            if not known and case.small(language, word):
                name = trimmed(rest, language)
            if " " in name and name[0].isupper():
                self._add(Found(name, kind), language, "", times)

    def _drop_ordinary(self, case: LetterCase) -> None:
        """Drops names of one word that the corpus mostly writes in small letters."""
        for candidate in self.candidates:
            if candidate.kind in BY_CAPITALS and candidate.is_one_word:
                word = usual_form(candidate)
                if case.is_ordinary(candidate.language, word):
                    self._drop(candidate)

    def _split_names(self) -> None:
        """Names of several words that the corpus has once are the shorter ones in them: "Actor Tom Hanks"."""
        names = [(key, one) for one in self.candidates if one.kind is EntityKind.NAME for key in one.keys]
        for key, candidate in sorted(names, key=lambda pair: -len(pair[0])):
            if len(candidate.keys) == 1 and candidate.forms.total() == 1:
                inner = self._terms_in(key, candidate.language)
                for number in inner:
                    shorter = self.candidates[number]
                    shorter.forms[usual_form(shorter)] += 1
                if inner:
                    self._drop(candidate)

    def _terms_in(self, key: Key, language: str) -> list[int]:
        """Terms of several words inside a longer one, the longest at each place."""
        numbers, found, place = self._numbers[language], list[int](), 0
        while place < len(key):
            # A first name alone is another's too.
            ends = range(min(len(key), place + len(key) - 1), place + 1, -1)
            end = next((end for end in ends if key[place:end] in numbers), None)
            if end is not None:
                found.append(numbers[key[place:end]])
            place = place + 1 if end is None else end
        return found

    def _drop(self, candidate: Candidate) -> None:
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
            if number != first:
                self._join(number, first)

    def _join(self, number: int, first: int) -> None:
        variant, kept = self.candidates[number], self.candidates[first]
        kept.forms.update(variant.forms)
        kept.keys.update(variant.keys)
        kept.kind = min(kept.kind, variant.kind, key=RANK.__getitem__)
        kept.definitions.extend(one for one in variant.definitions if one not in kept.definitions)
        kept.titled.extend(variant.titled)
        kept.long_form = kept.long_form or variant.long_form
        variant.dropped = True
        numbers = self._numbers[variant.language]
        numbers.update((key, first) for key in variant.keys)

    def _join_without_articles(self) -> None:
        """A title of several words is meant without its article too: "his Fistful of Dollars"."""
        for number, candidate in enumerate(self.candidates):
            if candidate.kind is not EntityKind.TITLE or candidate.dropped:
                continue
            numbers = self._numbers[candidate.language]
            for key in [key for key in candidate.keys if len(key) > 2 and self._has_article(candidate)]:
                other = numbers.setdefault(key[1:], number)
                if other == number:
                    candidate.keys.add(key[1:])
                elif self.candidates[other].kind is EntityKind.NAME:
                    self._join(other, number)

    def _has_article(self, candidate: Candidate) -> bool:
        """Whether the title begins with a function word."""
        word = WORD.findall(usual_form(candidate))[0].casefold()
        return word in STOPWORDS.get(candidate.language.split("-")[0], frozenset())

    def _name(self, candidate: Candidate, case: LetterCase) -> Name:
        text = usual_form(candidate)
        proper = candidate.kind is EntityKind.TITLE or (
            candidate.kind is EntityKind.NAME
            and all(
                case.is_always_name(candidate.language, word)
                for word in WORD.findall(text)
                if word[0].isupper()
            )
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
        return [entity_of(candidate) for candidate in self.candidates]

    def capitals(self, number: int) -> Capitals:
        """Which words of a mention have to be written as a name: of a title those that are in the title, the
        first one that is no article, and the last."""
        candidate = self.candidates[number]
        if candidate.kind is not EntityKind.TITLE:
            return Capitals(0, False)
        words = WORD.findall(usual_form(candidate))
        first = 1 if len(words) > 1 and self._has_article(candidate) else 0
        has_capital = written_as_name(words[first])
        return Capitals(len(words) - first if has_capital else 0, written_as_name(words[-1]))

    def _is_meant(self, number: int, words: Sequence[str]) -> bool:
        """A term of one word is only meant where it is written as a name: with a capital."""
        if len(words) == 1:
            return self.may_stand_alone(number) and written_as_name(words[0])
        first, last = self.capitals(number)
        is_first = not first or may_begin_name(words[max(len(words) - first, 0)])
        return is_first and (not last or may_begin_name(words[-1]))

    def may_stand_alone(self, number: int) -> bool:
        """Whether one word can mean a candidate: a title of one word says little but in German."""
        candidate = self.candidates[number]
        return candidate.kind is not EntityKind.HEADING or candidate.language == "de"

"""Build the terms of a corpus, by language and stems, and drop candidates that are no terms.

Facts of runs of passages are added in corpus order. Then the vocabulary is settled: names at the start of
sentences are cut to the actual name, single words that the corpus mostly writes in lower case are dropped,
and variants are merged (``clustering.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.language.analysis import STOPWORDS
from engine.language.clustering import Encode, Name, clusters, compounds_in, is_composed, terms_in
from engine.language.entities import (
    BY_CAPITALS,
    RANK,
    WORD,
    Candidate,
    Fact,
    Key,
    Stems,
    entity_of,
    key_of,
    stated,
    usual_form,
    written_as_name,
)
from engine.language.names import LetterCase, Weigh, Word
from engine.language.terms import Found, trimmed
from engine.model import Entity, EntityKind, Role

# Kinds whose ``other`` is the full name.
_BY_LONG_FORM = frozenset({EntityKind.ACRONYM, EntityKind.ORGANISATION})
# "Clients’ Assets", "Recognised Body's Rules".
_POSSESSIVE = re.compile(r"\w[’']s?\s")
# A word in headings of provisions of more documents than this is a kind of heading, not a term.
MOST_HEADED = 4
# Maximum number of documents with one title whose first passages define it.
MOST_TITLED = 20


class Ids(Protocol):
    """The ids of a run of passages."""

    def __getitem__(self, position: int, /) -> str: ...


class Capitals(NamedTuple):
    """Words of a mention that must be written as a name: ``first``, counted from the end (0: none), and
    ``last``."""

    first: int
    last: bool


class Vocabulary:
    """All terms of a corpus, by language and stems."""

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        # By language: numbers by stems, stems by word.
        self._numbers: dict[str, dict[Key, int]] = {}
        self._stems: dict[str, Stems] = {}
        # Pairs of candidates that a text equates.
        self._same: list[tuple[int, int]] = []
        # Names at the start of sentences: language, name and kind, with counts.
        self._initial: Counter[tuple[str, str, EntityKind]] = Counter()

    def read(self, facts: Iterable[Fact], ids: Ids) -> None:
        """Add the terms of a run of passages with these ids; runs are added in corpus order.

        The division into runs does not change the result.
        """
        for fact in facts:
            found = Found(fact.name, EntityKind(fact.kind), fact.other, fact.sure, role=fact.role)
            if fact.initial:
                self._initial[fact.language, fact.name, found.kind] += fact.times
                continue
            self._add(found, fact.language, ids[fact.position], fact.times, [tuple(key) for key in fact.keys])

    def terms(self) -> Iterator[tuple[str, Key, int]]:
        """Yield every settled term: its language, its stems, the number of its candidate."""
        for language, numbers in self._numbers.items():
            for key, number in numbers.items():
                yield language, key, number

    def _add(self, found: Found, language: str, passage_id: str, count: int, keys: Sequence[Key]) -> None:
        if not keys:
            return
        names = [name for name in (found.name, found.other) if name]
        numbers = self._numbers.setdefault(language, {})
        number = next((numbers[key] for key in keys if key in numbers), None)
        if number is None:
            number = len(self.candidates)
            self.candidates.append(Candidate(language, found.kind))
        candidate = self.candidates[number]
        candidate.forms[found.name] += count
        candidate.aliases |= dict.fromkeys(names) if found.other else {}
        if found.role:
            candidate.roles[Role(found.role, passage_id)] = None
            candidate.long_form = candidate.long_form or found.name
        if found.kind is EntityKind.TITLE:
            candidate.long_form = candidate.long_form or found.name
        elif found.kind is EntityKind.DEFINED_TERM:
            candidate.defined_as = candidate.defined_as or found.name
        elif found.kind in _BY_LONG_FORM:
            candidate.long_form = candidate.long_form or found.other
        for key in keys:
            owner = numbers.setdefault(key, number)
            if owner == number:
                candidate.keys.add(key)
            else:
                self._same.append((owner, number))
        if RANK[found.kind] < RANK[candidate.kind]:
            candidate.kind = found.kind
        if found.kind is EntityKind.TITLE:
            candidate.titled.append(passage_id)
            if len(candidate.titled) > MOST_TITLED:
                return
        if found.sure:
            candidate.definitions[passage_id] = None

    def _stems_of(self, language: str) -> Stems:
        stems = self._stems.get(language)
        if stems is None:
            stems = self._stems[language] = Stems(language)
        return stems

    def settle(self, weigh: Weigh, encode: Encode | None = None) -> None:
        """Settle the vocabulary: drop candidates that are no terms, merge variants. ``weigh`` compares word
        counts."""
        case = LetterCase(self._words_in_doubt(), weigh)
        self._seat_initial(case)
        self._drop_ordinary(case)
        self._drop_headings(weigh)
        self._join_same()
        self._split_names()
        self._drop_compositions()
        self._join_variants(case, encode)
        self._join_without_articles()

    def _words_in_doubt(self) -> Iterator[Word]:
        for candidate in self.candidates:
            if candidate.kind in BY_CAPITALS:
                forms = candidate.forms if candidate.is_one_word else (usual_form(candidate),)
                for word in (word for form in forms for word in WORD.findall(form)):
                    yield candidate.language, word
        for language, name, _ in self._initial:
            for word in WORD.findall(name):
                yield language, word

    def _seat_initial(self, case: LetterCase) -> None:
        """Add names at the start of sentences, without their first word if it does not belong to the name.

        It belongs if names elsewhere contain it and the corpus mostly capitalises it, or if the corpus never
        has it in lower case.
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
            if not known and case.is_small_too(language, word):
                name = trimmed(rest, language)
            if " " in name and name[0].isupper():
                key = key_of(name, self._stems_of(language))
                self._add(Found(name, kind), language, "", times, [key] if key else [])

    def _drop_ordinary(self, case: LetterCase) -> None:
        """Drop names of one word that also occur in lower case, and titles that mostly do."""
        for candidate in self.candidates:
            if candidate.kind not in BY_CAPITALS or not candidate.is_one_word:
                continue
            words = [(candidate.language, word) for form in candidate.forms for word in WORD.findall(form)]
            is_name = all(case.is_always_name(*word) and not case.is_ordinary(*word) for word in words)
            is_title = candidate.kind is EntityKind.TITLE and not case.is_ordinary(
                candidate.language, usual_form(candidate)
            )
            if not is_name and not is_title:
                self._drop(candidate)

    def _drop_headings(self, weigh: Weigh) -> None:
        """Drop title words that are not German compounds of two nouns of the corpus, or that are in headings
        of many documents: "Voraussetzungen", "Begriffsbestimmungen"."""
        headings = [one for one in self.candidates if one.kind is EntityKind.HEADING and not one.dropped]
        compounds = compounds_in([(one.language, usual_form(one)) for one in headings], weigh)
        for one, is_compound in zip(headings, compounds, strict=True):
            if not is_compound or one.forms.total() > MOST_HEADED:
                self._drop(one)

    def _join_same(self) -> None:
        """Merge candidates that a text equates: an act and its short name."""
        joined: dict[int, int] = {}

        def representative(number: int) -> int:
            while number in joined:
                number = joined[number]
            return number

        for pair in self._same:
            first, second = sorted(map(representative, pair))
            if first != second and not self.candidates[first].dropped and not self.candidates[second].dropped:
                self._join(second, first)
                joined[second] = first

    def _drop_compositions(self) -> None:
        """Drop names that only combine known terms: "Authorised Persons and Recognised Bodies", "Governing
        Body of the Fund Manager"."""
        for candidate in self.candidates:
            if candidate.kind is not EntityKind.NAME or candidate.dropped or candidate.definitions:
                continue
            joints = int(_POSSESSIVE.search(usual_form(candidate)) is not None)
            empty = STOPWORDS.get(candidate.language.split("-")[0], frozenset())
            is_known = partial(self._is_known, candidate.language)
            if all(is_composed(key, is_known, empty, joints) for key in candidate.keys):
                self._drop(candidate)

    def _is_known(self, language: str, key: Key) -> bool:
        """Return True if stems belong to a term that is known by more than its capitals."""
        number = self._numbers[language].get(key)
        return number is not None and self.candidates[number].kind is not EntityKind.NAME

    def _split_names(self) -> None:
        """Replace names of several words that occur once by the shorter names in them: "Actor Tom Hanks"."""
        names = [(key, one) for one in self.candidates if one.kind is EntityKind.NAME for key in one.keys]
        for key, candidate in sorted(names, key=lambda pair: -len(pair[0])):
            if len(candidate.keys) == 1 and candidate.forms.total() == 1:
                inner = terms_in(key, self._numbers[candidate.language])
                for number in inner:
                    shorter = self.candidates[number]
                    shorter.forms[usual_form(shorter)] += 1
                if inner:
                    self._drop(candidate)

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
        kept.definitions |= variant.definitions
        kept.titled.extend(variant.titled)
        kept.long_form = kept.long_form or variant.long_form
        kept.defined_as = kept.defined_as or variant.defined_as
        kept.aliases |= variant.aliases
        kept.roles |= variant.roles
        variant.dropped = True
        numbers = self._numbers[variant.language]
        numbers.update((key, first) for key in variant.keys)

    def _join_without_articles(self) -> None:
        """Let a title of several words match without its article: "his Fistful of Dollars"."""
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
        """Return True if the title begins with a function word."""
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

    def titled(self) -> Iterator[tuple[int, str]]:
        """Yield the first passages of documents, by the candidates that their titles name."""
        for number, candidate in enumerate(self.candidates):
            if not candidate.dropped:
                for name in candidate.titled[:MOST_TITLED]:
                    yield number, name

    def names_of_one_word(self) -> set[int]:
        """Return names of one word that are not titles of documents."""
        return {
            number
            for number, candidate in enumerate(self.candidates)
            if candidate.kind is EntityKind.NAME and candidate.is_one_word
        }

    def small_forms(self) -> Iterator[tuple[int, str, str]]:
        """Yield undefined acronyms as they would be written as words: (number, language, word)."""
        for number, candidate in enumerate(self.candidates):
            if candidate.kind is EntityKind.ACRONYM and not candidate.definitions:
                for form in candidate.forms:
                    yield number, candidate.language, form.lower()
                    yield number, candidate.language, form.capitalize()

    def evidence(self) -> tuple[list[float], NDArray[np.bool_]]:
        """Return the evidence of each candidate (``entities.stated``), and whether its capitals are
        significant."""
        evidence = [
            stated(one.kind, defined=bool(one.definitions), one_word=one.is_one_word)
            for one in self.candidates
        ]
        return evidence, np.asarray([one.has_case for one in self.candidates], np.bool_)

    def entities(self) -> list[Entity]:
        """Return the entity of each candidate."""
        return [entity_of(candidate) for candidate in self.candidates]

    def capitals(self, number: int) -> Capitals:
        """Return the words of a mention that must be written as a name: for a title, those capitalised in it,
        the first one that is no article, and the last."""
        candidate = self.candidates[number]
        if candidate.kind is not EntityKind.TITLE:
            return Capitals(0, False)
        words = WORD.findall(candidate.long_form or usual_form(candidate))
        first = 1 if len(words) > 1 and self._has_article(candidate) else 0
        has_capital = written_as_name(words[first])
        return Capitals(len(words) - first if has_capital else 0, written_as_name(words[-1]))

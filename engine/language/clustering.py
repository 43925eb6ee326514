"""Cluster variants of names across passages and documents, and split compound names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from engine.language.analysis import analyzer
from engine.language.entities import Key
from engine.language.names import Comparison, Weigh, Word

# Compounds: German compounds of two nouns, and names made of known terms

# Minimum length of the parts of a German compound.
SHORTEST_PART = 4
# Linking elements, and endings that the first part has by itself.
_JOINTS = ("", "s", "es", "n", "en", "er", "e")


def is_composed(key: Key, is_known: Callable[[Key], bool], empty: Collection[str], joints: int) -> bool:
    """Return True if stems are known terms with ``empty`` joining words and at most one other word.

    ``joints``: number of joining words that are not stems.
    """
    terms, others, place = 0, 0, 0
    while place < len(key):
        ends = range(min(len(key), place + len(key) - 1), place, -1)
        end = next((end for end in ends if is_known(key[place:end])), None)
        if end is not None:
            terms, place = terms + 1, end
        elif key[place] in empty or key[place] == "s":
            joints, place = joints + 1, place + 1
        else:
            others, place = others + 1, place + 1
    return terms > 0 and joints > 0 and others < 2


def terms_in(key: Key, numbers: Mapping[Key, int]) -> list[int]:
    """Return the terms of several words in a longer one, the longest at each position."""
    found, place = list[int](), 0
    while place < len(key):
        # A first name alone may belong to another person.
        ends = range(min(len(key), place + len(key) - 1), place + 1, -1)
        end = next((end for end in ends if key[place:end] in numbers), None)
        if end is not None:
            found.append(numbers[key[place:end]])
        place = place + 1 if end is None else end
    return found


def compounds_in(words: Sequence[Word], weigh: Weigh) -> list[bool]:
    """Return which words are compounds of two nouns of the corpus, with or without a linking element:
    "Anfechtung-s-klage". A noun is a word that the corpus mostly capitalises."""
    cuts = [
        (number, language, word[:place], word[place:].capitalize())
        for number, (language, word) in enumerate(words)
        for place in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    ]
    nouns = _nouns(((language, tail) for _, language, _, tail in cuts), weigh)
    cuts = [cut for cut in cuts if (cut[1], cut[3]) in nouns]
    heads = [(number, language, form) for number, language, head, _ in cuts for form in _without_joint(head)]
    nouns = _nouns(((language, form) for _, language, form in heads), weigh)
    found = {number for number, language, form in heads if (language, form) in nouns}
    return [number in found for number in range(len(words))]


def _without_joint(head: str) -> Iterator[str]:
    for joint in _JOINTS:
        if head.endswith(joint) and len(head) - len(joint) >= SHORTEST_PART:
            yield head.removesuffix(joint) if joint else head
    # "Klageschrift", "Klagfrist": the first part may lose its ending.
    yield f"{head}e"


def _nouns(words: Iterable[Word], weigh: Weigh) -> set[Word]:
    wanted = list(dict.fromkeys(words))
    found = weigh([Comparison((language, word), ((language, word.lower()),)) for language, word in wanted])
    return {word for word, is_noun in zip(wanted, found, strict=True) if is_noun}


# Variants of names across passages and documents
#
# Three rules, most reliable first; the tests contain names that must stay separate:
#
# 1. *Spelling.* Equal words in any order, ignoring capitals, plurals, hyphens, accents, articles and an
# acronym in
#    brackets: "co-operation", "Cooperation"; "Securities of Listed Entities", "Listed Entity's Securities".
# 2. *Slips.* All words equal but one, which differs by one letter inside a long word and is rare compared to
# the other:
#    "Transporasi Laut", "personalized". Beginnings and endings carry meaning ("insurer", "insured";
# "unlisted",
#    "listed"), so they must be equal; Arabic is excluded, because one letter makes another word.
# 3. *Meaning.* Every word has a partner with the same beginning ("Supervisory Powers", "Powers to
# supervise"), and the
#    vectors of the names are similar. Only with an embedding model.
#
# Proper names are joined by the first rule only: "Charles Johnson" is not "Charles Johnston". Names with
# different numbers or letters of a series ("Class 3", "Category A") are never joined.

# Names to unit vectors, shape (names, d).
Encode = Callable[[Sequence[str]], NDArray[np.float32]]

# Minimum cosine of two names with similar words and equal meaning.
LIKE_MEANING = 0.85
# Slips are searched in words of at least this length, between the first and the last letters.
SHORTEST_SLIP, SLIP_HEAD, SLIP_TAIL = 7, 3, 2
# Maximum count of a slip, as a share of the count of the usual form.
RARE = 0.34
# Minimum number of common first letters of similar words, and minimum share of the longer word.
LIKE_LETTERS, LIKE_SHARE = 5, 0.6
# Words common to more names than this are not used to find candidates.
LARGEST_BLOCK = 200

# Endings of agents and recipients, which are not the thing itself: "insurer", "licensee".
_PERSONS = ("er", "or", "ee")
# Words that do not change the meaning; "with", "without", "not" and "and" do.
_EMPTY = {
    "en": frozenset(("a", "an", "the", "of", "for", "to")),
    "de": frozenset(
        ("der", "die", "das", "des", "dem", "den", "ein", "eine", "einer", "eines", "einem", "einen")
    ),
    "fr": frozenset(("le", "la", "les", "l", "de", "du", "des", "d", "un", "une")),
}
# Languages with inflected nouns, whose stemmers remove little else than endings.
_INFLECTED = frozenset(("de", "fr"))
_BRACKETED = re.compile(r"\s*[(\[][A-Z][A-Za-z]{1,8}[)\]]?(?!\w)")
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"[’']s?(?!\w)")
_SERIES = re.compile(r"\d+|(?<!\w)(?:[A-Z]|[IVXLC]+)(?!\w)")


@dataclass(frozen=True)
class Name:
    """A name in its usual form, its language, and its count in the collection.

    ``proper``: it names one thing, such as a person or a film, and only its spelling may vary.
    """

    text: str
    language: str
    count: int = 1
    proper: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case without accents, function words and brackets."""
        plain = _POSSESSIVE.sub("", _BRACKETED.sub("", self.text)) or self.text
        folded = unicodedata.normalize("NFKD", plain.casefold())
        letters = "".join(letter for letter in folded if not unicodedata.combining(letter))
        words = _WORD.findall(letters.replace("-", "").replace("\u0640", ""))
        # "The Kiss" and "Kiss" are two things.
        empty = frozenset[str]() if self.proper else _EMPTY.get(self._base, frozenset())
        return tuple(word for word in words if word not in empty) or tuple(words)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Its words without number and case, sorted; a single word is unchanged."""
        if len(self.words) == 1:
            return self.words
        if self._base == "en":
            return tuple(sorted(map(_singular, self.words)))
        words = map(analyzer(self.language).stem, self.words) if self._base in _INFLECTED else self.words
        return tuple(sorted(words))

    @property
    def _base(self) -> str:
        return self.language.split("-")[0]

    @property
    def may_slip(self) -> bool:
        """True if it may contain a slip: several words, neither Arabic nor a proper name."""
        return len(self.words) > 1 and self._base != "ar" and not self.proper

    @cached_property
    def series(self) -> tuple[str, ...]:
        """Numbers and single letters in it, which distinguish members of a series."""
        return tuple(sorted(_SERIES.findall(self.text)))


def clusters(names: Sequence[Name], encode: Encode | None = None) -> list[int]:
    """Return, for each name, the number of the first name that is a variant of it, or its own.

    Names of different languages are never joined. The order of a pair affects only the number that
    represents the group.
    """
    groups = _Groups(len(names))
    for same in _by(names, lambda name: (name.language, name.series, name.forms)).values():
        groups.join(same)
    for left, right in _slips(names):
        groups.join((left, right))
    if encode is not None:
        alike = [pair for pair in _alike(names) if not groups.are_joined(*pair)]
        for left, right in _of_like_meaning(names, alike, encode):
            groups.join((left, right))
    return [groups.first(number) for number in range(len(names))]


def _singular(word: str) -> str:
    """Remove the ending of an English plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
    return word[:-1] if plural else word


def _by(
    names: Sequence[Name], key: Callable[[Name], tuple[object, ...]]
) -> dict[tuple[object, ...], list[int]]:
    found: dict[tuple[object, ...], list[int]] = {}
    for number, name in enumerate(names):
        found.setdefault(key(name), []).append(number)
    return found


def _slips(names: Sequence[Name]) -> Iterator[tuple[int, int]]:
    """Yield pairs of names that differ by one letter inside one long word."""
    blocks: dict[tuple[object, ...], tuple[int, list[int]]] = {}
    for number, name in enumerate(names):
        for place, word in enumerate(name.words if name.may_slip else ()):
            if len(word) >= SHORTEST_SLIP - 1:
                rest = (*name.words[:place], *name.words[place + 1 :])
                key = (name.language, name.series, place, rest, word[:SLIP_HEAD])
                blocks.setdefault(key, (place, []))[1].append(number)
    for place, members in blocks.values():
        if len(members) > LARGEST_BLOCK:
            continue
        for left, right in _pairs(members):
            if _is_slip(names[left], names[right], place):
                yield left, right


def _is_slip(left: Name, right: Name, place: int) -> bool:
    one, other = left.words[place], right.words[place]
    if max(len(one), len(other)) < SHORTEST_SLIP or one[-SLIP_TAIL:] != other[-SLIP_TAIL:]:
        return False
    if any(letter.isdigit() for letter in one + other):
        return False
    rarer, usual = sorted((left.count, right.count))
    # Two names with similar counts are two names, unless both are rare.
    return rarer <= max(RARE * usual, 1) and OSA.distance(one, other, score_cutoff=1) == 1


def _alike(names: Sequence[Name]) -> list[tuple[int, int]]:
    """Return pairs of names in which every word has a partner with the same beginning."""
    blocks: dict[tuple[object, ...], list[int]] = {}
    for number, name in enumerate(names):
        if len(name.words) > 1 and not name.proper:
            heads = tuple(sorted(word[:LIKE_LETTERS] for word in name.words))
            blocks.setdefault((name.language, name.series, heads), []).append(number)
    return [
        (left, right)
        for members in blocks.values()
        if 1 < len(members) <= LARGEST_BLOCK
        for left, right in _pairs(members)
        if _have_partners(names[left].words, names[right].words)
    ]


def _have_partners(left: Iterable[str], right: Iterable[str]) -> bool:
    return all(_begin_alike(one, other) for one, other in zip(sorted(left), sorted(right), strict=True))


def _begin_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if one.endswith(_PERSONS) is not other.endswith(_PERSONS):
        return False
    if one[:-2] == other or other[:-2] == one:
        # "Offer" and "Offeror"; plurals and the like were removed before.
        return False
    shared = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return shared >= max(LIKE_LETTERS, LIKE_SHARE * max(len(one), len(other)))


def _of_like_meaning(
    names: Sequence[Name], pairs: Sequence[tuple[int, int]], encode: Encode
) -> Iterator[tuple[int, int]]:
    if not pairs:
        return
    wanted = sorted({number for pair in pairs for number in pair})
    vectors = encode([names[number].text for number in wanted])
    places = {number: place for place, number in enumerate(wanted)}
    left, right = (np.array([places[pair[side]] for pair in pairs]) for side in (0, 1))
    cosines = np.einsum("ij,ij->i", vectors[left], vectors[right])
    for pair, cosine in zip(pairs, cosines.tolist(), strict=True):
        if cosine >= LIKE_MEANING:
            yield pair


def _pairs(members: Sequence[int]) -> Iterator[tuple[int, int]]:
    for place, left in enumerate(members):
        for right in members[place + 1 :]:
            yield left, right


class _Groups:
    """Disjoint sets of numbers (Tarjan 1975), represented by their smallest members."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def first(self, number: int) -> int:
        """Return the smallest number in the set of a number."""
        root = number
        while self._above[root] != root:
            root = self._above[root]
        while self._above[number] != root:
            self._above[number], number = root, self._above[number]
        return root

    def join(self, numbers: Iterable[int]) -> None:
        """Merge the sets of some numbers."""
        roots = {self.first(number) for number in numbers}
        low = min(roots)
        for root in roots:
            self._above[root] = low

    def are_joined(self, left: int, right: int) -> bool:
        """Return True if two numbers are in one set."""
        return self.first(left) == self.first(right)

"""What may be an entity: a term as runs of passages tell of it, and all that is known of it.

A *fact* is what one run of passages says of a term; a *candidate* gathers the facts of a whole corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.language.analyzer import analyzer
from engine.language.letter_case import NOUNS_IN_CAPITALS
from engine.language.script import visible
from engine.model import Entity, EntityKind, Role

# A single word that more passages mention than this, and than this share of all, tells none of them apart.
MOST_MENTIONS, LARGEST_SHARE = 50, 0.05

# A term of more words is a sentence.
LONGEST_TERM = 8
WORD = re.compile(r"[^\W_]+")
# What a name is, where passages find it in different ways: the first of these.
_ORDER = (
    EntityKind.DEFINED_TERM,
    EntityKind.STANDARD,
    EntityKind.ORGANISATION,
    EntityKind.TITLE,
    EntityKind.ACRONYM,
    EntityKind.NAME,
    EntityKind.HEADING,
)
RANK = {kind: rank for rank, kind in enumerate(_ORDER)}
# Kinds that are what they are by the capitals they are written with.
BY_CAPITALS = frozenset({EntityKind.TITLE, EntityKind.NAME})

Key = tuple[str, ...]


class Fact(NamedTuple):
    """A term that a run of passages names: where first (its position in the run), and how often; of a
    heading's term, in how many documents. ``role``: what the passage makes of it in a contract. ``keys``: the
    stems of ``name`` and of ``other``, by which it is known; without those that name nothing."""

    position: int
    language: str
    name: str
    kind: str
    other: str | None
    sure: bool
    initial: bool
    role: str | None
    times: int
    keys: Sequence[Sequence[str]]


@dataclass(slots=True)
class Candidate:
    """One thing that texts name: as they write it, by the stems of its names, and where it is defined."""

    language: str
    kind: EntityKind
    forms: Counter[str] = field(default_factory=Counter)
    keys: set[Key] = field(default_factory=set)
    definitions: dict[str, None] = field(default_factory=dict)
    # Those of the definitions that begin a document with this title.
    titled: list[str] = field(default_factory=list)
    long_form: str | None = None
    defined_as: str | None = None
    aliases: dict[str, None] = field(default_factory=dict)
    roles: dict[Role, None] = field(default_factory=dict)
    dropped: bool = False

    @property
    def is_one_word(self) -> bool:
        """Whether no name of it has a second word."""
        return all(len(key) == 1 for key in self.keys)

    @property
    def has_case(self) -> bool:
        """Whether capitals say anything of it: it has letters that can be written small, and is no noun of a
        language that gives a capital to each."""
        form = usual_form(self)
        is_noun = self.kind is not EntityKind.NAME or self.is_one_word
        small_nouns = self.language.split("-")[0] not in NOUNS_IN_CAPITALS
        return form.lower() != form.upper() and (small_nouns or not is_noun)


def key_of(name: str, stems: Stems) -> Key:
    """Stems of a term; empty where it is too long, or nothing but a common word."""
    words = WORD.findall(name)
    if not words or len(words) > LONGEST_TERM or (len(words) == 1 and len(words[0]) < 3):
        return ()
    return tuple(map(stems.__getitem__, words))


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


def words_of(text: str) -> list[str]:
    """The words of a text, as terms are compared with it."""
    found: list[str] = WORD.findall(visible(text))
    return found


def written_as_name(word: str) -> bool:
    """Whether a word begins with a capital, or is of a script that has none."""
    first = word[0]
    return first.isupper() or (first.isalpha() and not first.islower())


def may_begin_name(word: str) -> bool:
    """Whether a word of a longer name may be written so: as a name, or as a number."""
    return word[0].isdigit() or written_as_name(word)


def entity_of(candidate: Candidate) -> Entity:
    """The entity that a candidate would be."""
    name = candidate.long_form or candidate.defined_as or usual_form(candidate)
    longest = sorted(candidate.keys, key=lambda key: (-len(key), key))[0]
    slug = "-".join(longest)
    return Entity(
        f"{candidate.language}:{slug}",
        name,
        candidate.kind,
        candidate.language,
        tuple(candidate.definitions),
        tuple(one for one in candidate.aliases if one != name),
        tuple(candidate.roles),
    )


def usual_form(candidate: Candidate) -> str:
    """The form that is written most often."""
    return min(candidate.forms, key=lambda form: (-candidate.forms[form], form))

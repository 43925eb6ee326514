"""Entities: proper names and terms as candidates, what is known of each, and a score of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.language.analysis import analyzer
from engine.language.characters import visible
from engine.language.dates import MONTHS
from engine.language.names import NOUNS_IN_CAPITALS, is_organisation
from engine.language.terms import Found, is_label, is_running, stands_as_name, terms_of, title_terms, trimmed
from engine.model import NOTHING, Entity, EntityKind, Passage, Role

# What may be an entity: a term as runs of passages tell of it, and all that is known of it.
#
# A *fact* is what one run of passages says of a term; a *candidate* gathers the facts of a whole corpus.

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


# Proper names: runs of capitalised words in languages that write capitals for names alone.
#
# A name is one word or several ("Andy Murray", "Jean-Luc Picard", "J. K. Rowling"), joined over small
# particles ("University of the Arts", "Ludwig van Beethoven") and over numbers ("Apollo 13"). At the
# beginning of a sentence every word has a capital: what begins there is marked, and the whole corpus decides
# how much of it is a name (``letter_case.py``). German writes a capital for every noun and is left out.

# A name of more words is a line of a heading.
LONGEST_NAME = 8
SHORTEST_NAME = 3
# What is looked at before a name to see whether a sentence begins there.
_BEFORE = 8

# Scripts with capitals: Latin, Greek, Cyrillic, Armenian, and what was added to Latin and Greek later.
_CAPITALS = "".join(chr(code) for code in (*range(0x590), *range(0x1E00, 0x2000)) if chr(code).isupper())
_PARTICLES = (
    "of|the|de|del|della|delle|dei|degli|di|da|do|dos|das|du|des|la|le|los|las|van|von|vom|zu|zur|der|den|ter|ten|te|af|av|bin"
    "|ibn|al|el|ul|ud"
)
# No group here is possessive: Python before 3.11.5 matches such a one wrongly
# (https://github.com/python/cpython/issues/106052).
_WORD = rf"[{_CAPITALS}]\w*+(?:[’'](?!s\b)\w++|[-–](?=[{_CAPITALS}\d])\w++)*"
# Initials and short forms of "Saint", "Mister" and "Doctor" have a full stop that ends nothing.
_GAP = rf"(?:[ ]|(?<=(?<!\w)[{_CAPITALS}])\.[ ]?|(?<=St|Mr|Dr|Ms)\.[ ]|[ ]&[ ])"
_JOINT = rf"(?:[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ](?:[dl][’'])?|[ ][dl][’'])"
_NUMBER = r"[ ]\d{1,4}(?![\d.,:/%-]*\d|\w)"
_NAME = re.compile(rf"(?<!\w){_WORD}(?:(?:{_GAP}|{_JOINT})(?={_WORD}){_WORD}|{_NUMBER})*")
_PARTICLE = re.compile(rf"[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ]")
_BEGINS = re.compile(r"(?:\A|[.!?:;•…\n]|\(\w{1,4}\))[ \t\"“”„'‘’«»(\[–—-]*\Z")
_IN_BRACKETS = re.compile(r"\s*[(（](?:[^()（）]|[(（][^()（）]*[)）])*[)）]\s*\Z")
# Words that begin sentences, not names, beyond the function words; and forms of address.
_LEADING_WORDS = (
    "although since however also while many two three one first second third another among according despite"
    " until upon within without whose may might must shall would could yet still later then thus hence"
    " therefore born mr mrs ms dr sir dame lord lady"
)
_LEADING = frozenset(_LEADING_WORDS.split())
_DAYS = frozenset(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))


class ProperName(NamedTuple):
    """A name in a text; ``initial`` where its first word begins a sentence and may be any word."""

    name: str
    initial: bool


def proper_names(text: str, language: str) -> Iterator[ProperName]:
    """The names in a text as they are written, in its order; a name may come several times.

    A single word that begins a sentence is none here: somewhere else it stands inside one, or it is no name.
    """
    if language.split("-")[0] in NOUNS_IN_CAPITALS or not is_running(text, language):
        return
    for match in _NAME.finditer(text):
        if not stands_as_name(text, *match.span()):
            continue
        begins = _begins_sentence(text, match.start())
        for place, written in enumerate(_short_enough(match[0])):
            name = _without_leading(trimmed(written, language), language).rstrip(".")
            words = name.split()
            if not words or not name[0].isupper() or name.isupper() or is_label(name, language):
                continue
            initial = begins and not place and written.startswith(words[0])
            if len(words) == 1 and (initial or len(name) < SHORTEST_NAME):
                continue
            if not all(_is_day(word) for word in words):
                yield ProperName(name, initial)


def title_name(title: str) -> str:
    """What the title of a document names: without a remark in brackets at its end, "Pulse (1988 film)"."""
    shown = " ".join(visible(title).split())
    name = _IN_BRACKETS.sub("", shown) or shown
    if name.isupper() and " " in name:
        # Words in capitals would be taken for acronyms.
        name = " ".join(word.capitalize() for word in name.split())
    return name


def _begins_sentence(text: str, start: int) -> bool:
    first = max(0, start - _BEFORE)
    match = _BEGINS.search(text[first:start])
    return match is not None and (first == 0 or match[0].strip() != "" or "\n" in match[0])


def _short_enough(written: str) -> list[str]:
    """A run of words, or the runs between its particles where it is too long for one name."""
    return [written] if len(written.split()) <= LONGEST_NAME else _PARTICLE.split(written)


def _without_leading(name: str, language: str) -> str:
    """Without words that lead to a name: "However Obama", "January 2010 Obama"."""
    words = name.split()
    while words:
        is_date = len(words) > 1 and _is_day(words[0]) and words[1].isdigit()
        if not is_date and words[0].casefold().rstrip(".") not in _LEADING:
            break
        words = trimmed(" ".join(words[2 if is_date else 1 :]), language).split()
    return " ".join(words)


def _is_day(word: str) -> bool:
    """Whether a word is of a date: a month, a day of the week, a number."""
    small = word.casefold()
    return small in MONTHS or small in _DAYS or small.isdigit()


# The terms that passages give, from which entities are made without any model.
#
# They are collected over all passages (``terms.py``, ``proper_names.py``) and the titles of their
# documents; then each passage is read once against the vocabulary that they make
# (``engine/ingestion/entities.py``). What a document is about is defined by its first passage.

# Titles of documents, and their other names, by the ids of the documents.
Titles = Mapping[str, str]
Aliases = Mapping[str, Sequence[str]]
_NAMES = frozenset({EntityKind.NAME, EntityKind.ORGANISATION})


@dataclass(frozen=True, slots=True)
class EntityTable:
    """Entities and who mentions them: pair i says that passage ``rows[i]`` mentions ``numbers[i]``.

    ``rows`` are positions in the passages given, ``numbers`` positions in ``entities``; int32, no pair
    twice, sorted by row and then by number.
    """

    entities: list[Entity]
    rows: NDArray[np.int32]
    numbers: NDArray[np.int32]


def facts_of(passages: Sequence[Passage], titles: Titles, aliases: Aliases = NOTHING) -> list[Fact]:
    """The terms of a run of passages, of the titles above them and of the ``titles`` and ``aliases`` of their
    documents, each where it first stands. A run has all passages of its documents."""
    counts: dict[tuple[str, str, str, str, str | None, bool, bool, str | None], list[int]] = {}
    titles_seen: set[tuple[str, str]] = set()
    documents_seen: set[str] = set()

    def count(position: int, language: str, found: Found) -> None:
        # Each document defines for itself.
        owner = passages[position].document_id if found.sure else ""
        kind = str(found.kind)
        key = (owner, language, found.name, kind, found.other, found.sure, found.initial, found.role)
        counts.setdefault(key, [position, 0])[1] += 1

    for position, passage in enumerate(passages):
        if passage.document_id not in documents_seen:
            documents_seen.add(passage.document_id)
            name = title_name(titles.get(passage.document_id, ""))
            others = dict.fromkeys(one for one in aliases.get(passage.document_id, ()) if one != name)
            for other in (None, *others):
                count(position, passage.language, Found(name, EntityKind.TITLE, other, sure=True))
        for found in _found_in(visible(passage.text), passage.language):
            count(position, passage.language, found)
        for heading in passage.headings:
            if (passage.document_id, heading) not in titles_seen:
                titles_seen.add((passage.document_id, heading))
                for term in title_terms(visible(heading), passage.language):
                    count(position, passage.language, Found(term, EntityKind.HEADING))
    stems: dict[str, Stems] = {}
    facts = []
    for key, (position, number) in counts.items():
        _, language, name, _, other, _, initial, _ = key
        own = stems.setdefault(language, Stems(language))
        # What begins a sentence is cut before it is known by its stems.
        known = () if initial else tuple(filter(None, (key_of(one, own) for one in (name, other) if one)))
        facts.append(Fact(position, *key[1:], number, known))
    return facts


def _found_in(text: str, language: str) -> Iterator[Found]:
    names = list(proper_names(text, language))
    known = {name for name, _ in names}
    for found in terms_of(text, language):
        # Names are found in two ways; each place counts once.
        if found.kind not in _NAMES or found.sure or found.name not in known:
            yield found
    for name, initial in names:
        is_body = " " in name and is_organisation(name, language)
        yield Found(name, EntityKind.ORGANISATION if is_body else EntityKind.NAME, initial=initial)


# How surely a term is a thing with a name: a score between 0 and 1.
#
# Three independent witnesses, put together by noisy or, ``1 - (1 - a)(1 - b)(1 - c)`` (Pearl 1988):
#
# a. *How the texts speak of it*: they define it, give it a role or a document of that title (.8); its words
# say that it is a body, or it is an acronym (.5); it stands above provisions (.5); it is written as a name,
# in several words (.25) or one (.1). b. *Capitals*: up to .5, as the passages that mention it write it with
# capitals; nothing where no more than half of them do. Scripts without capitals say nothing, nor do nouns
# where each has one; that of an adjective before it does ("Deutsche Bundesbank"). c. *Spread*: up to .3, by
# the logarithm of the number of documents that mention it; all of it from 16 on.

# An entity is kept from this score on. From .5 on it cost recall in rulebooks, whose terms are often used
# without a definition (benchmarks/RESULTS.md, "Entities"); three quarters of those between are real, too.
LEAST_SCORE = 0.3
STATED, BY_WORDS, ABOVE, SEVERAL_WORDS, ONE_WORD = 0.8, 0.5, 0.5, 0.25, 0.1
CAPITALS, SPREAD, MANY_DOCUMENTS = 0.5, 0.3, 16
_OF_KIND = {
    EntityKind.DEFINED_TERM: STATED,
    EntityKind.TITLE: STATED,
    EntityKind.STANDARD: STATED,
    EntityKind.ORGANISATION: BY_WORDS,
    EntityKind.ACRONYM: BY_WORDS,
    EntityKind.HEADING: ABOVE,
}


def stated(kind: EntityKind, *, defined: bool, one_word: bool) -> float:
    """What the way in which texts speak of a term says for it."""
    if defined:
        return STATED
    return _OF_KIND.get(kind, ONE_WORD if one_word else SEVERAL_WORDS)


def name_scores(
    said: Sequence[float] | NDArray[np.float32],
    capitals: NDArray[np.float32],
    documents: NDArray[np.int64],
) -> NDArray[np.float32]:
    """The scores of terms, shape (terms,): from what ``stated`` gives, the share of their mentions that have
    capitals (NaN where these say nothing) and the number of documents that mention them."""
    by_capitals = CAPITALS * np.clip(2.0 * np.nan_to_num(capitals, nan=0.5) - 1.0, 0.0, 1.0)
    by_spread = SPREAD * np.clip(np.log(np.maximum(documents, 1)) / np.log(MANY_DOCUMENTS), 0.0, 1.0)
    doubt = (1.0 - np.asarray(said, np.float32)) * (1.0 - by_capitals) * (1.0 - by_spread)
    scores: NDArray[np.float32] = (1.0 - doubt).astype(np.float32)
    return scores

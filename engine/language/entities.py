"""Find entities: proper names and terms as candidates, the facts about each, and its score."""

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
from engine.language.terms import Found, is_label, is_running, may_be_name, terms_of, title_terms, trimmed
from engine.model import NOTHING, Entity, EntityKind, Passage, Role

# Candidates for entities: a *fact* is what one run of passages states about a term; a *candidate* collects
# the facts of a corpus

# A single word in more passages than this number and this share distinguishes nothing.
MOST_MENTIONS, LARGEST_SHARE = 50, 0.05

# A longer term is a sentence.
LONGEST_TERM = 8
WORD = re.compile(r"[^\W_]+")
# If passages find a name in several ways, its kind is the first of these.
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
# Kinds that are recognised by their capitals.
BY_CAPITALS = frozenset({EntityKind.TITLE, EntityKind.NAME})

Key = tuple[str, ...]


class Fact(NamedTuple):
    """A term in a run of passages, with its first position in the run and its count.

    For a term of a heading, the count is of documents. ``role``: the party's role in a contract. ``keys``:
    stems of ``name`` and ``other``, without those that name nothing.
    """

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
    """A thing that texts name: its forms, the stems of its names, and its definitions."""

    language: str
    kind: EntityKind
    forms: Counter[str] = field(default_factory=Counter)
    keys: set[Key] = field(default_factory=set)
    definitions: dict[str, None] = field(default_factory=dict)
    # Definitions at the start of a document with this title.
    titled: list[str] = field(default_factory=list)
    long_form: str | None = None
    defined_as: str | None = None
    aliases: dict[str, None] = field(default_factory=dict)
    roles: dict[Role, None] = field(default_factory=dict)
    dropped: bool = False

    @property
    def is_one_word(self) -> bool:
        """Whether all its names are single words."""
        return all(len(key) == 1 for key in self.keys)

    @property
    def has_case(self) -> bool:
        """Whether capitals are significant: it has letters with case, and is no noun of a language that
        capitalises all nouns."""
        form = usual_form(self)
        is_noun = self.kind is not EntityKind.NAME or self.is_one_word
        small_nouns = self.language.split("-")[0] not in NOUNS_IN_CAPITALS
        return form.lower() != form.upper() and (small_nouns or not is_noun)


def key_of(name: str, stems: Stems) -> Key:
    """Return the stems of a term; empty if it is too long, or only a common word."""
    words = WORD.findall(name)
    if not words or len(words) > LONGEST_TERM or (len(words) == 1 and len(words[0]) < 3):
        return ()
    return tuple(map(stems.__getitem__, words))


class Stems(dict[str, str]):
    """Stems by word, computed on first access."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._analyzer = analyzer(language)

    def __missing__(self, word: str) -> str:
        # Acronyms keep their capitals: "AML" the rulebook is not "aml" inside a word.
        short = word.isupper() and word.isascii() and len(word) <= 10
        stem = self[word] = word if short else self._analyzer.stem(word)
        return stem


def words_of(text: str) -> list[str]:
    """Split a text into words for comparison with terms."""
    found: list[str] = WORD.findall(visible(text))
    return found


def written_as_name(word: str) -> bool:
    """Return True if a word begins with a capital, or its script has none."""
    first = word[0]
    return first.isupper() or (first.isalpha() and not first.islower())


def may_begin_name(word: str) -> bool:
    """Return True if a word of a longer name may be written like this: as a name, or as a number."""
    return word[0].isdigit() or written_as_name(word)


def entity_of(candidate: Candidate) -> Entity:
    """Make the entity of a candidate."""
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
    """Return the most frequent form."""
    return min(candidate.forms, key=lambda form: (-candidate.forms[form], form))


# Proper names: runs of capitalised words, in languages that capitalise only names
#
# A name is one or several words ("Andy Murray", "Jean-Luc Picard", "J. K. Rowling"), joined across particles
# ("University of the Arts", "Ludwig van Beethoven") and numbers ("Apollo 13"). At the start of a sentence
# every word has a capital: such names are marked, and the whole corpus decides how much of them is a name
# (``LetterCase``). German is left out, because it capitalises every noun.

# A longer name is a line of a heading.
LONGEST_NAME = 8
SHORTEST_NAME = 3
# Number of characters before a name that show whether a sentence begins there.
_BEFORE = 8

# Scripts with capitals: Latin, Greek, Cyrillic, Armenian, and later additions to Latin and Greek.
_CAPITALS = "".join(chr(code) for code in (*range(0x590), *range(0x1E00, 0x2000)) if chr(code).isupper())
_PARTICLES = (
    "of|the|de|del|della|delle|dei|degli|di|da|do|dos|das|du|des|la|le|los|las|van|von|vom|zu|zur|der|den|ter|ten|te|af|av|bin"
    "|ibn|al|el|ul|ud"
)
# No group here is possessive, because Python before 3.11.5 matches them wrongly
# (https://github.com/python/cpython/issues/106052).
_WORD = rf"[{_CAPITALS}]\w*+(?:[’'](?!s\b)\w++|[-–](?=[{_CAPITALS}\d])\w++)*"
# The full stop of initials and of abbreviated "Saint", "Mister" and "Doctor" does not end a sentence.
_GAP = rf"(?:[ ]|(?<=(?<!\w)[{_CAPITALS}])\.[ ]?|(?<=St|Mr|Dr|Ms)\.[ ]|[ ]&[ ])"
_JOINT = rf"(?:[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ](?:[dl][’'])?|[ ][dl][’'])"
_NUMBER = r"[ ]\d{1,4}(?![\d.,:/%-]*\d|\w)"
_NAME = re.compile(rf"(?<!\w){_WORD}(?:(?:{_GAP}|{_JOINT})(?={_WORD}){_WORD}|{_NUMBER})*")
_PARTICLE = re.compile(rf"[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ]")
_BEGINS = re.compile(r"(?:\A|[.!?:;•…\n]|\(\w{1,4}\))[ \t\"“”„'‘’«»(\[–—-]*\Z")
_IN_BRACKETS = re.compile(r"\s*[(（](?:[^()（）]|[(（][^()（）]*[)）])*[)）]\s*\Z")
# Words that begin sentences, in addition to the function words; and forms of address.
_LEADING_WORDS = (
    "although since however also while many two three one first second third another among according despite"
    " until upon within without whose may might must shall would could yet still later then thus hence"
    " therefore born mr mrs ms dr sir dame lord lady"
)
_LEADING = frozenset(_LEADING_WORDS.split())
_DAYS = frozenset(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))


class ProperName(NamedTuple):
    """A name in a text; ``initial``: its first word begins a sentence and may be any word."""

    name: str
    initial: bool


def proper_names(text: str, language: str) -> Iterator[ProperName]:
    """Yield the names in a text as written, in order, with repetitions.

    A single word at the start of a sentence is left out: a name also occurs within sentences.
    """
    if language.split("-")[0] in NOUNS_IN_CAPITALS or not is_running(text, language):
        return
    for match in _NAME.finditer(text):
        if not may_be_name(text, *match.span()):
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
    """Return the name in a document's title, without a remark in brackets at its end: "Pulse (1988 film)"."""
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
    """Return a run of words, or the runs between its particles if it is too long for a name."""
    return [written] if len(written.split()) <= LONGEST_NAME else _PARTICLE.split(written)


def _without_leading(name: str, language: str) -> str:
    """Remove introductory words from a name: "However Obama", "January 2010 Obama"."""
    words = name.split()
    while words:
        is_date = len(words) > 1 and _is_day(words[0]) and words[1].isdigit()
        if not is_date and words[0].casefold().rstrip(".") not in _LEADING:
            break
        words = trimmed(" ".join(words[2 if is_date else 1 :]), language).split()
    return " ".join(words)


def _is_day(word: str) -> bool:
    """Return True for a word of a date: a month, a day of the week, a number."""
    small = word.casefold()
    return small in MONTHS or small in _DAYS or small.isdigit()


# Terms of passages, from which entities are made without a model
#
# Terms are collected from all passages (``terms.py``) and the titles of their documents; then each passage is
# compared once with the resulting vocabulary (``engine/ingestion/entities.py``). The subject of a document is
# defined by its first passage.

# Titles and other names of documents, by the ids of the documents.
Titles = Mapping[str, str]
Aliases = Mapping[str, Sequence[str]]
_NAMES = frozenset({EntityKind.NAME, EntityKind.ORGANISATION})


@dataclass(frozen=True, slots=True)
class EntityTable:
    """Entities and their mentions: passage ``rows[i]`` mentions ``numbers[i]``.

    ``rows``: positions of passages; ``numbers``: positions in ``entities``; int32, distinct pairs, sorted by
    row and then by number.
    """

    entities: list[Entity]
    rows: NDArray[np.int32]
    numbers: NDArray[np.int32]


def facts_of(passages: Sequence[Passage], titles: Titles, aliases: Aliases = NOTHING) -> list[Fact]:
    """Collect the terms of a run of passages, of their headings, and of the ``titles`` and ``aliases`` of
    their documents, each at its first position. A run contains all passages of its documents."""
    counts: dict[tuple[str, str, str, str, str | None, bool, bool, str | None], list[int]] = {}
    titles_seen: set[tuple[str, str]] = set()
    documents_seen: set[str] = set()

    def count(position: int, language: str, found: Found) -> None:
        # Each document has its own definitions.
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
        # The start of a sentence is cut off before the stems are made.
        known = () if initial else tuple(filter(None, (key_of(one, own) for one in (name, other) if one)))
        facts.append(Fact(position, *key[1:], number, known))
    return facts


def _found_in(text: str, language: str) -> Iterator[Found]:
    names = list(proper_names(text, language))
    known = {name for name, _ in names}
    for found in terms_of(text, language):
        # Names are found in two ways; each position counts once.
        if found.kind not in _NAMES or found.sure or found.name not in known:
            yield found
    for name, initial in names:
        is_body = " " in name and is_organisation(name, language)
        yield Found(name, EntityKind.ORGANISATION if is_body else EntityKind.NAME, initial=initial)


# Score of a term: the probability that it is a named thing
#
# Three independent signs are combined by noisy or, ``1 - (1 - a)(1 - b)(1 - c)`` (Pearl 1988):
#
# a. *Use in texts*: defined, given a role or a document of that title (.8); its words are those of an
# organisation, or it
# is an acronym (.5); in a heading above provisions (.5); written as a name, in several words (.25) or one
# (.1).
#
# b. *Capitals*: up to .5, by the share of capitalised mentions above one half. Scripts without capitals give
# nothing, nor
# do nouns where all are capitalised; that of a preceding adjective does ("Deutsche Bundesbank").
#
# c. *Spread*: up to .3, by the logarithm of the number of documents that mention it; the full value from 16
# on.

# Minimum score of an entity. A minimum of .5 cost recall in rulebooks, which often use terms without a
# definition (benchmarks/RESULTS.md, "Entities"); three quarters of the entities in between are correct as
# well.
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
    """Return the evidence of a term's use in texts."""
    if defined:
        return STATED
    return _OF_KIND.get(kind, ONE_WORD if one_word else SEVERAL_WORDS)


def name_scores(
    evidence: Sequence[float] | NDArray[np.float32],
    capitals: NDArray[np.float32],
    documents: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Compute the scores of terms, shape (terms,).

    ``evidence``: evidence from ``stated``. ``capitals``: share of capitalised mentions, NaN if not
    significant. ``documents``: number of documents with mentions.
    """
    by_capitals = CAPITALS * np.clip(2.0 * np.nan_to_num(capitals, nan=0.5) - 1.0, 0.0, 1.0)
    by_spread = SPREAD * np.clip(np.log(np.maximum(documents, 1)) / np.log(MANY_DOCUMENTS), 0.0, 1.0)
    doubt = (1.0 - np.asarray(evidence, np.float32)) * (1.0 - by_capitals) * (1.0 - by_spread)
    scores: NDArray[np.float32] = (1.0 - doubt).astype(np.float32)
    return scores

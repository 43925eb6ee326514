"""What a corpus calls the things that a question names: acronyms, their long forms, defined terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from engine.corpus.protocol import Corpus
from engine.language.analysis import analyzer
from engine.model import Entity, EntityKind

# A term of more words is not looked for.
LONGEST_TERM = 8
MOST_TERMS = 6

_WORD = re.compile(r"[^\W_]+(?:[’'&-][^\W_]+)*")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of a corpus. ``long_forms`` by acronym; ``acronyms`` by the stems of the long form;
    ``terms``: names of defined terms, organisations and standards by their stems."""

    long_forms: Mapping[str, str]
    acronyms: Mapping[Key, str]
    terms: Mapping[Key, str]


_KNOWN: WeakKeyDictionary[Corpus, Vocabulary] = WeakKeyDictionary()


def vocabulary(corpus: Corpus) -> Vocabulary:
    """The vocabulary of a corpus, from its entities; read once for an open corpus."""
    known = _KNOWN.get(corpus)
    if known is None:
        known = _KNOWN[corpus] = _read(corpus)
    return known


def _read(corpus: Corpus) -> Vocabulary:
    long_forms: dict[str, str] = {}
    acronyms: dict[Key, str] = {}
    terms: dict[Key, str] = {}
    for entity in corpus.entities(range(corpus.info().entities)):
        key = _key(entity.name, entity.language)
        if entity.kind in (EntityKind.DEFINED_TERM, EntityKind.ORGANISATION, EntityKind.STANDARD):
            terms.setdefault(key, entity.name)
        short = _acronym(entity)
        if short:
            long_forms.setdefault(short, entity.name)
            acronyms.setdefault(key, short)
    return Vocabulary(long_forms, acronyms, terms)


def _acronym(entity: Entity) -> str | None:
    """The acronym of an entity with a long name, as its texts give it."""
    if " " not in entity.name:
        return None
    return next((one for one in entity.aliases if one.isalnum() and one.isupper()), None)


def _key(name: str, language: str) -> Key:
    stem = analyzer(language).stem
    return tuple(stem(word) for word in _WORD.findall(name))


def exchanged_acronyms(corpus: Corpus, text: str, language: str) -> list[tuple[str, str]]:
    """Acronyms of a question with their long forms, and long forms with their acronyms: (found, other)."""
    known = vocabulary(corpus)
    found = []
    for word in _WORD.findall(text):
        bare = word.removesuffix("s") if word not in known.long_forms else word
        if bare.isupper() and bare in known.long_forms:
            found.append((word, known.long_forms[bare]))
    found += [(words, known.acronyms[key]) for key, words in _runs(text, language, known.acronyms)]
    return list(dict.fromkeys(found))[:MOST_TERMS]


def terms_in(corpus: Corpus, text: str, language: str) -> list[str]:
    """The defined terms, organisations and standards that a question names, as the corpus writes them."""
    known = vocabulary(corpus)
    return list(dict.fromkeys(known.terms[key] for key, _ in _runs(text, language, known.terms)))[:MOST_TERMS]


def _runs(text: str, language: str, names: Mapping[Key, str]) -> list[tuple[Key, str]]:
    """Runs of the question's words that are one of some names, the longest first; none inside another."""
    words = list(_WORD.finditer(text))
    stem = analyzer(language).stem
    stems = [stem(word[0]) for word in words]
    found, at = [], 0
    while at < len(stems):
        for size in range(min(LONGEST_TERM, len(stems) - at), 0, -1):
            key = tuple(stems[at : at + size])
            if key in names:
                found.append((key, text[words[at].start() : words[at + size - 1].end()]))
                at += size
                break
        else:
            at += 1
    return found

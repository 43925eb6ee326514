"""Views of a question: parts, legal register, words of the corpus, words of the first hits."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.protocol import Corpus, Mask
from engine.language.analysis import analyzer
from engine.language.characters import HAN
from engine.model import Entity, EntityKind, Intent, View
from engine.retrieval.planning.assisted import ACRONYM, CLAUSE, FEEDBACK, PART, REGISTER, SIDE, TERMS, uses_of
from engine.retrieval.planning.parting import parts, told_and_asked
from engine.retrieval.planning.words import clauses, sides, words_of
from engine.settings import InvestigationSettings

# A question in the words of the law: "fire" becomes "dismiss, terminate employment".

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A rephrased question, and what was put for what ("fire → dismiss, terminate employment")."""

    text: str
    exchanges: tuple[str, ...]


def in_legal_register(text: str, language: str) -> Rephrased | None:
    """The question with everyday words exchanged for those of the law; None where it has none."""
    table = _table(language)
    if _HAN.search(text):
        return _by_characters(text, language)
    words = list(_WORD.finditer(text))
    stem = analyzer(language).stem
    stems = [stem(word[0]) for word in words]
    pieces, exchanges, end, at = [], [], 0, 0
    longest = max((len(key) for key in table), default=0)
    while at < len(words):
        size = next(
            (n for n in range(min(longest, len(words) - at), 0, -1) if tuple(stems[at : at + n]) in table), 0
        )
        if not size:
            at += 1
            continue
        start, stop = words[at].start(), words[at + size - 1].end()
        formal = table[tuple(stems[at : at + size])]
        pieces += [text[end:start], " ".join(formal)]
        exchanges.append(f"{text[start:stop]} → {', '.join(formal)}")
        end, at = stop, at + size
    if not exchanges:
        return None
    return Rephrased("".join([*pieces, text[end:]]), tuple(exchanges))


def _by_characters(text: str, language: str) -> Rephrased | None:
    """Where no blanks stand between words, the longest words first."""
    exchanges = []
    pairs = [(word, formal) for plain, formal in words_of(language).legal for word in plain]
    for word, formal in sorted(pairs, key=lambda pair: -len(pair[0])):
        if word in text:
            text = text.replace(word, " ".join(formal))
            exchanges.append(f"{word} → {', '.join(formal)}")
    return Rephrased(text, tuple(exchanges)) if exchanges else None


@cache
def _table(language: str) -> dict[tuple[str, ...], Sequence[str]]:
    """What stands for which stems."""
    stem = analyzer(language).stem
    return {
        tuple(stem(part) for part in _WORD.findall(word)): formal
        for plain, formal in words_of(language).legal
        for word in plain
    }


# What a corpus calls the things that a question names: acronyms, their long forms, defined terms.

# A term of more words is not looked for.
LONGEST_TERM = 8
MOST_TERMS = 6

_VOCABULARY_WORD = re.compile(r"[^\W_]+(?:[’'&-][^\W_]+)*")
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
    return tuple(stem(word) for word in _VOCABULARY_WORD.findall(name))


def exchanged_acronyms(corpus: Corpus, text: str, language: str) -> list[tuple[str, str]]:
    """Acronyms of a question with their long forms, and long forms with their acronyms: (found, other)."""
    known = vocabulary(corpus)
    found = []
    for word in _VOCABULARY_WORD.findall(text):
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
    words = list(_VOCABULARY_WORD.finditer(text))
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


# Words that the first passages found share: pseudo-relevance feedback.
#
# The relevance model RM1 (Lavrenko and Croft 2001, https://doi.org/10.1145/383952.383972)
# estimates how likely a word is in a passage that answers, from the best passages of a first
# search:
#
#     p(w | R) = sum over passages d of p(w | d) * p(d | question)
#
# with p(d | question) proportional to the BM25 score. RM3 (Abdul-Jaleel et al. 2004) mixes it
# with the question itself; here the mixing is the weight of the view beside that of the literal
# question, and each word is weighed by its rarity besides, so that words of every passage do not
# crowd the list.

PASSAGES = 10
WORDS = 12
# Words that are looked up in the index for their rarity: the likeliest before rarity counts.
LOOKED_UP = 24
# A passage is read so far, characters: an annex of ten pages would speak for all others.
LONGEST_READ = 3_000

_FEEDBACK_WORD = re.compile(r"[^\W\d_]{2,}")


def feedback_words(
    corpus: Corpus,
    text: str,
    language: str,
    mask: Mask | None = None,
    *,
    passages: int = PASSAGES,
    words: int = WORDS,
) -> tuple[str, ...]:
    """The words that best tell the first passages from all others, best first; not those of the question.

    Words are given as the passages write them, so that they can be read and edited.
    """
    (hits,) = corpus.search_lexical([text], language, passages, mask=mask)
    if not len(hits.rows):
        return ()
    weights = hits.scores / hits.scores.sum()
    likely: defaultdict[str, float] = defaultdict(float)
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    holders: Counter[str] = Counter()
    for passage, weight in zip(corpus.passages(hits.rows), weights.tolist(), strict=True):
        counted = _terms(passage.text[:LONGEST_READ], passage.language, forms)
        total = sum(counted.values()) or 1
        for term, count in counted.items():
            likely[term] += weight * count / total
            holders[term] += 1
    asked = set(analyzer(language).terms(text))
    wanted = [term for term in likely if term not in asked and (holders[term] > 1 or len(hits.rows) == 1)]
    wanted = sorted(wanted, key=lambda term: (-likely[term], term))[:LOOKED_UP]
    written = {term: min(forms[term].items(), key=lambda pair: (-pair[1], pair[0]))[0] for term in wanted}
    rarity = _rarity(corpus, [written[term] for term in wanted], language)
    order = sorted(zip(wanted, rarity, strict=True), key=lambda pair: (-likely[pair[0]] * pair[1], pair[0]))
    return tuple(written[term] for term, _ in order[:words])


def _terms(text: str, language: str, forms: defaultdict[str, Counter[str]]) -> Counter[str]:
    terms_of = analyzer(language)
    counted: Counter[str] = Counter()
    for word, count in Counter(_FEEDBACK_WORD.findall(text)).items():
        for term in terms_of.terms_of_word(word):
            counted[term] += count
            forms[term][word if word.isupper() else word.lower()] += count
    return counted


def _rarity(corpus: Corpus, words: list[str], language: str) -> list[float]:
    """The best BM25 score that any passage has for each word: its inverse document frequency, all but."""
    best = corpus.search_lexical(words, language, 1) if words else []
    return [float(np.max(hits.scores, initial=0.0)) for hits in best]


# The views of a question besides its own words, made by the techniques of this package.

# Where the words of views come from that are no part of what is asked by themselves.
TOLD = ("what the question tells first", "what it asks then")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the views are made from it: its words without signs, and whom it is put to."""

    text: str
    language: str
    intent: Intent
    corpus: Corpus | None = None
    mask: Mask | None = None


def views_of(asked: Asked, settings: InvestigationSettings, *, offered: bool) -> Iterator[View]:
    """The views that the settings' strategy uses, each text once; with ``offered`` also those that it
    leaves out, switched off."""
    seen = {asked.text.casefold()}
    for kind, use in uses_of(settings.query_strategy, asked.intent).items():
        if not (use.on or offered):
            continue
        for words, origin in _texts(kind, asked):
            if words.casefold() not in seen:
                seen.add(words.casefold())
                yield View(kind, words, use.weight, use.dense, use.on, origin)


def _texts(kind: str, asked: Asked) -> Iterator[tuple[str, str]]:
    """The texts of one kind of view, and where their words come from."""
    text, language = asked.text, asked.language
    if kind == PART:
        found = parts(text, language)
        yield from ((part, "a part of the question") for part in found)
        told = None if found else told_and_asked(text, language)
        if told is not None:
            yield from zip(told, TOLD, strict=True)
    elif kind == SIDE:
        yield from ((side, "one side of the comparison") for side in _first(sides, text, language))
    elif kind == CLAUSE:
        names = ("what must be found first", "what is asked of it")
        yield from zip(_first(clauses, text, language), names, strict=False)
    elif kind == REGISTER:
        rephrased = in_legal_register(text, language)
        if rephrased is not None:
            yield rephrased.text, f"words of the law: {'; '.join(rephrased.exchanges)}"
    elif asked.corpus is not None:
        yield from _from_corpus(kind, asked, asked.corpus)


def _first(structure: Callable[[str, str], list[str]], text: str, language: str) -> list[str]:
    """What the first part of the question that has a structure is made of."""
    for part in parts(text, language) or [text]:
        found = structure(part, language)
        if found:
            return found
    return []


def _from_corpus(kind: str, asked: Asked, corpus: Corpus) -> Iterator[tuple[str, str]]:
    text, language = asked.text, asked.language
    if kind == ACRONYM:
        pairs = exchanged_acronyms(corpus, text, language)
        if pairs:
            told = "; ".join(f"{found} = {other}" for found, other in pairs)
            yield " ".join(other for _, other in pairs), f"the corpus's own acronyms: {told}"
    elif kind == TERMS:
        terms = terms_in(corpus, text, language)
        if terms:
            yield " ".join(terms), "terms that the corpus defines or names"
    elif kind == FEEDBACK:
        words = feedback_words(corpus, text, language, asked.mask)
        if words:
            yield " ".join(words), "words of the first passages found"

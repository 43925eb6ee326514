"""Views of a question: parts, legal register, words of the corpus, words of the first passages."""

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
from engine.retrieval.planning.parting import parts, split_background
from engine.retrieval.planning.words import clauses, sides, words_of
from engine.settings import InvestigationSettings

# The legal register: "fire" becomes "dismiss, terminate employment"

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A rephrased question, and its exchanges ("fire → dismiss, terminate employment")."""

    text: str
    exchanges: tuple[str, ...]


def to_legal_register(text: str, language: str) -> Rephrased | None:
    """Exchange everyday words of a question for legal terms; None if it has none."""
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
    """Exchange words in a script without blanks, the longest words first."""
    exchanges = []
    pairs = [(word, formal) for plain, formal in words_of(language).legal for word in plain]
    for word, formal in sorted(pairs, key=lambda pair: -len(pair[0])):
        if word in text:
            text = text.replace(word, " ".join(formal))
            exchanges.append(f"{word} → {', '.join(formal)}")
    return Rephrased(text, tuple(exchanges)) if exchanges else None


@cache
def _table(language: str) -> dict[tuple[str, ...], Sequence[str]]:
    """Return the legal terms by the stems of everyday words."""
    stem = analyzer(language).stem
    return {
        tuple(stem(part) for part in _WORD.findall(word)): formal
        for plain, formal in words_of(language).legal
        for word in plain
    }


# The vocabulary of a corpus: acronyms, their long forms, defined terms

# Most words of a term.
LONGEST_TERM = 8
MOST_TERMS = 6

_VOCABULARY_WORD = re.compile(r"[^\W_]+(?:[’'&-][^\W_]+)*")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of a corpus.

    ``long_forms`` by acronym; ``acronyms`` by the stems of the long form; ``terms``: names of defined terms,
    organisations and standards by their stems.
    """

    long_forms: Mapping[str, str]
    acronyms: Mapping[Key, str]
    terms: Mapping[Key, str]


_BY_CORPUS: WeakKeyDictionary[Corpus, Vocabulary] = WeakKeyDictionary()


def vocabulary(corpus: Corpus) -> Vocabulary:
    """Return the vocabulary of a corpus from its entities; read once for an open corpus."""
    known = _BY_CORPUS.get(corpus)
    if known is None:
        known = _BY_CORPUS[corpus] = _read(corpus)
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
    """Return the acronym of an entity with a long name, if its texts have one."""
    if " " not in entity.name:
        return None
    return next((alias for alias in entity.aliases if alias.isalnum() and alias.isupper()), None)


def _key(name: str, language: str) -> Key:
    stem = analyzer(language).stem
    return tuple(stem(word) for word in _VOCABULARY_WORD.findall(name))


def exchange_acronyms(corpus: Corpus, text: str, language: str) -> list[tuple[str, str]]:
    """Return (found, other) for acronyms of a question and their long forms, and the reverse."""
    known = vocabulary(corpus)
    found = []
    for word in _VOCABULARY_WORD.findall(text):
        bare = word.removesuffix("s") if word not in known.long_forms else word
        if bare.isupper() and bare in known.long_forms:
            found.append((word, known.long_forms[bare]))
    found += [(words, known.acronyms[key]) for key, words in _runs(text, language, known.acronyms)]
    return list(dict.fromkeys(found))[:MOST_TERMS]


def terms_in(corpus: Corpus, text: str, language: str) -> list[str]:
    """Return the terms, organisations and standards that a question names, in the corpus's spelling."""
    known = vocabulary(corpus)
    return list(dict.fromkeys(known.terms[key] for key, _ in _runs(text, language, known.terms)))[:MOST_TERMS]


def _runs(text: str, language: str, names: Mapping[Key, str]) -> list[tuple[Key, str]]:
    """Return runs of the question's words that are names, without overlaps, the longest at each position."""
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


# Pseudo-relevance feedback: words of the first passages
#
# The relevance model RM1 (Lavrenko and Croft 2001, https://doi.org/10.1145/383952.383972) estimates the
# probability of a word in an answering passage from the best passages of a first search:
#
#     p(w | R) = sum over passages d of p(w | d) * p(d | question)
#
# with p(d | question) proportional to the BM25 score. RM3 (Abdul-Jaleel et al. 2004) mixes it with the
# question; here the weights of this view and of the literal question do. Each word is also weighted by its
# rarity, so that common words do not fill the list.

PASSAGES = 10
WORDS = 12
# The most probable words, whose rarity is looked up in the index.
LOOKED_UP = 24
# Characters read of each passage: an annex of ten pages would outweigh all others.
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
    """Return words that distinguish the first passages from all others, best first, without the question's.

    Words are spelled as in the passages, so that a user can read and edit them.
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
    in_question = set(analyzer(language).terms(text))
    new = [term for term in likely if term not in in_question and (holders[term] > 1 or len(hits.rows) == 1)]
    new = sorted(new, key=lambda term: (-likely[term], term))[:LOOKED_UP]
    spelled = {term: min(forms[term].items(), key=lambda pair: (-pair[1], pair[0]))[0] for term in new}
    rarity = _rarity(corpus, [spelled[term] for term in new], language)
    order = sorted(zip(new, rarity, strict=True), key=lambda pair: (-likely[pair[0]] * pair[1], pair[0]))
    return tuple(spelled[term] for term, _ in order[:words])


def _terms(text: str, language: str, forms: defaultdict[str, Counter[str]]) -> Counter[str]:
    terms_of = analyzer(language)
    counted: Counter[str] = Counter()
    for word, count in Counter(_FEEDBACK_WORD.findall(text)).items():
        for term in terms_of.terms_of_word(word):
            counted[term] += count
            forms[term][word if word.isupper() else word.lower()] += count
    return counted


def _rarity(corpus: Corpus, words: list[str], language: str) -> list[float]:
    """Return the best BM25 score of a passage for each word, which is close to its inverse frequency."""
    best = corpus.search_lexical(words, language, 1) if words else []
    return [float(np.max(hits.scores, initial=0.0)) for hits in best]


# The views of a question in addition to its own words

# Origins of the views of a question with background, which are not parts of their own.
BACKGROUND = ("what the question tells first", "what it asks then")


@dataclass(frozen=True, slots=True)
class ViewSource:
    """A question without its signs, and the corpus that its views are made for."""

    text: str
    language: str
    intent: Intent
    corpus: Corpus | None = None
    mask: Mask | None = None


def views_of(asked: ViewSource, settings: InvestigationSettings, *, offered: bool) -> Iterator[View]:
    """Yield the views that the settings' query strategy uses, each text once.

    With ``offered`` also those that it leaves out, switched off.
    """
    seen = {asked.text.casefold()}
    for kind, use in uses_of(settings.query_strategy, asked.intent).items():
        if not (use.on or offered):
            continue
        for words, origin in _texts(kind, asked):
            if words.casefold() not in seen:
                seen.add(words.casefold())
                yield View(kind, words, use.weight, use.dense, use.on, origin)


def _texts(kind: str, asked: ViewSource) -> Iterator[tuple[str, str]]:
    """Yield the texts of one kind of view with their origins."""
    text, language = asked.text, asked.language
    if kind == PART:
        found = parts(text, language)
        yield from ((part, "a part of the question") for part in found)
        background = None if found else split_background(text, language)
        if background is not None:
            yield from zip(background, BACKGROUND, strict=True)
    elif kind == SIDE:
        yield from ((side, "one side of the comparison") for side in _first(sides, text, language))
    elif kind == CLAUSE:
        names = ("what must be found first", "what is asked of it")
        yield from zip(_first(clauses, text, language), names, strict=False)
    elif kind == REGISTER:
        rephrased = to_legal_register(text, language)
        if rephrased is not None:
            yield rephrased.text, f"words of the law: {'; '.join(rephrased.exchanges)}"
    elif asked.corpus is not None:
        yield from _from_corpus(kind, asked, asked.corpus)


def _first(structure: Callable[[str, str], list[str]], text: str, language: str) -> list[str]:
    """Split the first part of the question that has this structure."""
    for part in parts(text, language) or [text]:
        found = structure(part, language)
        if found:
            return found
    return []


def _from_corpus(kind: str, asked: ViewSource, corpus: Corpus) -> Iterator[tuple[str, str]]:
    text, language = asked.text, asked.language
    if kind == ACRONYM:
        pairs = exchange_acronyms(corpus, text, language)
        if pairs:
            exchanges = "; ".join(f"{found} = {other}" for found, other in pairs)
            yield " ".join(other for _, other in pairs), f"the corpus's own acronyms: {exchanges}"
    elif kind == TERMS:
        terms = terms_in(corpus, text, language)
        if terms:
            yield " ".join(terms), "terms that the corpus defines or names"
    elif kind == FEEDBACK:
        words = feedback_words(corpus, text, language, asked.mask)
        if words:
            yield " ".join(words), "words of the first passages found"

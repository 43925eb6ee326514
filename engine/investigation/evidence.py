"""Evidence status: what a question asks for, and whether the corpus answers it in full, in part or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine import languages
from engine.caching import Cache, Caches
from engine.corpus.protocol import Corpus
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.language.statements import Kind
from engine.languages import base_of, law
from engine.model import Evidence, EvidenceStatus, Naming, Passage, QueryPlan, RankedPassage
from engine.retrieval.planning.named import asked_besides
from engine.retrieval.relevance import Relevance, holds

# What kind of quantity a question asks for: a time (when, how long) or a sum (how much).
#
# The type of the answer that a question wants has told since the first systems of question
# answering which sentences may hold it (Voorhees and Tice 2000, "The TREC-8 Question Answering
# Track").

KINDS = {
    "time": frozenset({Kind.DURATION, Kind.DATE, Kind.DAY}),
    "money": frozenset({Kind.AMOUNT, Kind.SHARE}),
}
NONE: frozenset[Kind] = frozenset()
MEASURE = "measure"


def wanted_in(question: str, language: str) -> frozenset[Kind]:
    """The kinds of quantity that would answer a question; none where it asks for something else, or in a
    language that nobody has written the words of."""
    for kind, pattern in _patterns(base_of(language)).items():
        if kind in KINDS and pattern.search(question):
            return KINDS[kind]
    return NONE


def without_measure(question: str, language: str) -> str:
    """A question without the words that only ask how much ("how long"), which no answer repeats."""
    pattern = _patterns(base_of(language)).get(MEASURE)
    return question if pattern is None else pattern.sub(" ", question)


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    return {
        kind: re.compile(rf"\b(?:{'|'.join(expressions)})\b", re.IGNORECASE)
        for kind, expressions in law(language).wanted.items()
    }


# What a question asks about, as weighted words, and how much of it a text holds.
#
# A word weighs what the best passage of the corpus scores for it alone by BM25, so that rare
# words count; one that the corpus does not know weighs more than any that it knows.

# Of the heaviest word that the corpus knows.
UNKNOWN_WEIGHT = 1.3
# Among so many passages of the ranking one must hold enough of the question.
BEST_LOOKED_AT = 5
_WORD = re.compile(r"[^\W_]+")
# Questions whose words are remembered, of each corpus, and texts.
REMEMBERED, TEXTS = 128, 512
_ASKED: Caches[tuple[str, str], Asked] = Caches("words of questions", REMEMBERED)
_READ: Cache[tuple[str, str], frozenset[str]] = Cache("terms of texts", TEXTS)


class Written(NamedTuple):
    """A text and its language. That of a passage has its headings and the title of its document with it."""

    language: str
    text: str


def written(passage: Passage, title: str, text: str = "") -> Written:
    """A passage as it is compared with a question: its text, or what it was put together to."""
    return Written(passage.language, " ".join((text or passage.text, *passage.headings, title)))


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question that an index knows as terms. ``terms`` are those of each word, ``weights``
    theirs, shape (words,), adding up to 1; ``known`` whether the corpus has the word; ``wanted`` the
    kinds of quantity that would answer it."""

    words: tuple[str, ...]
    terms: tuple[frozenset[str], ...]
    weights: NDArray[np.float32]
    known: NDArray[np.bool_]
    language: str
    wanted: frozenset[Kind] = NONE

    def held(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Which of the words are among the index terms of a text, shape (words,)."""
        found = terms if isinstance(terms, frozenset) else frozenset(terms)
        return np.array([own <= found for own in self.terms], np.bool_)

    def share(self, terms: Iterable[str]) -> float:
        """How much of the question the index terms of a text hold, 0..1."""
        return float(self.weights[self.held(terms)].sum())

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that the corpus has nowhere."""
        return tuple(word for word, known in zip(self.words, self.known.tolist(), strict=True) if not known)


def asked_of(question: str, language: str, corpus: Corpus) -> Asked:
    """The words of a question, weighted by a corpus; remembered as long as that is open."""
    return _ASKED.of(corpus).made((question, language), lambda: _asked_of(question, language, corpus))


def _asked_of(question: str, language: str, corpus: Corpus) -> Asked:
    reader = analyzer(language)
    by_word: dict[str, frozenset[str]] = {}
    for match in _WORD.finditer(without_measure(question, language)):
        terms = reader.terms_of_word(match[0])
        # Where a script has no blanks, a word is a pair of letters.
        pieces = {term: (term,) for term in terms} if len(terms) > 1 else {match[0].casefold(): terms}
        by_word.update({word: frozenset(own) for word, own in pieces.items() if own})
    words = tuple(by_word)
    best = corpus.search_lexical(words, language, 1) if words else []
    weights = np.array([hits.scores[0] if len(hits.scores) else 0.0 for hits in best], np.float32)
    known = weights > 0
    # Where the corpus knows none of them, one weighs as much as another.
    weights[~known] = UNKNOWN_WEIGHT * (float(weights.max(initial=0.0)) or 1.0)
    total = float(weights.sum())
    shares = weights / total if total else weights
    for array in (shares, known):
        array.flags.writeable = False
    return Asked(words, tuple(by_word.values()), shares, known, language, wanted_in(question, language))


def held_by_best(asked: Asked, texts: Sequence[Written]) -> float | None:
    """The largest share of the question that one of the best texts holds.

    None where it cannot be told: nothing to compare by words, or no text in the question's language.
    """
    language = asked.language.split("-")[0]
    best = [one.text for one in texts[:BEST_LOOKED_AT] if one.language.split("-")[0] == language]
    if not asked.words or not best:
        return None
    return max(asked.share(_terms(asked.language, text)) for text in best)


def held_by_all(asked: Asked, texts: Sequence[Written]) -> NDArray[np.bool_]:
    """Which words of the question one of the texts holds, shape (words,)."""
    held = np.zeros(len(asked.words), np.bool_)
    for one in texts:
        if held.all():
            # The best few mostly hold all of them: the others need not be read for it.
            break
        held |= asked.held(_terms(asked.language, one.text))
    return held


def _terms(language: str, text: str) -> frozenset[str]:
    """The index terms of a text: the best passages of a case are looked at after each of its rounds."""
    return _READ.made((language, text), lambda: frozenset(analyzer(language).terms(text)))


# Whether the corpus bears a question at all: found, in part, or not.
#
# Two witnesses. Words: how much of what the question asks about, each word weighed by its rarity,
# the best passage holds, and the best twenty together. Meaning, where the corpus has vectors: how
# near the nearest passage is, on a scale on which the mean passage is 0 and the question's own
# words are 1. Nothing was found where both are far; what was found is not all where one is.
#
# Nearness counts for the model that its bounds were measured with; with others the words decide
# alone. The bounds were set on questions put to seven corpora, their own and those of other sets
# and of daily life: see "What is not there" in benchmarks/RESULTS.md.

# Passages of the ranking that are looked at, and passages of the corpus that stand for all of it.
LOOKED_AT, SAMPLED = 20, 1_000
# Below both, with vectors: nothing was found. Nearness of the nearest passage; words of the best together.
# The fewer passages there are, the further is the nearest, and the fewer words are known: from SMALL passages
# down the first of each counts, from LARGE on the second.
FAR, FEW = (0.26, 0.38), (0.5, 0.75)
SMALL, LARGE = 700, 2_000
# Below it, with vectors: not all was found. The mean of the words of the best together and of the best alone,
# and so many times the nearness: lay words may stand nowhere where the thing itself is near. By passages.
TIMES, ENOUGH = 3.0, {700: 1.8, 2_000: 2.1, 14_000: 2.25}
# Below it, in a language that the corpus has not: not all was found.
NEAR = 0.45
# Words that the best hold together, without vectors: nothing, not all; and where two letters are a word.
NOTHING, PART = 0.20, 0.60
# Without vectors: nothing, where so much of the question stands nowhere and the best hold so little; sooner
# where a name stands nowhere, which capital letters do not tell where every noun has one.
NOWHERE, HALF = 0.75, 0.40
NAMED_NOWHERE, NAMED_HALF = 0.55, 0.50
NOTHING_UNSEGMENTED, PART_UNSEGMENTED = 0.15, 0.35
MOST_MISSING = 6
DAYS = frozenset(("as_of", "year_from", "year_to"))


def evidence_of(
    question: str, plan: QueryPlan, corpus: Corpus, relevance: Relevance, ranking: Sequence[RankedPassage]
) -> Evidence:
    """What a question found, by its ranking.

    What it names by a number decides where nothing else is asked; days and years are no words of it.
    """
    shown = {one for found in ranking for one in (found.passage.id, *found.assembled_ids)}
    texts = [written(one.passage, one.document.title, one.text) for one in ranking[:LOOKED_AT]]
    return _judged(question, plan, corpus, _by_meaning(corpus, relevance.vectors, 0), shown, texts)


def part_evidence(
    relevance: Relevance, view: int, shown: AbstractSet[str], texts: Sequence[Written]
) -> tuple[Evidence, tuple[str, ...]]:
    """What was found for the part of a question that a view holds, and the ids of the passages that it names.

    ``shown`` are the ids of what was found, ``texts`` the best of them for the part.
    """
    plan, corpus = relevance.plan, relevance.corpus
    text = plan.views[view].text
    named = tuple(one for one in plan.named if one.words in text)
    part = replace(plan, named=named)
    found = _judged(text, part, corpus, _by_meaning(corpus, relevance.vectors, view), shown, texts)
    return found, tuple(one for provision in named for one in provision.passage_ids if one in shown)


def _judged(
    question: str,
    plan: QueryPlan,
    corpus: Corpus,
    meaning: Mapping[str, float],
    shown: AbstractSet[str],
    texts: Sequence[Written],
) -> Evidence:
    lacking = tuple(one.words for one in plan.named if one.status in (Naming.MISSING, Naming.UNKNOWN))
    there = any(not shown.isdisjoint(one.passage_ids) for one in plan.named if one.words not in lacking)
    named = [one.words for one in plan.named]
    besides = asked_besides(question, plan.language, named)
    asked = asked_of(_rest(question, plan), plan.language, corpus)
    numbers = {**_by_words(asked, texts), **meaning}
    if named and besides == 0:
        status = EvidenceStatus.PARTIAL if lacking else EvidenceStatus.FOUND
        return Evidence(status if there else EvidenceStatus.NONE, lacking, numbers)
    strange = _strange(question, asked)
    status = _status(numbers, plan.language, corpus, strange) if texts else EvidenceStatus.NONE
    if there and plan.named[0].leads:
        status = EvidenceStatus.FOUND
    if lacking and status is EvidenceStatus.FOUND:
        return Evidence(EvidenceStatus.PARTIAL, lacking, numbers)
    missing = () if status is EvidenceStatus.FOUND else (*lacking, *_words(question, asked, texts))
    return Evidence(status, missing[:MOST_MISSING], numbers)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question by itself. ``view`` is the number of its view."""

    text: str
    view: int
    asked: Asked

    @classmethod
    def of(cls, relevance: Relevance, view: int) -> Part:
        """The part that a view of the plan holds."""
        plan = relevance.plan
        text = plan.views[view].text
        return cls(text, view, asked_of(text, plan.language, relevance.corpus))

    def judged(self, relevance: Relevance, texts: Sequence[Written]) -> Evidence:
        """What the best texts of a pool are for this part."""
        numbers = {
            **_by_words(self.asked, texts),
            **_by_meaning(relevance.corpus, relevance.vectors, self.view),
        }
        strange = _strange(self.text, self.asked)
        status = _status(numbers, self.asked.language, relevance.corpus, strange)
        status = status if texts else EvidenceStatus.NONE
        missing = () if status is EvidenceStatus.FOUND else _words(self.text, self.asked, texts)
        return Evidence(status, missing, numbers)

    def score(self, found: Evidence, corpus: Corpus) -> float:
        """How much was found, 0..1: by words, or where the corpus has none in the language, by nearness."""
        by_words = holds(corpus, self.asked.language)
        return found.numbers["together"] if by_words else found.numbers.get("nearness", 0.0)


def _rest(question: str, plan: QueryPlan) -> str:
    """A question without the days and years that it names, which no text has to repeat."""
    for suggestion in plan.suggestions:
        if suggestion.kind in DAYS:
            question = question.replace(suggestion.words, " ")
    return question


class Strange(IntEnum):
    """What a question has that the corpus has nowhere: nothing, or one word, which may be another form of one
    that it has ("pays"); several words; a name."""

    NOTHING, WORDS, NAME = range(3)


def _strange(question: str, asked: Asked) -> Strange:
    """A name is what has a capital letter, not as the first word, where nouns have none."""
    unknown = [_written(question, word) for word in asked.unknown]
    first = question.lstrip(" ¿¡\"'“„«")
    if not languages.words(asked.language).nouns_in_capitals and any(
        word[:1].isupper() and not first.startswith(word) for word in unknown
    ):
        return Strange.NAME
    return Strange.WORDS if len(unknown) > 1 else Strange.NOTHING


def _status(numbers: Mapping[str, float], language: str, corpus: Corpus, strange: Strange) -> EvidenceStatus:
    measured = corpus.embedding == PACKAGED_SPEC and "nearness" in numbers
    if holds(corpus, language):
        return _by_both(numbers, len(corpus)) if measured else _by_words_alone(numbers, language, strange)
    # Nothing tells where the bounds were never measured for the model.
    return (
        _by_nearness(numbers, len(corpus)) if measured or "nearness" not in numbers else EvidenceStatus.FOUND
    )


def _by_both(numbers: Mapping[str, float], passages: int) -> EvidenceStatus:
    nearness, together = numbers["nearness"], numbers["together"]
    if nearness < _at(passages, FAR) and together < _at(passages, FEW):
        return EvidenceStatus.NONE
    sure = (together + numbers["best"]) / 2 + TIMES * nearness
    enough = np.interp(np.log(max(passages, 1)), np.log(list(ENOUGH)), list(ENOUGH.values()))
    return EvidenceStatus.FOUND if sure >= enough else EvidenceStatus.PARTIAL


def _by_words_alone(numbers: Mapping[str, float], language: str, strange: Strange) -> EvidenceStatus:
    unsegmented = languages.words(language).without_blanks
    nothing, part = (NOTHING_UNSEGMENTED, PART_UNSEGMENTED) if unsegmented else (NOTHING, PART)
    most, least = (NAMED_NOWHERE, NAMED_HALF) if strange is Strange.NAME else (NOWHERE, HALF)
    nowhere = numbers["unknown"] >= most and numbers["together"] < least
    if numbers["together"] < nothing or (strange and nowhere and not unsegmented):
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if numbers["together"] < part else EvidenceStatus.FOUND


def _at(passages: int, bounds: tuple[float, float]) -> float:
    """A bound for a corpus of so many passages."""
    return float(np.interp(np.log(max(passages, 1)), np.log([SMALL, LARGE]), bounds))


def _by_nearness(numbers: Mapping[str, float], passages: int) -> EvidenceStatus:
    """For a question in a language that the corpus has not: its words say nothing."""
    nearness = numbers.get("nearness", 0.0)
    if nearness < _at(passages, FAR):
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if nearness < NEAR else EvidenceStatus.FOUND


def _by_words(asked: Asked, texts: Sequence[Written]) -> dict[str, float]:
    """``together``: share of the question that the best passages hold together; ``best``: that one of them
    holds alone; ``unknown``: share that the corpus has nowhere."""
    held = held_by_all(asked, texts)
    best = held_by_best(asked, texts)
    return {
        "together": float(asked.weights[held].sum()) if len(held) else 1.0,
        "best": 0.0 if best is None else best,
        "unknown": float(asked.weights[~asked.known].sum()) if len(held) else 0.0,
    }


def _by_meaning(corpus: Corpus, vectors: NDArray[np.float32] | None, view: int) -> dict[str, float]:
    """``nearness``: cosine of the nearest passage above that of the mean one, as a share of what is left to
    1; nothing without vectors."""
    if vectors is None or not len(vectors) or not vectors[view].any():
        return {}
    question = vectors[view]
    middle = _middle(corpus)
    (hits,) = corpus.search_dense(question[None, :], 1, -1.0)
    if middle is None or not len(hits.scores):
        return {}
    mean = float(middle @ question)
    return {"nearness": max(0.0, (float(hits.scores[0]) - mean) / max(1.0 - mean, 1e-6))}


def _middle(corpus: Corpus) -> NDArray[np.float32] | None:
    """The mean vector of passages that stand for the whole corpus, shape (d,), kept as long as it is open;
    None without any."""
    if corpus not in _MIDDLES:
        rows = np.unique(np.linspace(0, len(corpus) - 1, SAMPLED).astype(np.int32))
        sample = corpus.vectors(rows)
        sample = sample[np.any(sample != 0, axis=1)]
        _MIDDLES[corpus] = sample.mean(axis=0, dtype=np.float64).astype(np.float32) if len(sample) else None
    return _MIDDLES[corpus]


_MIDDLES: WeakKeyDictionary[Corpus, NDArray[np.float32] | None] = WeakKeyDictionary()


def _words(question: str, asked: Asked, texts: Sequence[Written]) -> tuple[str, ...]:
    """The words of the question that none of the best passages holds, as it writes them, heaviest first."""
    if not asked.words:
        return ()
    lacking = np.flatnonzero(~held_by_all(asked, texts))
    order = lacking[np.argsort(-asked.weights[lacking], kind="stable")]
    words = (asked.words[place] for place in order[:MOST_MISSING].tolist())
    return tuple(_written(question, word) for word in words)


def _written(question: str, word: str) -> str:
    found = re.search(re.escape(word), question, re.IGNORECASE)
    return found[0] if found else word

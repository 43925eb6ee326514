"""Evidence status: whether the corpus answers a question in full, in part or not at all."""

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
from engine.retrieval.planning import BACKGROUND, PART, SIDE
from engine.retrieval.planning.named import count_further_words
from engine.retrieval.planning.words import compared, sides, words_of
from engine.retrieval.relevance import Relevance, has_language

# The expected kind of quantity: a time (when, how long) or an amount (how much). Question answering has used
# the expected answer type since its first systems (Voorhees and Tice 2000, "The TREC-8 Question Answering
# Track").

KINDS = {
    "time": frozenset({Kind.DURATION, Kind.DATE, Kind.DAY}),
    "money": frozenset({Kind.AMOUNT, Kind.SHARE}),
}
NONE: frozenset[Kind] = frozenset()
MEASURE = "measure"


def expected_kinds(question: str, language: str) -> frozenset[Kind]:
    """Return the kinds of quantity that would answer a question.

    Empty if it asks for something else, or in a language without a table of such words.
    """
    for kind, pattern in _patterns(base_of(language)).items():
        if kind in KINDS and pattern.search(question):
            return KINDS[kind]
    return NONE


def without_measure(question: str, language: str) -> str:
    """Remove the words that only ask how much ("how long") from a question: no answer repeats them."""
    pattern = _patterns(base_of(language)).get(MEASURE)
    return question if pattern is None else pattern.sub(" ", question)


def bounded(expressions: Iterable[str]) -> str:
    """Join regular expressions that match whole words; Chinese words have no boundaries."""
    return rf"(?<![^\W\u3400-\u9fff])(?:{'|'.join(expressions)})(?![^\W\u3400-\u9fff])"


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    return {
        kind: re.compile(bounded(expressions), re.IGNORECASE)
        for kind, expressions in law(language).wanted.items()
    }


# The words of a question, weighted, and the share of them that a text has. The weight of a word is the BM25
# score of the best passage for it alone, so that rare words count more.

# Weight of a word that the corpus does not have, as a multiple of the highest weight.
UNKNOWN_WEIGHT = 1.3
# Passages of the ranking among which one must have enough of the question.
BEST_LOOKED_AT = 5
_WORD = re.compile(r"[^\W_]+")
# Cached questions of each corpus, and cached texts.
REMEMBERED, TEXTS = 128, 512
_QUESTIONS: Caches[tuple[str, str], QuestionWords] = Caches("words of questions", REMEMBERED)
_TERMS: Cache[tuple[str, str], frozenset[str]] = Cache("terms of texts", TEXTS)


class ComparableText(NamedTuple):
    """A text that is compared with a question, and its language."""

    language: str
    text: str


def comparable_text(passage: Passage, title: str, text: str = "") -> ComparableText:
    """Return a passage's text, or an assembled ``text``, with its headings and the document's title."""
    return ComparableText(passage.language, " ".join((text or passage.text, *passage.headings, title)))


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question that have index terms.

    ``terms`` of each word; ``weights``, shape (words,), whose sum is 1; ``known``, whether the corpus has the
    word, shape (words,); ``wanted``, the kinds of quantity that would answer the question.
    """

    words: tuple[str, ...]
    terms: tuple[frozenset[str], ...]
    weights: NDArray[np.float32]
    known: NDArray[np.bool_]
    language: str
    wanted: frozenset[Kind] = NONE

    def held(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Return which of the words are among the index terms of a text, shape (words,)."""
        found = terms if isinstance(terms, frozenset) else frozenset(terms)
        return np.array([own <= found for own in self.terms], np.bool_)

    def share(self, terms: Iterable[str]) -> float:
        """Return the weighted share of the words that are among the index terms of a text, 0..1."""
        return float(self.weights[self.held(terms)].sum())

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that the corpus does not have."""
        return tuple(word for word, known in zip(self.words, self.known.tolist(), strict=True) if not known)


def weigh_words(question: str, language: str, corpus: Corpus) -> QuestionWords:
    """Return the words of a question, weighted by a corpus; cached while the corpus is open."""
    return _QUESTIONS.of(corpus).made((question, language), lambda: _weigh_words(question, language, corpus))


def _weigh_words(question: str, language: str, corpus: Corpus) -> QuestionWords:
    reader = analyzer(language)
    by_word: dict[str, frozenset[str]] = {}
    for match in _WORD.finditer(without_measure(question, language)):
        terms = reader.terms_of_word(match[0])
        # In a script without blanks, a word is a pair of characters.
        pieces = {term: (term,) for term in terms} if len(terms) > 1 else {match[0].casefold(): terms}
        by_word.update({word: frozenset(own) for word, own in pieces.items() if own})
    words = tuple(by_word)
    best = corpus.search_lexical(words, language, 1) if words else []
    weights = np.array([hits.scores[0] if len(hits.scores) else 0.0 for hits in best], np.float32)
    known = weights > 0
    # If the corpus has none of the words, all weights are equal.
    weights[~known] = UNKNOWN_WEIGHT * (float(weights.max(initial=0.0)) or 1.0)
    total = float(weights.sum())
    shares = weights / total if total else weights
    for array in (shares, known):
        array.flags.writeable = False
    return QuestionWords(
        words, tuple(by_word.values()), shares, known, language, expected_kinds(question, language)
    )


def best_share(asked: QuestionWords, texts: Sequence[ComparableText]) -> float | None:
    """Return the largest share of the question that one of the best texts has.

    None without words to compare, or without a text in the question's language.
    """
    language = asked.language.split("-")[0]
    best = [text.text for text in texts[:BEST_LOOKED_AT] if text.language.split("-")[0] == language]
    if not asked.words or not best:
        return None
    return max(asked.share(get_terms(asked.language, text)) for text in best)


def covered_words(asked: QuestionWords, texts: Sequence[ComparableText]) -> NDArray[np.bool_]:
    """Return which words of the question at least one of the texts has, shape (words,)."""
    covered = np.zeros(len(asked.words), np.bool_)
    for text in texts:
        if covered.all():
            break
        covered |= asked.held(get_terms(asked.language, text.text))
    return covered


def get_terms(language: str, text: str) -> frozenset[str]:
    """Return the index terms of a text; cached, because each round reads the best passages again."""
    return _TERMS.made((language, text), lambda: frozenset(analyzer(language).terms(text)))


# The evidence status: found, partial or none.
#
# Two measures decide it. Words: the weighted share of the question's words that the best passage contains,
# and that the best twenty contain together. Nearness, if the corpus has vectors: similarity of the nearest
# passage, on a scale from 0, the mean passage, to 1, the question itself. The status is none if both are low,
# and partial if one is.
#
# Nearness counts only for the model that its bounds were measured with; with other models words decide alone.
# The bounds were set on questions to seven corpora, their own and those of other sets and of daily life: see
# "What is not there" in benchmarks/RESULTS.md.

# Passages of the ranking that are read, and passages sampled for the mean vector of the corpus.
LOOKED_AT, SAMPLED = 20, 1_000
# With vectors, none: nearness below FAR and words of the best together below FEW. In a small corpus the
# nearest passage is further away and fewer words are known: the first value applies up to SMALL passages, the
# second from LARGE on, interpolated between.
FAR, FEW = (0.26, 0.38), (0.5, 0.75)
SMALL, LARGE = 700, 2_000
# With vectors, partial: a sum below ENOUGH, by number of passages. The sum is the mean of the words of the
# best together and of the best alone, plus TIMES the nearness: the corpus may not have lay words for a thing.
TIMES, ENOUGH = 3.0, {700: 1.8, 2_000: 2.1, 14_000: 2.25}
# In a language that the corpus does not have, partial: nearness below this.
NEAR = 0.45
# Without vectors, none and partial: words of the best together below these; other values for scripts without
# blanks follow.
NOTHING, PARTLY = 0.20, 0.60
# Without vectors, also none: a share of unknown words from NOWHERE on and less than HALF in the best
# together; lower bounds if a name is unknown (not in languages that capitalise every noun).
NOWHERE, HALF = 0.75, 0.40
NAMED_NOWHERE, NAMED_HALF = 0.55, 0.50
NOTHING_UNSEGMENTED, PART_UNSEGMENTED = 0.15, 0.35
MAX_MISSING = 6
DAYS = frozenset(("as_of", "year_from", "year_to"))


def evidence_of(
    question: str, plan: QueryPlan, corpus: Corpus, relevance: Relevance, ranking: Sequence[RankedPassage]
) -> Evidence:
    """Decide the evidence status of a question by its ranking.

    If a question asks for nothing but provisions that it names, these decide. Dates and years do not count as
    words.
    """
    shown = {passage for ranked in ranking for passage in (ranked.passage.id, *ranked.assembled_ids)}
    texts = [
        comparable_text(ranked.passage, ranked.document.title, ranked.text) for ranked in ranking[:LOOKED_AT]
    ]
    return _judge(question, plan, corpus, _measure_nearness(corpus, relevance.vectors, 0), shown, texts)


def part_evidence(
    relevance: Relevance, view: int, shown: AbstractSet[str], texts: Sequence[ComparableText]
) -> tuple[Evidence, tuple[str, ...]]:
    """Decide the evidence status of a part of a question, and return the ids of the passages that it names.

    ``view`` is the number of the part's view, ``shown`` the ids of the ranking's passages, ``texts`` the best
    of them for the part.
    """
    plan, corpus = relevance.plan, relevance.corpus
    text = plan.views[view].text
    named = tuple(provision for provision in plan.named if provision.words in text)
    part = replace(plan, named=named)
    found = _judge(text, part, corpus, _measure_nearness(corpus, relevance.vectors, view), shown, texts)
    passages = (passage for provision in named for passage in provision.passage_ids)
    return found, tuple(passage for passage in passages if passage in shown)


def _judge(
    question: str,
    plan: QueryPlan,
    corpus: Corpus,
    meaning: Mapping[str, float],
    shown: AbstractSet[str],
    texts: Sequence[ComparableText],
) -> Evidence:
    lacking = tuple(named.words for named in plan.named if named.status in (Naming.MISSING, Naming.UNKNOWN))
    named_is_shown = any(
        not shown.isdisjoint(named.passage_ids) for named in plan.named if named.words not in lacking
    )
    named_words = [named.words for named in plan.named]
    further_words = count_further_words(question, plan.language, named_words)
    asked = weigh_words(_without_dates(question, plan), plan.language, corpus)
    numbers = {**_measure_words(asked, texts), **meaning}
    if named_words and further_words == 0:
        status = EvidenceStatus.PARTIAL if lacking else EvidenceStatus.FOUND
        return Evidence(status if named_is_shown else EvidenceStatus.NONE, lacking, numbers)
    unknowns = _find_unknowns(question, asked)
    status = _decide(numbers, plan.language, corpus, unknowns) if texts else EvidenceStatus.NONE
    if named_is_shown and plan.named[0].leads:
        status = EvidenceStatus.FOUND
    if lacking and status is EvidenceStatus.FOUND:
        return Evidence(EvidenceStatus.PARTIAL, lacking, numbers)
    missing = () if status is EvidenceStatus.FOUND else (*lacking, *_missing_words(question, asked, texts))
    return Evidence(status, missing[:MAX_MISSING], numbers)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question with its own judgement.

    ``view``: the number of its vector, in the relevance or in its own ``vectors``, shape (n, d).
    """

    text: str
    view: int
    asked: QuestionWords
    vectors: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, relevance: Relevance, view: int) -> Part:
        """Make the part of a view of the plan."""
        plan = relevance.plan
        text = plan.views[view].text
        return cls(text, view, weigh_words(text, plan.language, relevance.corpus))

    def judged(self, relevance: Relevance, texts: Sequence[ComparableText]) -> Evidence:
        """Decide the evidence status of this part by the best texts of a pool."""
        vectors = relevance.vectors if self.vectors is None else self.vectors
        numbers = {
            **_measure_words(self.asked, texts),
            **_measure_nearness(relevance.corpus, vectors, self.view),
        }
        unknowns = _find_unknowns(self.text, self.asked)
        status = _decide(numbers, self.asked.language, relevance.corpus, unknowns)
        status = status if texts else EvidenceStatus.NONE
        missing = () if status is EvidenceStatus.FOUND else _missing_words(self.text, self.asked, texts)
        return Evidence(status, missing, numbers)

    def score(self, found: Evidence, corpus: Corpus) -> float:
        """Return how much was found, 0..1: by words if the corpus has the language, else by nearness."""
        by_words = has_language(corpus, self.asked.language)
        return found.numbers["together"] if by_words else found.numbers.get("nearness", 0.0)


def question_parts(plan: QueryPlan) -> list[tuple[int, str]]:
    """Return (view number, words) of each part of a question; empty if it asks one thing.

    A part that compares two things is replaced by its sides.
    """
    side_views = {view.text: number for number, view in enumerate(plan.views) if view.name == SIDE}
    parts = [
        (number, view.text)
        for number, view in enumerate(plan.views)
        if view.name == PART and view.origin not in BACKGROUND
    ]
    whole_question = [(0, plan.views[0].text)]
    found = [
        side
        for number, text in parts or whole_question
        for side in _sides(text, plan.language, side_views) or [(number, text)]
    ]
    return found if len(found) > 1 else []


def _sides(text: str, language: str, side_views: dict[str, int]) -> list[tuple[int, str]]:
    """Return (view number, words) of the sides that a part compares; empty if a side has no view."""
    pair, own = compared(text, language), sides(text, language)
    # "Which one, A or B?" may also be a list.
    if pair is None or pair.before or not all(side in side_views for side in own):
        return []
    labels = [f"{side}: {pair.frame}".strip(": ") for side in pair.pair]
    return [(side_views[side], words) for side, words in zip(own, labels, strict=True)]


# Phrases of a question: its runs of words that have index terms, as in RAKE (Rose et al. 2010), separated by
# question words and modal verbs (``light`` in questions.yaml). In a script without blanks, phrases are the
# pieces between these, or without such a table the runs of the heavier pairs of signs.

MOST_PHRASES = 6
# The only phrase of a question is one part up to this many words: "limited commercial agency".
LONGEST_ALONE = 3
# Thai writes vowels and tones as marks, which are no word characters.
_PIECE = re.compile(r"[^\W_](?:[^\W_]|[\u0e31-\u0e4e])*")
_BETWEEN = re.compile(r"[\s'’\-]*\Z")


def key_phrases(question: str, language: str, corpus: Corpus) -> list[str]:
    """Return the phrases of a question, at most six, in its order; the words of a long one if it is alone."""
    asked = weigh_words(question, language, corpus)
    weights = dict(zip(asked.words, asked.weights.tolist(), strict=True))
    light = words_of(language).light
    if languages.words(language).without_blanks:
        tokens = _pieces(question, light) if light is not None else _heavy_signs(question, weights)
    else:
        every = [match for match in _WORD.finditer(question) if match[0].casefold() in weights]
        heavy = [match for match in every if light is None or not light.fullmatch(match[0])]
        tokens = [match.span() for match in heavy or every]
    runs: list[tuple[int, int]] = []
    for start, end in tokens:
        if runs and _BETWEEN.match(question[runs[-1][1] : start]):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    spans = runs if len(runs) > 1 or len(tokens) <= LONGEST_ALONE else tokens
    phrases = list(dict.fromkeys(question[start:end] for start, end in spans))
    weight = {
        phrase: sum(own for word, own in weights.items() if word in phrase.casefold()) for phrase in phrases
    }
    kept = sorted(phrases, key=lambda phrase: -weight[phrase])[:MOST_PHRASES]
    return [phrase for phrase in phrases if phrase in kept]


def _pieces(question: str, light: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the spans of at least two signs between light words."""
    marked = light.sub(lambda match: " " * len(match[0]), question)
    return [match.span() for match in _PIECE.finditer(marked) if len(match[0]) > 1]


def _heavy_signs(question: str, weights: Mapping[str, float]) -> list[tuple[int, int]]:
    """Return the spans of the pairs of signs that weigh at least the mean."""
    mean = sum(weights.values()) / max(len(weights), 1)
    heavy = [word for word, weight in weights.items() if weight >= (1 - 1e-6) * mean]
    spans = {match.span() for word in heavy for match in re.finditer(re.escape(word), question.casefold())}
    return [(start, end) for start, end in sorted(spans) if end <= len(question)]


def _without_dates(question: str, plan: QueryPlan) -> str:
    """Remove the dates and years that a question names: no text has to repeat them."""
    for suggestion in plan.suggestions:
        if suggestion.kind in DAYS:
            question = question.replace(suggestion.words, " ")
    return question


class Unknowns(IntEnum):
    """The parts of a question that are unknown in the corpus.

    NOTHING, also for one word, which may be another form of a known one ("pays"); several WORDS; or a NAME.
    """

    NOTHING, WORDS, NAME = range(3)


def _find_unknowns(question: str, asked: QuestionWords) -> Unknowns:
    """Classify the unknown words of a question.

    A capitalised word is a name unless it is the first one or the language capitalises nouns.
    """
    unknown = [_as_written(question, word) for word in asked.unknown]
    first = question.lstrip(" ¿¡\"'“„«")
    if not languages.words(asked.language).nouns_in_capitals and any(
        word[:1].isupper() and not first.startswith(word) for word in unknown
    ):
        return Unknowns.NAME
    return Unknowns.WORDS if len(unknown) > 1 else Unknowns.NOTHING


def _decide(
    numbers: Mapping[str, float], language: str, corpus: Corpus, unknowns: Unknowns
) -> EvidenceStatus:
    measured = corpus.embedding == PACKAGED_SPEC and "nearness" in numbers
    if has_language(corpus, language):
        return (
            _decide_by_both(numbers, len(corpus))
            if measured
            else _decide_by_words(numbers, language, unknowns)
        )
    # A language that the corpus does not have, and a model without measured bounds: assume found.
    return (
        _decide_by_nearness(numbers, len(corpus))
        if measured or "nearness" not in numbers
        else EvidenceStatus.FOUND
    )


def _decide_by_both(numbers: Mapping[str, float], passages: int) -> EvidenceStatus:
    nearness, together = numbers["nearness"], numbers["together"]
    if nearness < _interpolate(passages, FAR) and together < _interpolate(passages, FEW):
        return EvidenceStatus.NONE
    total = (together + numbers["best"]) / 2 + TIMES * nearness
    enough = np.interp(np.log(max(passages, 1)), np.log(list(ENOUGH)), list(ENOUGH.values()))
    return EvidenceStatus.FOUND if total >= enough else EvidenceStatus.PARTIAL


def _decide_by_words(numbers: Mapping[str, float], language: str, unknowns: Unknowns) -> EvidenceStatus:
    unsegmented = languages.words(language).without_blanks
    nothing, part = (NOTHING_UNSEGMENTED, PART_UNSEGMENTED) if unsegmented else (NOTHING, PARTLY)
    most, least = (NAMED_NOWHERE, NAMED_HALF) if unknowns is Unknowns.NAME else (NOWHERE, HALF)
    nowhere = numbers["unknown"] >= most and numbers["together"] < least
    if numbers["together"] < nothing or (unknowns and nowhere and not unsegmented):
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if numbers["together"] < part else EvidenceStatus.FOUND


def _interpolate(passages: int, bounds: tuple[float, float]) -> float:
    """Interpolate a bound for the size of a corpus."""
    return float(np.interp(np.log(max(passages, 1)), np.log([SMALL, LARGE]), bounds))


def _decide_by_nearness(numbers: Mapping[str, float], passages: int) -> EvidenceStatus:
    """Decide for a question in a language that the corpus does not have, so that words cannot decide."""
    nearness = numbers.get("nearness", 0.0)
    if nearness < _interpolate(passages, FAR):
        return EvidenceStatus.NONE
    return EvidenceStatus.PARTIAL if nearness < NEAR else EvidenceStatus.FOUND


def _measure_words(asked: QuestionWords, texts: Sequence[ComparableText]) -> dict[str, float]:
    """Measure shares of the question's words.

    ``together``: in the best passages together; ``best``: in one of them; ``unknown``: not in the corpus.
    """
    held = covered_words(asked, texts)
    best = best_share(asked, texts)
    return {
        "together": float(asked.weights[held].sum()) if len(held) else 1.0,
        "best": 0.0 if best is None else best,
        "unknown": float(asked.weights[~asked.known].sum()) if len(held) else 0.0,
    }


def _measure_nearness(corpus: Corpus, vectors: NDArray[np.float32] | None, view: int) -> dict[str, float]:
    """Measure ``nearness``: (c - m) / (1 - m) for the cosines c of the nearest and m of the mean passage.

    Empty without vectors.
    """
    if vectors is None or not len(vectors) or not vectors[view].any():
        return {}
    question = vectors[view]
    mean_vector = _mean_vector(corpus)
    (hits,) = corpus.search_dense(question[None, :], 1, -1.0)
    if mean_vector is None or not len(hits.scores):
        return {}
    mean = float(mean_vector @ question)
    return {"nearness": max(0.0, (float(hits.scores[0]) - mean) / max(1.0 - mean, 1e-6))}


def _mean_vector(corpus: Corpus) -> NDArray[np.float32] | None:
    """Return the mean vector of a sample of the corpus, shape (d,), or None without vectors.

    Cached while the corpus is open.
    """
    if corpus not in _MEAN_VECTORS:
        rows = np.unique(np.linspace(0, len(corpus) - 1, SAMPLED).astype(np.int32))
        sample = corpus.vectors(rows)
        sample = sample[np.any(sample != 0, axis=1)]
        _MEAN_VECTORS[corpus] = (
            sample.mean(axis=0, dtype=np.float64).astype(np.float32) if len(sample) else None
        )
    return _MEAN_VECTORS[corpus]


_MEAN_VECTORS: WeakKeyDictionary[Corpus, NDArray[np.float32] | None] = WeakKeyDictionary()


def _missing_words(question: str, asked: QuestionWords, texts: Sequence[ComparableText]) -> tuple[str, ...]:
    """Return the words of the question that no best passage has, as written, by descending weight."""
    if not asked.words:
        return ()
    lacking = np.flatnonzero(~covered_words(asked, texts))
    order = lacking[np.argsort(-asked.weights[lacking], kind="stable")]
    words = (asked.words[index] for index in order[:MAX_MISSING].tolist())
    return tuple(_as_written(question, word) for word in words)


def _as_written(question: str, word: str) -> str:
    found = re.search(re.escape(word), question, re.IGNORECASE)
    return found[0] if found else word

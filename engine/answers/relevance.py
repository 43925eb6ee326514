"""The kind of answer that a question asks for, and how much of a question a sentence contains."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.investigation.evidence import QuestionWords
from engine.language.analysis import STOPWORDS, analyzer
from engine.language.statements import Bound, Kind, quantities_in
from engine.language.statements.lexicon import lexicon
from engine.languages import base_of, law, words
from engine.model import Passage

# What kind of answer a question asks for, and whether a sentence gives it.
#
# A sentence that is about the thing asked and gives no answer of the kind is no answer (Prager
# and others 2000, "Question-answering by predictive annotation"): the type decides, and only then
# how much is shared.


class Asks(StrEnum):
    """The kinds of answers. ``WHO``, ``WHETHER`` and ``WHEN`` are given by nearly every rule."""

    PERIOD = "period"
    DEADLINE = "deadline"
    WHEN = "when"
    AMOUNT = "amount"
    NUMBER = "number"
    PENALTY = "penalty"
    WHERE = "where"
    WHETHER = "whether"
    WHO = "who"


# What a sentence is said not to give.
WORDS = {
    Asks.PERIOD: "a period or a date",
    Asks.DEADLINE: "a deadline",
    Asks.WHEN: "a time or a condition",
    Asks.AMOUNT: "an amount or a share",
    Asks.NUMBER: "a number",
    Asks.PENALTY: "a penalty",
    Asks.WHERE: "a place or an authority",
    Asks.WHETHER: "whether it is so",
    Asks.WHO: "who it is",
}
# The kinds that most sentences do not give, so that one of these must.
TELLING = frozenset((Asks.PERIOD, Asks.DEADLINE, Asks.AMOUNT, Asks.NUMBER, Asks.PENALTY, Asks.WHERE))
# A question of more words may ask several things; what it asks first begins within so many characters.
SHORT, BEGINNING = 15, 12
_WORD = re.compile(r"[^\W_]+")
_QUANTITIES = {
    Asks.PERIOD: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.DEADLINE: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.WHEN: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.AMOUNT: frozenset((Kind.AMOUNT, Kind.SHARE)),
    Asks.NUMBER: frozenset((Kind.DURATION, Kind.COUNT, Kind.AMOUNT, Kind.SHARE)),
}
_CUES = {Asks.WHEN: ("condition", "after", "before", "upper", "lower")}
_GIVEN = {
    Asks.PERIOD: "period",
    Asks.DEADLINE: "period",
    Asks.WHEN: "period",
    Asks.PENALTY: "penalty",
    Asks.WHERE: "where",
}
_HEADS = {
    Asks.PERIOD: "period",
    Asks.DEADLINE: "period",
    Asks.WHEN: "period",
    Asks.AMOUNT: "amount",
    Asks.NUMBER: "amount",
    Asks.PENALTY: "penalty",
    Asks.WHERE: "where",
}
_WHOLE, _ENDS = (
    ("when", "count", "where", "who", "whether", "measure", "penalty", "deadline"),
    ("time", "money"),
)
_ASKED = (
    (Asks.PENALTY, "penalty"),
    (Asks.NUMBER, "count"),
    (Asks.AMOUNT, "money"),
    (Asks.DEADLINE, "deadline"),
    (Asks.WHEN, "when"),
    (Asks.PERIOD, "time"),
    (Asks.WHERE, "where"),
    (Asks.WHO, "who"),
    (Asks.WHETHER, "whether"),
)


def kinds_of(question: str, language: str) -> frozenset[Asks]:
    """The kinds of answers that a question asks for, as far as its words tell."""
    wanted, found = _wanted(base_of(language)), set[Asks]()
    short = len(_WORD.findall(question)) <= SHORT
    for kind, name in _ASKED:
        pattern = wanted.get(name)
        match = pattern.search(question) if pattern is not None else None
        if match is None:
            continue
        # Behind a long beginning it is one thing of several that are asked.
        if short or match.start() <= BEGINNING or kind not in TELLING:
            found.add(kind)
        # "When" asks for no period by itself, "what fine" for no amount.
        question = f"{question[: match.start()]}{' ' * len(match[0])}{question[match.end() :]}"
    return frozenset(found - {Asks.PERIOD} if Asks.DEADLINE in found else found)


def words_that_ask(question: str, language: str) -> frozenset[str]:
    """The words of a question that only ask, in small letters: no answer repeats them."""
    wanted, found = _wanted(base_of(language)), set[str]()
    for name in (*_WHOLE, *_ENDS):
        pattern = wanted.get(name)
        for match in pattern.finditer(question) if pattern is not None else ():
            words = _WORD.findall(match[0].casefold())
            found.update(words if name in _WHOLE else (*words[:1], *words[-1:]))
    # "Must", "may", "can": a law that says "shall" answers none the less.
    modal = (_WORD.findall(match[0].casefold()) for match in lexicon(language).modal.finditer(question))
    found.update(words[0] for words in modal if len(words) == 1)
    return frozenset(found)


def gives(text: str, language: str, kind: Asks) -> bool:
    """Whether a sentence gives an answer of a kind; true where nobody has written down what would."""
    quantities = _QUANTITIES.get(kind, frozenset())
    if measures(text, language, frozenset((kind,))):
        return True
    words = lexicon(language)
    if any(words.cues[name].search(text) for name in _CUES.get(kind, ())):
        return True
    if kind is Asks.WHETHER:
        return words.modal.search(text) is not None or words.cues["not"].search(text) is not None
    given = _given(base_of(language)).get(_GIVEN.get(kind, ""))
    return given.search(text) is not None if given is not None else not quantities


def gives_in_row(head: str, above: str, language: str, kind: Asks, asked: Collection[str]) -> bool:
    """Whether a row of a table gives an answer of a kind: the heading above it or the names of its columns
    say so, or the name of a column but the first is a term of the question."""
    reader = analyzer(language)
    nouns = {term for noun in nouns_of(frozenset((kind,)), language) for term in reader.terms(noun)}
    columns = reader.terms(head.partition("|")[2])
    named = (*reader.terms(f"{above} {head}"),)
    return any(term in asked for term in columns) or any(term.endswith(tuple(nouns)) for term in named)


def nouns_of(kinds: frozenset[Asks], language: str) -> tuple[str, ...]:
    """The nouns of headings under which answers of some kinds stand."""
    heads = {str(name): nouns for name, nouns in law(base_of(language)).heads.items()}
    return tuple(noun for kind in sorted(kinds) for noun in heads.get(_HEADS.get(kind, ""), ()))


def measures(text: str, language: str, kinds: frozenset[Asks]) -> bool:
    """Whether a sentence has a quantity of one of the kinds."""
    wanted = {one for kind in kinds for one in _QUANTITIES.get(kind, ())}
    # "For at least six years" is no deadline.
    barred = Bound.LOWER if Asks.DEADLINE in kinds else None
    return bool(wanted) and any(
        one.kind in wanted and one.bound is not barred for one in quantities_in(text, language)
    )


def departs(text: str, language: str) -> bool:
    """Whether a sentence begins as an exception, or as the rule for a special case."""
    pattern = law(language).departs
    return bool(pattern) and re.match(pattern, text, re.IGNORECASE) is not None


def tells_consequence(text: str, language: str) -> bool:
    """Whether a sentence tells what follows from a breach."""
    given = _given(base_of(language)).get("void")
    return given is not None and given.search(text) is not None


@cache
def _wanted(language: str) -> dict[str, re.Pattern[str]]:
    return {kind: _compiled(expressions) for kind, expressions in law(language).wanted.items()}


@cache
def _given(language: str) -> dict[str, re.Pattern[str]]:
    return {kind: _compiled(expressions) for kind, expressions in law(language).given.items()}


def _compiled(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(expressions)})(?!\w)", re.IGNORECASE)


# How much of a question a sentence bears: its words, its pairs of words, and the heading above
# it.
#
# Pairs of neighbouring words tell a sentence on the same thing from one that only shares its
# words (Metzler and Croft 2005, "A Markov random field model for term dependencies"). A heading
# that says what the question says and little else names the provision that governs it.

# What a word is worth that stands in another as a part of it: "Frist" in "Kündigungsfrist".
IN_COMPOUND = 0.7
# What a word is worth of which another word of one meaning stands in a text.
OF_ONE_MEANING = 0.8
# How much of a heading's share of the question is that it names the kind of answer.
OF_KIND = 0.3
# Letters that a part of a compound has at least.
SHORTEST_PART = 5
# Two words of a question count as neighbours of a text with so many between them at most.
BETWEEN = 1
_BEARING_WORD = re.compile(r"\w+")
Held = NDArray[np.float32]


@dataclass(frozen=True)
class Bearing:
    """A question, compared with texts. ``asked`` are its words with their weights."""

    asked: QuestionWords
    question: str
    _seen: dict[tuple[str, ...], Held] = field(default_factory=dict)

    @cached_property
    def weights(self) -> Held:
        """How much each word counts; those that only ask count nothing."""
        only = words_that_ask(self.question, self.asked.language)
        kept = np.array([word.casefold() not in only for word in self.asked.words], np.bool_)
        weights = self.asked.weights * kept if kept.any() else self.asked.weights
        total = float(weights.sum())
        return (weights / total if total else weights).astype(np.float32)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The stems of the words of the question, in order."""
        return tuple(analyzer(self.asked.language).terms(self.question))

    def printed(self, text: str) -> int:
        """How many words of a text the question has letter for letter, function words of several letters left
        out."""
        own = set(_BEARING_WORD.findall(self.question))
        empty = STOPWORDS.get(base_of(self.asked.language), frozenset())
        return sum(word in own for word in _BEARING_WORD.findall(text) if len(word) == 1 or word not in empty)

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.terms, self.terms[1:], strict=False))

    def held(self, terms: Sequence[str]) -> Held:
        """How far each word of the question is among the terms of a text, 0..1, shape (words,)."""
        key = tuple(sorted(set(terms)))
        known = self._seen.get(key)
        if known is not None:
            return known
        found = frozenset(key) | frozenset(_joined(term, self.asked.language) for term in key)
        held = np.array([own <= found for own in self.asked.terms], np.float32)
        meanings = lexicon(self.asked.language).meanings
        meant = {meanings[term] for term in found if term in meanings}
        for number, own in enumerate(self.asked.terms):
            if not held[number] and any(meanings.get(term) in meant for term in own if term in meanings):
                held[number] = OF_ONE_MEANING
        if words(self.asked.language).compounds:
            for number, own in enumerate(self.asked.terms):
                if not held[number] and all(self._in_part(term, found) for term in own):
                    held[number] = IN_COMPOUND
        self._seen[key] = held
        return held

    def _in_part(self, term: str, found: Iterable[str]) -> bool:
        joined = _joined(term, self.asked.language)
        return any(_parts(joined, other) for other in found)

    def share(self, terms: Sequence[str]) -> float:
        """How much of the question a text holds, 0..1."""
        return float(self.weights @ self.held(terms))

    def pairs(self, terms: Sequence[str]) -> float:
        """The share of the neighbouring words of the question that are neighbours in a text, 0..1."""
        if not self._pairs:
            return 0.0
        near = {pair for gap in range(1, BETWEEN + 2) for pair in zip(terms, terms[gap:], strict=False)}
        return len(self._pairs & near) / len(self._pairs)

    def focus(self, passage: Passage) -> float:
        """How far the heading of a provision, or one of the things that it names, says what the question says
        and nothing else, 0..1: the harmonic mean of the share of the question and the share of the heading
        that both hold, the latter weighed twice."""
        heading = passage.headings[-1] if passage.headings else ""
        parts = [_heading_terms(part, passage.language) for part in heading.split(";")]
        return max((self._focus(part) for part in parts if part), default=0.0)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The stems of the nouns under which the kind of answer stands that is asked for."""
        kinds = kinds_of(self.question, self.asked.language)
        reader = analyzer(self.asked.language)
        return frozenset(term for noun in nouns_of(kinds, self.asked.language) for term in reader.terms(noun))

    def _focus(self, heading: tuple[str, ...]) -> float:
        recall, precision = self.share(heading), self._precision(heading)
        if recall and any(term.endswith(noun) for term in heading for noun in self._nouns):
            recall = (1.0 - OF_KIND) * recall + OF_KIND
        return 1.25 * recall * precision / max(recall + 0.25 * precision, 1e-9)

    def _precision(self, heading: tuple[str, ...]) -> float:
        """How much of a heading is in the question."""
        compounds = words(self.asked.language).compounds
        own = {term for word in self.asked.terms for term in word}
        own |= self._nouns | {_joined(term, self.asked.language) for term in own}
        held = 0.0
        for term in heading:
            parts = [one for one in own if _parts(term, one)] if compounds and term not in own else []
            # "Einspruchsfrist" is in a question for the "Frist" of an "Einspruch" as a whole.
            held += 1.0 if term in own or len(parts) > 1 else IN_COMPOUND if parts else 0.0
        return held / len(heading)


@lru_cache(maxsize=4096)
def _heading_terms(heading: str, language: str) -> tuple[str, ...]:
    frame = {term for word in law(base_of(language)).frame for term in analyzer(language).terms(word)}
    return tuple(term for term in analyzer(language).terms(heading) if term not in frame)


def _parts(one: str, other: str) -> bool:
    """Whether one of two words is a part of the other, at its beginning or its end."""
    short, long = sorted((one, other), key=len)
    return len(short) >= SHORTEST_PART and (long.startswith(short) or long.endswith(short))


@lru_cache(maxsize=65536)
def _joined(term: str, language: str) -> str:
    """A verb without what stands inside of it: "auszuschlagen" and "ausgeschlagen" are "ausschlagen"."""
    found = lexicon(language).parted_verb.fullmatch(term + "en")
    return f"{found[1]}{found[2]}" if found and found.re.groups >= 2 else term

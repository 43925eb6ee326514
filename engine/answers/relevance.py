"""The kind of answer that a question asks for, and how much of a question a sentence contains."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.investigation.evidence import QuestionWords, bounded
from engine.language.analysis import STOPWORDS, analyzer
from engine.language.references import find_mentions
from engine.language.statements import Bound, Kind, quantities_in
from engine.language.statements.lexicon import group_of, lexicon
from engine.languages import base_of, law, words
from engine.model import Passage

# A sentence on the subject answers only if it gives the kind of answer asked for (Prager and others 2000,
# "Question-answering by predictive annotation"): the kind is checked first, then how much is shared.


class Asks(StrEnum):
    """Kinds of answers. Nearly every rule gives ``WHO``, ``WHETHER``, ``WHEN`` and ``CONSEQUENCE``."""

    PERIOD = "period"
    DEADLINE = "deadline"
    WHEN = "when"
    AMOUNT = "amount"
    NUMBER = "number"
    PENALTY = "penalty"
    LIMIT = "limit"
    FREQUENCY = "frequency"
    WHERE = "where"
    WHETHER = "whether"
    WHO = "who"
    CONSEQUENCE = "consequence"


# Names of the kinds of answers, for notes on a missing one.
WORDS = {
    Asks.PERIOD: "a period or a date",
    Asks.DEADLINE: "a deadline",
    Asks.WHEN: "a time or a condition",
    Asks.AMOUNT: "an amount or a share",
    Asks.NUMBER: "a number",
    Asks.PENALTY: "a penalty",
    Asks.LIMIT: "a limit",
    Asks.FREQUENCY: "how often",
    Asks.WHERE: "a place or an authority",
    Asks.WHETHER: "whether it is so",
    Asks.WHO: "who it is",
    Asks.CONSEQUENCE: "what follows",
}
# Kinds that most sentences do not give: an answer must give the one asked for.
SPECIFIC = frozenset(Asks) - {Asks.WHEN, Asks.WHETHER, Asks.WHO, Asks.CONSEQUENCE}
# Questions with more than SHORT words may ask several things; the first begins within BEGINNING characters.
SHORT, BEGINNING = 15, 12
_WORD = re.compile(r"[^\W_]+")
_QUANTITIES = {
    Asks.PERIOD: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.DEADLINE: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.WHEN: frozenset((Kind.DURATION, Kind.DATE, Kind.DAY)),
    Asks.AMOUNT: frozenset((Kind.AMOUNT, Kind.SHARE)),
    Asks.NUMBER: frozenset((Kind.COUNT, Kind.AMOUNT, Kind.SHARE)),
    Asks.LIMIT: frozenset((Kind.DURATION, Kind.COUNT, Kind.AMOUNT, Kind.SHARE)),
}
_CUES = {Asks.WHEN: ("condition", "after", "before", "upper", "lower")}
_ANSWER_TABLE = {
    Asks.PERIOD: "period",
    Asks.DEADLINE: "period",
    Asks.WHEN: "period",
    Asks.PENALTY: "penalty",
    Asks.FREQUENCY: "frequency",
    Asks.WHERE: "where",
    Asks.CONSEQUENCE: "void",
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
_WHOLE = (
    *("when", "count", "where", "who", "whether", "measure", "penalty", "deadline", "frequency"),
    "consequence",
)
_ENDS = ("time", "money", "must", "may")
_KINDS = (
    (Asks.PENALTY, "penalty"),
    (Asks.FREQUENCY, "frequency"),
    (Asks.NUMBER, "count"),
    (Asks.AMOUNT, "money"),
    (Asks.DEADLINE, "deadline"),
    (Asks.WHEN, "when"),
    (Asks.PERIOD, "time"),
    (Asks.WHERE, "where"),
    (Asks.CONSEQUENCE, "consequence"),
    (Asks.WHO, "who"),
    (Asks.WHETHER, "whether"),
)


def answer_kinds(question: str, language: str) -> frozenset[Asks]:
    """Return the kinds of answers that a question asks for by its words."""
    patterns, found = _question_patterns(base_of(language)), set[Asks]()
    short, limit = len(_WORD.findall(question)) <= SHORT, _limit_asked(question, language)
    for kind, name in _KINDS:
        pattern = patterns.get(name)
        match = pattern.search(question) if pattern is not None else None
        if match is None:
            continue
        # After a long beginning, a match is only one of several things asked.
        if short or match.start() <= BEGINNING or kind not in SPECIFIC:
            found.update(_counted(question, match, language) if kind is Asks.NUMBER else (kind,))
        # "When" alone asks for no period, "what fine" for no amount.
        question = f"{question[: match.start()]}{' ' * len(match[0])}{question[match.end() :]}"
    if limit and Asks.WHETHER not in found and (found & SPECIFIC or limit.start() <= BEGINNING):
        found.add(Asks.LIMIT)
    return frozenset(found - {Asks.PERIOD} if Asks.DEADLINE in found else found)


def _counted(question: str, match: re.Match[str], language: str) -> frozenset[Asks]:
    """Return what "how many" asks for by what it counts: days are a period, crowns an amount."""
    counted = f"{question[: match.start()]}3{question[match.end() :]}"
    read = {one.kind for one in quantities_in(counted, language) if one.span.start == match.start()}
    if Kind.DURATION in read:
        return frozenset((Asks.PERIOD,))
    if Kind.AMOUNT in read:
        return frozenset((Asks.AMOUNT,))
    counts = Kind.COUNT in read and question[match.end() :].strip(" ?")
    return frozenset((Asks.NUMBER,)) if counts else frozenset((Asks.NUMBER, Asks.PERIOD))


def _limit_asked(question: str, language: str) -> re.Match[str] | None:
    """Return the words by which a question asks for the most or the least: "maximum", "at least"."""
    cues = lexicon(language).cues
    return cues["upper"].search(question) or cues["lower"].search(question)


def question_words(question: str, language: str) -> frozenset[str]:
    """Return the words of a question that only ask, in lower case: answers do not repeat them."""
    patterns, found = _question_patterns(base_of(language)), set[str]()
    for name in (*_WHOLE, *_ENDS):
        pattern = patterns.get(name)
        for match in pattern.finditer(question) if pattern is not None else ():
            words = _WORD.findall(match[0].casefold())
            # An answer repeats "fee" and "threshold", and no "period".
            ends = words[:1] if name == "money" else (*words[:1], *words[-1:])
            found.update(words if name in _WHOLE else ends)
    limit = _limit_asked(question, language)
    found.update(_WORD.findall(limit[0].casefold()) if limit else ())
    # "Must", "may", "can": a law may use "shall" instead.
    modal = (_WORD.findall(match[0].casefold()) for match in lexicon(language).modal.finditer(question))
    found.update(words[0] for words in modal if len(words) == 1)
    return frozenset(found)


def gives(text: str, language: str, kind: Asks) -> bool:
    """True if a sentence gives an answer of a kind, or the language has no patterns for the kind."""
    quantities = _QUANTITIES.get(kind, frozenset())
    if measures(text, language, frozenset((kind,))):
        return True
    words = lexicon(language)
    if any(words.cues[name].search(text) for name in _CUES.get(kind, ())):
        return True
    if kind is Asks.WHETHER:
        return bool(modals_in(text, language)) or words.cues["not"].search(text) is not None
    pattern = _answer_patterns(base_of(language)).get(_ANSWER_TABLE.get(kind, ""))
    return pattern.search(text) is not None if pattern is not None else not quantities


def modals_in(text: str, language: str) -> frozenset[str]:
    """Return the kinds of modal verbs of a text: must, may, must_not, need_not."""
    found = {group_of(match) for match in lexicon(language).modal.finditer(text)}
    patterns = _answer_patterns(base_of(language))
    return frozenset(
        found | {kind for kind in ("must", "may") if kind in patterns and patterns[kind].search(text)}
    )


def modals_asked(question: str, language: str) -> frozenset[str]:
    """Return the kinds of modal verbs of a question; "when is it required?" asks for a duty without one."""
    return _matching(_question_patterns(base_of(language)), question) or modals_in(question, language)


def _matching(patterns: Mapping[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(kind for kind in ("must", "may") if kind in patterns and patterns[kind].search(text))


def answers_modal(asked: frozenset[str], given: frozenset[str]) -> bool:
    """True if a sentence with some modal verbs may answer a question with others: a duty does not answer
    whether something is allowed, nor the reverse."""
    if len(asked) != 1 or not given or not asked <= {"may", "must"}:
        return True
    return bool(given - ({"must"} if asked == {"may"} else {"may"}))


def kinds_elsewhere(text: str, language: str, kinds: frozenset[Asks]) -> frozenset[Asks]:
    """Return the kinds of answers that a sentence names and leaves to another provision: "a new period under
    Article 26 begins"."""
    timed = kinds & {Asks.PERIOD, Asks.DEADLINE}
    if not timed or not any(one.targets for one in find_mentions(text, language)):
        return frozenset()
    reader = analyzer(language)
    nouns = {term for noun in heading_nouns(timed, language) for term in reader.terms(noun)}
    return timed if any(term.endswith(tuple(nouns)) for term in reader.terms(text)) else frozenset()


def gives_in_row(head: str, above: str, language: str, kind: Asks, terms: Collection[str]) -> bool:
    """True if a table row gives an answer of a kind: the heading above the table or a column name has a noun
    of the kind, or a column name other than the first has a term of the question."""
    reader = analyzer(language)
    nouns = {term for noun in heading_nouns(frozenset((kind,)), language) for term in reader.terms(noun)}
    columns = reader.terms(head.partition("|")[2])
    printed = (*reader.terms(f"{above} {head}"),)
    return any(term in terms for term in columns) or any(term.endswith(tuple(nouns)) for term in printed)


@lru_cache(maxsize=4096)
def without_names(text: str, language: str) -> str:
    """Remove the names of other documents from a sentence: they are not its subject."""
    for mention in reversed(find_mentions(text, language)):
        if mention.document and mention.targets and not mention.here:
            start = mention.span.start if mention.name_at is None else mention.name_at
            text = f"{text[:start]} {text[mention.span.end :]}"
    return text


def heading_nouns(kinds: frozenset[Asks], language: str) -> tuple[str, ...]:
    """Return the nouns of headings under which answers of some kinds are found."""
    heads = {str(name): nouns for name, nouns in law(base_of(language)).heads.items()}
    return tuple(noun for kind in sorted(kinds) for noun in heads.get(_HEADS.get(kind, ""), ()))


def measures(text: str, language: str, kinds: frozenset[Asks]) -> bool:
    """True if a sentence has a quantity of one of the kinds."""
    quantities = {one for kind in kinds for one in _QUANTITIES.get(kind, ())}
    # "For at least six years" is no deadline.
    barred = {Bound.LOWER} if Asks.DEADLINE in kinds else {Bound.EXACT} if Asks.LIMIT in kinds else set()
    return bool(quantities) and any(
        one.kind in quantities and one.bound not in barred for one in quantities_in(text, language)
    )


def opens_with_condition(text: str, language: str) -> str:
    """Return the condition that a sentence begins with, up to its comma or colon; empty if it has none."""
    cues = lexicon(language).cues
    if not any(cues[name].match(text) for name in ("condition", "after", "before")):
        return ""
    return re.split(r"[,:،：]", text, maxsplit=1)[0]


def departs(text: str, language: str) -> bool:
    """True if a sentence begins as an exception or as the rule for a special case."""
    pattern = law(language).departs
    return bool(pattern) and re.match(pattern, text, re.IGNORECASE) is not None


def states_consequence(text: str, language: str) -> bool:
    """True if a sentence states the consequence of a breach."""
    pattern = _answer_patterns(base_of(language)).get("void")
    return pattern is not None and pattern.search(text) is not None


@cache
def _question_patterns(language: str) -> dict[str, re.Pattern[str]]:
    return {kind: _compiled(expressions) for kind, expressions in law(language).wanted.items()}


@cache
def _answer_patterns(language: str) -> dict[str, re.Pattern[str]]:
    return {kind: _compiled(expressions) for kind, expressions in law(language).given.items()}


def _compiled(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(bounded(expressions), re.IGNORECASE)


# Pairs of neighbouring words distinguish a sentence on the subject from one that only shares words (Metzler
# and Croft 2005, "A Markov random field model for term dependencies"). A heading with the question's words
# and few others names the provision that governs it.

# Share of a word that is part of a compound: "Frist" in "Kündigungsfrist".
IN_COMPOUND = 0.7
# Share of a word for which the text has a synonym.
OF_ONE_MEANING = 0.8
# Part of a heading's share of the question that goes to a noun of the kind of answer.
OF_KIND = 0.3
# Minimum letters of a part of a compound.
SHORTEST_PART = 5
# Words after a condition's cue that show whether the question is about it.
OF_CONDITION = 3
# Maximum words between two question words that count as neighbours in a text.
BETWEEN = 1
_BEARING_WORD = re.compile(r"\w+")
WordShares = NDArray[np.float32]


@dataclass(frozen=True)
class QuestionMatcher:
    """Compares a question with texts. ``asked`` has the question's words with their weights."""

    asked: QuestionWords
    question: str
    _seen: dict[tuple[str, ...], WordShares] = field(default_factory=dict)

    @cached_property
    def weights(self) -> WordShares:
        """Weight of each word, summing to 1; words that only ask have weight 0."""
        only = question_words(self.question, self.asked.language)
        counted = np.array([word.casefold() not in only for word in self.asked.words], np.bool_)
        weights = self.asked.weights * counted if counted.any() else self.asked.weights
        total = float(weights.sum())
        return (weights / total if total else weights).astype(np.float32)

    @cached_property
    def modals(self) -> frozenset[str]:
        """Modal verbs of the question."""
        return modals_asked(self.question, self.asked.language)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Stems of the question's words, in order."""
        return tuple(analyzer(self.asked.language).terms(self.question))

    def printed(self, text: str) -> int:
        """Count the words of a text that the question has letter for letter, without function words of more
        than one letter."""
        own = set(_BEARING_WORD.findall(self.question))
        empty = STOPWORDS.get(base_of(self.asked.language), frozenset())
        return sum(word in own for word in _BEARING_WORD.findall(text) if len(word) == 1 or word not in empty)

    @cached_property
    def _pairs(self) -> frozenset[frozenset[str]]:
        """Pairs of neighbouring words in any order: "erlischt das Recht" asks for "das Recht erlischt"."""
        return frozenset(map(frozenset, zip(self.terms, self.terms[1:], strict=False)))

    def word_shares(self, terms: Sequence[str]) -> WordShares:
        """Return how far each question word is among the terms of a text, 0..1, shape (words,)."""
        key = tuple(sorted(set(terms)))
        cached = self._seen.get(key)
        if cached is not None:
            return cached
        found = frozenset(key) | frozenset(_joined(term, self.asked.language) for term in key)
        word_shares = np.array([own <= found for own in self.asked.terms], np.float32)
        meanings = lexicon(self.asked.language).meanings
        found_meanings = {meanings[term] for term in found if term in meanings}
        for number, own in enumerate(self.asked.terms):
            if not word_shares[number] and any(
                meanings.get(term) in found_meanings for term in own if term in meanings
            ):
                word_shares[number] = OF_ONE_MEANING
        if words(self.asked.language).compounds:
            for number, own in enumerate(self.asked.terms):
                if not word_shares[number] and all(self._in_part(term, found) for term in own):
                    word_shares[number] = IN_COMPOUND
        self._seen[key] = word_shares
        return word_shares

    def _in_part(self, term: str, found: Iterable[str]) -> bool:
        joined = _joined(term, self.asked.language)
        return any(_parts(joined, other) for other in found)

    def share(self, terms: Sequence[str]) -> float:
        """Return the share of the question that a text has, 0..1."""
        return float(self.weights @ self.word_shares(terms))

    def pairs(self, terms: Sequence[str]) -> float:
        """Return the share of the question's neighbouring words that are neighbours in a text, 0..1."""
        if not self._pairs:
            return 0.0
        gaps = range(1, BETWEEN + 2)
        near = {frozenset(pair) for gap in gaps for pair in zip(terms, terms[gap:], strict=False)}
        return len(self._pairs & near) / len(self._pairs)

    def is_special_case(self, text: str, language: str) -> bool:
        """True if a sentence begins with a condition or an exception of which the question has no word."""
        cue = lexicon(language).cues["condition"].match(text)
        if departs(text, language):
            return True
        terms = analyzer(language).terms(text[cue.end() :])[:OF_CONDITION] if cue is not None else ()
        return bool(terms) and not self.share(terms)

    def focus(self, passage: Passage) -> float:
        """Return how far a heading, or one of its parts, has the question's words and no others, 0..1: the
        harmonic mean of the shared part of the question and the shared part of the heading, the latter
        weighted double."""
        heading = passage.headings[-1] if passage.headings else ""
        parts = [_heading_terms(part, passage.language) for part in heading.split(";")]
        return max((self._focus(part) for part in parts if part), default=0.0)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """Stems of the nouns in headings of the kind of answer asked for."""
        kinds = answer_kinds(self.question, self.asked.language)
        reader = analyzer(self.asked.language)
        return frozenset(
            term for noun in heading_nouns(kinds, self.asked.language) for term in reader.terms(noun)
        )

    def _focus(self, heading: tuple[str, ...]) -> float:
        recall, precision = self.share(heading), self._precision(heading)
        if recall and any(term.endswith(noun) for term in heading for noun in self._nouns):
            recall = (1.0 - OF_KIND) * recall + OF_KIND
        return 1.25 * recall * precision / max(recall + 0.25 * precision, 1e-9)

    def _precision(self, heading: tuple[str, ...]) -> float:
        """Return the share of a heading that is in the question."""
        compounds = words(self.asked.language).compounds
        own = {term for word in self.asked.terms for term in word}
        own |= self._nouns | {_joined(term, self.asked.language) for term in own}
        word_shares = 0.0
        for term in heading:
            parts = [one for one in own if _parts(term, one)] if compounds and term not in own else []
            # A question for the "Frist" of an "Einspruch" contains "Einspruchsfrist" completely.
            word_shares += 1.0 if term in own or len(parts) > 1 else IN_COMPOUND if parts else 0.0
        return word_shares / len(heading)


@lru_cache(maxsize=4096)
def _heading_terms(heading: str, language: str) -> tuple[str, ...]:
    frame = {term for word in law(base_of(language)).frame for term in analyzer(language).terms(word)}
    terms = analyzer(language).terms(heading)
    # "art9" is the term of "Article 9".
    return tuple(term for term in terms if term not in frame and not term[-1:].isdecimal())


def _parts(one: str, other: str) -> bool:
    """True if one of two words is the beginning or the end of the other."""
    short, long = sorted((one, other), key=len)
    return len(short) >= SHORTEST_PART and (long.startswith(short) or long.endswith(short))


@lru_cache(maxsize=65536)
def _joined(term: str, language: str) -> str:
    """Return a verb without inner particles: "auszuschlagen" and "ausgeschlagen" are "ausschlagen"."""
    found = lexicon(language).parted_verb.fullmatch(term + "en")
    return f"{found[1]}{found[2]}" if found and found.re.groups >= 2 else term

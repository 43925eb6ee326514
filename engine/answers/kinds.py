"""What kind of answer a question asks for, and whether a sentence gives it.

A sentence that is about the thing asked and gives no answer of the kind is no answer (Prager and others 2000,
"Question-answering by predictive annotation"): the type decides, and only then how much is shared.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from functools import cache

from engine.language.analyzer import analyzer
from engine.language.statements import Bound, Kind, quantities_in
from engine.language.statements.lexicon import lexicon
from engine.languages import base_of, law


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

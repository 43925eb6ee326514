"""What kind of quantity a question asks for: a time (when, how long) or a sum (how much).

The type of the answer that a question wants has told since the first systems of question answering which
sentences may hold it (Voorhees and Tice 2000, "The TREC-8 Question Answering Track").
"""

from __future__ import annotations

import re
from functools import cache

from engine.language.statements import Kind
from engine.languages import base_of, law

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

"""Facts that a question states: quantities near words for the facts. They are proposed, never applied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.corpus.protocol import Ontology
from engine.corpus.rule_expressions import Fact
from engine.corpus.rule_values import Choice, Duration, FactType, Value, value_text
from engine.language.analysis import analyzer
from engine.language.statements import Kind, Quantity, quantities_in
from engine.model import Span

# Maximum distance of a value from the words for its fact, in characters within a sentence.
NEAR = 80
_KINDS = {
    FactType.NUMBER: (Kind.COUNT, Kind.SHARE),
    FactType.MONEY: (Kind.AMOUNT, Kind.COUNT),
    FactType.DATE: (Kind.DATE,),
    FactType.DURATION: (Kind.DURATION,),
}
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[.?!;؟。](?:\s|$)")


@dataclass(frozen=True, slots=True)
class MentionedFact:
    """A value that a question may give for a fact: formatted as input, and the question's words."""

    fact: str
    value: str
    words: str
    span: Span


def mentioned_facts(ontology: Ontology, question: str, language: str) -> tuple[MentionedFact, ...]:
    """Return at most one value for each fact, and each value for one fact: the nearest pairs, in fact
    order."""
    quantities = quantities_in(question, language)
    reading = analyzer(language)
    # Words that are not indexed ("of", "the") are not part of a name.
    words = [(m.group(), m.span()) for m in _WORD.finditer(question) if reading.terms(m.group())]
    pairs = [
        (distance, number, fact, text, span)
        for number, fact in enumerate(ontology.facts)
        for anchor in _anchors(fact, words, language)
        for text, span in _values(fact, quantities, words)
        if (distance := _distance(question, anchor, span)) is not None
    ]
    taken: set[Span] = set()
    found: dict[str, MentionedFact] = {}
    for _, _, fact, text, span in sorted(pairs, key=lambda pair: (pair[0], pair[1], pair[4].start)):
        if fact.id not in found and span not in taken:
            taken.add(span)
            found[fact.id] = MentionedFact(fact.id, text, question[span.start : span.end], span)
    return tuple(found[fact.id] for fact in ontology.facts if fact.id in found)


def _anchors(fact: Fact, words: Sequence[tuple[str, tuple[int, int]]], language: str) -> Iterator[Span]:
    """Yield the spans of words for a fact: all words of its name or of a keyword in a row."""
    reading = analyzer(language)
    stems = [frozenset(reading.terms(word)) for word, _ in words]
    names = (fact.names.get(language), *fact.keywords.get(language, ()), fact.id.replace("_", " "))
    for name in dict.fromkeys(name for name in names if name):
        stems_of_name = [own for word in _WORD.findall(name) if (own := frozenset(reading.terms(word)))]
        for start in range(len(words) - len(stems_of_name) + 1):
            if stems_of_name and all(own <= stems[start + at] for at, own in enumerate(stems_of_name)):
                yield Span(words[start][1][0], words[start + len(stems_of_name) - 1][1][1])


def _values(
    fact: Fact, quantities: Sequence[Quantity], words: Sequence[tuple[str, tuple[int, int]]]
) -> Iterator[tuple[str, Span]]:
    if fact.type is FactType.CHOICE:
        for word, (start, stop) in words:
            if word.casefold() in {value.casefold() for value in fact.scale}:
                yield value_text(Choice(word.casefold(), (word.casefold(),))), Span(start, stop)
    for quantity in quantities:
        value = _value(fact, quantity)
        if value is not None:
            yield value_text(value, fact.unit).replace(",", ""), quantity.span


def _value(fact: Fact, quantity: Quantity) -> Value | None:
    """Return the quantity as a value of a fact; None for another kind or unit."""
    if quantity.kind not in _KINDS.get(fact.type, ()):
        return None
    number = Decimal(repr(quantity.value))
    match quantity.kind, fact.type:
        case Kind.DATE, _:
            return date.fromordinal(int(quantity.value))
        case Kind.DURATION, _:
            whole = int(quantity.value)
            spans = {"day": Duration(days=whole), "month": Duration(months=whole)}
            return spans.get(quantity.unit) if whole == quantity.value else None
        case Kind.COUNT, FactType.MONEY:
            # A currency unknown to the parser of quantities is a noun after a number.
            return number.normalize() if _same_unit(quantity.unit, fact.unit) else None
        case Kind.AMOUNT, FactType.MONEY:
            return number.normalize() if _same_unit(quantity.unit, fact.unit) or not fact.unit else None
    return number.normalize()


def _same_unit(left: str, right: str) -> bool:
    folded = (left.casefold(), right.casefold())
    return bool(left) and (folded[0] == folded[1] or folded[0].rstrip("s") == folded[1].rstrip("s"))


def _distance(question: str, anchor: Span, value: Span) -> int | None:
    """Return the characters between two spans of one sentence; None if far apart or overlapping."""
    start, stop = min(anchor.end, value.end), max(anchor.start, value.start)
    if stop < start or stop - start > NEAR or _SENTENCE.search(question[start:stop]):
        return None
    # A value after the words for a fact takes precedence over one before them.
    return stop - start + (0 if value.start >= anchor.end else 1)

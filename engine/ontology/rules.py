"""Rules in words: the facts that a question states (never applied unasked), and the outcomes of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from engine.corpus.protocol import Ontology
from engine.corpus.rule_expressions import Fact
from engine.corpus.rule_values import Choice, Duration, FactType, Value, value_text
from engine.language.analysis import analyzer
from engine.language.statements import Kind, Quantity, quantities_in
from engine.model import Span
from engine.ontology.applying import Citation, Outcome, Verdict

# Most characters of a quoted provision.
EXCERPT = 300
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


def outcomes_text(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield each rule with its outcome, the values used and the provisions it cites, verbatim."""
    for outcome in outcomes:
        yield f"{outcome.name} -> {verdict_words(outcome)}"
        if outcome.verdict is Verdict.HOLDS and outcome.because:
            yield f"  {outcome.because}"
        yield f"  when: {outcome.rule.when}"
        for name, value in outcome.used:
            yield f"  {name}: {value}"
        for reason in outcome.reasons:
            yield f"  {reason}"
        for citation in outcome.citations:
            yield from _citation_lines(citation)
        for warning in outcome.warnings:
            yield f"  Note: {warning}"
        yield ""


def verdict_words(outcome: Outcome) -> str:
    """Return the outcome in words: "holds: invalid", "does not hold", "needs the day of delivery", "not in
    force on 2023-05-01"."""
    if outcome.verdict is Verdict.HOLDS:
        return f"{outcome.verdict.value}: {outcome.rule.then}"
    if outcome.verdict is Verdict.OPEN:
        return f"{outcome.verdict.value} {'; '.join(outcome.needs) or 'more than these facts'}"
    if outcome.verdict is Verdict.NOT_IN_FORCE:
        return f"{outcome.verdict.value} on {outcome.day.isoformat()}"
    return outcome.verdict.value


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes as plain values."""
    return [
        {
            "rule": outcome.rule.id,
            "name": outcome.name,
            "verdict": outcome.verdict.value,
            "day": outcome.day.isoformat(),
            "then": outcome.rule.then,
            "because": outcome.because,
            "when": outcome.rule.when,
            "needs": list(outcome.needs),
            "reasons": list(outcome.reasons),
            "used": dict(outcome.used),
            "citations": [
                {
                    "said": citation.words,
                    "problem": citation.problem,
                    "passages": [
                        {"id": text.passage_id, "label": text.label, "document": text.document,
                         "text": text.text, "validity": text.validity or "in force or not known"}
                        for text in citation.texts
                    ],
                }
                for citation in outcome.citations
            ],
            "warnings": list(outcome.warnings),
        }
        for outcome in outcomes
    ]  # fmt: skip


def _citation_lines(citation: Citation) -> Iterator[str]:
    for text in citation.texts:
        body = " ".join(text.text.split())
        body = body if len(body) <= EXCERPT else f"{body[:EXCERPT].rsplit(' ', 1)[0]} …"
        validity = f" [{text.validity}]" if text.validity else ""
        yield f"  {text.document}, {text.label}{validity}: {body}"

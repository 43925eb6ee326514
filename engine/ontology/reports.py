"""Reports on an ontology in words: how much of a corpus it covers, facts in questions, outcomes of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from engine.corpus.protocol import Area, Corpus, Mask, Ontology, Rows
from engine.corpus.rule_expressions import Fact
from engine.corpus.rule_values import Choice, Duration, FactType, Value, value_text
from engine.language.analysis import analyzer
from engine.language.statements import Kind, Quantity, quantities_in
from engine.model import Span
from engine.ontology.applying import Citation, Concepts, Outcome, Verdict, find_problems

# Coverage of a corpus by the areas of an ontology, and the check of an ontology against a corpus.

# A passage is covered if it has all words of a keyword in its own language, in its text or in the text around
# it (headings, label), as in the coverage of a question's areas.
QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Reach:
    """Coverage of an area. ``passages`` counts all, ``examples`` are ids of those with most of its keywords;
    ``found`` is the number of passages for each keyword in each language."""

    passages: int
    examples: tuple[str, ...]
    found: Mapping[tuple[str, str], int]


class Index:
    """Looks up keywords, each word once. Masks have shape (passages,)."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        everything = np.arange(len(corpus), dtype=np.int32)
        names = [document.language for document in corpus.documents()]
        numbers = corpus.document_numbers(everything)
        own = np.asarray(names, dtype=object)[numbers] if names else np.zeros(0, dtype=object)
        self._languages: dict[str, Mask] = {name: own == name for name in set(names)}
        self._words: dict[tuple[str, str], Mask] = {}

    def of_language(self, language: str) -> Mask:
        """Return the mask of passages in documents of a language."""
        empty = np.zeros(len(self._corpus), np.bool_)
        return self._languages.get(language, empty)

    def prepare(self, keywords: Iterable[tuple[str, str]]) -> None:
        """Look up the words of many keywords, each a language and a text, at once."""
        words_of: dict[str, set[str]] = {}
        for language, text in keywords:
            new = {word for word in _words(language, text) if (language, word) not in self._words}
            words_of.setdefault(language, set()).update(new)
        for language, words in words_of.items():
            self._look_up(language, sorted(words))

    def holding(self, language: str, keyword: str) -> Mask:
        """Return the mask of a language's passages with all words of a keyword; empty without words."""
        words = _words(language, keyword)
        own = self._languages.get(language)
        if own is None or not words:
            return np.zeros(len(self._corpus), np.bool_)
        self.prepare([(language, keyword)])
        found = own.copy()
        for word in words:
            found &= self._words[language, word]
        return found

    def counts(self, area: Area) -> Rows:
        """Return the number of an area's keywords in each passage, shape (passages,)."""
        self.prepare((language, word) for language, words in area.keywords.items() for word in words)
        total = np.zeros(len(self._corpus), np.int32)
        for language, keywords in area.keywords.items():
            for keyword in keywords:
                total += self.holding(language, keyword)
        return total

    def reach(self, area: Area, examples: int = 3) -> Reach:
        """Return the coverage of an area."""
        counts = self.counts(area)
        bare = self._corpus.bare_headings(np.arange(len(self._corpus), dtype=np.int32))
        best = np.lexsort((np.arange(len(counts)), bare, -counts))[:examples]
        shown = [int(row) for row in best if counts[row] > 0]
        ids = tuple(passage.id for passage in self._corpus.passages(np.asarray(shown, np.int32)))
        found = {
            (language, keyword): int(self.holding(language, keyword).sum())
            for language, keywords in area.keywords.items()
            for keyword in keywords
        }
        return Reach(int((counts > 0).sum()), ids, found)

    def _look_up(self, language: str, words: Sequence[str]) -> None:
        for start in range(0, len(words), QUERIES_AT_ONCE):
            part = words[start : start + QUERIES_AT_ONCE]
            answers = self._corpus.search_lexical(part, language, len(self._corpus))
            for word, hits in zip(part, answers, strict=True):
                mask = np.zeros(len(self._corpus), np.bool_)
                mask[hits.rows] = True
                self._words[language, word] = mask


def overlaps(areas: Mapping[str, Mask]) -> dict[str, tuple[str, float]]:
    """Return, for each area, the one that shares most of its passages, and the share."""
    found: dict[str, tuple[str, float]] = {}
    for name, own in areas.items():
        size = int(own.sum())
        shares = [
            (float((own & other).sum()) / size, another)
            for another, other in areas.items()
            if another != name and size
        ]
        if shares:
            share, another = max(shares, key=lambda pair: (pair[0], pair[1]))
            found[name] = (another, share)
    return found


def _words(language: str, keyword: str) -> list[str]:
    """Return the indexed words of a keyword; other words are no condition."""
    reading = analyzer(language)
    return [word for word in keyword.split() if reading.terms(word)]


def covered_share(areas: Sequence[Area], index: Index) -> float:
    """Return the share of a corpus's passages that some area covers."""
    masks = [index.counts(area) > 0 for area in areas]
    return float(np.mean(np.logical_or.reduce(masks))) if masks and len(masks[0]) else 0.0


def check_text(corpus: Corpus, ontology: Ontology) -> Iterator[str]:
    """Yield what each area of an ontology covers in a corpus, and its keywords that never occur; what each
    type of transaction needs; and the concepts in their hierarchy, with their missing provisions."""
    index = Index(corpus)
    for area in ontology.areas:
        reach = index.reach(area)
        yield f"{area.id}: covers {_passages(reach.passages)}{_absent(area, index)}"
    share = covered_share(ontology.areas, index)
    yield f"{len(ontology.areas)} areas cover {share:.0%} of the passages"
    areas = {area.id: area for area in ontology.areas}
    for transaction, needed in ontology.transactions.items():
        needed_text = ", ".join(f"{name} {ontology.needed(areas[name], transaction)}" for name in needed)
        yield f"transaction {transaction} needs passages: {needed_text or 'none'}"
    if ontology.concepts:
        yield from _concepts_text(corpus, Concepts(ontology))


def _concepts_text(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """Yield the concepts, each below its parent, and their problems."""
    for concept in known.in_order():
        articles = known.articles(corpus, concept)
        count = sum(len(article.found.rows) for article in articles)
        indent = "  " * len(known.above(concept))
        size = (
            f"{len(concept.articles)} article{'' if len(concept.articles) == 1 else 's'}, {_passages(count)}"
        )
        checks = f"; to check: {'; '.join(concept.required_checks)}" if concept.required_checks else ""
        yield f"{indent}concept {concept.id} (importance {concept.importance}): {size}{checks}"
    missing_provisions = list(find_problems(corpus, known))
    yield from (f"wrong: {problem}" for problem in missing_provisions)
    missing = (
        f"{len(missing_provisions) or 'no'} provision{'' if len(missing_provisions) == 1 else 's'} missing"
    )
    yield f"{len(known.ontology.concepts)} concepts; {missing}"


def _absent(area: Area, index: Index) -> str:
    missing = [
        f"{word} ({language})"
        for language, words in area.keywords.items()
        for word in words
        if index.of_language(language).any() and not index.holding(language, word).any()
    ]
    return f"; not in the corpus: {', '.join(missing)}" if missing else ""


def _passages(count: int) -> str:
    return f"{count:,} passage{'' if count == 1 else 's'}"


# Rules in words: the facts that a question states (never applied unasked), and the outcomes of
# rules.

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

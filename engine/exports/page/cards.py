"""The ranked passages of a case as cards: what was found, word for word, and why it is here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.exports.checking import Checker
from engine.exports.memo.names import PassageNames
from engine.exports.memo.wording import one_line
from engine.language.characters import right_to_left
from engine.language.quotes import matched_spans, question_terms
from engine.model import Hop
from engine.records.record import CaseRecord, PassagePart
from engine.records.wording import Name, trail_clauses

# Cards of a page, trails of a card.
MOST_CARDS, MOST_TRAILS = 100, 3
# A piece of a line, with whether the question asks for it.
Line = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a trail in words. ``asks``: the quote is a query that was sent."""

    strategy: str
    words: str
    quote: str
    asks: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A ranked passage as it is shown; ``turned``: it runs from right to left."""

    rank: int
    title: str
    where: str
    path: str
    language: str
    turned: bool
    pinned: bool
    validity: str
    old: bool
    lines: tuple[Line, ...]
    trails: tuple[tuple[Step, ...], ...]
    more_trails: int
    beside: tuple[str, ...]
    check: str
    differs: bool
    now: str


def cards_of(case: CaseRecord, checker: Checker, name: PassageNames) -> list[Card]:
    """The first cards of a ranking, best first. Raises InputError where the record is damaged."""
    return [_card(one, case.question, checker, name) for one in case.passages[:MOST_CARDS]]


def _card(passage: PassagePart, question: str, checker: Checker, name: PassageNames) -> Card:
    trails = passage.hops()
    found = checker.quoted(passage.text, passage.ids)
    return Card(
        rank=passage.rank,
        title=passage.title or passage.document or passage.id,
        where=passage.where,
        path=" › ".join(passage.headings),
        language=passage.language,
        turned=right_to_left(passage.text),
        pinned=passage.pinned,
        validity=passage.validity or "",
        old=passage.out_of_force,
        lines=tuple(_lines(passage, question)),
        trails=tuple(tuple(_steps(trail, name)) for trail in trails[:MOST_TRAILS]),
        more_trails=max(0, len(trails) - MOST_TRAILS),
        beside=tuple(_beside(passage, name)),
        check=found.check.value,
        differs=not found.check.holds and bool(checker.corpus),
        now=one_line(found.now) if found.now else "",
    )


def _lines(passage: PassagePart, question: str) -> Iterator[Line]:
    terms = question_terms(question, passage.language)
    for line in passage.text.splitlines():
        pieces: list[tuple[str, bool]] = []
        end = 0
        for span in matched_spans(line, passage.language, terms):
            pieces += [(line[end : span.start], False), (line[span.start : span.end], True)]
            end = span.end
        yield tuple(piece for piece in (*pieces, (line[end:], False)) if piece[0])


def _steps(trail: Sequence[Hop], name: Name) -> Iterator[Step]:
    for place, clause in enumerate(trail_clauses(trail, name)):
        words = clause.words[:1].upper() + clause.words[1:] if place == 0 else "which " + clause.words
        yield Step(clause.hop.strategy, words, clause.quote.strip("“”"), clause.asks)


def _beside(passage: PassagePart, name: Name) -> Iterator[str]:
    joined = [one for one in passage.ids if one != passage.id]
    for words, ids in (("Read together with", joined), ("The same words as", passage.same_words)):
        if ids:
            yield f"{words} {', '.join(map(name, ids))}"

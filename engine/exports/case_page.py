"""A case as one self-contained page: cards, colours, board."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.exports.board import board_of
from engine.exports.cases import ExportableCase, private_record_in
from engine.exports.memo.composing import checker_of, compose, names_of
from engine.exports.memo.content import Checker, PassageNames
from engine.exports.memo.markdown import note_words, one_line, settings_line
from engine.investigation.strategies.gaps import Gaps
from engine.language.characters import marked, pieces, right_to_left
from engine.language.quotes import matched_spans, question_terms
from engine.model import Hop
from engine.records.phrases import Name, trail_clauses
from engine.records.record import CaseRecord, PassagePart
from engine.strategy_registry import Colour, load_strategies, strategy_title

# The case as one self-contained HTML page.


# Colours as classes of the page, because a record may contain any strategy name.

# Other ways to find passages, and unknown strategies.
_OTHERS = {
    "scan": ("Scan", Colour("#7a7a7a", "#a5a5a5")),
    "named": ("Named in the question", Colour("#a3195b", "#ff7eb6")),
    "person": ("Added by a person", Colour("#1d1d1f", "#ececee")),
}
_SPARE = Colour("#7b5ea7", "#b39ddb")


@dataclass(frozen=True, slots=True)
class Palette:
    """Class and label by strategy; ``style`` are the rules of the classes."""

    classes: Mapping[str, str]
    titles: Mapping[str, str]
    style: str


def palette_of(case: CaseRecord, strategies: Iterable[str]) -> Palette:
    """Return the colours of some strategies, from the record, else from the registered strategies."""
    known = dict(_OTHERS)
    known |= {name: (one.title, one.colour) for name, one in load_strategies().items()}
    known[Gaps.name] = (Gaps.title, Gaps.colour)
    known |= {one.name: (one.title, Colour(one.colour.light, one.colour.dark)) for one in case.threads}
    classes, titles, light, dark = {}, {}, [], []
    for number, name in enumerate(dict.fromkeys(strategies)):
        titles[name], colour = known.get(name, (strategy_title(name), _SPARE))
        classes[name] = f"t{number}"
        light.append(f".t{number}{{--c:{colour.light}}}")
        dark.append(f".t{number}{{--c:{colour.dark}}}")
    # Print uses the light colours.
    style = f"{''.join(light)}\n@media screen and (prefers-color-scheme:dark){{{''.join(dark)}}}\n"
    return Palette(classes, titles, style)


# The ranked passages as cards: their text, and why they were found.

# Most cards of a page and trails of a card.
MOST_CARDS, MOST_TRAILS = 100, 3
# Pieces of a line, each with whether the question contains it.
Line = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A hop of a trail in words. ``asks``: the quote is a query."""

    strategy: str
    words: str
    quote: str
    asks: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A ranked passage for display; ``turned``: it is written from right to left."""

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
    related: tuple[str, ...]
    check: str
    differs: bool
    now: str


def cards_of(case: CaseRecord, checker: Checker, name: PassageNames) -> list[Card]:
    """Return the first cards of a ranking. Raises InputError if the record is damaged."""
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
        related=tuple(_related(passage, name)),
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


def _related(passage: PassagePart, name: Name) -> Iterator[str]:
    joined = [one for one in passage.ids if one != passage.id]
    for words, ids in (("Read together with", joined), ("The same words as", passage.same_words)):
        if ids:
            yield f"{words} {', '.join(map(name, ids))}"


# The page: question, answer, board, coverage, cards and log in one file without external resources.


def case_page(given: ExportableCase) -> str:
    """Return the page of a case. Raises InputError if the record is damaged."""
    case = private_record_in(given)
    memo = compose(given, case)
    name, checker = names_of(given, case), checker_of(given, case)
    cards = cards_of(case, checker, name)
    labels, titles = _documents(case, given.corpus)
    board = board_of(case, lambda one: labels.get(one) or name(one), titles)
    strategies = [step.strategy for card in cards for trail in card.trails for step in trail]
    if board is not None:
        strategies += [*board.strategies, *(line.strategy for line in board.lines)]
    palette = palette_of(case, strategies)
    style = (_environment().get_template("case.css").render() + palette.style).strip()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("case.html")
        .render(
            memo=memo,
            corpus=case.corpus,
            question_line=" ".join(case.question.split()),
            status_class=case.evidence.status.value,
            board=board,
            cards=cards,
            shown_ranks={card.rank for card in cards},
            ranked=len(case.passages),
            classes=palette.classes,
            titles=palette.titles,
            settings_line=settings_line(memo),
            style=style,
            style_hash=digest,
            pieces=_pieces,
            turned=right_to_left,
            lines=_lines_rendering,
            note_words=note_words,
        )
    )


def _documents(case: CaseRecord, corpus: Corpus | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return labels of passages and titles of their documents, by the ids of pool passages."""
    labels = {one.id: one.label for one in case.passages}
    ids = [node.id for node in case.pool.nodes]
    known = {one.document: one.title for one in case.passages if one.title}
    # The id of a passage begins with its document's.
    titles = {one: known.get(one.split("/")[0], one.split("/")[0]) for one in ids}
    titles |= {one.id: one.title for one in case.passages if one.title}
    if corpus is not None and ids:
        for name, (passage, document) in find_passages(corpus, ids).items():
            labels[name], titles[name] = passage.label, document.title or document.id
    return labels, titles


def _pieces(text: str) -> list[tuple[str, bool]]:
    return list(pieces(" ".join(text.split()) if text.strip() else text))


def _lines_rendering(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()] or [""]


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("engine.exports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Return the value of an expression, with hidden characters made visible."""
    return marked(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

"""Verdicts, reasons and items in the words of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.model import Direction, Hop, Relation
from engine.records.wording import hop_words
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict
from engine.review.quoting import Pieces, quoted

WORDS: Final[Mapping[Verdict, str]] = {
    Verdict.RELEVANT: "Relevant",
    Verdict.PARTLY: "Partly",
    Verdict.IRRELEVANT: "Not relevant",
    Verdict.RIGHT: "Right",
    Verdict.WRONG_KIND: "Wrong kind",
    Verdict.WRONG_TARGET: "Wrong target",
    Verdict.USELESS: "Useless",
    Verdict.WRONG: "Wrong",
    Verdict.UNSUPPORTED: "Not supported",
    Verdict.LATER: "Later",
}
# What is often said of an item; anything else is written.
REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "passage": ("another subject", "only mentions it", "too general", "out of date", "repeats another"),
    "hop": ("no reference", "another document is meant", "another provision is meant", "leads away"),
    "sentence": ("says something else", "leaves out a condition", "out of date"),
}
# Characters by which a sentence is named.
SHORT_SENTENCE = 70
# The tone in which a verdict is shown.
_TONES: Final[Mapping[Verdict, str]] = {
    Verdict.RELEVANT: "good",
    Verdict.RIGHT: "good",
    Verdict.PARTLY: "half",
    Verdict.LATER: "plain",
}


@dataclass(frozen=True, slots=True)
class Button:
    """A verdict as a button: what it sends, what it says, its keys, its tone."""

    verdict: Verdict
    words: str
    keys: str
    tone: str


def rows_of_verdicts() -> dict[str, list[Button]]:
    """For each kind of item its verdicts as buttons, in the order of their keys."""
    return {
        kind.value: [
            Button(one, WORDS[one], "l s" if one is Verdict.LATER else str(place), tone(one))
            for place, one in enumerate(verdicts, 1)
        ]
        for kind, verdicts in VERDICTS.items()
    }


def tone(verdict: Verdict) -> str:
    """The tone in which a verdict is shown."""
    return _TONES.get(verdict, "bad")


def said(assessment: Assessment) -> str:
    """A verdict with its reasons: "not relevant, because out of date: repealed in 2019"."""
    why = ": ".join(part for part in (assessment.reason, assessment.note) if part)
    verdict = WORDS[assessment.verdict].lower()
    return f"{verdict}, because {why}" if why else verdict


@dataclass(frozen=True, slots=True)
class Side:
    """A passage: where it stands, and its words in pieces, of which some are the quote."""

    label: str
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class Link:
    """A hop as a reviewer reads it: the passage that says the link, what it does to the other, the other.
    ``backward``: the case went from the other to the one that says it; ``detail``: what was followed besides,
    as the term that both share."""

    source: Side
    words: str
    target: Side
    backward: bool
    detail: str = ""


# Hops by what both passages hold, whose words are marked in both.
_SHARED = (Relation.MENTIONS, Relation.DEFINES)


def link_of(item: Item) -> Link:
    """A hop, from the passage that says it: a case may have followed it the other way."""
    is_shared = item.relation in _SHARED
    here, there = is_shared or not item.backward, is_shared or item.backward
    sides = [
        Side(item.source_label, quoted(item.source_text, item.quote if here else "")),
        Side(item.label, quoted(item.text, item.quote if there else "")),
    ]
    source, target = reversed(sides) if item.backward else sides
    return Link(source, _relation(item), target, item.backward, item.detail)


def _relation(item: Item) -> str:
    """What the passage that says a link does to the other one: "cites this", "subject to this"."""
    try:
        relation = Relation(item.relation)
    except ValueError:
        return item.relation.replace("_", " ")
    # As a hop from the other one back to it, whose words are of the one that it leads to.
    hop = Hop(
        target_id="", source_id="", strategy=item.strategy, relation=relation, direction=Direction.IN,
        round=item.round, strength=0.0,
    )  # fmt: skip
    return hop_words(hop, lambda _: "this")


def rests_on(item: Item) -> Side:
    """The passages that a sentence rests on, with what it takes of them marked."""
    return Side(item.source_label, quoted(item.source_text, *item.quote.split("\n")))


def where(item: Item) -> str:
    """The short name of an item: where its passage stands, both ends of its hop, or its first words."""
    if item.kind is ItemKind.SENTENCE:
        ends = "" if len(item.text) <= SHORT_SENTENCE else " …"
        return f"“{item.text[:SHORT_SENTENCE].rstrip()}{ends}”"
    if item.kind is not ItemKind.HOP:
        return item.label or item.passage_id
    sides = (item.source_label or item.source_id, item.label or item.passage_id)
    return " → ".join(reversed(sides) if item.backward else sides)

"""Passage cards: the words of a passage, why it was found, and its actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from engine.extraction.judging import UNWRITTEN, is_written
from engine.investigation.ranking.order import EXPERTS
from engine.language.quotes import matched_spans, question_terms
from engine.llm.prompt import addresses_machine
from engine.model import Direction, Document, Hop, Passage, RankedPassage, Relation, ScorePart
from engine.records.context import badge, by_document, edition
from engine.records.expansion_text import came_through
from engine.records.phrases import Name, full_citation, trail_clauses
from ui.palette import colour
from ui.templating import rendered

# Pieces of a text, and whether each is one of the question's words.
Pieces = Sequence[tuple[str, bool]]


def pieces_of(text: str, language: str, question: str) -> Pieces:
    """Return the text in pieces, the words of the question apart."""
    pieces: list[tuple[str, bool]] = []
    position = 0
    for span in matched_spans(text, language, question_terms(question, language)):
        pieces += ((text[position : span.start], False), (text[span.start : span.end], True))
        position = span.end
    return [*pieces, (text[position:], False)]


# The source passage, the target passage, and the relation.
Link = tuple[str, str, str]


def link_of(hop: Hop) -> Link | None:
    """Return the link of a corpus that a hop followed, from the passage that states it; None for none."""
    if hop.source_id is None or not is_written(hop.relation, hop.strategy):
        return None
    return link_between(hop.source_id, hop.target_id, hop.relation, hop.direction)


def link_between(source_id: str, target_id: str, relation: Relation, direction: Direction) -> Link | None:
    """Return the corpus link by which a hop led from one passage to another; None if it followed none."""
    if relation in UNWRITTEN:
        return None
    ends = (source_id, target_id)
    return (*(ends if direction is Direction.OUT else ends[::-1]), relation.value)


@dataclass(frozen=True, slots=True)
class Reading:
    """The context of cards: the question, names for trails, the day of the case.

    ``best`` is the score that fills a score bar. ``rejected`` are the links reported as wrong on this page;
    if ``judging``, the viewer may report one. ``came_through`` has the number of passages reached through
    each passage, by its id.
    """

    question: str
    name: Name
    day: date
    best: float = 1.0
    rejected: frozenset[Link] = frozenset()
    judging: bool = False
    came_through: Mapping[str, int] = field(default_factory=dict)


def ranked_cards(ranking: Sequence[RankedPassage], reading: Reading) -> str:
    """Return all cards of a ranking, best first."""
    best = max((_length(found.breakdown) for found in ranking), default=0.0) or 1.0
    scaled = replace(reading, best=best)
    places = {found.rank: place for place, found in enumerate(by_document(ranking))}
    return _cards([_ranked(found, scaled, places[found.rank]) for found in ranking], scaled)


def ranked_card(found: RankedPassage, reading: Reading, place: int = 0) -> str:
    """Return one full card; ``place`` is its rank in the order of the documents."""
    return _cards([_ranked(found, reading, place)], reading)


def compact_card(
    passage: Passage, document: Document, trails: Sequence[Sequence[Hop]], reading: Reading
) -> str:
    """Return a card of two lines for a passage of the pool outside the ranking."""
    return _cards([_card(passage, document, passage.text, trails[:1], reading)], reading)


def nothing_found(question: str, reason: str = "") -> str:
    """Return the message for a question without results; ``reason`` is why there was nothing to search."""
    return rendered("investigate/empty.html", question=question, reason=reason)


def more_button(remaining: int) -> str:
    """Return the control that fetches the next part of the pool; empty if nothing remains."""
    return rendered("investigate/more.html", remaining=remaining) if remaining > 0 else ""


def _cards(cards: Sequence[Mapping[str, Any]], reading: Reading) -> str:
    return rendered("investigate/cards.html", cards=cards, reading=reading, link_of=link_of)


def _ranked(found: RankedPassage, reading: Reading, place: int) -> Mapping[str, Any]:
    own = found.passage.id
    joined = (
        ("Read together with", [reading.name(one) for one in found.assembled_ids if one != own]),
        ("The same words as", [reading.name(one) for one in found.same_words]),
    )
    return {
        **_card(found.passage, found.document, found.text, found.trails, reading),
        "rank": found.rank,
        "place": place,
        "members": found.assembled_ids or (own,),
        "joined": [(words, names) for words, names in joined if names],
        "score": found.score,
        # Values that round to 0 are left out.
        "parts": [_part(part, found, reading) for part in found.breakdown if round(part.value, 3)],
        "pinned": found.pinned,
    }


def _card(
    passage: Passage, document: Document, text: str, trails: Sequence[Sequence[Hop]], reading: Reading
) -> dict[str, Any]:
    page = f"p. {passage.page}" if passage.page is not None else ""
    seal, own_edition = badge(passage, document, reading.day), edition(document)
    # The first trail, with the first chain of hops if only the scan found the passage; others are folded.
    shown = list(trails[:1])
    if shown and len(shown[0]) == 1:
        shown += [trail for trail in trails[1:] if len(trail) > 1][:1]
    reached = reading.came_through.get(passage.id, 0)
    return {
        "passage": passage,
        "document": document,
        "rank": None,
        "members": (passage.id,),
        "citation": full_citation(passage, document),
        "where": ", ".join(part for part in (passage.label, page) if part),
        "badge": seal,
        "edition": "" if seal and seal.old else own_edition,
        "addresses_machine": addresses_machine(passage.text),
        "pieces": pieces_of(text, passage.language, reading.question),
        "joined": (),
        "trails": [trail_clauses(trail, reading.name) for trail in shown],
        "more_trails": [trail_clauses(trail, reading.name) for trail in trails if trail not in shown],
        "came_through": came_through(reached) if reached else "",
        "parts": (),
        "pinned": False,
    }


def _length(parts: Sequence[ScorePart]) -> float:
    return sum(part.value for part in parts if _has_length(part))


def _has_length(part: ScorePart) -> bool:
    # A pin outweighs every score: drawn to scale it would hide all other parts.
    return part.value > 0 and part.name != "pinned"


def _part(part: ScorePart, found: RankedPassage, reading: Reading) -> Mapping[str, Any]:
    token = _PART_TOKENS.get(part.name)
    return {
        "name": part.name,
        "value": part.value,
        "length": 100 * part.value / reading.best if _has_length(part) else None,
        "colour": f"var(--{token})" if token else colour(part.name),
        "detail": _part_detail(part, found, reading.name),
    }


# Parts of a score that no strategy contributes: the question itself, and neighbouring passages.
_PART_TOKENS = {
    "question": "scan",
    "scan": "scan",
    "neighbours": "meta",
    "pinned": "person",
    "linked": "cite",
    EXPERTS: "person",
    "reranker": "spare-a",
}


def _part_detail(part: ScorePart, found: RankedPassage, name: Name) -> str:
    """Return the detail of a part; the short citation if it is a passage id."""
    if part.name == EXPERTS:
        of = "this passage" if part.detail == found.passage.id else name(part.detail)
        return f"from what was said of {of}" if part.detail else "by what verdicts taught of passages like it"
    return name(part.detail) if part.detail else ""

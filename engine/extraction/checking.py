"""What counts of a model's answer: listed keys, offered relations, words that are there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from engine.corpus.extracted.proposal import Proposal, concept_key, occurrence_at
from engine.extraction.prompting import RELATIONS, ROLES, ConceptSaid, LinkSaid, Said
from engine.extraction.windows import Piece, Window
from engine.language.quotes import locate
from engine.model import Relation, Span

MOST_SAID = 60
LONGEST_NAME = 80


class Refused(StrEnum):
    """Why something that a model said does not count."""

    QUOTE = "quote not verbatim"
    KEY = "key not listed"
    RELATION = "relation not offered"
    CONFIDENCE = "confidence not from 0 to 1"
    NAME = "name not in the passage"
    ITSELF = "link to itself"
    TWICE = "said twice"
    TOO_MANY = "too many at once"


class Checked(NamedTuple):
    """What counts, in the order it was said, and how much does not, by reason."""

    proposals: tuple[Proposal, ...]
    refused: Counter[str]


def checked(said: Said, window: Window, known: Mapping[str, Proposal], model: str) -> Checked:
    """Check everything a model said of a window; ``known`` are the concepts whose keys were listed."""
    pieces = window.named()
    found: dict[str, Proposal] = {}
    refused: Counter[str] = Counter()
    everything: list[ConceptSaid | LinkSaid] = [*said.concepts, *said.links]
    for one in everything[:MOST_SAID]:
        if isinstance(one, ConceptSaid):
            result = _concept(one, pieces, model)
        else:
            result = _link(one, pieces, known, model)
        if isinstance(result, Refused):
            refused[result] += 1
        elif result.key in found:
            refused[Refused.TWICE] += 1
        else:
            found[result.key] = result
    if len(everything) > MOST_SAID:
        refused[Refused.TOO_MANY] += len(everything) - MOST_SAID
    return Checked(tuple(found.values()), refused)


def _concept(said: ConceptSaid, pieces: Mapping[str, Piece], model: str) -> Proposal | Refused:
    piece, relation = pieces.get(said.passage), ROLES.get(said.role)
    if piece is None:
        return Refused.KEY
    if relation is None:
        return Refused.RELATION
    name = " ".join(said.name.split())
    if not 1 < len(name) <= LONGEST_NAME or not _names(name, piece.text):
        return Refused.NAME
    # A name that a rule turns on is evidence enough; a definition takes words that define.
    span = _span(said.quote, piece, fewest=1 if relation is Relation.MENTIONS else 3)
    return span if isinstance(span, Refused) else _proposal(span, piece, relation, said, model, concept=name)


def _names(name: str, text: str) -> bool:
    """Whether a text has a name, in any case of letters, and not inside a word."""
    before, after = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
    return bool(re.search(f"{before}{re.escape(concept_key(name))}{after}", concept_key(text)))


def _link(
    said: LinkSaid, pieces: Mapping[str, Piece], known: Mapping[str, Proposal], model: str
) -> Proposal | Refused:
    piece, relation = pieces.get(said.source), RELATIONS.get(said.relation)
    if piece is None or (said.target not in pieces and said.target not in known):
        return Refused.KEY
    if relation is None:
        return Refused.RELATION
    target = pieces[said.target].passage.id if said.target in pieces else known[said.target].source_id
    if target == piece.passage.id:
        return Refused.ITSELF
    span = _span(said.quote, piece, fewest=3)
    return span if isinstance(span, Refused) else _proposal(span, piece, relation, said, model, target=target)


def _span(quote: str, piece: Piece, *, fewest: int) -> Span | Refused:
    """Where a quote stands in its passage."""
    found = locate(quote, piece.text, fewest_words=fewest)
    return Refused.QUOTE if found is None else Span(piece.start + found.start, piece.start + found.end)


def _proposal(
    span: Span,
    piece: Piece,
    relation: Relation,
    said: ConceptSaid | LinkSaid,
    model: str,
    *,
    target: str | None = None,
    concept: str = "",
) -> Proposal | Refused:
    if not 0.0 <= said.confidence <= 1.0:
        return Refused.CONFIDENCE
    text = piece.passage.text
    quote = text[span.start : span.end]
    return Proposal(
        source_id=piece.passage.id,
        quote=quote,
        occurrence=occurrence_at(text, quote, span.start),
        relation=relation,
        target_id=target,
        concept=concept,
        confidence=said.confidence,
        said_by=model,
    )

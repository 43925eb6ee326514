"""The definitions of terms that a brief uses, told with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.answers.citing import Citations
from engine.answers.units import Piece, Unit, units_of, word_count
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.defined_terms import defined_terms
from engine.investigation.record import Investigation
from engine.model import Direction, Relation

# Definitions that are told with a brief, and how long one may be, in words.
MOST_TERMS, LONGEST_TERM = 2, 45


def terms_of(
    units: Sequence[Unit], corpus: Corpus, citations: Citations, investigation: Investigation
) -> list[Unit]:
    """Short definitions of terms that both the question and a chosen sentence use, or that the sentence
    writes as a name; from the sentence's own document, or the only one that defines the term."""
    known = defined_terms(corpus)
    if not units or not len(known):
        return []
    of_question = {use.term for use in known.used_in(investigation.question, investigation.plan.language)}
    told = {piece.passage.id for unit in units for piece in unit.pieces}
    found: dict[int, Unit] = {}
    for unit in units:
        passage = unit.pieces[-1].passage
        for use in known.used_in(unit.text, passage.language):
            if use.term in found or use.term not in of_question:
                continue
            definition = _definition(known.definitions(use.term), known.names[use.term], passage.document_id,
                                     corpus, citations)  # fmt: skip
            if definition is not None and definition.passage.id not in told:
                found[use.term] = Unit((definition,), definition.row)
    return list(found.values())[:MOST_TERMS]


def _definition(
    rows: Rows, name: str, document_id: str, corpus: Corpus, citations: Citations
) -> Piece | None:
    """The sentence that defines a term: in a document, else where there is only one."""
    passages = citations.reading.passages(rows)
    own = [pair for pair in zip(rows.tolist(), passages, strict=True) if pair[1].document_id == document_id]
    pairs = own or list(zip(rows.tolist(), passages, strict=True))
    if len(pairs) != 1:
        return None
    row, _ = pairs[0]
    # "Has the meaning given in Article 2" says nothing by itself.
    if len(corpus.neighbours(np.array([row], np.int32), [Relation.DEFINES], Direction.OUT).rows):
        return None
    quoted = re.compile(rf"[\"“„«‘'‚]\s?{re.escape(name)}", re.IGNORECASE)
    for unit in units_of([row], corpus, citations.reading, lambda text: 0.0):
        piece = unit.pieces[-1]
        at = quoted.search(piece.text)
        if at is not None and at.start() < 12 and word_count(piece.text) <= LONGEST_TERM:
            return piece
    return None

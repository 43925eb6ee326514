"""What a person asked for as a whole passes the gate as a whole: no threshold, and bounds of its own."""

from __future__ import annotations

from dataclasses import replace

from engine.breadth import Breadth
from engine.investigation.strategies.whole_document import DOCUMENTS, PER_DOCUMENT

# Passages that one strategy may bring as a whole in one round.
MOST_OF_WHOLE = DOCUMENTS * PER_DOCUMENT


def unweighed(breadth: Breadth) -> Breadth:
    """A breadth by which the gate refuses nothing for its relevance, and of a document what is too much for
    one round."""
    return replace(
        breadth,
        gate=0.0,
        per_strategy=MOST_OF_WHOLE,
        per_document=PER_DOCUMENT,
        per_relation=MOST_OF_WHOLE,
    )

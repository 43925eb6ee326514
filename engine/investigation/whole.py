"""What a person asked for as a whole passes the gate as a whole: no threshold, and bounds of its own."""

from __future__ import annotations

from engine.investigation.strategies.whole_document import DOCUMENTS, PER_DOCUMENT
from engine.settings import InvestigationSettings

# Passages that one strategy may bring as a whole in one round.
MOST_OF_WHOLE = DOCUMENTS * PER_DOCUMENT


def unweighed(settings: InvestigationSettings) -> InvestigationSettings:
    """Settings by which the gate refuses nothing for its relevance, and of a document what is too much for
    one round."""
    return settings.changed(
        gate_threshold=0.0,
        budget_per_strategy=MOST_OF_WHOLE,
        budget_per_document=PER_DOCUMENT,
        budget_per_relation=MOST_OF_WHOLE,
    )

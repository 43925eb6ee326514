"""The button by which a link is reported as wrong where it is met, and by which that is taken back."""

from __future__ import annotations

import json

from engine.extraction.judging import UNWRITTEN, is_written
from engine.language.characters import attribute
from engine.model import Direction, Hop, Relation

# From which passage to which, and as what.
Link = tuple[str, str, str]
WRONG = "This link is wrong: leave it out from the next case on (x)"
UNDO = "Reported as wrong: the next case leaves it out. Take that back (x)"


def link_of(hop: Hop) -> Link | None:
    """The link of a corpus that a hop followed, from the passage that says it; None where it followed
    none."""
    if hop.source_id is None or not is_written(hop.relation, hop.strategy):
        return None
    return link_between(hop.source_id, hop.target_id, hop.relation, hop.direction)


def link_between(source_id: str, target_id: str, relation: Relation, direction: Direction) -> Link | None:
    """The link of a corpus by which a hop led from one passage to another; None where it followed none."""
    if relation in UNWRITTEN:
        return None
    ends = (source_id, target_id)
    return (*(ends if direction is Direction.OUT else ends[::-1]), relation.value)


def report_button(link: Link, *, rejected: bool) -> str:
    """The button. The script of the page sends its link and what it does."""
    act, sign, told = ("unreject", "undo", UNDO) if rejected else ("reject", "✕", WRONG)
    return (
        f'<button type="button" class="judge" data-act="{act}" data-link="{attribute(json.dumps(link))}" '
        f'title="{told}" aria-label="{told}">{sign}</button>'
    )

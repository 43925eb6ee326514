"""The coverage pane: for each area of the question its state, its evidence, and the query it was sent."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.language.markup import attribute, escape
from engine.model import AreaCoverage, AreaState
from engine.records.wording import plural

_TOKENS = {AreaState.COVERED: "ok", AreaState.WEAK: "weak", AreaState.MISSING: "miss"}
WAITING = '<div class="empty"><p>Areas of the question, and how well each is evidenced.</p></div>'


def covered(areas: Sequence[AreaCoverage]) -> tuple[int, int]:
    """How many areas are covered, of how many; the required ones where any is required."""
    counted = [area for area in areas if area.required] or list(areas)
    return sum(area.state is AreaState.COVERED for area in counted), len(counted)


def coverage(areas: Sequence[AreaCoverage]) -> str:
    """The pane's content, required areas first."""
    if not areas:
        return '<div class="empty"><p>No areas were made out in this question.</p></div>'
    done, wanted = covered(areas)
    ordered = sorted(areas, key=lambda area: not area.required)
    return f'<div class="areas" data-summary="{done} of {wanted}">' + "".join(map(_area, ordered)) + "</div>"


def state_words(area: AreaCoverage) -> str:
    """The state in a word or three: covered, closed in 2, weak, missing."""
    return f"closed in round {area.closed_in}" if area.closed_in else area.state.value


def _area(area: AreaCoverage) -> str:
    token = _TOKENS[area.state]
    facts = [plural(len(area.evidence), "passage")]
    if area.evidence:
        facts.append(f"similarity {area.similarity:.2f}")
    if area.query:
        facts.append(f"asked: “{area.query}”")
    elif not area.required and area.state is not AreaState.COVERED:
        facts.append("not required")
    return (
        f'<button type="button" class="area" style="--c:var(--{token})" aria-pressed="false" '
        f'data-evidence="{attribute(json.dumps(list(area.evidence)))}">'
        f'<span class="t"><b dir="auto">{escape(area.name)}</b>'
        f'<span class="s">{state_words(area)}</span></span>'
        f'<span class="bar"><u style="--v:{100 * max(0.0, min(1.0, area.similarity)):.0f}%"></u></span>'
        f'<span class="f" dir="auto">{escape(" · ".join(facts))}</span></button>'
    )

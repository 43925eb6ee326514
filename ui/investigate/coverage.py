"""The coverage pane: the state of each area of the question, its evidence, and the query sent for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.investigation.view import WORTH
from engine.language.characters import attribute, escape
from engine.model import AreaCoverage, AreaState, counted
from engine.records.phrases import plural

_TOKENS = {AreaState.COVERED: "ok", AreaState.WEAK: "weak", AreaState.MISSING: "miss"}
WAITING = (
    '<div class="empty"><p>What the question involves, and how well the sources cover each part.</p></div>'
)


def covered(areas: Sequence[AreaCoverage]) -> tuple[int, int]:
    """Return the number of required areas that are covered, and the number of required areas."""
    needed = counted(areas)
    return sum(area.state is AreaState.COVERED for area in needed), len(needed)


def coverage(areas: Sequence[AreaCoverage], figures: str = "") -> str:
    """Return the content of the pane, required areas first, followed by the figures of the case as HTML."""
    if not areas:
        return '<div class="empty"><p>No areas were made out in this question.</p></div>'
    done, wanted = covered(areas)
    touched = [area for area in areas if area.required or area.query or area.state is not AreaState.MISSING]
    others = [area for area in areas if area not in touched]
    listed = "".join(map(_area, sorted(touched, key=lambda area: not area.required)))
    if others:
        names = ", ".join(escape(area.name) for area in others)
        listed += f'<p class="untouched" dir="auto">Not touched: {names}.</p>'
    return f'<div class="areas" data-summary="{done} of {wanted}">{listed}</div>{figures}'


def state_words(area: AreaCoverage) -> str:
    """Return the state in one to three words: covered, closed in 2, weak, missing."""
    return f"closed in round {area.closed_in}" if area.closed_in else area.state.value


def _is_part(area: AreaCoverage) -> bool:
    """Return whether it is a part of the question, not an area of the corpus's ontology."""
    return area.id.startswith("part-")


def _area(area: AreaCoverage) -> str:
    token = _TOKENS[area.state]
    facts = [plural(len(area.evidence), "passage")]
    if area.evidence:
        facts.append(
            f"{area.score:.0%} of the evidence" if not _is_part(area) else f"{area.score:.0%} of its words"
        )
    if area.query:
        facts.append(f"asked: “{area.query}”")
    elif not area.required and area.state is not AreaState.COVERED:
        facts.append("not required")
    return (
        f'<button type="button" class="area" style="--c:var(--{token})" aria-pressed="false" '
        f'data-evidence="{attribute(json.dumps(list(area.evidence)))}">'
        f'<span class="t"><b dir="auto">{escape(area.name)}</b>'
        f'<span class="s">{state_words(area)}</span></span>'
        f'<span class="bar"><u style="--v:{100 * WORTH[area.state]:.0f}%"></u></span>'
        f'<span class="f" dir="auto">{escape(" · ".join(facts))}</span></button>'
    )

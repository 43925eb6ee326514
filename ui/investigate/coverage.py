"""The coverage pane: the state of each area of the question, its evidence, and the query sent for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.investigation.view import WORTH
from engine.language.characters import attribute, escape
from engine.model import NOTHING, AreaCoverage, AreaState, counted
from engine.records.phrases import area_facts, is_part

_TOKENS = {AreaState.COVERED: "ok", AreaState.WEAK: "weak", AreaState.MISSING: "miss"}
WAITING = (
    '<div class="empty"><p>What the question involves, and how well the sources cover each part.</p></div>'
)


def covered(areas: Sequence[AreaCoverage]) -> tuple[int, int]:
    """Return the number of required areas that are covered, and the number of required areas."""
    needed = counted(areas)
    return sum(area.state is AreaState.COVERED for area in needed), len(needed)


def coverage(areas: Sequence[AreaCoverage], figures: str = "", names: Mapping[str, str] = NOTHING) -> str:
    """Return the content of the pane, required areas first, followed by the figures of the case as HTML.

    ``names``: citations of the shown passages by id; empty while the case runs, when no row has actions.
    """
    if not areas:
        return '<div class="empty"><p>No areas were made out in this question.</p></div>'
    done, wanted = covered(areas)
    touched = [
        area
        for area in areas
        if area.required or area.query or not area.needed or area.state is not AreaState.MISSING
    ]
    others = [area for area in areas if area not in touched]
    ordered = sorted(touched, key=lambda area: (not area.needed, not area.required))
    listed = "".join(_area(area, names) for area in ordered)
    if others:
        untouched = ", ".join(escape(area.name) for area in others)
        listed += f'<p class="untouched" dir="auto">Not touched: {untouched}.</p>'
    return f'<div class="areas" data-summary="{done} of {wanted}">{listed}</div>{figures}'


def state_words(area: AreaCoverage) -> str:
    """Return the state in one to three words: covered, closed in 2, weak, missing."""
    if not area.needed:
        return "not needed"
    return f"closed in round {area.closed_in}" if area.closed_in else area.state.value


def _area(area: AreaCoverage, names: Mapping[str, str]) -> str:
    token = _TOKENS[area.state] if area.needed else "soft"
    facts = area_facts(area)
    if area.evidence and not is_part(area):
        facts.insert(1, f"{area.score:.0%} of the evidence")
    best = next((names[passage] for passage in area.evidence if passage in names), "")
    if best and area.state is not AreaState.MISSING:
        facts.insert(0, f"best: {best}")
    if not area.required and not area.query and area.state is not AreaState.COVERED:
        facts.append("not required")
    return (
        f'<div class="area-row"><button type="button" class="area" style="--c:var(--{token})" '
        f'aria-pressed="false" data-evidence="{attribute(json.dumps(list(area.evidence)))}">'
        f'<span class="t"><b dir="auto">{escape(area.name)}</b>'
        f'<span class="s">{state_words(area)}</span></span>'
        f'<span class="bar"><u style="--v:{100 * WORTH[area.state]:.0f}%"></u></span>'
        f'<span class="f" dir="auto">{escape(" · ".join(facts))}</span></button>'
        f"{_actions(area) if names else ''}</div>"
    )


def _actions(area: AreaCoverage) -> str:
    """Return what a user can do about an area: search more, say that it is not needed, add texts."""
    acts = [("needed", "Needed after all")]
    if area.needed:
        acts = [("search", "Search more"), ("unneeded", "Not needed"), ("texts", "Add texts")]
    buttons = "".join(f'<button type="button" data-area-act="{act}">{words}</button>' for act, words in acts)
    return f'<p class="area-acts" data-area="{attribute(area.id)}">{buttons}</p>'

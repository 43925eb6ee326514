"""The line above a case: its matter, undo, memo, exports, sharing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import RedstringError
from engine.exports.registry import exports
from engine.records.replaying import DISMISS, FOLLOW, NEED, PIN, PLAN, standing
from engine.records.store.chain import Event
from ui.open_case import OpenCase
from ui.templating import rendered

MEMO = "docx"
_STEPS = {
    PIN: "pinned {}",
    DISMISS: "dismissed {}",
    FOLLOW: "followed {}",
    PLAN: "the edited plan",
    NEED: "what is needed",
}


def bar_value(opened: OpenCase) -> str:
    """Return the line of a case; empty for one that is not stored."""
    keeping = opened.keeping
    if opened.is_example:
        return rendered("case_bar.html", id="", title=opened.question, example=True)
    if keeping is None:
        return ""
    events: Sequence[Event] = ()
    shared, matter = False, keeping.matter
    try:
        if keeping.events and not keeping.to_read:
            events = keeping.store.events(keeping.case_id, keeping.owner)
            shared = keeping.store.summary(keeping.case_id, keeping.owner).is_shared
    except RedstringError:
        # Errors are reported on the next action.
        events = ()
    return rendered(
        "case_bar.html",
        example=False,
        id=keeping.case_id,
        title=opened.question,
        matter=matter,
        events=keeping.events,
        to_read=keeping.to_read,
        undo=last_step(events, opened.name),
        exports=[one for one in exports().values() if one.name != MEMO],
        may_share=keeping.cases.may_share and not keeping.to_read,
        shared=shared,
    )


def last_step(events: Sequence[Event], name: Callable[[str], str]) -> str:
    """Return the last step that can be undone, in words; empty for none."""
    steps = [one for one in standing(events) if one.state is not None and one.kind in _STEPS]
    return step_words(steps[-1], name) if steps else ""


def step_words(event: Event, name: Callable[[str], str]) -> str:
    """Return a step in words, with the passage by its short citation."""
    data: Any = event.data
    words = _STEPS.get(event.kind, event.kind)
    return words.format(name(str(data.get("passage", "")))) if "{}" in words else words

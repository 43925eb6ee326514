"""The Review view: its calls and its frame."""

from __future__ import annotations

import gradio as gr

from ui.calls import build_panel, by_name
from ui.review import figures
from ui.review import files as exchange
from ui.review import queues as home
from ui.review import turns as playing
from ui.review import weights as learned
from ui.review.access import LONGEST_NAME, LONGEST_NOTE, ReviewDesk, shown
from ui.review.queues import MOST_ITEMS, MOST_REVIEWERS, QueueRequest

_MODULES = (home, playing, figures, exchange, learned)
CALLS = by_name(call for module in _MODULES for call in module.CALLS)

# The kinds of items of a new queue: the field, and its label.
PARTS = (
    ("best", "Top results"),
    ("border", "Just below the cut"),
    ("alone", "Found by one method only"),
    ("disagreed", "Methods disagree"),
    ("random", "Random sample"),
    ("hops", "Links"),
    ("sentences", "Answer sentences"),
    ("telling", "Most informative"),
)


def build_review(desk: ReviewDesk) -> gr.HTML:
    """Build the view."""
    settings = desk.library.settings
    frame = frame_html(has_roles=settings.access != "off")
    return build_panel("review", desk, CALLS, settings, frame, "redstring.review(element, server)")


def frame_html(*, has_roles: bool) -> str:
    """Return the view as it is before its first call. ``has_roles``: the server knows the reviewers."""
    parts = [(name, words, QueueRequest.model_fields[name].default) for name, words in PARTS]
    return shown(
        "frame", parts=parts, has_roles=has_roles, most=MOST_ITEMS, most_reviewers=MOST_REVIEWERS,
        longest_name=LONGEST_NAME, longest_note=LONGEST_NOTE,
    )  # fmt: skip

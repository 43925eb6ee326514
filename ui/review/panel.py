"""The Review view: its frame, and the one door to the server that its script knocks at."""

from __future__ import annotations

from functools import partial

import gradio as gr

from ui.panels import build_panel
from ui.review.answers import answer
from ui.review.asked import LONGEST_NAME, LONGEST_NOTE, MOST_ITEMS, MOST_REVIEWERS, Ask
from ui.review.desk import ReviewDesk, shown

# What of each case is drawn: the field, and what it is called.
PARTS = (
    ("best", "Best of the ranking"),
    ("border", "At its border"),
    ("alone", "Found by one thread alone"),
    ("disagreed", "Retrievers disagree"),
    ("random", "At random"),
    ("hops", "Hops of the trails"),
    ("sentences", "Sentences of the answer"),
    ("telling", "Would teach most"),
)


def build_review(desk: ReviewDesk) -> gr.HTML:
    """Build the view."""
    settings = desk.library.settings
    frame = frame_html(has_roles=settings.access != "off")
    return build_panel("review", partial(answer, desk), settings, frame, "redstring.review(element, server)")


def frame_html(*, has_roles: bool) -> str:
    """What stands there before anything was asked. ``has_roles``: the server knows who is a reviewer."""
    parts = [(name, words, Ask.model_fields[name].default) for name, words in PARTS]
    return shown(
        "frame", parts=parts, has_roles=has_roles, most=MOST_ITEMS, most_reviewers=MOST_REVIEWERS,
        longest_name=LONGEST_NAME, longest_note=LONGEST_NOTE,
    )  # fmt: skip

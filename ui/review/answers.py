"""The requests of the Review view, and its frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import gradio as gr

from engine.access.audit_log import record
from engine.access.users import Person
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.verbs.requests import parse_request
from ui.access.entrance import by_token
from ui.panels import build_panel
from ui.review.desk import (
    LONGEST_NAME,
    LONGEST_NOTE,
    MOST_ITEMS,
    MOST_REVIEWERS,
    Answer,
    Ask,
    Own,
    ReviewDesk,
    shown,
)
from ui.review.exchange import hand_out
from ui.review.figures import figures, settle
from ui.review.home import (
    assign,
    bring,
    drop_queue,
    home,
    make_queue,
    marks,
    queues,
    review_case,
    write_criteria,
)
from ui.review.learned import adopt, begin, drop, go_back, learned, look, stop
from ui.review.playing import enter, judge, turns, undo

# One door for all requests of the Review view: checked, answered, and every error a calm line.

# What changes something, as the audit log calls it. A verdict is kept with who gave it and when: it is not
# written down twice.
LOGGED: Mapping[str, str] = {
    "criteria": "write criteria",
    "make-queue": "make queue",
    "drop-queue": "delete queue",
    "review-case": "review case",
    "assign": "add reviewer",
    "settle": "settle disagreement",
    "verdicts-out": "export verdicts",
    "verdicts-in": "import verdicts",
    "learn": "learn from verdicts",
    "adopt": "adopt learned weights",
    "go-back": "go back from learned weights",
    "drop-weights": "delete learned weights",
}


def answer(desk: ReviewDesk, request: object, who: Callable[[str], Person] = by_token) -> Answer:
    """The answer to a request: HTML by the slots of the page that it belongs in and what its script needs, or
    ``error``, one line that says what was wrong. ``who`` tells who sent it, given the token of their
    browser."""
    try:
        ask = parse_request(Ask, request)
        person = who(ask.visitor)
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        owner = desk.kept.owner_of(person)
        # None is how the store calls everybody: who has no key has no cases, and is asked for none.
        if owner is None:
            return _without_key(ask)
        return _answered(handler, Own(desk, person, owner, ask.reviewer), ask)
    except RedstringError as error:
        return {"error": for_visitors(error)}


def _answered(handler: Callable[[Own, Ask], Answer], own: Own, ask: Ask) -> Answer:
    if ask.do not in LOGGED:
        return handler(own, ask)
    what = ask.queue or ask.weights or ask.matter or ask.cases
    try:
        told = handler(own, ask)
    except (AccessError, InputError):
        record(own.person, LOGGED[ask.do], what, "refused")
        raise
    record(own.person, LOGGED[ask.do], what, "done")
    return told


def _without_key(ask: Ask) -> Answer:
    if ask.do == "home":
        return {"html": {"queues": shown("nobody")}, "named": "", "cases": False}
    raise InputError("reviews are kept for whoever can be known again; this browser has no key")


HANDLERS: Mapping[str, Callable[[Own, Ask], Answer]] = {
    "home": home,
    "queues": queues,
    "criteria": write_criteria,
    "make-queue": make_queue,
    "drop-queue": drop_queue,
    "review-case": review_case,
    "marks": marks,
    "assign": assign,
    "enter": enter,
    "turns": turns,
    "verdict": judge,
    "take-back": undo,
    "figures": figures,
    "settle": settle,
    "verdicts-out": hand_out,
    "verdicts-in": bring,
    "learned": learned,
    "learn": begin,
    "learning": look,
    "stop-learning": stop,
    "adopt": adopt,
    "go-back": go_back,
    "drop-weights": drop,
}


# The Review view: its frame, and the one door to the server that its script knocks at.

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

"""The open case of each session. Cases stay on the server; a page has the token of its session alone."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from threading import Lock, Timer
from typing import Any

import gradio as gr

from engine.errors import InputError
from ui.open_case import OpenCase

# All work on cases shares one concurrency limit, whichever button or endpoint asked for it.
CASES = "cases"
# A call that runs a case waits for its place among the workers (``ui.workers``), not in the page's queue.
IN_LINE = "cases in line"
LINED: dict[str, Any] = {"concurrency_id": IN_LINE, "concurrency_limit": None}
WORKING_ON_CASES = frozenset({CASES, IN_LINE})
MOST_CASES = 64
CANCELLED_AT_MOST = 4 * MOST_CASES
LAST_TURN = 10**9
# A stored case goes on for this time after its page was left, s: a page that is loaded again finds it.
GOES_ON = 20.0


def new_token() -> str:
    """Return a name for a session that cannot be guessed."""
    return secrets.token_urlsafe(16)


def case_of(kept: str, request: gr.Request) -> str:
    """Return the token of a page load's case: the one that the page sends, else Gradio's name of the page
    load, under which a case is opened first. Gradio forgets the state of old page loads."""
    return kept or request.session_hash or ""


def turn_of(text: str) -> int:
    """Return the turn that a page sends; ``LAST_TURN`` for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(LAST_TURN)) else LAST_TURN


class CaseSessions:
    """The open cases by session, the least recently used closed first. Safe for several threads."""

    def __init__(self, most: int = MOST_CASES) -> None:
        self._most = most
        self._cases: OrderedDict[str, OpenCase] = OrderedDict()
        # The last turn that a session has cancelled.
        self._cancelled: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._cases)

    def put(self, token: str, opened: OpenCase) -> None:
        """Open a case in place of the session's last one, which is cancelled. A case that its session has
        cancelled meanwhile is cancelled, too; one with an earlier turn than the open one is replaced."""
        with self._lock:
            before = self._cases.get(token)
            if before is not None and 0 < opened.view.turn < before.view.turn:
                opened.view.replaced = True
                opened.case.cancel()
                return
            self._cases.pop(token, None)
            self._cases[token] = opened
            late = 0 < opened.view.turn <= self._cancelled.get(token, 0)
            spare = [self._cases.popitem(last=False)[1] for _ in range(len(self._cases) - self._most)]
        if before is not None:
            before.view.replaced = True
        for old in (*spare, *([before] if before else []), *([opened] if late else [])):
            old.case.cancel()

    def cancel(self, token: str, turn: int) -> None:
        """Cancel the requests of a session up to a turn."""
        with self._lock:
            self._cancelled[token] = max(turn, self._cancelled.pop(token, 0))
            while len(self._cancelled) > CANCELLED_AT_MOST:
                self._cancelled.popitem(last=False)
            opened = self._cases.get(token)
        if opened is not None and opened.view.turn <= turn:
            opened.case.cancel()

    def find(self, token: str) -> OpenCase | None:
        """Return the session's case, None if it has none."""
        with self._lock:
            if token in self._cases:
                self._cases.move_to_end(token)
            return self._cases.get(token)

    def get(self, token: str) -> OpenCase:
        """Return the session's case. Raises InputError if it has none (any more)."""
        opened = self.find(token)
        if opened is None:
            raise InputError("this case is no longer on the table: ask the question again")
        return opened

    def find_running(self, case_id: str) -> OpenCase | None:
        """Return the open case of an id if it is running."""
        with self._lock:
            every = list(self._cases.values())
        for opened in every:
            if opened.keeping is not None and opened.keeping.case_id == case_id and opened.busy.locked():
                return opened
        return None

    def disconnected(self, token: str) -> None:
        """Cancel the running case of a page that was left; a stored one may first go on."""
        with self._lock:
            opened = self._cases.get(token)
        if opened is None or not opened.busy.locked():
            return
        if opened.keeping is None or opened.case.model is not None:
            opened.case.cancel()
            return
        opened.view.departures += 1
        timer = Timer(GOES_ON, _cancel_left, (opened, opened.view.departures))
        timer.daemon = True
        timer.start()

    def forget(self, token: str) -> None:
        """Close a session's case, cancelling it if it still runs."""
        with self._lock:
            opened = self._cases.pop(token, None)
        if opened is not None:
            opened.case.cancel()


def _cancel_left(opened: OpenCase, departures: int) -> None:
    """Cancel a case whose page has not come back since its departure of that number."""
    if opened.view.departures == departures and opened.busy.locked():
        opened.case.cancel()

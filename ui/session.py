"""The open case of each session. Cases stay on the server; a page has only the token of its session."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Timer
from typing import Any

import gradio as gr

from engine.errors import InputError
from ui.open_case import OpenCase

# All work on cases shares one concurrency limit, for all buttons and endpoints.
CASES = "cases"
# A call that runs a case waits for a slot of the workers (``ui.workers``), not in the page's queue.
IN_LINE = "cases in line"
LINED: dict[str, Any] = {"concurrency_id": IN_LINE, "concurrency_limit": None}
WORKING_ON_CASES = frozenset({CASES, IN_LINE})
MOST_CASES = 64
CANCELLED_AT_MOST = 4 * MOST_CASES
LAST_TURN = 10**9
# Time for which a stored case continues after the user left its page, s, so that a reloaded page finds it.
GOES_ON = 20.0


# The prefix of the token of a page that shows the example case and has none of its own.
EXAMPLE_TOKEN = "example-"


def new_token() -> str:
    """Return a random token for a session."""
    return secrets.token_urlsafe(16)


def case_of(kept: str, request: gr.Request, *, own: bool = False) -> str:
    """Return the token of a page load's case.

    It is the one that the page sends, else Gradio's session hash, under which a case is opened first. Gradio
    forgets the state of old page loads. ``own``: without the prefix of the example, to open another case.
    """
    token = kept or request.session_hash or ""
    return token.removeprefix(EXAMPLE_TOKEN) if own else token


def turn_of(text: str) -> int:
    """Return the turn that a page sends; ``LAST_TURN`` for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(LAST_TURN)) else LAST_TURN


class CaseSessions:
    """The open cases by session; the least recently used is closed first. Thread-safe.

    ``example`` makes a copy of the example case for a page that shows it and begins to work on it."""

    def __init__(self, most: int = MOST_CASES) -> None:
        self._most = most
        self.example: Callable[[], OpenCase | None] = _no_example
        self._cases: OrderedDict[str, OpenCase] = OrderedDict()
        # The last turn that a session has cancelled.
        self._cancelled: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._cases)

    def put(self, token: str, opened: OpenCase) -> None:
        """Open a case in place of the session's previous one, which is cancelled.

        If the session has cancelled the new case already, it is cancelled, too. If its turn is earlier than
        that of the open case, it is marked as replaced.
        """
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
        """Return the session's case. Raises InputError if it does not exist or was closed."""
        opened = self.find(token)
        if opened is None and token.startswith(EXAMPLE_TOKEN):
            opened = self.example()
            if opened is not None:
                self.put(token, opened)
        if opened is None:
            raise InputError("this case has expired: ask the question again")
        return opened

    def find_running(self, case_id: str) -> OpenCase | None:
        """Return the open case with an id if it is running."""
        with self._lock:
            every = list(self._cases.values())
        for opened in every:
            if opened.keeping is not None and opened.keeping.case_id == case_id and opened.busy.locked():
                return opened
        return None

    def disconnected(self, token: str) -> None:
        """Cancel the running case of a page that the user left; a stored case continues for a while."""
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
        """Close a session's case, and cancel it if it is running."""
        with self._lock:
            opened = self._cases.pop(token, None)
        if opened is not None:
            opened.case.cancel()


def _no_example() -> OpenCase | None:
    return None


def _cancel_left(opened: OpenCase, departures: int) -> None:
    """Cancel a case if its page was not opened again after the departure with this number."""
    if opened.view.departures == departures and opened.busy.locked():
        opened.case.cancel()

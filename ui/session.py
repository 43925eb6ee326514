"""The open case of each visitor. Cases stay on the server; a page holds only a session's token."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock, Timer
from typing import Any

import gradio as gr

from engine.answers.record import Answer
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation import Case
from engine.investigation.coverage import transaction_names
from engine.investigation.ranking.additive import Experience
from engine.llm.cost import CostReport, cost_report
from engine.model import Document, Passage
from engine.records.phrases import short_citation
from engine.records.store.chain import Event
from ui.board import DEFAULT_NODES
from ui.cases.kept import Keeping
from ui.controls import Terms
from ui.expansion.asked import View
from ui.story import Story
from ui.workers.pool import Workers

# What works on a case shares its places in the queue, whichever button or endpoint asked for it.
CASES = "cases"
# What runs a case waits in the line for its place (see ``ui.workers``), not in the page's queue.
IN_LINE = "cases in line"
LINED: dict[str, Any] = {"concurrency_id": IN_LINE, "concurrency_limit": None}
WORKING_ON_CASES = frozenset({CASES, IN_LINE})
MOST_CASES = 64
CANCELLED_AT_MOST = 4 * MOST_CASES
LAST_TURN = 10**9
# A case that is kept goes on for so long when its page was left, s: who loads the page again finds it.
GOES_ON = 20.0
# Seconds in which the last step of a case is told and kept, on a busy machine too.
PATIENCE = 3.0


def new_token() -> str:
    """A name for a session that nobody can guess."""
    return secrets.token_urlsafe(16)


def case_of(kept: str, request: gr.Request) -> str:
    """The name of a page load's case. Gradio forgets what a page keeps once many others have come; its own
    name of the page load, under which a case is laid on the table first, comes with each request."""
    return kept or request.session_hash or ""


def turn_of(said: str) -> int:
    """The turn that a page names; the last one where it names none: everything that was asked."""
    return int(said) if said.isascii() and said.isdecimal() and len(said) < len(str(LAST_TURN)) else LAST_TURN


@dataclass(slots=True)
class OpenCase:
    """A case with what the page remembers of it. ``busy`` is held while the case runs.

    ``shelved_as`` is the name under which the page offers the corpus. ``replaced``: the page has asked
    something else meanwhile, and is told nothing more of this case. ``titles`` of the documents that the
    settings name, by id. ``turn`` is the number by which its page asked it. ``read_from`` are the passages
    whose documents were to be read whole. ``rejected`` are the links that were reported as wrong on the page,
    ``judging``: whoever asked may report one, under the name ``reviewer``. ``answer`` is the one that is
    shown, with what a model would cost at most. ``workers`` have the places that it runs in, without them it
    runs at once; ``visitor`` is who waits for one. ``keeping`` is by what it is kept, None where it is not.
    ``reopen_case``: it is shown from its record, and is run anew before somebody goes on with it, from
    ``record`` by the ``steps`` that led to it and what was ``learned`` of its matter. ``left`` counts how
    often its page was left while it ran. ``view`` is what is in front in the pane of the board, ``drawn`` how
    many nodes were drawn last and what was in front then.
    """

    case: Case
    corpus: Corpus
    question: str
    strategies: tuple[str, ...]
    shelved_as: str = ""
    story: Story = field(default_factory=Story)
    seconds: float = 0.0
    nodes: int = DEFAULT_NODES
    drawn_at: float = 0.0
    rest_shown: int = 0
    titles: Mapping[str, str] = field(default_factory=dict)
    replaced: bool = False
    turn: int = 0
    read_from: list[str] = field(default_factory=list)
    rejected: frozenset[tuple[str, str, str]] = frozenset()
    judging: bool = False
    reviewer: str = ""
    answer: tuple[Answer, str] | None = None
    workers: Workers | None = None
    visitor: str = ""
    keeping: Keeping | None = None
    reopen_case: bool = False
    record: Mapping[str, Any] | None = None
    steps: tuple[Event, ...] = ()
    learned: Experience | None = None
    left: int = 0
    view: View = "board"
    drawn: tuple[int, View] = (DEFAULT_NODES, "board")
    busy: Lock = field(default_factory=Lock)
    _known: dict[str, tuple[Passage, Document]] = field(default_factory=dict)

    def take(self) -> bool:
        """Whether ``busy`` could be had, to change the case. One that has come to its end is waited for while
        its last step is told and kept."""
        return self.busy.acquire(timeout=0 if self.story.running else PATIENCE)

    def come_back(self, other: OpenCase) -> None:
        """Take over what has come of the case elsewhere."""
        self.case, self.story, self.answer = other.case, other.story, other.answer
        self.seconds, self.drawn_at, self.read_from = other.seconds, other.drawn_at, other.read_from
        self.reopen_case, self.record, self.steps = other.reopen_case, None, ()

    def lookup(self, passage_ids: list[str]) -> dict[str, tuple[Passage, Document]]:
        """Passages with their documents, fetched in one batch and kept for the life of the case."""
        missing = [passage_id for passage_id in dict.fromkeys(passage_ids) if passage_id not in self._known]
        if missing:
            rows = self.corpus.rows(missing)
            documents = self.corpus.documents()
            numbers = self.corpus.document_numbers(rows)
            found = zip(self.corpus.passages(rows), numbers, strict=True)
            self._known.update({passage.id: (passage, documents[number]) for passage, number in found})
        return {passage_id: self._known[passage_id] for passage_id in passage_ids}

    def cost(self) -> CostReport | None:
        """What a language model has used for the case so far; None where the case has no model."""
        model = self.case.model
        return None if model is None else cost_report(self.case.meter, model.spec)

    def terms(self) -> Terms:
        """With what settings the case runs, when it was asked, and the law of which day it looks at."""
        plan, titles = self.case.plan, self.titles
        if plan is not None and plan.focus:
            documents = (one for one in self.corpus.documents() if one.id in plan.focus)
            titles = {**titles, **{one.id: one.title or one.id for one in documents}}
        kinds = transaction_names(self.corpus.ontology, "en" if plan is None else plan.language)
        return Terms(self.case.settings, self.case.started, self.case.as_of, titles, kinds)

    def name(self, passage_id: str) -> str:
        """A passage's short citation; what is no passage of the corpus keeps its own name."""
        if passage_id not in self._known and self.corpus.rows([passage_id])[0] < 0:
            return passage_id
        passage, document = self.lookup([passage_id])[passage_id]
        return short_citation(passage, document)


class CaseSessions:
    """The cases on the table, the least recently used put away first. Safe for several threads."""

    def __init__(self, most: int = MOST_CASES) -> None:
        self._most = most
        self._cases: OrderedDict[str, OpenCase] = OrderedDict()
        # Up to which turn a session has cancelled.
        self._cancelled: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._cases)

    def put(self, token: str, opened: OpenCase) -> None:
        """Lay a case on the table, in place of the session's last one, which is cancelled; so is one whose
        session has cancelled it while it waited for its turn. One that was asked before that one, and comes
        after it, is replaced already."""
        with self._lock:
            before = self._cases.get(token)
            if before is not None and 0 < opened.turn < before.turn:
                opened.replaced = True
                opened.case.cancel()
                return
            self._cases.pop(token, None)
            self._cases[token] = opened
            late = 0 < opened.turn <= self._cancelled.get(token, 0)
            spare = [self._cases.popitem(last=False)[1] for _ in range(len(self._cases) - self._most)]
        if before is not None:
            before.replaced = True
        for old in (*spare, *([before] if before else []), *([opened] if late else [])):
            old.case.cancel()

    def cancel(self, token: str, turn: int) -> None:
        """Cancel what a session has asked up to a turn, and nothing that it has asked since."""
        with self._lock:
            self._cancelled[token] = max(turn, self._cancelled.pop(token, 0))
            while len(self._cancelled) > CANCELLED_AT_MOST:
                self._cancelled.popitem(last=False)
            opened = self._cases.get(token)
        if opened is not None and opened.turn <= turn:
            opened.case.cancel()

    def find(self, token: str) -> OpenCase | None:
        """The session's case, if it has one."""
        with self._lock:
            if token in self._cases:
                self._cases.move_to_end(token)
            return self._cases.get(token)

    def get(self, token: str) -> OpenCase:
        """The session's case. Raises InputError where there is none (any more)."""
        opened = self.find(token)
        if opened is None:
            raise InputError("this case is no longer on the table: ask the question again")
        return opened

    def running(self, case_id: str) -> OpenCase | None:
        """The case of an id that is being worked on just now, if there is one."""
        with self._lock:
            every = list(self._cases.values())
        for opened in every:
            if opened.keeping is not None and opened.keeping.case_id == case_id and opened.busy.locked():
                return opened
        return None

    def left(self, token: str) -> None:
        """The page of a session was left: nobody waits for its case, which may be looked at again. One that
        is kept has a while to come to its end."""
        with self._lock:
            opened = self._cases.get(token)
        if opened is None or not opened.busy.locked():
            return
        if opened.keeping is None or opened.case.model is not None:
            opened.case.cancel()
            return
        opened.left += 1
        timer = Timer(GOES_ON, _cancel_left, (opened, opened.left))
        timer.daemon = True
        timer.start()

    def forget(self, token: str) -> None:
        """Put a session's case away, cancelling it if it still runs."""
        with self._lock:
            opened = self._cases.pop(token, None)
        if opened is not None:
            opened.case.cancel()


def _cancel_left(opened: OpenCase, left: int) -> None:
    """Cancel a case that nobody has come back to since it was left for that time."""
    if opened.left == left and opened.busy.locked():
        opened.case.cancel()

"""A case that is open on a page: the case, the view of it, the line above it, its replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from engine.answers.record import Answer
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError
from engine.exports.cases import exports
from engine.investigation import Case
from engine.investigation.coverage import transaction_names
from engine.investigation.ranking.additive import Experience
from engine.investigation.record import Event as CaseEvent
from engine.llm.cost import CostReport, cost_report
from engine.model import Document, Passage
from engine.records.phrases import short_citation
from engine.records.replaying import DISMISS, FOLLOW, NEED, PIN, PLAN, rerun, standing
from engine.records.store.chain import Event
from ui.cases.storage import Keeping
from ui.investigate.board import DEFAULT_NODES
from ui.investigate.controls import Terms
from ui.investigate.expansion_rows import Tab
from ui.investigate.progress import Story
from ui.server.pool import Workers
from ui.templating import rendered

# A case that is open on a page: the case itself, and the view of it that the page shows.

# Timeout for sending and storing the last step of a case, s; enough for a busy machine.
PATIENCE = 3.0


@dataclass(slots=True)
class Replay:
    """The input for running a stored case again: its record, its steps, and the weights of its matter.

    Without a ``record`` it has not been read yet.
    """

    record: Mapping[str, Any] | None = None
    steps: tuple[Event, ...] = ()
    learned: Experience | None = None


@dataclass(slots=True)
class CaseView:
    """The view of a case that its page shows.

    ``turn`` numbers the requests of the page. ``replaced``: the page has asked another question since, and no
    longer shows this case. ``visitor`` identifies the page in the queue of cases. ``departures`` counts how
    often the user left the page while the case ran. ``pane`` is in front next to the passages, ``nodes``
    limits the nodes of the board, ``rest_shown`` the passages below the ranking. ``drawn`` are the nodes and
    the pane that were drawn last, at the time ``drawn_at``.
    """

    turn: int = 0
    replaced: bool = False
    visitor: str = ""
    departures: int = 0
    pane: Tab = "board"
    nodes: int = DEFAULT_NODES
    rest_shown: int = 0
    drawn: tuple[int, Tab] = (DEFAULT_NODES, "board")
    drawn_at: float = 0.0


@dataclass(slots=True)
class OpenCase:
    """A case that is open on a page. ``busy`` is locked while it runs.

    ``corpus_name`` is the name of the corpus on the page. ``titles`` are those of the documents that the
    settings name, by id. ``read_from`` are the passages whose documents were read whole. ``rejected`` are the
    links that were rejected on the page; if ``may_judge``, the caller may reject one, under the name
    ``reviewer``. ``answer`` is the shown answer, with the most that a model would cost. ``workers`` run the
    case; without them it runs at once. ``keeping`` stores it, None for a case that is not stored;
    ``is_example``: it is the example of the first screen. With
    ``replay`` the case is shown from its record, and is run again before the user continues it.
    """

    case: Case
    corpus: Corpus
    question: str
    strategies: tuple[str, ...]
    corpus_name: str = ""
    story: Story = field(default_factory=Story)
    seconds: float = 0.0
    titles: Mapping[str, str] = field(default_factory=dict)
    read_from: list[str] = field(default_factory=list)
    rejected: frozenset[tuple[str, str, str]] = frozenset()
    may_judge: bool = False
    reviewer: str = ""
    answer: tuple[Answer, str] | None = None
    workers: Workers | None = None
    keeping: Keeping | None = None
    is_example: bool = False
    replay: Replay | None = None
    view: CaseView = field(default_factory=CaseView)
    busy: Lock = field(default_factory=Lock)
    _known: dict[str, tuple[Passage, Document]] = field(default_factory=dict)

    def acquire(self) -> bool:
        """Lock the case to change it; returns whether that succeeded.

        Waits until the last step of a finished case was sent and stored.
        """
        return self.busy.acquire(timeout=0 if self.story.running else PATIENCE)

    def merge_from_worker(self, other: OpenCase) -> None:
        """Copy the state of the case that a worker returned."""
        self.case, self.story, self.answer = other.case, other.story, other.answer
        self.seconds, self.read_from = other.seconds, other.read_from
        self.view.drawn_at = other.view.drawn_at
        self.replay = None if other.replay is None else Replay()

    def lookup(self, passage_ids: list[str]) -> dict[str, tuple[Passage, Document]]:
        """Return passages with their documents, fetched in one batch and cached."""
        missing = [passage_id for passage_id in dict.fromkeys(passage_ids) if passage_id not in self._known]
        if missing:
            rows = self.corpus.rows(missing)
            documents = self.corpus.documents()
            numbers = self.corpus.document_numbers(rows)
            found = zip(self.corpus.passages(rows), numbers, strict=True)
            self._known.update({passage.id: (passage, documents[number]) for passage, number in found})
        return {passage_id: self._known[passage_id] for passage_id in passage_ids}

    def cost(self) -> CostReport | None:
        """Return the use of the language model so far; None without a model."""
        model = self.case.model
        return None if model is None else cost_report(self.case.meter, model.spec)

    def terms(self) -> Terms:
        """Return the settings of the case, its start, and its date of the law."""
        plan, titles = self.case.plan, self.titles
        if plan is not None and plan.focus:
            documents = (one for one in self.corpus.documents() if one.id in plan.focus)
            titles = {**titles, **{one.id: one.title or one.id for one in documents}}
        kinds = transaction_names(self.corpus.ontology, "en" if plan is None else plan.language)
        return Terms(self.case.settings, self.case.started, self.case.as_of, titles, kinds)

    def name(self, passage_id: str) -> str:
        """Return the short citation of a passage, or its id if the corpus does not contain it."""
        if passage_id not in self._known and self.corpus.rows([passage_id])[0] < 0:
            return passage_id
        passage, document = self.lookup([passage_id])[passage_id]
        return short_citation(passage, document)


# The line above a case: its matter, undo, memo, exports, sharing.

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


# Run a case that is shown from its record again, before a user continues it.

WITH_MODEL = "this case was asked with a language model: ask its question again to go on with it"


def prepare_replay(opened: OpenCase) -> None:
    """Read the record, steps and weights of a case that is shown from its record.

    They are large, so they are read only when a user continues the case. Raises InputError if it cannot be
    run again, and as ``CaseStore``.
    """
    keeping = opened.keeping
    if keeping is None or opened.replay is None:
        return
    store = keeping.store
    record = store.record(keeping.case_id, keeping.owner)
    if record.get("model"):
        raise InputError(WITH_MODEL)
    matter = store.summary(keeping.case_id, keeping.owner).matter
    steps = tuple(store.events(keeping.case_id, keeping.owner))
    opened.replay = Replay(record, steps, keeping.cases.learned_of(matter, record))


def run_again(opened: OpenCase) -> Iterator[CaseEvent]:
    """Run a prepared case again; yields no event. Raises InputError if its record cannot be read."""
    replay = opened.replay
    if replay is not None and replay.record is not None:
        case = rerun(replay.record, opened.corpus, events=replay.steps, learned=replay.learned)
        # The replay judged links in an in-memory corpus. The open corpus has these and all later verdicts.
        case.corpus = opened.corpus
        opened.case, opened.replay = case, None
    yield from ()

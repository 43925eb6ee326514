"""Extract relations from a corpus with a language model: plan, cost estimate, resumable run.

Documents are read in parallel, the windows of one document in order, because later windows are shown earlier
definitions. Each window is stored as soon as it has been read.
"""

from __future__ import annotations

import fcntl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.corpus.embedded.publication import EXTRACTING_NAME
from engine.corpus.extracted import (
    DocumentRead,
    Reading,
    WindowRead,
    add_reading,
    load_readings,
    windows_read,
)
from engine.corpus.protocol import Corpus
from engine.errors import BudgetError, CancelledError, CorpusError, InputError, ModelError
from engine.extraction.prompting import (
    FULL_LIST,
    VERSION,
    Concepts,
    ModelAnswer,
    Window,
    check_answer,
    make_windows,
    prompt_for,
    reader_name,
    text_tokens,
    withheld,
)
from engine.llm import LanguageModel, Meter, Usage
from engine.llm.cost import currency_of
from engine.model import Document

Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Work:
    """A document: its windows, and the ones already read, by key. ``closed``: it was read completely."""

    document: Document
    windows: tuple[Window, ...]
    read: Mapping[str, WindowRead]
    closed: bool

    @property
    def open(self) -> tuple[Window, ...]:
        """The windows still to be read."""
        return tuple(window for window in self.windows if window.key not in self.read)


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of one run: the corpus's folder, the reader, and the work on each document. ``withheld``
    passages address a machine and are not shown to one."""

    folder: Path
    reader: str
    work: tuple[Work, ...]
    withheld: int = 0

    @property
    def windows(self) -> int:
        """Number of windows of all documents."""
        return sum(len(one.windows) for one in self.work)

    @property
    def open(self) -> int:
        """Number of windows still to be read."""
        return sum(len(one.open) for one in self.work)


@dataclass(frozen=True, slots=True)
class Expected:
    """Maximum cost of reading the open windows. Repairs of an answer are further calls, which are not
    included; a budget limits them too. ``withheld`` passages address a machine and are not shown to one."""

    documents: int
    windows: int
    already: int
    usage: Usage
    withheld: int = 0
    currency: str = ""


def make_plan(corpus: Corpus, model: LanguageModel, documents: Sequence[str] = ()) -> Plan:
    """Plan reading a corpus, or some of its documents, by id or title.

    Raises InputError for an unknown document, CorpusError if the corpus has no folder or earlier readings
    cannot be read, SettingsError if the model's context is too small.
    """
    if corpus.folder is None:
        raise CorpusError(f"{corpus.name!r} has no folder to store what a model reads")
    tokens, reader = text_tokens(model), reader_name(model)
    readings = load_readings(corpus.folder)
    read = windows_read(readings)
    closed = _closed(readings)
    work, left_out = [], 0
    for document in choose_documents(corpus, documents):
        windows = tuple(make_windows(corpus, document, tokens, f"{reader} {VERSION}"))
        keys = tuple(window.key for window in windows)
        own = {key: read[key] for key in keys if key in read}
        work.append(Work(document, windows, own, closed.get(document.id) == keys))
        left_out += withheld(corpus, document)
    return Plan(corpus.folder, reader, tuple(work), left_out)


def expected(plan: Plan, model: LanguageModel, progress: Progress = silent) -> Expected:
    """Estimate the maximum cost of a plan, window by window; nothing is sent."""
    total, done, count = Usage(), 0, plan.open
    for work in plan.work:
        for window in work.open:
            total += model.expected(prompt_for(window, FULL_LIST), ModelAnswer)
            done += 1
            progress("Estimating", done, count)
    with_work = sum(bool(work.open) for work in plan.work)
    currency = currency_of(model.spec)
    return Expected(with_work, count, plan.windows - count, total, plan.withheld, currency)


def choose_documents(corpus: Corpus, names: Sequence[str]) -> list[Document]:
    """Return all documents, or those with these ids or titles. Raises InputError for an unknown name."""
    everything = corpus.documents()
    if not names:
        return everything
    by_name = {document.title: document for document in reversed(everything)}
    by_name |= {document.id: document for document in everything}
    for name in names:
        if name not in by_name:
            raise InputError(f"there is no document {name!r} in {corpus.name!r}")
    wanted = {by_name[name].id for name in names}
    return [document for document in everything if document.id in wanted]


def _closed(readings: Sequence[Reading]) -> Mapping[str, tuple[str, ...]]:
    """Return the windows of each completely read document."""
    return {one.document: one.windows for one in readings if isinstance(one, DocumentRead)}


# Documents read in parallel.
AT_ONCE = 4
# After this many failures in a row the run ends: the server is down, or the model is not capable.
FAILURES_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The result of a run. ``windows`` were read in it, ``already`` before it, ``failed`` not (by reason; the
    next run tries them again), ``left`` were not tried. ``refused`` counts invalid entries of answers.
    ``stopped`` is why the run ended early, empty if it did not."""

    windows: int
    already: int
    left: int
    proposals: Mapping[str, int]
    refused: Mapping[str, int]
    failed: Mapping[str, int]
    usage: Usage
    seconds: float
    stopped: str = ""
    cancelled: bool = False
    warnings: tuple[str, ...] = ()
    currency: str = ""


@dataclass(slots=True)
class _Run:
    """State shared by the threads of one run."""

    plan: Plan
    model: LanguageModel
    meter: Meter
    progress: Progress
    lock: threading.Lock = field(default_factory=threading.Lock)
    read: int = 0
    tried: int = 0
    proposals: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    in_a_row: int = 0
    stopped: str = ""
    cancelled: bool = False
    warnings: dict[str, None] = field(default_factory=dict)

    def over(self) -> bool:
        """True if no more windows are to be read."""
        with self.lock:
            if not self.stopped and self.meter.cancelled():
                self.stopped, self.cancelled = "cancelled", True
            return bool(self.stopped)

    def stop(self, reason: str, *, cancelled: bool = False) -> None:
        """End the run after the windows in progress; the first reason is reported."""
        with self.lock:
            if not self.stopped:
                self.stopped, self.cancelled = reason, cancelled

    def succeeded(self, window: WindowRead) -> None:
        with self.lock:
            self.in_a_row = 0
            self.read += 1
            self.tried += 1
            self.proposals.update(one.relation.value for one in window.proposals)
            self.refused.update(window.refused)
            self.progress("Reading", self.tried, self.plan.open)

    def has_failed(self, error: ModelError) -> None:
        with self.lock:
            self.tried += 1
            self.in_a_row += 1
            self.failed[str(error)] += 1
            if self.in_a_row >= FAILURES_IN_A_ROW and not self.stopped:
                self.stopped = f"{self.in_a_row} windows in a row failed, the last: {error}"
            self.progress("Reading", self.tried, self.plan.open)


def extract(
    plan: Plan, model: LanguageModel, meter: Meter | None = None, progress: Progress = silent
) -> ExtractionReport:
    """Read the open windows of a plan. Every window read is stored, whatever ends the run.

    An exhausted budget, a cancelled meter and repeated failures end the run; the report gives the reason.
    Raises CorpusError if the corpus's folder cannot be written, or another process is reading the corpus.
    """
    run = _Run(plan, model, meter or Meter(), progress)
    began, before = time.monotonic(), run.meter.spent
    with _exclusive(plan.folder), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="extract") as threads:
        progress("Reading", 0, plan.open)
        for reading in [threads.submit(_document, run, work) for work in plan.work]:
            reading.result()
    spent = run.meter.spent
    return ExtractionReport(
        windows=run.read,
        already=plan.windows - plan.open,
        left=plan.open - run.tried,
        proposals=dict(run.proposals),
        refused=dict(run.refused),
        failed=dict(run.failed),
        usage=_since(spent, before),
        seconds=time.monotonic() - began,
        stopped=run.stopped,
        cancelled=run.cancelled,
        warnings=tuple(run.warnings),
        currency=currency_of(model.spec),
    )


def _document(run: _Run, work: Work) -> None:
    """Read a document's windows in order."""
    concepts, read = Concepts(), dict(work.read)
    for window in work.windows:
        if window.key not in read:
            found = None if run.over() else _window(run, window, concepts)
            if found is None:
                continue
            read[window.key] = found
        concepts.learn(read[window.key].proposals, window)
    keys = tuple(window.key for window in work.windows)
    if not work.closed and keys and all(key in read for key in keys):
        done = DocumentRead(document=work.document.id, model=run.plan.reader, windows=keys)
        _write(run, done)


def _window(run: _Run, window: Window, concepts: Concepts) -> WindowRead | None:
    """Read one window and store the result; None if it failed."""
    prompt = prompt_for(window, "\n".join(concepts.lines(window)))
    try:
        reply = run.model.ask(prompt, ModelAnswer, run.meter)
    except BudgetError as error:
        run.stop(str(error))
        return None
    except CancelledError:
        run.stop("cancelled", cancelled=True)
        return None
    except ModelError as error:
        run.has_failed(error)
        return None
    result = check_answer(reply.value, window, concepts.shown, run.plan.reader)
    found = WindowRead(
        key=window.key,
        document=window.document.id,
        model=run.plan.reader,
        proposals=result.proposals,
        refused={str(reason): count for reason, count in result.refused.items()},
        calls=reply.usage.calls,
        tokens=reply.usage.tokens,
        money=reply.usage.money,
    )
    _write(run, found)
    with run.lock:
        run.warnings.update(dict.fromkeys(reply.warnings))
    run.succeeded(found)
    return found


def _write(run: _Run, line: WindowRead | DocumentRead) -> None:
    """Store a line; if the disk fails, the run ends, because further results would be lost."""
    try:
        add_reading(run.plan.folder, line)
    except CorpusError as error:
        run.stop(str(error))
        raise


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Prevent other processes from paying for the same windows."""
    try:
        lock = open(folder / EXTRACTING_NAME, "wb")  # noqa: SIM115 - closed below, after its lock
    except OSError as error:
        raise CorpusError(f"cannot write to the corpus at {folder} ({error})") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(
                f"a model is reading the corpus at {folder} already; wait until it is done"
            ) from None
        yield


def _since(spent: Usage, before: Usage) -> Usage:
    money = None if spent.money is None or before.money is None else spent.money - before.money
    return Usage(
        spent.calls - before.calls,
        spent.prompt_tokens - before.prompt_tokens,
        spent.cached_tokens - before.cached_tokens,
        spent.completion_tokens - before.completion_tokens,
        spent.milliseconds - before.milliseconds,
        money,
        spent.reused - before.reused,
    )

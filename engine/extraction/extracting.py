"""Extraction of relations by a language model: its plan, its cost, its run."""

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
from engine.corpus.extracted.readings import (
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
    Said,
    Window,
    checked,
    prompt_for,
    reader_of,
    text_tokens,
    windows_of,
    withheld,
)
from engine.llm import LanguageModel, Meter, Usage
from engine.llm.cost import currency_of
from engine.model import Document

# What there is to read, what of it has been read already, and what the rest may cost at most.

Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Work:
    """A document: its windows, and those that have been read, by key. ``closed``: it was read to its end."""

    document: Document
    windows: tuple[Window, ...]
    read: Mapping[str, WindowRead]
    closed: bool

    @property
    def open(self) -> tuple[Window, ...]:
        """The windows that are still to be read."""
        return tuple(window for window in self.windows if window.key not in self.read)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one run would do: the corpus's folder, who reads, and each document's work. ``withheld`` passages
    address a machine and are not shown to one."""

    folder: Path
    reader: str
    work: tuple[Work, ...]
    withheld: int = 0

    @property
    def windows(self) -> int:
        """Windows of all documents."""
        return sum(len(one.windows) for one in self.work)

    @property
    def open(self) -> int:
        """Windows that are still to be read."""
        return sum(len(one.open) for one in self.work)


@dataclass(frozen=True, slots=True)
class Expected:
    """What reading what is left costs at most. An answer that has to be repaired is another call, which is
    not counted here; a budget stops a run whatever happens. ``withheld`` passages address a machine and
    are not shown to one."""

    documents: int
    windows: int
    already: int
    usage: Usage
    withheld: int = 0
    currency: str = ""


def planned(corpus: Corpus, model: LanguageModel, documents: Sequence[str] = ()) -> Plan:
    """What there is to read in a corpus, or in some of its documents, by id or title.

    Raises InputError for an unknown document, CorpusError where the corpus has no folder or what was read
    before cannot be read, SettingsError where the model's context is too small.
    """
    if corpus.folder is None:
        raise CorpusError(f"{corpus.name!r} lies in no folder: there is no place for what a model reads")
    tokens, reader = text_tokens(model), reader_of(model)
    readings = load_readings(corpus.folder)
    read = windows_read(readings)
    closed = _closed(readings)
    work, kept = [], 0
    for document in chosen(corpus, documents):
        windows = tuple(windows_of(corpus, document, tokens, f"{reader} {VERSION}"))
        keys = tuple(window.key for window in windows)
        own = {key: read[key] for key in keys if key in read}
        work.append(Work(document, windows, own, closed.get(document.id) == keys))
        kept += withheld(corpus, document)
    return Plan(corpus.folder, reader, tuple(work), kept)


def expected(plan: Plan, model: LanguageModel, progress: Progress = silent) -> Expected:
    """What a plan costs at most, window by window; nothing is sent."""
    total, done, count = Usage(), 0, plan.open
    for work in plan.work:
        for window in work.open:
            total += model.expected(prompt_for(window, FULL_LIST), Said)
            done += 1
            progress("Estimating", done, count)
    with_work = sum(bool(work.open) for work in plan.work)
    currency = currency_of(model.spec)
    return Expected(with_work, count, plan.windows - count, total, plan.withheld, currency)


def chosen(corpus: Corpus, names: Sequence[str]) -> list[Document]:
    """All documents, or those with these ids or titles. Raises InputError for a name that nobody has."""
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
    """The windows of each document that was read to its end."""
    return {one.document: one.windows for one in readings if isinstance(one, DocumentRead)}


# Has a model read a corpus, window by window: resumable, within a budget, everything checked.
#
# Documents are read side by side, the windows of one document one after another: what the first
# define is told to the later ones. Each window is written down when it has been read.

# Documents that are read side by side.
AT_ONCE = 4
# So many failures in a row, and the rest is not tried: the server is down, or the model cannot do it.
FAILURES_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """How a run ended. ``windows`` were read in it, ``already`` before it, ``failed`` not (by the reason, to
    be tried again by the next run), ``left`` were not tried. ``refused`` counts what the model said and
    does not count. ``stopped`` says why the run ended before its end; empty where it did not."""

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
    """What the threads of one run share."""

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
        """Whether nothing more is to be asked."""
        with self.lock:
            if not self.stopped and self.meter.cancelled():
                self.stopped, self.cancelled = "cancelled", True
            return bool(self.stopped)

    def stop(self, why: str, *, cancelled: bool = False) -> None:
        """End the run after the windows in flight; the first reason is told."""
        with self.lock:
            if not self.stopped:
                self.stopped, self.cancelled = why, cancelled

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
    """Read what a plan leaves open. What is read is kept whatever ends the run, a killed process included.

    A budget that is used up, a cancelled meter and a model that fails again and again end the run, and the
    report says so. Raises CorpusError where the corpus's folder cannot be written, or another process has a
    model read it.
    """
    run = _Run(plan, model, meter or Meter(), progress)
    began, before = time.monotonic(), run.meter.spent
    with _alone(plan.folder), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="extract") as threads:
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
    """Read one window and write it down; None where that failed."""
    prompt = prompt_for(window, "\n".join(concepts.lines(window)))
    try:
        reply = run.model.ask(prompt, Said, run.meter)
    except BudgetError as error:
        run.stop(str(error))
        return None
    except CancelledError:
        run.stop("cancelled", cancelled=True)
        return None
    except ModelError as error:
        run.has_failed(error)
        return None
    result = checked(reply.value, window, concepts.shown, run.plan.reader)
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
    """Keep a line; where the disk fails nothing more is asked, for it would be lost."""
    try:
        add_reading(run.plan.folder, line)
    except CorpusError as error:
        run.stop(str(error))
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from paying for the same windows."""
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

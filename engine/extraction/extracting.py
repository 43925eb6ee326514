"""Has a model read a corpus, window by window: resumable, within a budget, everything checked.

Documents are read side by side, the windows of one document one after another: what the first define is
told to the later ones. Each window is written down when it has been read.
"""

from __future__ import annotations

import fcntl
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.corpus.embedded.publication import EXTRACTING_NAME
from engine.corpus.extracted.readings import DocumentRead, WindowRead, add_reading
from engine.errors import BudgetError, CancelledError, CorpusError, ModelError
from engine.extraction.checking import checked
from engine.extraction.planning import Plan, Progress, Work, silent
from engine.extraction.prompting import Concepts, Said, prompt_for
from engine.extraction.windows import Window
from engine.llm import LanguageModel, Meter, Usage
from engine.llm.cost import currency_of

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

"""Corpora that models are reading for visitors: who reads what, how far, and how it ended."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from engine.errors import InputError, RedstringError
from engine.extraction import ExtractionReport, Plan
from engine.extraction.text import report_lines

# Runs of all visitors at the same time, and how long an ended one is remembered, s.
MOST_RUNNING = 4
REMEMBERED = 3600.0
# Making a plan reads every passage: the last ones are kept between the cost and the beginning.
PLANS_KEPT = 4
_FAULT = "the reading ended without a word; the server's log has the details"


@dataclass(slots=True)
class Extraction:
    """One run. ``state``: running, done, stopped (something is left to do), failed or cancelled."""

    id: str
    visitor: str
    corpus: str
    folder: Path
    total: int
    done: int = 0
    state: str = "running"
    lines: tuple[str, ...] = ()
    message: str = ""
    finished: float | None = None
    cancelled: Event = field(default_factory=Event)


class Extractions:
    """The runs of all visitors, each on a thread of its own: they wait for a server, and do not compute."""

    def __init__(self) -> None:
        self._runs: dict[str, Extraction] = {}
        self._plans: OrderedDict[Hashable, Plan] = OrderedDict()
        self._lock = Lock()

    def start(self, run: Extraction, work: Callable[[Extraction], ExtractionReport]) -> Extraction:
        """Begin. Raises InputError where the visitor or the corpus has one going, or there are too many."""
        with self._lock:
            long_ago = time.monotonic() - REMEMBERED
            for old in [one for one in self._runs.values() if one.finished and one.finished < long_ago]:
                del self._runs[old.id]
            going = [one for one in self._runs.values() if one.state == "running"]
            if any(one.folder == run.folder for one in going):
                raise InputError(f"a model is reading {run.corpus!r} already")
            if any(one.visitor == run.visitor for one in going):
                raise InputError("a model is reading another corpus of yours; wait until that is done")
            if len(going) >= MOST_RUNNING:
                raise InputError("too many corpora are being read at the moment; try again later")
            self._runs[run.id] = run
        Thread(target=_work, args=(run, work), name=f"extract-{run.id}", daemon=True).start()
        return run

    def plan(self, key: Hashable, make: Callable[[], Plan]) -> Plan:
        """A plan, made once: what was told and what is begun rest on the same one."""
        with self._lock:
            known = self._plans.get(key)
        if known is None:
            known = make()
            with self._lock:
                self._plans[key] = known
                while len(self._plans) > PLANS_KEPT:
                    self._plans.popitem(last=False)
        return known

    def get(self, run_id: str, visitor: str) -> Extraction:
        """A visitor's own run. Raises InputError for any other."""
        run = self._runs.get(run_id)
        if run is None or run.visitor != visitor:
            raise InputError("this reading is not known (any more)")
        return run

    def going(self, visitor: str, folder: Path) -> Extraction | None:
        """The visitor's run over a corpus that is under way."""
        with self._lock:
            return next(
                (
                    one
                    for one in self._runs.values()
                    if one.state == "running" and one.visitor == visitor and one.folder == folder
                ),
                None,
            )

    def busy(self, folder: Path) -> bool:
        """Whether a model is reading the corpus in a folder."""
        with self._lock:
            return any(one.folder == folder and one.state == "running" for one in self._runs.values())


def _work(run: Extraction, work: Callable[[Extraction], ExtractionReport]) -> None:
    try:
        report = work(run)
    except RedstringError as error:
        run.message = str(error).replace(str(run.folder), run.corpus)
        run.state = "failed"
    else:
        run.lines = tuple(report_lines(report))
        run.message = report.stopped
        run.state = "cancelled" if report.cancelled else "stopped" if report.stopped else "done"
    finally:
        if run.state == "running":
            run.state, run.message = "failed", _FAULT
        run.finished = time.monotonic()

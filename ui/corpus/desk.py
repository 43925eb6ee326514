"""What every answer of the corpus panel starts from: the library, the jobs, and the corpora being read."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from engine.errors import CorpusError, InputError
from ui.connections import Connections
from ui.corpus.browse import Browser
from ui.corpus.checklists import Checklists
from ui.corpus.extractions import Extractions
from ui.corpus.intake import Uploaded
from ui.corpus.jobs import Job, Jobs
from ui.corpus.report import store_report
from ui.corpus.validating_ask import Reading, Said, Wanted
from ui.shelf import Library, Shelved

BROWSERS_KEPT = 16


class Ask(BaseModel):
    """One request of the page. ``state``: of the corpus that the page has seen, empty for any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: str
    visitor: str = ""
    session: str = Field(default="", max_length=80, repr=False)
    corpus: str = ""
    state: str = ""
    document: int = Field(default=0, ge=0)
    section: int | None = Field(default=None, ge=0)
    at: int = Field(default=0, ge=0)
    first: int = Field(default=0, ge=0)
    stop: int = Field(default=0, ge=0)
    words: str = Field(default="", max_length=500)
    kind: str = Field(default="", max_length=200)
    relation: str = Field(default="", max_length=40)
    refs: tuple[int, ...] = Field(default=(), max_length=500)
    target: str | None = Field(default=None, max_length=1000)
    name: str = Field(default="", max_length=500)
    embedding: str = Field(default="", max_length=80)
    files: tuple[Uploaded, ...] = ()
    passwords: str = Field(default="", max_length=4000, repr=False)
    mapping: str = Field(default="", max_length=200_000)
    job: str = Field(default="", max_length=40)
    source: int | None = Field(default=None, ge=0)
    place: tuple[str, str, int] | None = None
    ontology: dict[str, Any] | None = None
    facts: dict[str, Annotated[str, Field(max_length=200)]] = Field(default_factory=dict, max_length=200)
    day: str = Field(default="", max_length=20)
    wanted: Wanted | None = None
    said: Said | None = None
    reading: Reading | None = None


class ChangedError(InputError):
    """The corpus is no longer the one that the page has seen."""


class CorpusDesk:
    """The library with its jobs. ``browser`` gives a corpus as people read it.

    ``connections.model(ask.session)`` is the language model that whoever asks may use, if there is one.
    """

    def __init__(self, library: Library, connections: Connections | None = None) -> None:
        self.books = library
        self.connections = connections or Connections()
        self.jobs = Jobs(library.settings, _keep_report)
        self.extractions = Extractions()
        self.checklists = Checklists()
        self._browsers: OrderedDict[tuple[Path, str], Browser] = OrderedDict()
        self._lock = Lock()

    def shelved(self, ask: Ask) -> Shelved:
        """The corpus that is asked about. Raises InputError, CorpusError, ChangedError."""
        shelved = self.books.find(ask.corpus, ask.visitor)
        if shelved.corpus is None:
            raise CorpusError(shelved.problem)
        if ask.state and ask.state != shelved.state:
            raise ChangedError("the corpus has changed meanwhile; this is its new state")
        return shelved

    def browser(self, ask: Ask) -> Browser:
        """The corpus that is asked about, ready to be read."""
        shelved = self.shelved(ask)
        assert shelved.corpus is not None
        key = (shelved.folder, shelved.state)
        with self._lock:
            if key not in self._browsers:
                self._browsers[key] = Browser(shelved.corpus)
            self._browsers.move_to_end(key)
            while len(self._browsers) > BROWSERS_KEPT:
                self._browsers.popitem(last=False)
            return self._browsers[key]

    def writable(self, ask: Ask) -> Shelved:
        """The corpus that is to be changed. Raises InputError where this visitor may not."""
        shelved = self.shelved(ask)
        if not shelved.writable:
            raise InputError(f"{shelved.name!r} cannot be changed here")
        return shelved

    def job(self, ask: Ask) -> Job:
        """The visitor's own job that is asked about."""
        return self.jobs.get(ask.job, ask.visitor)


def _keep_report(job: Job) -> None:
    if job.report is not None:
        store_report(job.order.folder, job.report)

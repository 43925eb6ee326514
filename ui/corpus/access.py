"""Shared state of the calls of the Corpus view, and the caller's rights on a corpus."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from pydantic import Field

from engine.access.users import Action, may
from engine.answers.retrieval_audit import RetrievalAudit
from engine.caching import Cache
from engine.corpus.extracted import current_verdicts, load_validations, stamp_of
from engine.errors import AccessError, CorpusError, InputError
from engine.extraction import Plan
from engine.extraction.checklist import Checklist, checklist
from engine.verbs.verb import CorpusName, Key
from ui.calls import Access, Caller, ChangedError, Form
from ui.cases.storage import KeptCases
from ui.corpus.browser import Browser
from ui.corpus.ingestion import Ingestion
from ui.corpus.vectors import Vectors
from ui.models.connections import Connections
from ui.serve import Workspaces
from ui.server.jobs import Folders, Jobs, Rules
from ui.shelf import Library, Shelved, ontology_stamp


@dataclass(slots=True)
class Extraction:
    """The result of an extraction by a model: the lines of its report."""

    lines: tuple[str, ...] = ()


# Limits of reports: running at a time for all visitors, waiting, and timeout, s.
RULES = Rules("report", running=1, waiting=6, seconds=300.0)


@dataclass(slots=True)
class Found:
    """The retrieval audit of a corpus, once it is finished."""

    audit: RetrievalAudit | None = None


class Checklists:
    """The checklists of the open corpora, rebuilt when something has changed."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Browser, tuple[tuple[Any, ...], Checklist]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, browser: Browser, folder: Path) -> Checklist:
        """Return the current checklist of a corpus. Raises CorpusError if a file cannot be read."""
        stamp = stamp_of(folder)
        with self._lock:
            known = self._known.get(browser)
            if known is None or known[0][0] != stamp[0]:
                known = stamp, checklist(browser.corpus)
            elif known[0] != stamp:
                known = stamp, known[1].with_verdicts(current_verdicts(load_validations(folder)))
            self._known[browser] = known
            return known[1]


# Each browser keeps its corpus open.
BROWSERS_KEPT = 8
STATES_KEPT = 1024
# Retention of finished ingestions, s.
REMEMBERED = 3600.0
# Models that read corpora wait for a server and do not compute; a run may take hours.
READING_RULES = Rules("reading", running=4, waiting=0, remembered=REMEMBERED)

# The id of a passage, or the text of a reference.
Name = Annotated[str, Field(max_length=1000)]


class CorpusForm(Form):
    """A call about a corpus. ``state`` is the one that the page shows, empty for any."""

    corpus: CorpusName = ""
    state: Key = ""


class DocumentForm(CorpusForm):
    """A call about a document, by its number."""

    document: int = Field(default=0, ge=0)


class JobForm(CorpusForm):
    """A call about a job, by its id."""

    job: Key = ""


class CorpusDesk:
    """The library, the jobs on its corpora, and the open corpora.

    ``connections`` has the language models that callers may use, ``cases`` has the stored cases.
    """

    def __init__(
        self, library: Library, connections: Connections | None = None, cases: KeptCases | None = None
    ) -> None:
        self.books = library
        self.cases = cases or KeptCases(library.settings, library.home)
        self.connections = connections or Connections()
        # Shared by both kinds of job: only one of them at a time changes a corpus.
        self.changing = Folders()
        self.workspaces = Workspaces(library.home)
        settings = library.settings
        rules = Rules("ingestion", settings.jobs, settings.waiting, 60.0 * settings.job_minutes, REMEMBERED)
        self.jobs: Jobs[Ingestion] = Jobs(rules, self.changing)
        self.vectors = Vectors(settings, self.changing, self.workspaces)
        if library.home is not None and settings.uploads:
            self.vectors.go_on(library.home)
        self.audits: Jobs[Found] = Jobs(RULES)
        self.extractions: Jobs[Extraction] = Jobs(READING_RULES, self.changing)
        # A plan reads every passage; the cost and the run both need it.
        self.plans: Cache[Hashable, Plan] = Cache("plans of extractions", 4)
        self.checklists = Checklists()
        self.browsers: Cache[tuple[Path, str], Browser] = Cache("corpora that are read", BROWSERS_KEPT)
        # Maps states of corpora that a page has seen to the state of their texts alone.
        self.texts: Cache[str, str] = Cache("states of corpora", STATES_KEPT)

    def access(self, caller: Caller, form: CorpusForm) -> CorpusAccess:
        """Return the access of a caller to the corpus of a call."""
        self.connections.seen(caller.session, trusted=caller.is_trusted)
        return CorpusAccess(self, caller, form.corpus, form.state)


class CorpusAccess(Access):
    """The caller's rights on a corpus; ``state`` is the state that the page shows."""

    def __init__(self, desk: CorpusDesk, caller: Caller, name: str, state: str) -> None:
        self.desk, self.caller = desk, caller
        self._name, self._state = name, state

    @cached_property
    def entry(self) -> Shelved:
        """Return the corpus in the library. Raises InputError, CorpusError, ChangedError."""
        shelved = self.desk.books.find(self._name, self.caller.key)
        if shelved.info is None:
            raise CorpusError(shelved.problem)
        text = f"{shelved.info.metadata.get('text')} {ontology_stamp(shelved.folder)}"
        texts = self.desk.texts
        texts.put(shelved.state, text)
        # If only the vectors are new, the page continues.
        if self._state and self._state != shelved.state and texts.get(self._state) != text:
            raise ChangedError("the corpus has changed; this is its new state")
        return shelved

    def browser(self) -> Browser:
        """Open the corpus for reading. Raises as ``entry``."""
        entry = self.entry
        key = (entry.folder, entry.state)
        browser = self.desk.browsers.made(key, lambda: Browser(self.desk.books.open(entry)))
        # Verdicts on links may have been stored elsewhere, on a card or by command.
        browser.corpus.apply_verdicts()
        return browser

    def may(self, entry: Shelved, action: Action) -> bool:
        """Return whether the caller may do an action on a corpus."""
        # Verdicts and decisions are stored next to a corpus, which need not be writable for them.
        beside = action in (Action.JUDGE, Action.RESOLVE)
        own = self.desk.books.belongs(entry)
        return (entry.writable or beside) and may(self.caller.person.role, action, own=own)

    def check(self, needs: Action) -> None:
        """Raise AccessError if the caller may not do this action on the corpus."""
        if not self.may(self.entry, needs):
            raise AccessError(f"{self.entry.name!r} cannot be changed here")

    def subject(self, form: CorpusForm) -> str:
        """Return the folder of the corpus: the name that a visitor gave it must not be in the audit log."""
        if form.do in ("create", "forget-me"):
            return "a new corpus" if form.do == "create" else "everything of their own"
        try:
            return self.desk.books.find(self._name, self.caller.key).logged_as
        except InputError:
            return "no corpus"

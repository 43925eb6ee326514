"""What every answer of the Corpus view starts from: library, jobs, corpora that are read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from pydantic import Field

from engine.access.users import Action, Role, may
from engine.answers.retrieval_audit import RetrievalAudit
from engine.caching import Cache
from engine.corpus.extracted import judged, load_validations
from engine.corpus.extracted.graph import stamp_of
from engine.errors import AccessError, CorpusError, InputError
from engine.extraction import Plan
from engine.extraction.checklist import Checklist, Filter, Order, checklist
from engine.verbs.requests import CorpusName, Key, Request
from ui.cases.kept import KeptCases
from ui.connections import Connections
from ui.corpus.browse import Browser
from ui.corpus.ingesting import Ingestion
from ui.corpus.intake import Uploaded
from ui.corpus.vectors import Vectors
from ui.jobs.jobs import Folders, Jobs, Owner, Rules
from ui.serve import Workspaces
from ui.shelf import Library, Shelved, ontology_stamp

# What a language model is to read, planned once: the cost told and the run rest on the same plan.


@dataclass(slots=True)
class Extraction:
    """What a run of a model has brought: the lines of its report."""

    lines: tuple[str, ...] = ()


def plans() -> Cache[Hashable, Plan]:
    """Make a cache of plans: each reads every passage, and is needed for the cost and for the run."""
    return Cache("plans of extractions", 4)


# What a retrieval audit of a corpus has found so far, and how many of them there may be.

# Of all visitors at the same time, those that wait, the longest of one, s.
RULES = Rules("report", running=1, waiting=6, seconds=300.0)
# Questions of one.
MOST_ASKED, LONGEST_ASKED = 25, 1000


@dataclass(slots=True)
class Found:
    """The audit, once it is there."""

    audit: RetrievalAudit | None = None


# What there is to check in the corpora that are being read, kept as long as nothing has changed.


class Checklists:
    """The checklists of the corpora that are being read, each made again when something has changed."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Browser, tuple[tuple[Any, ...], Checklist]] = WeakKeyDictionary()
        self._lock = Lock()

    def of(self, browser: Browser, folder: Path) -> Checklist:
        """The checklist of a corpus as it stands. Raises CorpusError where a file cannot be read."""
        stamp = stamp_of(folder)
        with self._lock:
            known = self._known.get(browser)
            if known is None or known[0][0] != stamp[0]:
                known = stamp, checklist(browser.corpus)
            elif known[0] != stamp:
                known = stamp, known[1].with_verdicts(judged(load_validations(folder)))
            self._known[browser] = known
            return known[1]


# What the panel of links asks: which are wanted, what a person says of one, what a model may
# cost.


class Wanted(Request):
    """Which items are to be checked, and in which order."""

    origin: Literal["", "model", "grammar"] = ""
    sort: str = Field(default="", max_length=60)
    document: int | None = Field(default=None, ge=0)
    low: float = Field(default=0.0, ge=0.0, le=1.0)
    high: float = Field(default=1.0, ge=0.0, le=1.0)
    state: Literal["", "open", "judged", "stale"] = ""
    order: Order = Order.RANDOM

    @property
    def filter(self) -> Filter:
        """As the engine takes it."""
        return Filter(self.origin, self.sort, self.document, self.low, self.high, self.state)


class Said(Request):
    """What a person says of one item. What is empty is as it was; ``at`` is where the words begin."""

    key: str = Field(min_length=1, max_length=64)
    judgement: Literal["accepted", "corrected", "rejected"] = "accepted"
    relation: str = Field(default="", max_length=40)
    target: str = Field(default="", max_length=1000)
    concept: str = Field(default="", max_length=200)
    quote: str = Field(default="", max_length=4000)
    at: int | None = Field(default=None, ge=0)
    note: str = Field(default="", max_length=2000)
    reviewer: str = Field(default="", max_length=100)


class Reading(Request):
    """What a model is to read: all documents or one, within so many calls; ``agreed`` are the windows whose
    cost the person has seen."""

    document: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=1)
    agreed: int = Field(default=0, ge=0)


# What every answer of the corpus panel starts from: the library, the jobs, and the corpora being
# read.

# Each keeps its corpus open.
BROWSERS_KEPT = 8
STATES_KEPT = 1024
# Ended ingestions are remembered this long, s.
REMEMBERED = 3600.0
# Models that read corpora: they wait for a server and do not compute, and one may take hours.
READING_RULES = Rules("reading", running=4, waiting=0, remembered=REMEMBERED)


# Names of passages and references in a place that is to be decided.
Place = Annotated[str, Field(max_length=1000)]
# More values than this no body may have in a list.
MOST_FILES = 2500
# What each request that changes something does, see ``may``.
ACTIONS: Mapping[str, Action] = {
    "create": Action.ADD,
    "add": Action.ADD,
    "remove": Action.ADD,
    "apply": Action.RESOLVE,
    "embed": Action.ADD,
    "embed-stop": Action.ADD,
    "delete": Action.DELETE,
    "decide": Action.RESOLVE,
    "undo": Action.RESOLVE,
    "areas-save": Action.AREAS,
    "areas-undo": Action.AREAS,
    "areas-load": Action.AREAS,
    "judge": Action.JUDGE,
    "unjudge": Action.JUDGE,
    "grade": Action.JUDGE,
    "reject-link": Action.JUDGE,
    "restore-link": Action.JUDGE,
    "extract-cost": Action.EXTRACT,
    "extract": Action.EXTRACT,
}


class Ask(Request):
    """One request of the page. ``state``: of the corpus that the page has seen, empty for any.

    ``visitor``, ``address``, ``role`` and ``reviewer`` are what the server says, whatever was sent.
    """

    do: Key
    visitor: Key = ""
    address: Key = ""
    role: Role = Role.VISITOR
    reviewer: str = Field(default="", max_length=200)
    session: Key = Field(default="", repr=False)
    corpus: CorpusName = ""
    state: Key = ""
    document: int = Field(default=0, ge=0)
    section: int | None = Field(default=None, ge=0)
    at: int = Field(default=0, ge=0)
    first: int = Field(default=0, ge=0)
    stop: int = Field(default=0, ge=0)
    words: str = Field(default="", max_length=500)
    kind: str = Field(default="", max_length=200)
    relation: str = Field(default="", max_length=40)
    grade: str = Field(default="", max_length=20)
    refs: tuple[int, ...] = Field(default=(), max_length=500)
    target: str | None = Field(default=None, max_length=1000)
    name: str = Field(default="", max_length=500)
    embedding: str = Field(default="", max_length=80)
    files: tuple[Uploaded, ...] = Field(default=(), max_length=MOST_FILES)
    passwords: str = Field(default="", max_length=4000, repr=False)
    mapping: str = Field(default="", max_length=200_000)
    job: Key = ""
    questions: tuple[Annotated[str, Field(max_length=LONGEST_ASKED)], ...] = Field(
        default=(), max_length=MOST_ASKED
    )
    source: int | None = Field(default=None, ge=0)
    place: tuple[Place, Place, int] | None = None
    link: tuple[Place, Place, Annotated[str, Field(max_length=40)]] | None = None
    ontology: dict[str, Any] | None = None
    facts: dict[str, Annotated[str, Field(max_length=200)]] = Field(default_factory=dict, max_length=200)
    day: str = Field(default="", max_length=20)
    wanted: Wanted | None = None
    said: Said | None = None
    reading: Reading | None = None

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)


class ChangedError(InputError):
    """The corpus is no longer the one that the page has seen."""


class CorpusDesk:
    """The library with its jobs. ``browser`` gives a corpus as people read it.

    ``connections.model(ask.session)`` is the language model that whoever asks may use, if there is one.
    ``cases`` are those that the page keeps.
    """

    def __init__(
        self, library: Library, connections: Connections | None = None, cases: KeptCases | None = None
    ) -> None:
        self.books = library
        self.cases = cases or KeptCases(library.settings, library.home)
        self.connections = connections or Connections()
        # One for both kinds of job: a corpus is changed by one of them at a time.
        self.changing = Folders()
        self.workspaces = Workspaces(library.home)
        told = library.settings
        rules = Rules("ingestion", told.jobs, told.waiting, 60.0 * told.job_minutes, REMEMBERED)
        self.jobs: Jobs[Ingestion] = Jobs(rules, self.changing)
        self.vectors = Vectors(told, self.changing, self.workspaces)
        if library.home is not None and told.uploads:
            self.vectors.go_on(library.home)
        self.audits: Jobs[Found] = Jobs(RULES)
        self.extractions: Jobs[Extraction] = Jobs(READING_RULES, self.changing)
        self.plans = plans()
        self.checklists = Checklists()
        self._browsers: Cache[tuple[Path, str], Browser] = Cache("corpora that are read", BROWSERS_KEPT)
        # What is read in each state of a corpus that was seen.
        self._texts: Cache[str, str] = Cache("states of corpora", STATES_KEPT)

    def shelved(self, ask: Ask) -> Shelved:
        """The corpus that is asked about. Raises InputError, CorpusError, ChangedError."""
        shelved = self.books.find(ask.corpus, ask.visitor)
        if shelved.info is None:
            raise CorpusError(shelved.problem)
        text = f"{shelved.info.metadata.get('text')} {ontology_stamp(shelved.folder)}"
        self._texts.put(shelved.state, text)
        # Where only the vectors are new, whoever reads the corpus reads on.
        if ask.state and ask.state != shelved.state and self._texts.get(ask.state) != text:
            raise ChangedError("the corpus has changed meanwhile; this is its new state")
        return shelved

    def browser(self, ask: Ask) -> Browser:
        """The corpus that is asked about, ready to be read."""
        shelved = self.shelved(ask)
        key = (shelved.folder, shelved.state)
        browser = self._browsers.made(key, lambda: Browser(self.books.open(shelved)))
        # What was said of links elsewhere, on a card or by command, holds here, too.
        browser.corpus.judge()
        return browser

    def may(self, ask: Ask, shelved: Shelved, action: Action) -> bool:
        """Whether whoever asks may do something with a corpus."""
        # Whoever may judge says so beside the corpus: that its documents cannot be changed here is no matter.
        beside = action in (Action.JUDGE, Action.RESOLVE)
        return (shelved.writable or beside) and may(ask.role, action, own=self.books.belongs(shelved))

    def writable(self, ask: Ask) -> Shelved:
        """The corpus that is to be changed. Raises AccessError where whoever asks may not."""
        shelved = self.shelved(ask)
        if not self.may(ask, shelved, ACTIONS[ask.do]):
            raise AccessError(f"{shelved.name!r} cannot be changed here")
        return shelved

    def named(self, ask: Ask) -> str:
        """How the audit log calls the corpus of a request: by its folder."""
        if ask.do in ("create", "forget-me"):
            return "a new corpus" if ask.do == "create" else "everything of their own"
        try:
            return self.books.find(ask.corpus, ask.visitor).logged_as
        except InputError:
            return "no corpus"

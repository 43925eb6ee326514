"""What every answer of the corpus panel starts from: the library, the jobs, and the corpora being read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from engine.access.users import Action, Role, may
from engine.caching import Cache
from engine.errors import AccessError, CorpusError, InputError
from ui.asked import CorpusName, Key, Request
from ui.cases.kept import KeptCases
from ui.connections import Connections
from ui.corpus.browse import Browser
from ui.corpus.checklists import Checklists
from ui.corpus.found import LONGEST_ASKED, MOST_ASKED, Found
from ui.corpus.found import RULES as FOUND_RULES
from ui.corpus.ingesting import Ingestion
from ui.corpus.intake import Uploaded
from ui.corpus.plans import Extraction, plans
from ui.corpus.validating_ask import Reading, Said, Wanted
from ui.corpus.vectors import Vectors
from ui.jobs.folders import Folders
from ui.jobs.job import Owner
from ui.jobs.jobs import Jobs, Rules
from ui.open_corpora import ontology_stamp
from ui.server_folders import Workspaces
from ui.shelf import Library, Shelved

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
        self.audits: Jobs[Found] = Jobs(FOUND_RULES)
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

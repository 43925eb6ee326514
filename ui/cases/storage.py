"""The cases that the page stores, and their owners."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from engine.access.users import Person, Role, is_key
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, ResourceError
from engine.investigation import Case
from engine.investigation.ranking.additive import Experience
from engine.operator_settings import CASES_NAME, OperatorSettings
from engine.records.conversion import investigation_to_json
from engine.records.replaying import Step
from engine.records.store.chain import fingerprint_of
from engine.records.store.database import MatterWeights
from engine.records.store.store import GENERAL, CaseStore, matter_name, new_id
from engine.review.store import ReviewStore

# The source of the page's cases in their records.
PAGE = "page"


class KeptCases:
    """The store of cases, opened on first use: the one named in the settings, else a file in ``home``.
    Without either, no case is stored. Safe for several threads."""

    def __init__(self, settings: OperatorSettings, home: Path | None) -> None:
        self.settings = settings
        named = settings.cases.get_secret_value()
        self._address = named or (f"sqlite:///{home / CASES_NAME}" if home is not None else "")
        self._store: CaseStore | None = None
        self._reviews: ReviewStore | None = None
        self._weights: MatterWeights | None = None
        self._lock = Lock()

    @property
    def may_share(self) -> bool:
        """Return whether the operator allows sharing cases by link."""
        return self.settings.share_cases

    def store(self) -> CaseStore:
        """Return the store. Raises as ``CaseStore``."""
        with self._lock:
            if self._store is None:
                self._store = CaseStore(self._address)
            return self._store

    def reviews(self) -> ReviewStore:
        """Return the reviews of these cases. Raises as ``CaseStore``."""
        with self._lock:
            if self._reviews is None:
                self._reviews = ReviewStore(self._address)
            return self._reviews

    def weights(self) -> MatterWeights:
        """Return the learned weights of their matters. Raises as ``CaseStore``."""
        with self._lock:
            if self._weights is None:
                self._weights = MatterWeights(self._address)
            return self._weights

    def learned_in(self, person: Person, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights of a person's matter, by its name, for a corpus; None for those of the corpus.
        Raises InputError if they cannot be read."""
        owner, name = self.owner_of(person), matter_name(matter)
        # A missing matter is no error: it is created when its first case is stored.
        try:
            own = () if owner is None else self.store().matters(owner)
            found = next((one for one in own if one.name == name), None)
            return None if found is None else self.weights().adopted(found, corpus.name)
        except ResourceError:
            # A question is answered without the database; storing the case reports the error.
            return None

    def learned_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """Return the learned weights that ranked a case, given its record and the id of its matter; None for
        none. Raises as ``MatterWeights``."""
        weights = str(record.get("weights", ""))
        return self.weights().experience(matter_id, weights) if weights else None

    def owner_of(self, person: Person) -> str | None:
        """Return the owner of a person's matters: a hash of their key; empty for the local user, who shares
        them with the command line; None without a key: such cases are not stored."""
        if not self._address:
            return None
        if self.settings.access == "off" and person.role is Role.OPERATOR:
            return ""
        return hashlib.sha256(person.key.encode()).hexdigest()[:32] if is_key(person.key) else None


# A case is stored when it is finished, and after each step of a person.

# The name in events of a person who has not logged in.
VISITOR = "visitor"
SHARED = "this case is shared with you to be read: ask its question yourself to go on with it"


@dataclass(slots=True)
class Keeping:
    """Where and for whom a case is stored. ``events`` is the number of its events that this page has seen, 0
    before it is finished; ``to_read``: another person owns and shares it."""

    cases: KeptCases
    owner: str
    who: str
    case_id: str
    matter: str = GENERAL
    events: int = 0
    to_read: bool = False

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        # A worker stores nothing: its result comes back to the page.
        return _nothing, ()

    @property
    def store(self) -> CaseStore:
        """Return the store of cases. Raises as ``CaseStore``."""
        return self.cases.store()

    def keep(self, case: Case, step: Step | None = None) -> None:
        """Store a finished case for the first time, or after a step. Raises AccessError for a case of
        another, InputError if it was changed elsewhere, ResourceError."""
        self.check()
        if case.stop is None or case.plan is None or (self.events and step is None):
            return
        record = investigation_to_json(case.investigation())
        if self.events == 0:
            matter = self.store.matter(self.matter, self.owner)
            fingerprint = fingerprint_of(case.corpus)
            self.store.keep(
                record, matter, application=PAGE, who=self.who, fingerprint=fingerprint, case_id=self.case_id
            )
            self.events = 2
        if step is not None:
            self._step(step, record)

    def note(self, step: Step) -> None:
        """Store a step that leaves the record unchanged. Raises as ``keep``."""
        self.check()
        if self.events:
            self._step(step, None)

    def undo(self) -> dict[str, Any]:
        """Undo the last step; returns the record before it. Raises as ``keep``."""
        self.check()
        record = self.store.undo(self.case_id, who=self.who, owner=self.owner)
        self.events = len(self.store.events(self.case_id, self.owner))
        return record

    def check(self) -> None:
        """Raise AccessError for a case of another person."""
        if self.to_read:
            raise AccessError(SHARED)

    def _step(self, step: Step, record: Mapping[str, Any] | None) -> None:
        event = self.store.step(
            self.case_id, step.kind, who=self.who, owner=self.owner, data=step.data(), record=record,
            seen=self.events,
        )  # fmt: skip
        self.events = event.number + 1


def keeping_for(cases: KeptCases, person: Person, matter: str = "") -> Keeping | None:
    """Return how a new case of a person is stored; None for a person without a key."""
    owner = cases.owner_of(person)
    if owner is None:
        return None
    return Keeping(cases, owner, person.name or VISITOR, new_id(), matter_name(matter))


def _nothing() -> None:
    return None

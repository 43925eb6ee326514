"""A case of the page is kept: when it has come to its end, and after each step that somebody takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.access.users import Person
from engine.errors import AccessError
from engine.investigation import Case
from engine.records.export import investigation_to_json
from engine.records.steps import Step
from engine.records.store.fingerprint import fingerprint_of
from engine.records.store.store import GENERAL, CaseStore, matter_name, new_id
from ui.cases.kept import PAGE, KeptCases

# By what name steps of somebody who has not logged in are kept.
VISITOR = "visitor"
SHARED = "this case is shared with you to be read: ask its question yourself to go on with it"


@dataclass(slots=True)
class Keeping:
    """Where and for whom a case is kept. ``events`` is how many of its events this page has seen, 0 before
    it came to its end; ``to_read``: it belongs to somebody else, who shares it."""

    cases: KeptCases
    owner: str
    who: str
    case_id: str
    matter: str = GENERAL
    events: int = 0
    to_read: bool = False

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        # A worker keeps nothing: what it has found comes back to the page.
        return _nothing, ()

    @property
    def store(self) -> CaseStore:
        """The store of cases. Raises as ``CaseStore``."""
        return self.cases.store()

    def keep(self, case: Case, step: Step | None = None) -> None:
        """Keep a case as it stands: for the first time, or behind a step. Raises AccessError where it is
        only to be read, InputError where it was changed elsewhere, ResourceError."""
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
        """Keep a step that leaves the record as it was. Raises as ``keep``."""
        self.check()
        if self.events:
            self._step(step, None)

    def undo(self) -> dict[str, Any]:
        """Take back the last step; returns the record as it was before. Raises as ``keep``."""
        self.check()
        record = self.store.undo(self.case_id, who=self.who, owner=self.owner)
        self.events = len(self.store.events(self.case_id, self.owner))
        return record

    def check(self) -> None:
        """Raises AccessError where the case is somebody else's."""
        if self.to_read:
            raise AccessError(SHARED)

    def _step(self, step: Step, record: Mapping[str, Any] | None) -> None:
        event = self.store.step(
            self.case_id, step.kind, who=self.who, owner=self.owner, data=step.data(), record=record,
            seen=self.events,
        )  # fmt: skip
        self.events = event.number + 1


def keeping_for(cases: KeptCases, person: Person, matter: str = "") -> Keeping | None:
    """By what a new case of somebody is kept; None where nobody knows whose it would be."""
    owner = cases.owner_of(person)
    if owner is None:
        return None
    return Keeping(cases, owner, person.name or VISITOR, new_id(), matter_name(matter))


def _nothing() -> None:
    return None

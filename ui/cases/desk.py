"""What every answer of the Cases view starts from: whose cases, and which of their matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.access.users import Person
from engine.errors import InputError
from engine.records.store.listing import Matter
from engine.records.store.store import CaseStore
from ui.cases.keeping import VISITOR
from ui.cases.kept import KeptCases
from ui.cases.wording import day, exact, figure, percent, took
from ui.shelf import Library
from ui.templating import rendered

Answer = dict[str, Any]


class CasesDesk:
    """The kept cases, and the library whose corpora they were asked of."""

    def __init__(self, kept: KeptCases, library: Library) -> None:
        self.kept, self.library = kept, library


@dataclass(frozen=True, slots=True)
class Own:
    """The cases of whoever asks. ``owner`` is by what their matters are known: never that of everybody."""

    desk: CasesDesk
    person: Person
    owner: str

    @property
    def store(self) -> CaseStore:
        """The store. Raises as ``CaseStore``."""
        return self.desk.kept.store()

    @property
    def who(self) -> str:
        """What events say of whoever asks."""
        return self.person.name or VISITOR

    def matter(self, matter_id: str) -> Matter | None:
        """The matter of an id, None for none. Raises InputError for one of another."""
        if not matter_id:
            return None
        for one in self.store.matters(self.owner):
            if one.id == matter_id:
                return one
        raise InputError("there is no such matter")


def shown(template: str, **values: Any) -> str:
    """A fragment of the view, with what its templates word figures by."""
    return rendered(
        f"cases/{template}.html", day=day, exact=exact, figure=figure, percent=percent, took=took, **values
    )

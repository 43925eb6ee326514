"""A library whose cases are kept, people who ask, and the door of the Cases view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.access.users import Person, Role
from engine.corpus import open_corpus
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.records.store.store import CaseStore
from tests.engine.investigation.story import finished, record_of
from ui.calls import answer
from ui.cases.access import CasesDesk
from ui.cases.panel import CALLS
from ui.cases.storage import PAGE, KeptCases
from ui.shelf import Library, open_library

ANNA, BELA = (Person(name * 8, Role.VISITOR) for name in ("anna", "bela"))
ANN, BEN = ANNA.key, BELA.key
QUESTION = "May a manager grant broader powers?"
Keep = Callable[..., str]


@pytest.fixture(scope="session")
def record(corpus_folder: Path) -> dict[str, Any]:
    return record_of(finished(open_corpus(corpus_folder), QUESTION))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shelf(corpus_folder: Path, home: Path) -> Library:
    return open_library([corpus_folder], home, OperatorSettings(host=ANYWHERE))


@pytest.fixture
def cases(shelf: Library) -> KeptCases:
    return KeptCases(shelf.settings, shelf.home)


@pytest.fixture
def desk(shelf: Library, cases: KeptCases) -> Iterator[CasesDesk]:
    yield CasesDesk(cases, shelf)
    cases.store().close()


@pytest.fixture
def store(desk: CasesDesk) -> CaseStore:
    return desk.kept.store()


@pytest.fixture
def keep(desk: CasesDesk, store: CaseStore, record: dict[str, Any]) -> Keep:
    """Keep a case of somebody, by their token; fields of its record can be given."""

    def one(visitor: str = ANN, matter: str = "General", name: str = "", **changed: Any) -> str:
        return store.keep(
            {**record, **changed},
            store.matter(matter, owner_of(desk, visitor)),
            application=PAGE,
            who="Ann",
            name=name,
        )

    return one


def owner_of(desk: CasesDesk, visitor: str) -> str:
    owner = desk.kept.owner_of(Person(visitor))
    assert owner
    return owner


def ask(desk: CasesDesk, do: str, visitor: str = ANN, **more: Any) -> dict[str, Any]:
    return answer(desk, CALLS, {"do": do, "visitor": visitor, **more})


def known(do: str, **more: Any) -> dict[str, Any]:
    """Those of some fields that a call has."""
    return {name: value for name, value in more.items() if name in CALLS[do].form.model_fields}


def html(desk: CasesDesk, do: str, slot: str, visitor: str = ANN, **more: Any) -> str:
    """A fragment of an answer that is no error."""
    told = ask(desk, do, visitor, **more)
    assert "error" not in told, told
    found: str = told["html"][slot]
    return found
